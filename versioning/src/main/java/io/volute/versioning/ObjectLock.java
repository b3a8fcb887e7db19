package io.volute.versioning;

import java.time.Instant;
import java.util.Optional;

/**
 * What protects a version from being deleted (S3 User Guide, "Locking objects with Object Lock"):
 * nobody removes it while its retention lasts or its legal hold is on.
 *
 * @param legalHold empty: there never was one
 */
public record ObjectLock(Optional<Retention> retention, Optional<LegalHold> legalHold) {
    /** Protects nothing. */
    public static final ObjectLock NONE = new ObjectLock(Optional.empty(), Optional.empty());

    /** How strict a retention is. Ids are on disk; only add at the end. */
    public enum Mode {
        /** Who has the right to may pass over it. */
        GOVERNANCE,
        /** Nobody may. */
        COMPLIANCE
    }

    /** Ids are on disk. */
    public enum LegalHold {
        OFF,
        ON
    }

    /**
     * @param until the first instant at which it is over, to the millisecond
     */
    public record Retention(Mode mode, Instant until) {
        public boolean lasts(Instant now) {
            return now.isBefore(until);
        }

        /** What the right to pass over governance makes of it. */
        private boolean binds(boolean bypassGovernance) {
            return mode == Mode.COMPLIANCE || !bypassGovernance;
        }

        /** Whether the other one protects no less, in the same way. */
        private boolean isKeptBy(Optional<Retention> other) {
            return other.isPresent()
                    && other.get().mode() == mode
                    && !other.get().until().isBefore(until);
        }
    }

    /** What somebody wants to change of a lock. */
    public sealed interface Change {
        /**
         * Another retention.
         *
         * @param retention empty: none
         * @param bypassGovernance as in {@link ObjectStore.DeleteTarget}
         */
        record OfRetention(Optional<Retention> retention, boolean bypassGovernance)
                implements Change {}

        record OfLegalHold(LegalHold hold) implements Change {}
    }

    public ObjectLock with(Optional<Retention> other) {
        return new ObjectLock(other, legalHold);
    }

    public ObjectLock with(LegalHold other) {
        return new ObjectLock(retention, Optional.of(other));
    }

    /**
     * Whether the version must stay.
     *
     * @param bypassGovernance the caller wants to pass over governance, and may
     */
    public boolean forbidsRemoval(Instant now, boolean bypassGovernance) {
        return legalHold.equals(Optional.of(LegalHold.ON))
                || retention
                        .filter(each -> each.lasts(now) && each.binds(bypassGovernance))
                        .isPresent();
    }

    /**
     * Whether this retention must not give way to another: to a shorter one, one of the other mode,
     * or none.
     *
     * @param bypassGovernance as in {@link #forbidsRemoval}
     */
    public boolean forbidsRetention(
            Optional<Retention> other, Instant now, boolean bypassGovernance) {
        return retention
                .filter(each -> each.lasts(now) && each.binds(bypassGovernance))
                .filter(each -> !each.isKeptBy(other))
                .isPresent();
    }
}
