package io.volute.testkit.ledger;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The operations of clients on registers, which have the value 0 at first. The history is
 * linearizable if for each register the operations have an order in which each read returns the
 * value of the last write before it, and no operation comes before another that had ended when it
 * began. Each write has a value of its own. The search is that of Wing and Gong, with the visited
 * states of Lowe. Times are in nanoseconds of one clock. Thread-safe.
 */
public final class RegisterHistory {
    private static final long UNKNOWN = Long.MAX_VALUE;

    private final Map<String, List<Operation>> registers = new HashMap<>();

    /** An operation; the end of one whose outcome is unknown is never. */
    private record Operation(boolean isRead, long value, long begin, long end) {}

    private record Visited(BitSet done, long value) {}

    /** Records a read that has ended. */
    public synchronized void read(String key, long value, long begin, long end) {
        of(key).add(new Operation(true, value, begin, end));
    }

    /** Records a write that has ended. */
    public synchronized void write(String key, long value, long begin, long end) {
        of(key).add(new Operation(false, value, begin, end));
    }

    /** Records a write that may have an effect, now or later. */
    public synchronized void unknownWrite(String key, long value, long begin) {
        write(key, value, begin, UNKNOWN);
    }

    private List<Operation> of(String key) {
        return registers.computeIfAbsent(key, same -> new ArrayList<>());
    }

    /** Returns the number of recorded operations. */
    public synchronized int operations() {
        return registers.values().stream().mapToInt(List::size).sum();
    }

    /**
     * Returns a register whose history is not linearizable, with its operations; empty if all are.
     */
    public synchronized Optional<String> violation() {
        return registers.entrySet().stream()
                .filter(each -> !isLinearizable(each.getValue()))
                .map(each -> each.getKey() + ": " + text(each.getValue()))
                .findFirst();
    }

    private static String text(List<Operation> operations) {
        StringBuilder text = new StringBuilder();
        operations.stream()
                .sorted(Comparator.comparingLong(Operation::begin))
                .forEach(
                        each ->
                                text.append(each.isRead() ? "\n  read " : "\n  write ")
                                        .append(each.value())
                                        .append(" from ")
                                        .append(each.begin() / 1000)
                                        .append(" us to ")
                                        .append(
                                                each.end() == UNKNOWN
                                                        ? "unknown"
                                                        : each.end() / 1000 + " us"));
        return text.toString();
    }

    private static boolean isLinearizable(List<Operation> all) {
        // A write of unknown outcome that nobody has read may have had no effect.
        Set<Long> seen = new HashSet<>();
        all.stream().filter(Operation::isRead).forEach(each -> seen.add(each.value()));
        List<Operation> operations =
                all.stream()
                        .filter(each -> each.end() != UNKNOWN || seen.contains(each.value()))
                        .sorted(Comparator.comparingLong(Operation::begin))
                        .toList();
        Set<Visited> visited = new HashSet<>();
        Deque<Visited> open = new ArrayDeque<>(List.of(new Visited(new BitSet(), 0)));
        while (!open.isEmpty()) {
            Visited state = open.pop();
            long firstEnd = UNKNOWN;
            for (int i = 0; i < operations.size(); i++) {
                if (!state.done().get(i)) {
                    firstEnd = Math.min(firstEnd, operations.get(i).end());
                }
            }
            if (firstEnd == UNKNOWN) {
                return true;
            }
            for (int i = 0; i < operations.size(); i++) {
                Operation next = operations.get(i);
                if (next.begin() > firstEnd) {
                    break;
                }
                boolean fits = !next.isRead() || next.value() == state.value();
                if (!state.done().get(i) && fits) {
                    BitSet done = (BitSet) state.done().clone();
                    done.set(i);
                    Visited reached = new Visited(done, next.value());
                    if (visited.add(reached)) {
                        open.push(reached);
                    }
                }
            }
        }
        return false;
    }
}
