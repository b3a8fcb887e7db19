package io.volute.admin.migrate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The part of a policy of MinIO that is about S3. Actions of other services ({@code admin}, {@code
 * kms}, {@code sts}) have no counterpart here. The part never allows more than the whole.
 *
 * @param document the policy with its statements about S3; empty when it has none
 * @param leftOut what the document lacks, in words
 */
record MinioPolicy(Optional<Map<String, Object>> document, List<String> leftOut) {
    private static final String ALL = "*";
    private static final String ALL_OF_S3 = "s3:*";

    MinioPolicy {
        leftOut = List.copyOf(leftOut);
    }

    /** Returns the part of a policy. One without a list of statements stays as it is. */
    static MinioPolicy of(Map<?, ?> policy) {
        Map<String, Object> whole = copy(policy);
        Object statements = whole.get("Statement");
        List<?> all = statements instanceof Map<?, ?> one ? List.of(one) : listOf(statements);
        List<String> leftOut = new ArrayList<>();
        List<Object> kept = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            String where = "statement " + (i + 1);
            if (all.get(i) instanceof Map<?, ?> statement) {
                kept(copy(statement), where, leftOut).ifPresent(kept::add);
            } else {
                kept.add(all.get(i));
            }
        }
        if (leftOut.isEmpty()) {
            return new MinioPolicy(Optional.of(whole), List.of());
        }
        whole.put("Statement", kept);
        return new MinioPolicy(kept.isEmpty() ? Optional.empty() : Optional.of(whole), leftOut);
    }

    private static Map<String, Object> copy(Map<?, ?> map) {
        Map<String, Object> copy = new LinkedHashMap<>();
        map.forEach((name, value) -> copy.put(String.valueOf(name), value));
        return copy;
    }

    private static List<?> listOf(Object value) {
        return value instanceof List<?> list ? list : value == null ? List.of() : List.of(value);
    }

    private static Optional<Object> kept(
            Map<String, Object> statement, String where, List<String> leftOut) {
        boolean isNegated = statement.containsKey("NotAction");
        String element = isNegated ? "NotAction" : "Action";
        List<Object> ofS3 = new ArrayList<>();
        List<String> others = new ArrayList<>();
        for (Object each : listOf(statement.get(element))) {
            String action = String.valueOf(each);
            if (action.toLowerCase(Locale.ROOT).startsWith("s3:")) {
                ofS3.add(each);
            } else {
                others.add(action);
                if (action.equals(ALL)) {
                    ofS3.add(ALL_OF_S3);
                }
            }
        }
        if (others.isEmpty()) {
            return Optional.of(statement);
        }
        // All but the actions of another service would be more here than there.
        boolean isWider = isNegated && "Allow".equals(statement.get("Effect"));
        if (isWider || ofS3.isEmpty()) {
            leftOut.add(where + ": all of it (" + String.join(", ", others) + ")");
            return Optional.empty();
        }
        leftOut.add(
                where
                        + ": "
                        + String.join(", ", others)
                        + (others.contains(ALL) ? " (" + ALL_OF_S3 + " in place of *)" : ""));
        statement.put(element, ofS3);
        return Optional.of(statement);
    }
}
