package io.volute.versioning.value;

import java.time.Instant;
import java.util.Optional;

/**
 * The protection of a version from deletion (S3 User Guide, "Locking objects with Object Lock"). A
 * version cannot be removed while its retention lasts or its legal hold is on.
 *
 * @param legalHold empty if it was never set
 */
public record ObjectLock(Optional<Retention> retention, Optional<LegalHold> legalHold) {
    /** No protection. */
    public static final ObjectLock NONE = new ObjectLock(Optional.empty(), Optional.empty());

    /** The strictness of a retention. Ids are on disk; only add at the end. */
    public enum Mode {
        /** A caller with the right to bypass governance may remove the version. */
        GOVERNANCE,
        /** No caller may remove the version. */
        COMPLIANCE
    }

    /** The state of a legal hold. Ids are on disk. */
    public enum LegalHold {
        OFF,
        ON
    }

    /**
     * A retention.
     *
     * @param until the first instant at which it is over, to the millisecond
     */
    public record Retention(Mode mode, Instant until) {
        public boolean lasts(Instant now) {
            return now.isBefore(until);
        }

        /**
         * Returns whether the retention protects a version longer than its present lock, or more
         * strictly and as long.
         */
        public boolean strengthens(ObjectLock present, Instant now) {
            Optional<Retention> before = present.retention().filter(each -> each.lasts(now));
            return lasts(now)
                    && (before.isEmpty()
                            || !equals(before.get())
                                    && !until.isBefore(before.get().until())
                                    && mode.compareTo(before.get().mode()) >= 0);
        }

        /**
         * Returns whether the retention holds against a caller, who may bypass governance or not.
         */
        private boolean binds(boolean bypassGovernance) {
            return mode == Mode.COMPLIANCE || !bypassGovernance;
        }

        /** Returns whether the other retention has the same mode and does not end earlier. */
        private boolean isKeptBy(Optional<Retention> other) {
            return other.isPresent()
                    && other.get().mode() == mode
                    && !other.get().until().isBefore(until);
        }
    }

    /** A requested change of a lock. */
    public sealed interface Change {
        /**
         * A change of the retention.
         *
         * @param retention empty to remove it
         * @param bypassGovernance as in {@code ObjectStore.DeleteTarget}
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
     * Returns whether the version must not be removed.
     *
     * @param bypassGovernance whether the caller has requested to bypass governance and has the
     *     right
     */
    public boolean forbidsRemoval(Instant now, boolean bypassGovernance) {
        return legalHold.equals(Optional.of(LegalHold.ON))
                || retention
                        .filter(each -> each.lasts(now) && each.binds(bypassGovernance))
                        .isPresent();
    }

    /**
     * Returns whether this retention must not be replaced by another: a shorter one, one of the
     * other mode, or none.
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
