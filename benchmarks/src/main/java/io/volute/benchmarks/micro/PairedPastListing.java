package io.volute.benchmarks.micro;

import io.volute.benchmarks.Arguments;
import io.volute.benchmarks.CommandLine;
import io.volute.benchmarks.JsonLine;
import io.volute.benchmarks.Machine;
import io.volute.benchmarks.ResultFile;
import io.volute.benchmarks.Ticks;
import io.volute.versioning.Listing.ObjectPage;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.causality.HistoryPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Compares listings of the past with those of the present: the same bucket, of whose keys all
 * states are kept, is listed as it is, as it was and as it is again in turns, in one process.
 */
public final class PairedPastListing {
    private static final int PAGE_KEYS = 1000;
    private static final int BODY_BYTES = 16;
    private static final String PRESENT = "present";
    private static final String INSTANTS = "instants.txt";

    private static final String USAGE =
            """
            --keys N         of the bucket (1000000)
            --states N       of each key (10)
            --rounds N       listings of each kind, after two more (10)
            --store DIR      a store that is kept there; filled when there is none yet (none)
            --output FILE    gets a line of results (none)
            --commit ID
            """;

    /** What is measured. */
    private record Plan(
            long keys,
            int states,
            int rounds,
            Optional<Path> store,
            Optional<Path> output,
            String commit) {
        private static Optional<Path> path(String text) {
            return text.isEmpty() ? Optional.empty() : Optional.of(Path.of(text));
        }

        static Plan parse(String[] arguments) {
            Arguments given = Arguments.of(arguments, Set.of());
            Plan plan =
                    new Plan(
                            Long.parseLong(given.take("keys", "1000000")),
                            Integer.parseInt(given.take("states", "10")),
                            Integer.parseInt(given.take("rounds", "10")),
                            path(given.take("store", "")),
                            path(given.take("output", "")),
                            given.take("commit", "unknown"));
            given.requireAllTaken();
            return plan;
        }
    }

    /**
     * One listing of everything.
     *
     * @param firstMillis until the first page was there
     */
    private record Walk(double seconds, double firstMillis) {}

    private final Plan plan;
    private final OpenStore store;
    private final Map<String, List<Walk>> walks = new LinkedHashMap<>();

    private PairedPastListing(Plan plan, OpenStore store) {
        this.plan = plan;
        this.store = store;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (arguments.length > 0 && arguments[0].equals("--help")) {
            System.out.print(USAGE);
            return;
        }
        Plan plan = CommandLine.read(arguments, USAGE, Plan::parse);
        try (OpenStore store =
                plan.store().isPresent()
                        ? OpenStore.in(plan.store().get(), BODY_BYTES)
                        : new OpenStore(BODY_BYTES)) {
            new PairedPastListing(plan, store).run();
        }
    }

    private void run() throws IOException, InterruptedException {
        List<Instant> instants = filled();
        Map<String, Instant> kinds = new LinkedHashMap<>();
        kinds.put("newest", instants.getLast());
        kinds.put("middle", instants.get((instants.size() - 1) / 2));
        kinds.put("oldest", instants.getFirst());
        for (int round = -2; round < plan.rounds(); round++) {
            measure(round, PRESENT, store.store());
            for (Map.Entry<String, Instant> kind : kinds.entrySet()) {
                measure(round, kind.getKey(), store.store().asOf(kind.getValue()));
            }
        }
        report();
    }

    /** Fills the store where that has not been done; returns an instant behind each state. */
    private List<Instant> filled() throws IOException, InterruptedException {
        Optional<Path> known = plan.store().map(directory -> directory.resolve(INSTANTS));
        if (known.isPresent() && Files.exists(known.get())) {
            return Files.readAllLines(known.get()).stream().map(Instant::parse).toList();
        }
        store.store()
                .setHistoryPolicy(OpenStore.CALLER, OpenStore.BUCKET, HistoryPolicy.EVERY_WRITE);
        List<Instant> instants = new ArrayList<>();
        for (int state = 1; state <= plan.states(); state++) {
            long begin = Ticks.nanos();
            store.putFirst(plan.keys());
            instants.add(Ticks.wallClock());
            // The instant must be over before the next state.
            Ticks.waitUntil(Ticks.nanos() + 10_000_000);
            double seconds = (Ticks.nanos() - begin) / 1e9;
            System.out.printf(Locale.ROOT, "state %d: %.0f puts/s%n", state, plan.keys() / seconds);
        }
        if (known.isPresent()) {
            Files.write(known.get(), instants.stream().map(Instant::toString).toList());
        }
        return instants;
    }

    private void measure(int round, String kind, ObjectStore of) throws IOException {
        Walk walk = walk(of);
        System.out.printf(
                Locale.ROOT,
                "%3d %-8s %10.0f keys/s, first page %.2f ms%n",
                round,
                kind,
                plan.keys() / walk.seconds(),
                walk.firstMillis());
        if (round >= 0) {
            walks.computeIfAbsent(kind, same -> new ArrayList<>()).add(walk);
        }
    }

    private Walk walk(ObjectStore of) throws IOException {
        long begin = Ticks.nanos();
        double firstMillis = 0;
        long keys = 0;
        Optional<String> after = Optional.of("");
        while (after.isPresent()) {
            ObjectPage page =
                    of.listObjects(
                            OpenStore.CALLER,
                            OpenStore.BUCKET,
                            new ObjectQuery("", "", after.get(), PAGE_KEYS));
            if (keys == 0) {
                firstMillis = (Ticks.nanos() - begin) / 1e6;
            }
            keys += page.objects().size();
            after = page.next();
        }
        if (keys != plan.keys()) {
            throw new IOException(keys + " keys listed instead of " + plan.keys());
        }
        return new Walk((Ticks.nanos() - begin) / 1e9, firstMillis);
    }

    private void report() throws IOException {
        JsonLine line =
                new JsonLine()
                        .put("kind", "past-listing")
                        .put("begun", Ticks.wallClock().toString())
                        .put("commit", plan.commit())
                        .put("machine", Machine.describe())
                        .put("keys", plan.keys())
                        .put("states", (long) plan.states())
                        .put("rounds", (long) plan.rounds());
        List<Walk> present = walks.get(PRESENT);
        for (Map.Entry<String, List<Walk>> kind : walks.entrySet()) {
            List<Walk> walked = kind.getValue();
            double[] ratios = new double[walked.size()];
            for (int i = 0; i < ratios.length; i++) {
                ratios[i] = present.get(i).seconds() / walked.get(i).seconds();
            }
            double rate =
                    plan.keys() / median(walked.stream().mapToDouble(Walk::seconds).toArray());
            double ratio = median(ratios);
            double first = walked.stream().mapToDouble(Walk::firstMillis).max().orElse(0);
            System.out.printf(
                    Locale.ROOT,
                    "%-8s %10.0f keys/s, %.2f of the present, first page at most %.2f ms%n",
                    kind.getKey(),
                    rate,
                    ratio,
                    first);
            line.put(kind.getKey() + "_keys_per_s", rate)
                    .put(kind.getKey() + "_ratio", ratio)
                    .put(kind.getKey() + "_first_page_ms_max", first);
        }
        if (plan.output().isPresent()) {
            new ResultFile(plan.output().get()).append(line);
        }
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
