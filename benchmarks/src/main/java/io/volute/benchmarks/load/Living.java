package io.volute.benchmarks.load;

import io.volute.benchmarks.load.LoadPlan.Request;
import io.volute.benchmarks.load.Workload.Operation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.random.RandomGenerator;

/** The objects of a population that are there now. Thread-safe. */
final class Living {
    private final Population population;
    private final int getPercent;
    private long made;

    /** In no order: the last takes the place of one that goes. */
    private final List<Long> there = new ArrayList<>();

    private final Map<Long, Integer> places = new HashMap<>();

    private final PriorityQueue<Death> deaths =
            new PriorityQueue<>(Comparator.comparingLong(Death::when));

    /**
     * @param when so many objects have been made
     */
    private record Death(long when, long number) {}

    Living(Population population, int getPercent) {
        this.population = population;
        this.getPercent = getPercent;
    }

    Population population() {
        return population;
    }

    /** A read of any of them, the deletion of one whose time has come, or a new one. */
    synchronized Request next(RandomGenerator random) {
        if (!there.isEmpty() && random.nextInt(100) < getPercent) {
            // Taken out while it is read: nobody deletes it meanwhile.
            return new Request(Operation.GET, take(random.nextInt(there.size())));
        }
        if (!deaths.isEmpty() && deaths.peek().when() <= made) {
            Death death = deaths.remove();
            Integer at = places.get(death.number());
            if (at != null) {
                return new Request(Operation.DELETE, take(at));
            }
            deaths.add(new Death(made + 1, death.number()));
        }
        return new Request(Operation.PUT, made++);
    }

    private long take(int at) {
        long number = there.get(at);
        long last = there.removeLast();
        places.remove(number);
        if (last != number) {
            there.set(at, last);
            places.put(last, at);
        }
        return number;
    }

    /** The request has succeeded. */
    synchronized void done(Request request) {
        switch (request.operation()) {
            case GET -> add(request.item());
            case PUT -> {
                add(request.item());
                long when = request.item() + population.lifetime(request.item());
                deaths.add(new Death(when, request.item()));
            }
            case DELETE, HEAD, MIXED, MULTI_DELETE, LIST, POPULATION -> {}
        }
    }

    private void add(long number) {
        places.put(number, there.size());
        there.add(number);
    }
}
