package io.volute.versioning.value;

import io.volute.versioning.value.ObjectLock.Mode;
import io.volute.versioning.value.ObjectLock.Retention;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The Object Lock of a bucket: it stays versioned, and its versions can be locked.
 *
 * @param byDefault retention of new versions without one of their own
 */
public record BucketLock(Optional<DefaultRetention> byDefault) {
    /** Object Lock without a default retention. */
    public static final BucketLock PLAIN = new BucketLock(Optional.empty());

    /** Maximum default retention of a bucket in days. */
    public static final int LOCK_DAYS_MAX = 36_500;

    public static final int LOCK_YEARS_MAX = 100;

    /** The unit of a default retention. Ids are on disk; only add at the end. */
    public enum Unit {
        DAYS(1, LOCK_DAYS_MAX),
        /** A year of 365 days, as in S3. */
        YEARS(365, LOCK_YEARS_MAX);

        private final int days;
        private final int max;

        Unit(int days, int max) {
            this.days = days;
            this.max = max;
        }

        /** Returns the maximum number of these units. */
        public int max() {
            return max;
        }
    }

    /**
     * The default retention of new versions.
     *
     * @param period 1 to the maximum of the unit
     */
    public record DefaultRetention(Mode mode, int period, Unit unit) {
        public DefaultRetention {
            if (period < 1 || period > unit.max()) {
                throw new IllegalArgumentException(
                        "period of " + period + "; 1 to " + unit.max() + " " + unit);
            }
        }

        /** Returns the retention of a version that is made now. */
        Retention from(Instant now) {
            return new Retention(mode, now.plus(Duration.ofDays((long) period * unit.days)));
        }
    }

    /** Returns the lock of a version that is made now, with the default where none is requested. */
    public ObjectLock of(ObjectLock asked, Instant now) {
        return asked.retention().isPresent() || byDefault.isEmpty()
                ? asked
                : asked.with(byDefault.map(each -> each.from(now)));
    }
}
