package io.volute.provenance.audit;

import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.EventKind;

/** Which entries an audit looks at. */
public sealed interface AuditScope {
    /** All of them, and all dimensions. */
    record Linear() implements AuditScope {}

    /**
     * Those of one dimension, backwards from the head: every 2^d-th.
     *
     * @param head sequence of the last entry, from a checkpoint or from whoever asks
     */
    record Dimension(int dimension, long head) implements AuditScope {
        public Dimension {
            if (dimension < 0 || dimension > 16 || head < 0) {
                throw new IllegalArgumentException("a dimension is 0 to 16, a sequence 0 or more");
            }
        }

        long distance() {
            return 1L << dimension;
        }
    }

    /** Those of one kind. */
    record Kind(EventKind kind) implements AuditScope {}

    default boolean visits(EntryRecord.Peek entry) {
        return switch (this) {
            case Linear() -> true;
            case Dimension each -> (each.head - entry.sequence()) % each.distance() == 0;
            case Kind(EventKind kind) -> entry.kind() == kind;
        };
    }
}
