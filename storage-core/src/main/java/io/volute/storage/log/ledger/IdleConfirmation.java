package io.volute.storage.log.ledger;

import io.volute.storage.log.SegmentFileName;
import io.volute.storage.log.SegmentFileName.State;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Confirms the last entry of the head to followers while no commit does it. BookKeeper confirms an
 * entry with the next one, so the last commit before a pause would stay invisible to them.
 * Thread-safe.
 */
final class IdleConfirmation implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(IdleConfirmation.class);

    /** Time between two looks. */
    static final Duration PAUSE = Duration.ofMillis(100);

    private volatile Optional<LedgerSegment> head = Optional.empty();

    /** Takes a new segment. */
    void opened(SegmentFileName name, LedgerSegment segment) {
        if (name.state() == State.HEAD) {
            head = Optional.of(segment);
        }
    }

    /** {@inheritDoc} A failure is that of the next commit, too, which handles it. */
    @Override
    public void run() {
        try {
            Optional<LedgerWindow> window = head.flatMap(segment -> segment.window);
            if (window.isPresent()) {
                boolean isAdded = window.get().confirm();
                LOG.trace("the last entry needed a confirmation: {}", isAdded);
            }
        } catch (IOException | RuntimeException e) {
            LOG.debug("the last entry is not confirmed: {}", e.getMessage());
        }
    }
}
