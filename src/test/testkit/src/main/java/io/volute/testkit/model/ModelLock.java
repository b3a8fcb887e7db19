package io.volute.testkit.model;

import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketLock.DefaultRetention;
import io.volute.versioning.value.BucketLock.Unit;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectLock;
import io.volute.versioning.value.ObjectLock.LegalHold;
import io.volute.versioning.value.ObjectLock.Mode;
import io.volute.versioning.value.ObjectLock.Retention;
import java.time.Instant;
import java.util.Optional;

/**
 * The rules of Object Lock, implemented a second time to be read against S3's documentation: the
 * permitted locks, the removals that they prevent, and the locks that replace them.
 */
final class ModelLock {
    private static final Instant SOON = Instant.parse("2100-01-01T00:00:00Z");
    private static final Instant LATE = Instant.parse("2200-01-01T00:00:00Z");

    private ModelLock() {}

    /** Refuses a lock that nobody can have in this bucket. */
    static void check(BucketInfo bucket, ObjectLock asked, Instant now) {
        if (asked.retention().isPresent()) {
            checkFuture(asked.retention().get(), now);
        }
        if (asked.retention().isPresent() || asked.legalHold().isPresent()) {
            checkBucket(bucket);
        }
    }

    private static void checkFuture(Retention retention, Instant now) {
        if (retention.until().compareTo(now) <= 0) {
            throw new StoreException(Reason.RETENTION_OVER, "over: " + retention);
        }
    }

    private static void checkBucket(BucketInfo bucket) {
        if (bucket.lock().isEmpty()) {
            throw new StoreException(Reason.NO_OBJECT_LOCK, "no Object Lock in " + bucket.name());
        }
    }

    /** Adds the bucket's default retention if the request has none of its own. */
    static ObjectAttributes made(BucketInfo bucket, ObjectAttributes asked, Instant now) {
        Optional<DefaultRetention> byDefault = bucket.lock().flatMap(lock -> lock.byDefault());
        if (byDefault.isEmpty() || asked.lock().retention().isPresent()) {
            return asked;
        }
        long days = byDefault.get().period() * (byDefault.get().unit() == Unit.YEARS ? 365L : 1L);
        Retention retention =
                new Retention(byDefault.get().mode(), now.plusSeconds(days * 24 * 60 * 60));
        return asked.with(new ObjectLock(Optional.of(retention), asked.lock().legalHold()));
    }

    static void checkRemoval(ObjectLock lock, Instant now, boolean bypass) {
        boolean held = lock.legalHold().equals(Optional.of(LegalHold.ON));
        if (held || retained(lock, now, bypass)) {
            throw locked();
        }
    }

    static ObjectAttributes changed(
            BucketInfo bucket, ObjectAttributes old, ObjectLock.Change change, Instant now) {
        checkBucket(bucket);
        ObjectLock lock = old.lock();
        return switch (change) {
            case ObjectLock.Change.OfLegalHold to ->
                    old.with(new ObjectLock(lock.retention(), Optional.of(to.hold())));
            case ObjectLock.Change.OfRetention to -> {
                Optional<Retention> wanted = to.retention();
                if (wanted.isPresent()) {
                    checkFuture(wanted.get(), now);
                }
                boolean longer =
                        wanted.isPresent()
                                && lock.retention().isPresent()
                                && wanted.get().mode() == lock.retention().get().mode()
                                && wanted.get().until().compareTo(lock.retention().get().until())
                                        >= 0;
                if (!longer && retained(lock, now, to.bypassGovernance())) {
                    throw locked();
                }
                yield old.with(new ObjectLock(wanted, lock.legalHold()));
            }
        };
    }

    private static boolean retained(ObjectLock lock, Instant now, boolean bypass) {
        if (lock.retention().isEmpty() || lock.retention().get().until().compareTo(now) <= 0) {
            return false;
        }
        return switch (lock.retention().get().mode()) {
            case COMPLIANCE -> true;
            case GOVERNANCE -> !bypass;
        };
    }

    private static StoreException locked() {
        return new StoreException(Reason.LOCKED, "locked");
    }

    /** Returns the change that an operation stands for, regardless of the store's clock. */
    static ObjectLock.Change change(StoreOperation.Lock lock, boolean bypass) {
        return switch (lock) {
            case HOLD_ON -> new ObjectLock.Change.OfLegalHold(LegalHold.ON);
            case HOLD_OFF -> new ObjectLock.Change.OfLegalHold(LegalHold.OFF);
            case NO_RETENTION -> new ObjectLock.Change.OfRetention(Optional.empty(), bypass);
            case OVER -> to(Mode.GOVERNANCE, Instant.EPOCH, bypass);
            case GOVERNANCE_SHORT -> to(Mode.GOVERNANCE, SOON, bypass);
            case GOVERNANCE_LONG -> to(Mode.GOVERNANCE, LATE, bypass);
            case COMPLIANCE_SHORT -> to(Mode.COMPLIANCE, SOON, bypass);
            case COMPLIANCE_LONG -> to(Mode.COMPLIANCE, LATE, bypass);
        };
    }

    private static ObjectLock.Change to(Mode mode, Instant until, boolean bypass) {
        return new ObjectLock.Change.OfRetention(Optional.of(new Retention(mode, until)), bypass);
    }
}
