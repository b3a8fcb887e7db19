package io.volute.versioning.provenance.audit;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** The numbers of versions that unsigned times can have made. Not thread-safe. */
final class NumberGaps {
    /** Ascending. */
    private final List<Gap> gaps = new ArrayList<>();

    private OptionalLong begin = OptionalLong.empty();
    private long highest = -1;

    /** The numbers between two signed versions, both exclusive. */
    private record Gap(long above, long below) {
        boolean has(long number) {
            return number > above && number < below;
        }
    }

    /** Begins a gap behind the highest number so far. */
    void begin() {
        if (begin.isEmpty()) {
            begin = OptionalLong.of(highest);
        }
    }

    /** Takes the number of the next signed version, which ends a gap. */
    void made(long number) {
        end(number);
        highest = Math.max(highest, number);
    }

    /** Ends the last gap. */
    void end() {
        end(Long.MAX_VALUE);
    }

    private void end(long below) {
        if (begin.isPresent()) {
            long above = begin.getAsLong();
            if (!gaps.isEmpty() && gaps.getLast().below == above) {
                above = gaps.removeLast().above;
            }
            gaps.add(new Gap(above, below));
            begin = OptionalLong.empty();
        }
    }

    boolean has(long number) {
        return gaps.stream().anyMatch(each -> each.has(number));
    }
}
