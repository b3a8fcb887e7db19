package io.volute.versioning.history;

import io.volute.versioning.History.Direction;
import io.volute.versioning.event.EventIndex;
import io.volute.versioning.event.EventIndex.Run;
import io.volute.versioning.event.EventScan;
import io.volute.versioning.event.EventScan.Rows;
import io.volute.versioning.history.Taint.Reached;
import io.volute.versioning.rows.Event;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * A walk through the graph of one cube. It scans the runs and blocks of events with edges from the
 * nodes reached so far. When many nodes are reached, it scans all blocks. Rows without a run are
 * always scanned. Not thread-safe.
 */
final class GraphWalk implements Walk {
    private final EventScan scan;
    private final EventIndex index;
    private final Taint taint;
    private final Direction direction;

    /** Reached steps that were not returned yet. */
    private final Deque<Reached> reached = new ArrayDeque<>();

    /** Number of the last row that was scanned. */
    private long place;

    private int wanted;
    private boolean isAtEnd;
    private long looked;

    GraphWalk(EventScan scan, EventIndex index, Taint taint) {
        this.scan = scan;
        this.index = index;
        this.taint = taint;
        this.direction = taint.direction();
        this.place = direction == Direction.FORWARD ? -1 : Long.MAX_VALUE;
    }

    /** Returns the number of rows of events that the walk has scanned. */
    long looked() {
        return looked;
    }

    @Override
    public void reach(int count) throws IOException {
        wanted = count;
        if (!goesOn()) {
            return;
        }
        List<Long> runs = index.runs();
        long indexed = runs.isEmpty() ? -1 : runs.getLast();
        switch (direction) {
            case FORWARD -> {
                for (long run : runs) {
                    run(run);
                }
                if (goesOn()) {
                    scan.forward(Math.max(place, indexed) + 1, this::see);
                }
            }
            case BACK -> {
                if (place > indexed + 1) {
                    scan.backward(indexed + 1, place, this::see);
                }
                for (long run : runs.reversed()) {
                    run(run);
                }
            }
        }
        isAtEnd = goesOn();
    }

    @Override
    public Optional<Reached> next() {
        return Optional.ofNullable(reached.poll());
    }

    @Override
    public boolean hasNext() {
        return !reached.isEmpty();
    }

    private boolean goesOn() {
        return !isAtEnd && reached.size() < wanted;
    }

    private boolean see(Rows rows) {
        looked++;
        for (Event event : rows.events()) {
            taint.see(event).ifPresent(reached::add);
        }
        place = rows.number();
        return goesOn();
    }

    private void run(long last) throws IOException {
        boolean isForward = direction == Direction.FORWARD;
        boolean isBehind = isForward && last <= place;
        Optional<Run> there = goesOn() && !isBehind ? index.run(last) : Optional.empty();
        if (there.isEmpty()) {
            return;
        }
        Run run = there.get();
        BitSet blocks = new BitSet();
        int known = mark(run, blocks, 0);
        int block = isForward ? blocks.nextSetBit(0) : blocks.length() - 1;
        while (block >= 0 && goesOn()) {
            long begin = isForward ? Math.max(place + 1, run.from(block)) : run.from(block);
            long end = isForward ? run.to(block) : Math.min(place, run.to(block));
            if (begin < end) {
                scan.block(begin, end, direction, this::see);
            }
            known = mark(run, blocks, known);
            block = isForward ? blocks.nextSetBit(block + 1) : blocks.previousSetBit(block - 1);
        }
    }

    /** Adds the blocks with edges from the nodes reached since the last call. */
    private int mark(Run run, BitSet blocks, int known) throws IOException {
        if (taint.isMuch()) {
            blocks.set(0, run.blocks().size());
            return known;
        }
        int count = taint.nodes();
        for (int i = known; i < count; i++) {
            blocks.or(index.blocks(run, taint.node(i)));
        }
        return count;
    }
}
