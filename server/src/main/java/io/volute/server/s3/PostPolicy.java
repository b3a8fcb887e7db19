package io.volute.server.s3;

import io.volute.server.Limits;
import io.volute.server.json.Json;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import java.io.IOException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The policy of a form (S3 API Reference, "POST policy"): until when it may be sent, and with which
 * values. Immutable.
 *
 * @param range allowed lengths of the file
 */
record PostPolicy(Instant expiration, List<Condition> conditions, Range range) {
    /** Fields that need no condition. */
    private static final Set<String> FREE =
            Set.of("awsaccesskeyid", "file", "policy", "signature", "x-amz-signature");

    /** Also without a condition: what S3 ignores, and what only a file can fail. */
    private static final List<String> FREE_PREFIXES = List.of("x-ignore-", "x-amz-checksum-");

    /** The lengths that a file may have, in bytes. */
    record Range(long min, long max) {
        static final Range ANY = new Range(0, Limits.PUT_BYTES_MAX);

        void requireNotAbove(long bytes) {
            if (bytes > max) {
                throw new S3Exception(S3Error.ENTITY_TOO_LARGE)
                        .with("ProposedSize", Long.toString(bytes))
                        .with("MaxSizeAllowed", Long.toString(max));
            }
        }

        void requireNotBelow(long bytes) {
            if (bytes < min) {
                throw new S3Exception(S3Error.ENTITY_TOO_SMALL)
                        .with("ProposedSize", Long.toString(bytes))
                        .with("MinSizeAllowed", Long.toString(min));
            }
        }
    }

    /**
     * A condition on a field.
     *
     * @param field its name in lower case
     * @param isPrefix whether the value only has to begin so
     */
    record Condition(String field, String value, boolean isPrefix) {
        boolean holds(String sent) {
            return isPrefix ? sent.startsWith(value) : sent.equals(value);
        }
    }

    /**
     * Reads a policy.
     *
     * @param encoded the document in Base64, as the form has it
     * @throws S3Exception InvalidPolicyDocument
     */
    static PostPolicy read(String encoded) {
        Map<String, Object> document = document(encoded);
        if (!(document.get("expiration") instanceof String expiration)) {
            throw invalid("Policy missing expiration.");
        }
        if (!(document.get("conditions") instanceof List<?> list)) {
            throw invalid("Policy missing conditions.");
        }
        List<Condition> conditions = new ArrayList<>();
        Range range = Range.ANY;
        for (Object each : list) {
            switch (each) {
                case Map<?, ?> exact when exact.size() == 1 ->
                        exact.forEach(
                                (field, value) ->
                                        conditions.add(condition("eq", "$" + field, value)));
                case List<?> words
                        when words.size() == 3
                                && words.getFirst() instanceof String name
                                && name.equalsIgnoreCase("content-length-range") ->
                        range = range(words.get(1), words.get(2), range);
                case List<?> words when words.size() == 3 ->
                        conditions.add(condition(words.get(0), words.get(1), words.get(2)));
                default -> throw invalid("Invalid condition: " + each);
            }
        }
        return new PostPolicy(time(expiration), conditions, range);
    }

    private static Map<String, Object> document(String encoded) {
        try {
            return Json.read(Base64.getMimeDecoder().decode(encoded));
        } catch (IOException | IllegalArgumentException e) {
            throw invalid("Invalid JSON.");
        }
    }

    private static Condition condition(Object operator, Object field, Object value) {
        boolean isPrefix =
                switch (String.valueOf(operator).toLowerCase(Locale.ROOT)) {
                    case "eq" -> false;
                    case "starts-with" -> true;
                    case String other -> throw invalid("Invalid condition operator: " + other);
                };
        String name = String.valueOf(field);
        if (name.length() < 2 || name.charAt(0) != '$' || !(value instanceof String text)) {
            throw invalid("Invalid condition: " + name);
        }
        return new Condition(name.substring(1).toLowerCase(Locale.ROOT), text, isPrefix);
    }

    /** Reads a range; of several the narrowest holds. */
    private static Range range(Object min, Object max, Range before) {
        long least = number(min);
        long most = number(max);
        if (least < 0 || most < least) {
            throw invalid("Invalid content-length-range.");
        }
        return new Range(Math.max(least, before.min()), Math.min(most, before.max()));
    }

    private static long number(Object value) {
        try {
            return Long.parseLong(String.valueOf(value));
        } catch (NumberFormatException e) {
            throw invalid("Invalid content-length-range.");
        }
    }

    private static Instant time(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeParseException e) {
            throw invalid("Invalid 'expiration' value: '" + text + "'");
        }
    }

    private static S3Exception invalid(String reason) {
        return new S3Exception(S3Error.INVALID_POLICY_DOCUMENT, "Invalid Policy: " + reason);
    }

    /**
     * Refuses a form that the policy does not allow: after its end, with a value that fails a
     * condition, or with a field that no condition names.
     *
     * @param values of the form by the name in lower case, also {@code bucket}
     * @throws S3Exception AccessDenied
     */
    void require(Map<String, String> values, Instant now) {
        if (!now.isBefore(expiration)) {
            throw denied("Policy expired.");
        }
        Set<String> named = new HashSet<>();
        for (Condition condition : conditions) {
            named.add(condition.field());
            if (!condition.holds(values.getOrDefault(condition.field(), ""))) {
                throw denied(
                        "Policy Condition failed: [\""
                                + (condition.isPrefix() ? "starts-with" : "eq")
                                + "\", \"$"
                                + condition.field()
                                + "\", \""
                                + condition.value()
                                + "\"]");
            }
        }
        for (String field : values.keySet()) {
            boolean isFree =
                    FREE.contains(field) || FREE_PREFIXES.stream().anyMatch(field::startsWith);
            if (!named.contains(field) && !isFree) {
                throw denied("Extra input fields: " + field);
            }
        }
    }

    private static S3Exception denied(String reason) {
        return new S3Exception(S3Error.ACCESS_DENIED, "Invalid according to Policy: " + reason);
    }
}
