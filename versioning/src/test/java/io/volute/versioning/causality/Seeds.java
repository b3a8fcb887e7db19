package io.volute.versioning.causality;

import java.util.stream.LongStream;

/**
 * Seeds of the generated traces: {@code -Dvolute.causality.seed} for one again, {@code
 * -Dvolute.causality.seeds} for more of them.
 */
final class Seeds {
    private Seeds() {}

    static LongStream all() {
        Long single = Long.getLong("volute.causality.seed");
        return single == null
                ? LongStream.rangeClosed(1, Integer.getInteger("volute.causality.seeds", 60))
                : LongStream.of(single);
    }
}
