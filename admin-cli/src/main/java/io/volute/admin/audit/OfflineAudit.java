package io.volute.admin.audit;

import io.volute.admin.audit.AuditResult.Compared;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Progress;
import io.volute.adminapi.AuditTotals;
import io.volute.provenance.anchor.Checkpoint;
import io.volute.provenance.anchor.CheckpointAudit;
import io.volute.provenance.anchor.TrustedHeads;
import io.volute.provenance.audit.AuditScope;
import io.volute.provenance.audit.AuditTerms;
import io.volute.provenance.audit.Cause;
import io.volute.provenance.audit.ExportAudit;
import io.volute.provenance.audit.Finding;
import io.volute.provenance.audit.Rule;
import io.volute.provenance.audit.SourceClaims;
import io.volute.provenance.format.Hash;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.secrecy.EntryReader;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** An audit with nothing but files. Used once. */
final class OfflineAudit {
    private final ExportOptions files;
    private final ChainRange range;
    private final AuditOptions options;
    private final ReaderOptions reading;
    private Optional<EntryReader> reader = Optional.empty();

    /** The commit of the checkpoint whose heads are all known. */
    private OptionalLong atCheckpoint = OptionalLong.empty();

    private final AuditTotals totals = new AuditTotals();
    private Optional<Compared> compared = Optional.empty();

    OfflineAudit(
            ExportOptions files, ChainRange range, AuditOptions options, ReaderOptions reading) {
        this.reading = reading;
        this.files = files;
        this.range = range;
        this.options = options;
    }

    /**
     * Reads and audits all files.
     *
     * @param progress shows how much of the export has been read
     * @throws IOException when a file cannot be read, or a trusted input is invalid
     */
    AuditResult run(Progress progress) throws IOException {
        KeyList keys = CheckpointFiles.keys(files.keys(), files.rootKey());
        reader = reading.isGiven() ? Optional.of(reading.reader()) : Optional.empty();
        if (files.heads().isEmpty()) {
            read(keys, Optional.empty(), progress);
        } else {
            Checkpoint checkpoint = checkpoint(keys);
            try (TrustedHeads heads = TrustedHeads.open(files.heads().get(), checkpoint)) {
                atCheckpoint = OptionalLong.of(checkpoint.body().commitSequence());
                read(keys, Optional.of(heads), progress);
                if (files.isComplete()) {
                    heads.forEachMissing(this::missing);
                }
            }
        }
        return AuditResult.ofFiles(compared, totals.snapshot());
    }

    private Checkpoint checkpoint(KeyList keys) throws IOException {
        Checkpoint checkpoint = CheckpointFiles.read(files.checkpoint());
        CheckpointAudit audit = new CheckpointAudit(keys);
        List<String> wrong = audit.next(checkpoint);
        if (!wrong.isEmpty()) {
            throw new IOException("not to be trusted: " + String.join(", ", wrong));
        }
        totals.add(Rule.ALGORITHMS_OF_CHECKPOINT);
        CheckpointFiles.requireWitnessed(files.checkpoint(), checkpoint, files.witnesses());
        long number = checkpoint.body().number();
        if (options.since().filter(each -> each != number).isPresent()) {
            throw new IOException("--checkpoint is number " + number + ", not --since-checkpoint");
        }
        List<String> witnesses = new ArrayList<>(audit.witnesses(checkpoint));
        files.witnesses().forEach(file -> witnesses.add(file.toString()));
        compared =
                Optional.of(
                        new Compared(
                                number,
                                Instant.ofEpochMilli(checkpoint.body().timeMillis()),
                                checkpoint.body().heads(),
                                witnesses));
        return checkpoint;
    }

    private static InputStream open(Path file) throws IOException {
        return new BufferedInputStream(Files.newInputStream(file));
    }

    /** Counts the bytes that have been read. */
    private static final class Counted extends FilterInputStream {
        private long count;

        Counted(InputStream file) {
            super(file);
        }

        @Override
        public int read() throws IOException {
            int one = super.read();
            count += one < 0 ? 0 : 1;
            return one;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            int read = super.read(target, offset, length);
            count += Math.max(0, read);
            return read;
        }
    }

    private void show(Progress progress, Counted export, long bytes) {
        progress.atBytes(export.count, bytes, AnswerFormat.count(totals.chains(), "chain"));
    }

    private void read(KeyList keys, Optional<TrustedHeads> heads, Progress progress)
            throws IOException {
        // Read twice, side by side, only where it matters where chains end.
        long bytes = Files.size(files.export());
        try (Counted file = new Counted(Files.newInputStream(files.export()));
                InputStream export = new BufferedInputStream(file);
                InputStream ahead =
                        options.isOfOneDimension()
                                ? open(files.export())
                                : InputStream.nullInputStream()) {
            Ends ends = options.isOfOneDimension() ? new ChainEnds(ahead)::next : () -> 0;
            SourceClaims sources = sources();
            ExportAudit audit =
                    ExportAudit.ofSome(
                                    chain -> terms(chain, keys, heads, ends),
                                    report -> {
                                        totals.add(report);
                                        show(progress, file, bytes);
                                    })
                            .comparing(sources, each -> totals.add(each.chain(), each.finding()));
            if (audit.read(export) instanceof ExportAudit.Outcome.BrokenOff broken) {
                String detail = "the file breaks off: " + broken.reason();
                totals.add("export", new Finding(0, Cause.REMOVED, detail));
            }
            totals.addUnverifiedSources(sources.unverified());
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private SourceClaims sources() throws IOException {
        try (InputStream export = open(files.export())) {
            return SourceClaims.read(export);
        }
    }

    /** Says where the next chain ends. */
    private interface Ends {
        long next() throws IOException;
    }

    private Optional<AuditTerms> terms(
            ChainIdentity chain, KeyList keys, Optional<TrustedHeads> heads, Ends ends) {
        try {
            long end = ends.next();
            if (!range.has(chain)) {
                return Optional.empty();
            }
            Optional<ChainHead> trusted =
                    heads.isEmpty() ? Optional.empty() : heads.get().find(chain.chainId());
            // Audit backwards from the trusted entry if there is one, otherwise from the last entry
            // of the export.
            AuditTerms terms =
                    options.terms(keys, () -> trusted.map(ChainHead::sequence).orElse(end));
            if (atCheckpoint.isPresent()) {
                terms = terms.at(atCheckpoint.getAsLong());
            }
            AuditTerms read = reader.isPresent() ? terms.with(reader.get()) : terms;
            if (chain.isOfStore()) {
                // Audit the store's chain completely, regardless of the scope of the others. It
                // records the settings of their time.
                AuditTerms own = terms.with(new AuditScope.Linear());
                return Optional.of(trusted.map(own::with).orElse(own));
            }
            boolean goesOn = options.since().isPresent();
            return Optional.of(
                    trusted.map(head -> goesOn ? read.since(head) : read.with(head)).orElse(read));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void missing(Hash chainId, ChainHead head) {
        String detail = "the checkpoint has it up to entry " + head.sequence();
        totals.add("chain " + chainId, new Finding(0, Cause.REMOVED, detail));
    }
}
