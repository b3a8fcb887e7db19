package io.volute.provenance.anchor;

import io.volute.provenance.audit.AuditReport;
import io.volute.provenance.audit.AuditTerms;
import io.volute.provenance.audit.ExportAudit;
import io.volute.provenance.format.Hash;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.ChainIdentity;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Verifies with an export that the heads of a checkpoint descend from those of an earlier one.
 * Every chain whose head is new is audited whole, and must have its old head and its new head.
 * Heads alone do not show this: a rewritten chain that became longer has a later head, too. Nor do
 * the entries behind the old head, because links of other dimensions lead over it.
 *
 * <p>Reads the export once, and the later heads file once more. Memory grows by one bit a chain.
 * Not thread-safe; used once.
 */
final class Ancestry {
    /** The maximum number of findings in a report; further ones are only counted. */
    private static final int SHOWN_MAX = 10;

    private final KeyList keys;
    private final Headed earlier;
    private final Headed later;
    private final List<String> wrong = new ArrayList<>();
    private long more;

    /** A verified checkpoint and its heads. */
    record Headed(Checkpoint checkpoint, TrustedHeads heads) {}

    /** The result of reading an export. */
    sealed interface Verdict {
        /** Every new head descends from the old one. */
        record Descends() implements Verdict {}

        /**
         * Chains that do not lead back to the earlier checkpoint.
         *
         * @param findings the first ones, at least one
         */
        record Rewritten(List<String> findings) implements Verdict {}

        /** The export lacks something that the comparison needs. */
        record Incomplete(String text) implements Verdict {}
    }

    Ancestry(KeyList keys, Headed earlier, Headed later) {
        this.keys = keys;
        this.earlier = earlier;
        this.later = later;
    }

    /**
     * Reads an export made after the later checkpoint.
     *
     * @param export of all chains, or of those that changed since the earlier checkpoint
     */
    Verdict read(InputStream export) throws IOException {
        try {
            ExportAudit.Outcome outcome = ExportAudit.ofSome(this::terms, this::take).read(export);
            if (wrong.isEmpty() && outcome instanceof ExportAudit.Outcome.BrokenOff broken) {
                return new Verdict.Incomplete("it breaks off: " + broken.reason());
            }
            Optional<String> missing = missing();
            if (wrong.isEmpty() && missing.isPresent()) {
                return new Verdict.Incomplete(missing.get());
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        if (more > 0) {
            wrong.add("and " + more + " more findings");
        }
        return wrong.isEmpty() ? new Verdict.Descends() : new Verdict.Rewritten(wrong);
    }

    /** Returns the terms of a chain; empty when its head is not new. */
    private Optional<AuditTerms> terms(ChainIdentity chain) {
        try {
            Hash chainId = chain.chainId();
            Optional<ChainHead> now = later.heads.find(chainId);
            Optional<ChainHead> then = earlier.heads.find(chainId);
            boolean isNew = now.isPresent() && !now.equals(then);
            // The settings in the store's own chain decide about the rules for all others.
            if (!isNew && !(chain.isOfStore() && now.isPresent())) {
                return Optional.empty();
            }
            AuditTerms terms =
                    AuditTerms.of(keys)
                            .at(earlier.checkpoint.body().commitSequence())
                            .upTo(now.get());
            return Optional.of(then.map(terms::with).orElse(terms));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void take(AuditReport report) {
        report.findings()
                .forEach(
                        each -> {
                            if (wrong.size() < SHOWN_MAX) {
                                wrong.add("chain " + report.chain() + ", " + each);
                            } else {
                                more++;
                            }
                        });
        more += report.omitted();
    }

    /** Returns a chain that is new, or has a new head, and is not in the export. */
    private Optional<String> missing() throws IOException {
        List<String> missing = new ArrayList<>();
        later.heads.forEachMissing(
                (chainId, head) -> {
                    if (missing.isEmpty()
                            && !earlier.heads.find(chainId).equals(Optional.of(head))) {
                        missing.add("it lacks chain " + chainId);
                    }
                });
        return missing.stream().findFirst();
    }
}
