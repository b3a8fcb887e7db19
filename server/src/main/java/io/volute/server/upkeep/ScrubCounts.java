package io.volute.server.upkeep;

import io.volute.server.metrics.KindCounts;
import io.volute.server.metrics.UpkeepFigures;
import io.volute.storage.report.CheckReport;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/** What scrubs did and found since start. One thread counts; others may ask. */
final class ScrubCounts {
    private final LongAdder passes = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final KindCounts<Kind> findings = new KindCounts<>(Kind.class);
    private long readOfPass;

    /** What can be wrong. */
    private enum Kind {
        ACCOUNTING,
        REFERENCE,
        CHECKSUM,
        /** Of what is stored; not told which of the above, because there are too many. */
        MORE,
        CHAIN,
        CHECKPOINT
    }

    void begin() {
        readOfPass = 0;
    }

    /** So far is the pass. */
    void read(CheckReport.Progress progress) {
        bytes.add(progress.bytesRead() - readOfPass);
        readOfPass = progress.bytesRead();
    }

    /** What is stored has been read. */
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
     * All of it.
     *
     * @param lastBegan when the last whole pass began
     */
    UpkeepFigures.Scrubbing figures(Optional<Instant> lastBegan) {
        return new UpkeepFigures.Scrubbing(
                passes.sum(), bytes.sum(), findings.byLabel(), lastBegan);
    }
}
