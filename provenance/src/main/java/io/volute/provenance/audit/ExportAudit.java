package io.volute.provenance.audit;

import io.volute.provenance.chain.ExportReader;
import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.BatchRecord;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.Frame;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Audits an export, chain by chain, while it is read. Not thread-safe.
 *
 * <p>A file that is damaged between its frames gives a finding of the chain that it breaks off in,
 * and what comes behind is not read.
 *
 * <p>The terms of all chains have the same reader, or none: the export contains each auditor tree
 * only once.
 */
public final class ExportAudit {
    private final Function<ChainIdentity, Optional<AuditTerms>> terms;
    private final Consumer<AuditReport> reports;
    private final BatchRegister batches = new BatchRegister();
    private final Set<Hash> trees = new HashSet<>();
    private final List<Bytes> passedOver = new ArrayList<>();
    private SettingsHistory settings = SettingsHistory.UNKNOWN;
    private Optional<ChainIdentity> last = Optional.empty();
    private Optional<SourceClaims> sources = Optional.empty();
    private Consumer<SourceClaims.Found> falseSources = found -> {};
    private Hash chainId = Hash.ZERO;
    private int number;
    private Optional<Open> open = Optional.empty();

    /** A chain that has begun and not ended. */
    private record Open(Optional<ChainAudit> audit, long[] records) {}

    /** The result of reading an export. */
    public sealed interface Outcome {
        record Complete(long chains) implements Outcome {}

        /** The file is damaged; the audit did not read the rest. */
        record BrokenOff(long chains, String reason) implements Outcome {}
    }

    /**
     * @param terms of each chain that the export has
     * @param reports takes them in the order of the file
     */
    public ExportAudit(Function<ChainIdentity, AuditTerms> terms, Consumer<AuditReport> reports) {
        this(reports, terms.andThen(Optional::of));
    }

    private ExportAudit(
            Consumer<AuditReport> reports, Function<ChainIdentity, Optional<AuditTerms>> terms) {
        this.terms = terms;
        this.reports = reports;
    }

    /**
     * Audits some chains of an export.
     *
     * @param terms asked for each chain in the order of the file; empty for those to be passed over
     */
    public static ExportAudit ofSome(
            Function<ChainIdentity, Optional<AuditTerms>> terms, Consumer<AuditReport> reports) {
        return new ExportAudit(reports, terms);
    }

    /**
     * Compares the sources that copies and restores name, too.
     *
     * @param claims of the same export
     * @param findings takes what is wrong, in no order
     */
    public ExportAudit comparing(SourceClaims claims, Consumer<SourceClaims.Found> findings) {
        sources = Optional.of(claims);
        falseSources = findings;
        return this;
    }

    /**
     * Audits all chains of an export.
     *
     * @throws IOException when the stream cannot be read; never because of its content
     */
    public Outcome read(InputStream export) throws IOException {
        long chains = 0;
        try {
            ExportReader frames = new ExportReader(export);
            for (Optional<Frame> next = frames.next(); next.isPresent(); next = frames.next()) {
                frame(next.get());
                chains += next.get().type() == Frame.Type.END.code() ? 1 : 0;
            }
            if (open.isPresent()) {
                throw new RefusedException("the file ends within a chain");
            }
            sources.ifPresent(each -> each.finish().forEach(falseSources));
            return new Outcome.Complete(chains);
        } catch (RefusedException e) {
            open.ifPresent(each -> close(each, Optional.of(e.getMessage())));
            return new Outcome.BrokenOff(chains, e.getMessage());
        }
    }

    private void frame(Frame frame) throws RefusedException {
        Frame.Type known = Frame.Type.values()[frame.type() - 1];
        Bytes payload = frame.payload();
        if (known == Frame.Type.CHAIN) {
            if (open.isPresent()) {
                throw new RefusedException("a chain begins within another");
            }
            ChainIdentity identity = ChainIdentity.decode(payload);
            Optional<ChainAudit> audit =
                    terms.apply(identity)
                            .map(each -> each.with(settings))
                            .map(each -> new ChainAudit(identity, each, batches, trees::contains));
            open = Optional.of(new Open(audit, new long[1]));
            if (last.filter(before -> !isBefore(before, identity)).isPresent()) {
                audit.ifPresent(each -> each.misplaced("the chain follows " + last.orElseThrow()));
            }
            last = Optional.of(identity);
            chainId = identity.chainId();
            number++;
            if (audit.isPresent()) {
                passedOver.forEach(each -> audit.get().tree(each).ifPresent(trees::add));
                passedOver.clear();
            }
            return;
        }
        Open chain = open.orElseThrow(() -> new RefusedException(known + " outside of a chain"));
        switch (known) {
            case BATCH -> batch(chain, payload);
            case ENTRY -> {
                chain.records[0]++;
                sources.ifPresent(
                        each -> each.record(chainId, number, payload).forEach(falseSources));
                chain.audit.ifPresent(audit -> audit.entry(payload));
            }
            case TREE -> tree(chain, payload);
            case END -> end(chain, payload);
            case CHAIN -> throw new IllegalStateException("was treated above");
        }
    }

    /** Chains stand in the order of bucket ids, then keys: so none is there twice. */
    private static boolean isBefore(ChainIdentity one, ChainIdentity other) {
        int order = Long.compare(one.bucketId(), other.bucketId());
        return order < 0 || order == 0 && one.key().compareTo(other.key()) < 0;
    }

    /** A batch is there once, also for the chains behind this one. */
    private void batch(Open chain, Bytes payload) {
        if (chain.audit.isPresent()) {
            chain.audit.get().batch(payload);
            return;
        }
        try {
            batches.add(BatchRecord.decode(payload));
        } catch (RefusedException e) {
            // Nobody asked about this chain; entries of others will lack their batch.
            return;
        }
    }

    /** It is there once for all chains. */
    private void tree(Open chain, Bytes payload) {
        if (chain.audit.isPresent()) {
            chain.audit.get().tree(payload).ifPresent(trees::add);
        } else {
            passedOver.add(payload);
        }
    }

    private void end(Open chain, Bytes payload) throws RefusedException {
        ByteReader in = new ByteReader(payload, "end");
        long records = in.u64("records");
        in.end();
        boolean fits = records == chain.records[0];
        close(
                chain,
                fits
                        ? Optional.empty()
                        : Optional.of(records + " records were written, not " + chain.records[0]));
    }

    private void close(Open chain, Optional<String> broken) {
        chain.audit.ifPresent(
                audit -> {
                    broken.ifPresent(audit::brokenOff);
                    AuditReport report = audit.finish();
                    settings = report.isOfStore() ? report.settings() : settings;
                    reports.accept(report);
                });
        open = Optional.empty();
    }
}
