package io.volute.server.upkeep;

import io.volute.server.metrics.KindCounts;
import io.volute.server.metrics.UpkeepFigures;
import io.volute.storage.report.CheckReport;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/** The work and the findings of scrubs since start. One thread counts; others may read. */
final class ScrubCounts {
    private final LongAdder passes = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final KindCounts<Kind> findings = new KindCounts<>(Kind.class);
    private long readOfPass;

    /** The kind of a finding. */
    private enum Kind {
        ACCOUNTING,
        REFERENCE,
        CHECKSUM,
        /**
         * A problem of stored data of an unknown kind, beyond the number that is reported in
         * detail.
         */
        MORE,
        CHAIN,
        CHECKPOINT
    }

    void begin() {
        readOfPass = 0;
    }

    /** Adds the bytes that the pass has read since the last call. */
    void read(CheckReport.Progress progress) {
        bytes.add(progress.bytesRead() - readOfPass);
        readOfPass = progress.bytesRead();
    }

    /** Counts the results of the pass over the stored data. */
    void stored(CheckReport report) {
        read(report.progress());
        for (CheckReport.Problem problem : report.problems()) {
            Kind kind =
                    switch (problem.kind()) {
                        case ACCOUNTING -> Kind.ACCOUNTING;
                        case REFERENCE -> Kind.REFERENCE;
                        case CHECKSUM -> Kind.CHECKSUM;
                    };
            findings.add(kind, 1);
        }
        findings.add(Kind.MORE, report.moreProblems());
    }

    void inChain(long count) {
        findings.add(Kind.CHAIN, count);
    }

    void inCheckpoints() {
        findings.add(Kind.CHECKPOINT, 1);
    }

    void ended() {
        passes.increment();
    }

    /**
     * Returns all figures.
     *
     * @param lastBegan the start of the last whole pass
     * @param damagedStates number of states that are damaged, as far as known
     * @param unnamedDamages number of reads that met damage since the last check
     */
    UpkeepFigures.Scrubbing figures(
            Optional<Instant> lastBegan, long damagedStates, long unnamedDamages) {
        return new UpkeepFigures.Scrubbing(
                passes.sum(),
                bytes.sum(),
                findings.byLabel(),
                lastBegan,
                damagedStates,
                unnamedDamages);
    }
}
