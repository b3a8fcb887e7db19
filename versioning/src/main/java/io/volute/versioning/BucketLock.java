package io.volute.versioning;

import io.volute.versioning.ObjectLock.Mode;
import io.volute.versioning.ObjectLock.Retention;
import io.volute.versioning.StoreOptions.Limits;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Object Lock of a bucket: it stays versioned, and its versions can be locked.
 *
 * @param byDefault the retention of new versions that come without one
 */
public record BucketLock(Optional<DefaultRetention> byDefault) {
    /** Versions are locked when somebody says so. */
    public static final BucketLock PLAIN = new BucketLock(Optional.empty());

    /** Ids are on disk; only add at the end. */
    public enum Unit {
        DAYS(1, Limits.LOCK_DAYS_MAX),
        /** Of 365 days, as S3 counts them. */
        YEARS(365, Limits.LOCK_YEARS_MAX);

        private final int days;
        private final int max;

        Unit(int days, int max) {
            this.days = days;
            this.max = max;
        }

        /** The longest period. */
        public int max() {
            return max;
        }
    }

    /**
     * @param period 1 to the most of the unit
     */
    public record DefaultRetention(Mode mode, int period, Unit unit) {
        public DefaultRetention {
            if (period < 1 || period > unit.max()) {
                throw new IllegalArgumentException(
                        "period of " + period + "; 1 to " + unit.max() + " " + unit);
            }
        }

        /** Of a version made now. */
        Retention from(Instant now) {
            return new Retention(mode, now.plus(Duration.ofDays((long) period * unit.days)));
        }
    }

    /** What protects a version made now for which this lock was asked. */
    public ObjectLock of(ObjectLock asked, Instant now) {
        return asked.retention().isPresent() || byDefault.isEmpty()
                ? asked
                : asked.with(byDefault.map(each -> each.from(now)));
    }
}
