package io.volute.server.iam;

import io.volute.server.auth.policy.ConditionKeys;
import io.volute.server.oidc.WebIdentity;
import io.volute.server.query.QueryException;
import io.volute.server.query.TagParameters;
import io.volute.server.s3.request.QueryParameters;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The tags of a new session of a role (IAM User Guide, "Pass session tags in AWS STS").
 *
 * @param tags values by key
 * @param transitive keys of the tags that further sessions would take over; there are none here
 */
record SessionTags(SortedMap<String, String> tags, List<String> transitive) {
    static final SessionTags NONE = new SessionTags(new TreeMap<>(), List.of());

    private static final int MOST_TAGS = 50;
    private static final int MOST_BYTES = 2048;
    private static final String RESERVED = "aws:";
    private static final String REQUEST_TAG = "aws:requesttag/";

    SessionTags {
        tags = Collections.unmodifiableSortedMap(new TreeMap<>(tags));
        transitive = List.copyOf(transitive);
        refuseMalformed(tags, transitive);
    }

    /** Returns the tags that the parameters of a request name. */
    static SessionTags of(QueryParameters asked) {
        return new SessionTags(
                TagParameters.tags(asked), TagParameters.texts(asked, "TransitiveTagKeys"));
    }

    /** Returns the tags that a token names. */
    static SessionTags of(WebIdentity caller) {
        SortedMap<String, String> tags = new TreeMap<>();
        caller.tags().forEach((key, value) -> TagParameters.add(tags, key, value));
        return new SessionTags(tags, caller.transitiveTagKeys());
    }

    private static void refuseMalformed(SortedMap<String, String> tags, List<String> transitive) {
        int bytes = 0;
        SortedMap<String, String> folded = new TreeMap<>();
        for (var each : tags.entrySet()) {
            bytes += each.getKey().getBytes(StandardCharsets.UTF_8).length;
            bytes += each.getValue().getBytes(StandardCharsets.UTF_8).length;
            String key = each.getKey().toLowerCase(Locale.ROOT);
            if (folded.put(key, "") != null || key.startsWith(RESERVED)) {
                throw QueryException.invalid(
                        "Keys of session tags differ in more than the case of letters, and do not"
                                + " begin with aws:.");
            }
        }
        if (tags.size() > MOST_TAGS || bytes > MOST_BYTES) {
            throw new QueryException(
                    400,
                    "PackedPolicyTooLarge",
                    "A session has "
                            + MOST_TAGS
                            + " tags at most, with "
                            + MOST_BYTES
                            + " bytes together.");
        }
        if (!tags.keySet().containsAll(transitive)) {
            throw QueryException.invalid("TransitiveTagKeys names a tag that is not in Tags.");
        }
    }

    /**
     * Returns the condition keys of the request for these tags, before others.
     *
     * @param role tags of the role
     */
    ConditionKeys keys(SortedMap<String, String> role, ConditionKeys others) {
        return key ->
                switch (key) {
                    case "aws:tagkeys" -> List.copyOf(tags.keySet());
                    case "sts:transitivetagkeys" -> transitive;
                    case String name when name.startsWith(REQUEST_TAG) ->
                            ConditionKeys.tag(tags, name);
                    case String name when ConditionKeys.isResourceTag(name) ->
                            ConditionKeys.tag(role, name);
                    default -> others.values(key);
                };
    }
}
