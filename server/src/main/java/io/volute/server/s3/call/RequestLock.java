package io.volute.server.s3.call;

import io.volute.server.auth.policy.ConditionKeys;
import io.volute.server.auth.sigv4.AuthResult.Verified;
import io.volute.server.s3.body.IncomingBody;
import io.volute.server.s3.request.HttpDates;
import io.volute.server.s3.xml.XmlElement;
import io.volute.versioning.value.ObjectLock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The lock that a request sets, for the conditions of policies. It is in headers, or in a document;
 * that body is read before the decision. An invalid lock is refused as by the operation.
 */
public final class RequestLock implements ConditionKeys {
    static final String PREFIX = "s3:object-lock-";

    private final S3Call call;
    private final Verified verified;
    private final IncomingBody body;
    private final Instant now;
    private Optional<ObjectLock> lock = Optional.empty();

    public RequestLock(S3Call call, Verified verified, IncomingBody body, Instant now) {
        this.call = call;
        this.verified = verified;
        this.body = body;
        this.now = now;
    }

    @Override
    public List<String> values(String key) {
        return values(key, lock(), now);
    }

    /** Returns the values of a condition key for a request that sets a lock. */
    public static List<String> values(String key, ObjectLock lock, Instant now) {
        Optional<ObjectLock.Retention> retention = lock.retention();
        Optional<String> value =
                switch (key.substring(PREFIX.length())) {
                    case "mode" -> retention.map(each -> each.mode().name());
                    case "retain-until-date" ->
                            retention.map(each -> HttpDates.document(each.until()));
                    case "remaining-retention-days" ->
                            retention.map(each -> Long.toString(days(now, each.until())));
                    case "legal-hold" -> lock.legalHold().map(Enum::name);
                    default -> Optional.empty();
                };
        return value.stream().toList();
    }

    /**
     * Returns the number of begun days, so that a retention of ten days, seen a moment later, is
     * ten.
     */
    private static long days(Instant now, Instant until) {
        return Duration.between(now, until).plusDays(1).minusMillis(1).toDays();
    }

    private ObjectLock lock() {
        if (lock.isEmpty()) {
            lock = Optional.of(read());
        }
        return lock.get();
    }

    private ObjectLock read() {
        if (call.makesObject()) {
            return Locks.ofHeaders(verified.headers());
        }
        if (call == S3Call.PUT_OBJECT_RETENTION) {
            return ObjectLock.NONE.with(Locks.retention(document(Locks.RETENTION)));
        }
        return call == S3Call.PUT_OBJECT_LEGAL_HOLD
                ? ObjectLock.NONE.with(Locks.legalHold(document(Locks.LEGAL_HOLD)))
                : ObjectLock.NONE;
    }

    private XmlElement document(String root) {
        try {
            return Locks.read(body, verified, root);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
