package io.volute.server.s3.call;

import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpDates;
import io.volute.server.s3.request.Target;
import io.volute.versioning.value.BucketAlias;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The instant of the past that a request means: named by the bucket's alias, by the header {@code
 * x-volute-at}, or by both if they agree.
 */
public final class Moment {
    private static final String HEADER = "x-volute-at";

    private Moment() {}

    /**
     * Returns the instant; empty for the present. The store checks that it is in the past.
     *
     * @param headers that were verified
     * @throws S3Exception MethodNotAllowed for a change of an alias and InvalidBucketName for
     *     making one, InvalidArgument for an invalid header
     */
    public static Optional<Instant> of(S3Call call, Target target, HeaderList headers) {
        Optional<BucketAlias> alias = BucketAlias.parse(target.bucket());
        if (alias.isPresent() && !call.isRead()) {
            throw call == S3Call.CREATE_BUCKET
                    ? taken(target)
                    : readOnly(call, target, alias.get());
        }
        Optional<Instant> named = ofHeader(call, headers);
        if (alias.isEmpty() || named.isEmpty()) {
            return named.or(() -> alias.map(BucketAlias::instant));
        }
        if (!named.get().equals(alias.get().instant())) {
            throw S3Exception.invalidArgument(
                    HEADER,
                    named.get().toString(),
                    "The bucket's name and the header mean different instants: leave one out.");
        }
        return named;
    }

    /** Returns whether a request names an instant by its header, valid or not. */
    public static boolean isInHeaders(HeaderList headers) {
        return !headers.all(HEADER).isEmpty();
    }

    private static Optional<Instant> ofHeader(S3Call call, HeaderList headers) {
        List<String> values = headers.all(HEADER);
        if (values.isEmpty()) {
            return Optional.empty();
        }
        if (values.size() > 1) {
            throw S3Exception.invalidArgument(
                    HEADER, values.get(1), "The header may be given only once.");
        }
        String text = values.get(0);
        if (!call.isRead()) {
            throw S3Exception.invalidArgument(
                    HEADER, text, "Only GET and HEAD can be about the past, which is read-only.");
        }
        Optional<Instant> instant = parse(text);
        if (instant.isEmpty()) {
            throw S3Exception.invalidArgument(
                    HEADER,
                    text,
                    "This is not an instant from 1970 on: write one such as 2026-11-20T14:05:00Z,"
                            + " 2026-11-20T14:05:00.250Z or 20261120T140500Z.");
        }
        return instant;
    }

    /** Reads an instant, to the millisecond, which is the resolution of the store. */
    private static Optional<Instant> parse(String text) {
        return BucketAlias.instant(text).or(() -> HttpDates.timestamp(text));
    }

    private static S3Exception taken(Target target) {
        return new S3Exception(
                        S3Error.INVALID_BUCKET_NAME,
                        "A name that ends in --at- and an instant means the past of a bucket:"
                                + " choose another.")
                .with("BucketName", target.bucket());
    }

    private static S3Exception readOnly(S3Call call, Target target, BucketAlias alias) {
        return new S3Exception(
                        S3Error.METHOD_NOT_ALLOWED,
                        "The past is read-only: "
                                + target.bucket()
                                + " is bucket "
                                + alias.bucket()
                                + " as it was at "
                                + alias.instant()
                                + ". To restore, copy from there into the bucket"
                                + " (x-amz-copy-source: "
                                + target.bucket()
                                + "/KEY).")
                .with("Method", call.method())
                .with("ResourceType", target.level().name())
                .withHeader("allow", "GET, HEAD");
    }
}
