package io.volute.server.s3.call;

import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HttpDates;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.ReplicaOrigin;
import io.volute.versioning.value.WriteCondition;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * The conditions in a request's headers. Only operations see them, so they are evaluated after
 * authorisation.
 */
public final class Conditions {
    /** Conditions that S3 has only for reads. */
    private static final String[] NOT_OF_DELETES = {
        "if-none-match", "if-modified-since", "if-unmodified-since"
    };

    private Conditions() {}

    /** The result of the conditions of a read. */
    public enum Verdict {
        MET,
        NOT_MODIFIED,
        FAILED
    }

    /**
     * Evaluates the four read conditions with S3's precedence (GetObject, "Overriding response
     * headers" and "Additional considerations about request headers"): a true If-Match overrides
     * If-Unmodified-Since, and a false If-None-Match overrides If-Modified-Since.
     *
     * @param prefix of the header names; {@code x-amz-copy-source-} for copies
     */
    public static Verdict ofRead(S3Request request, String prefix, ObjectVersion version) {
        Optional<String> match = request.header(prefix + "if-match");
        Optional<String> noneMatch = request.header(prefix + "if-none-match");
        String etag = version.attributes().etag();
        if (match.isPresent()) {
            if (!names(match.get(), etag)) {
                return Verdict.FAILED;
            }
        } else {
            Optional<Instant> unmodified =
                    request.header(prefix + "if-unmodified-since").flatMap(HttpDates::parse);
            if (unmodified.isPresent() && seconds(version).isAfter(unmodified.get())) {
                return Verdict.FAILED;
            }
        }
        if (noneMatch.isPresent()) {
            return names(noneMatch.get(), etag) ? Verdict.NOT_MODIFIED : Verdict.MET;
        }
        Optional<Instant> modified =
                request.header(prefix + "if-modified-since").flatMap(HttpDates::parse);
        return modified.isPresent() && !seconds(version).isAfter(modified.get())
                ? Verdict.NOT_MODIFIED
                : Verdict.MET;
    }

    /**
     * Evaluates {@code If-Range}: an entity tag, or the exact time of the version. The whole object
     * answers a range of another version.
     */
    public static boolean ofRange(S3Request request, ObjectVersion version) {
        Optional<String> range = request.header("if-range");
        return range.isEmpty()
                || unquoted(range.get()).equals(version.attributes().etag())
                || HttpDates.parse(range.get()).equals(Optional.of(seconds(version)));
    }

    /** Dates in headers have whole seconds. */
    private static Instant seconds(ObjectVersion version) {
        return version.modified().truncatedTo(ChronoUnit.SECONDS);
    }

    /** Returns whether a list of entity tags names this one; {@code *} names all. */
    static boolean names(String list, String etag) {
        int begin = 0;
        while (begin <= list.length()) {
            int end = list.indexOf(',', begin);
            end = end < 0 ? list.length() : end;
            String tag = unquoted(list.substring(begin, end));
            if (tag.equals(etag) || tag.equals("*")) {
                return true;
            }
            begin = end + 1;
        }
        return false;
    }

    /** An entity tag without quotes and weakness mark. */
    public static String unquoted(String text) {
        String tag = text.trim();
        if (tag.startsWith("W/")) {
            tag = tag.substring(2);
        }
        return tag.length() >= 2 && tag.startsWith("\"") && tag.endsWith("\"")
                ? tag.substring(1, tag.length() - 1)
                : tag;
    }

    /**
     * The condition of a write: {@code If-Match: etag} or {@code If-None-Match: *}, or that of a
     * replica.
     */
    public static WriteCondition ofWrite(S3Request request) {
        Optional<WriteCondition> replica = ofReplica(request);
        if (replica.isPresent()) {
            return replica.get();
        }
        Optional<String> match = request.header("if-match");
        Optional<String> noneMatch = request.header("if-none-match");
        if (request.header("if-modified-since").isPresent()
                || request.header("if-unmodified-since").isPresent()) {
            throw S3Exception.notImplementedHeader("If-Modified-Since or If-Unmodified-Since");
        }
        if (noneMatch.isPresent()) {
            if (match.isPresent() || !unquoted(noneMatch.get()).equals("*")) {
                throw S3Exception.notImplementedHeader("If-None-Match");
            }
            return new WriteCondition.IfAbsent();
        }
        return match.isPresent() ? ofMatch(match.get()) : WriteCondition.NONE;
    }

    private static WriteCondition ofMatch(String tag) {
        if (tag.indexOf(',') >= 0) {
            throw S3Exception.notImplementedHeader("If-Match with several entity tags");
        }
        return new WriteCondition.IfMatch(unquoted(tag));
    }

    private static Optional<WriteCondition> ofReplica(S3Request request) {
        return request.header(ObjectAttributes.REPLICA)
                .map(
                        text ->
                                new WriteCondition.IfNoReplica(
                                        ReplicaOrigin.parse(text)
                                                .orElseThrow(
                                                        () ->
                                                                S3Exception.invalidArgument(
                                                                        ObjectAttributes.REPLICA,
                                                                        text,
                                                                        "Write STORE/BUCKET/"
                                                                                + "VERSION."))));
    }

    /** The condition of a delete: {@code If-Match}; others are refused, so that none is ignored. */
    public static WriteCondition ofDelete(S3Request request) {
        for (String header : NOT_OF_DELETES) {
            if (request.header(header).isPresent()) {
                throw S3Exception.notImplementedHeader(header);
            }
        }
        Optional<WriteCondition> replica =
                request.query().has("versionId") ? Optional.empty() : ofReplica(request);
        if (replica.isPresent()) {
            return replica.get();
        }
        return request.header("if-match").map(Conditions::ofMatch).orElse(WriteCondition.NONE);
    }
}
