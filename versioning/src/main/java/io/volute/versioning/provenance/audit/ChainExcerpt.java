package io.volute.versioning.provenance.audit;

import io.volute.provenance.chain.Summary;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.SpiralShape;
import io.volute.versioning.Provenance.Selection;
import io.volute.versioning.Provenance.Summarising;
import io.volute.versioning.rows.RowFormatException;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Reads the entries of chains for an export: all of them, or those of a summary. Leaves out chains
 * that did not change since a checkpoint.
 */
final class ChainExcerpt {
    private final Optional<Summarising> terms;

    /** The commit of the checkpoint; chains without a later entry are left out. */
    private final OptionalLong since;

    ChainExcerpt(Selection selection) {
        terms = selection.summary();
        since =
                selection.since().stream()
                        .mapToLong(each -> each.body().commitSequence())
                        .findFirst();
    }

    /** Returns whether a chain has no entry since the checkpoint. */
    boolean leavesOut(ChainSource chain) {
        return since.isPresent()
                && chain.lastAt(since.getAsLong()).equals(chain.lastAt(Long.MAX_VALUE));
    }

    /** Reads a chain, and prevents removals from it meanwhile. */
    void read(ChainSource chain, ChainSource.Sink sink) throws IOException {
        Runnable held = chain.hold();
        try {
            Optional<Summary> summary = terms.flatMap(each -> summary(chain, each));
            if (summary.isPresent()) {
                chain.read(summary.get()::keeps, sink);
            } else {
                chain.read(sink);
            }
        } finally {
            held.run();
        }
    }

    /** Returns whether entries can be left out of a chain. */
    static boolean isSummarisable(ChainSource chain) {
        return shape(chain).isPresent();
    }

    /**
     * Returns the shape of a chain that can be summarised. A damaged chain is exported whole, so
     * that the audit finds the damage.
     */
    private static Optional<SpiralShape> shape(ChainSource chain) {
        try {
            return chain.shape().filter(Summary::isPossible);
        } catch (RowFormatException e) {
            return Optional.empty();
        }
    }

    /** Returns the summary of a chain; empty when it is exported whole. */
    private static Optional<Summary> summary(ChainSource chain, Summarising terms) {
        try {
            return shape(chain).map(each -> summary(chain, terms, new Summary(each)));
        } catch (RowFormatException e) {
            return Optional.empty();
        }
    }

    private static Summary summary(ChainSource chain, Summarising terms, Summary summary) {
        OptionalLong compared =
                terms.comparedWith().stream()
                        .flatMap(each -> chain.lastAt(each.body().commitSequence()).stream())
                        .mapToLong(Long::longValue)
                        .findFirst();
        Map<EventKind, Long> lastOfKind = new EnumMap<>(EventKind.class);
        chain.rows(
                (sequence, row) -> {
                    Long before = lastOfKind.put(row.kind(), sequence);
                    // A summary entry stands for the beginning that the store removed.
                    boolean stays =
                            row.kind() == EventKind.SUMMARY
                                    || row.kind() == EventKind.SETTINGS
                                    || terms.kinds().contains(row.kind())
                                    || compared.equals(OptionalLong.of(sequence));
                    summary.add(
                            sequence,
                            before == null ? OptionalLong.empty() : OptionalLong.of(before),
                            stays);
                });
        summary.end();
        return summary;
    }
}
