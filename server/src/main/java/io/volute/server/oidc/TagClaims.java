package io.volute.server.oidc;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The claims of a token with tags for the session (IAM User Guide, "Passing session tags using
 * AssumeRoleWithWebIdentity"), in one object or in one claim for each tag.
 *
 * @param tags values by key
 * @param transitive keys
 */
record TagClaims(Map<String, String> tags, List<String> transitive) {
    private static final String CLAIM = "https://aws.amazon.com/tags";
    private static final String TAGS = "principal_tags";
    private static final String TRANSITIVE = "transitive_tag_keys";

    /** Returns the tags of a token; empty when they have another form. */
    static Optional<TagClaims> of(Map<String, Object> claims) {
        Map<String, String> tags = new LinkedHashMap<>();
        List<String> transitive = new ArrayList<>();
        boolean isValid = true;
        for (Map.Entry<String, Object> claim : flat(claims).entrySet()) {
            List<String> texts = texts(claim.getValue());
            if (claim.getKey().equals(TRANSITIVE)) {
                isValid &= claim.getValue() instanceof List<?> all && all.size() == texts.size();
                transitive.addAll(texts);
            } else if (claim.getKey().startsWith(TAGS + "/") && texts.size() == 1) {
                tags.put(claim.getKey().substring(TAGS.length() + 1), texts.getFirst());
            } else {
                isValid = false;
            }
        }
        return isValid ? Optional.of(new TagClaims(tags, transitive)) : Optional.empty();
    }

    /** Returns the claims about tags as if there were one for each tag. */
    private static Map<String, Object> flat(Map<String, Object> claims) {
        Map<String, Object> flat = new LinkedHashMap<>();
        claims.forEach(
                (name, value) -> {
                    if (name.startsWith(CLAIM + "/")) {
                        flat.put(name.substring(CLAIM.length() + 1), value);
                    }
                });
        if (claims.get(CLAIM) instanceof Map<?, ?> nested) {
            nested.forEach(
                    (name, value) -> {
                        if (TAGS.equals(name) && value instanceof Map<?, ?> each) {
                            each.forEach((key, text) -> flat.put(TAGS + "/" + key, text));
                        } else {
                            flat.put(String.valueOf(name), value);
                        }
                    });
        } else if (claims.containsKey(CLAIM)) {
            flat.put(CLAIM, claims.get(CLAIM));
        }
        return flat;
    }

    private static List<String> texts(Object value) {
        List<String> texts = new ArrayList<>();
        for (Object each : value instanceof List<?> several ? several : List.of(value)) {
            if (each instanceof String text) {
                texts.add(text);
            }
        }
        return texts;
    }
}
