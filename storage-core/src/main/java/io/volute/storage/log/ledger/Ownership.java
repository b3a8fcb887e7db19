package io.volute.storage.log.ledger;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** The list of an owner, which may have lost it to another one without notice. Thread-safe. */
final class Ownership {
    private final SegmentList list;
    private volatile boolean lost;

    Ownership(SegmentList list) {
        this.list = list;
    }

    /** Returns whether another owner is known to have claimed the log. */
    boolean isLost() {
        return lost;
    }

    /** Changes the list. */
    void change(List<SegmentList.Listed> put, List<Long> removed) throws IOException {
        try {
            list.change(put, removed);
        } catch (FencedException e) {
            lost = true;
            throw e;
        }
    }

    /**
     * Verifies before a read that no later owner serves. While the list does not answer, an entry
     * without bytes in the head decides: a new owner fences all open ledgers before it serves.
     *
     * @param head the newest head
     */
    void require(Supplier<Optional<LedgerSegment>> head) throws IOException {
        if (lost) {
            throw new FencedException("another server has taken the log over");
        }
        try {
            try {
                list.requireOwned();
            } catch (FencedException e) {
                throw e;
            } catch (IOException e) {
                Optional<LedgerSegment> open = head.get();
                if (open.isEmpty() || !open.get().barrier()) {
                    throw e;
                }
            }
        } catch (FencedException e) {
            lost = true;
            throw e;
        }
    }
}
