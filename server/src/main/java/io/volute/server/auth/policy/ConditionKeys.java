package io.volute.server.auth.policy;

import java.util.List;
import java.util.Map;

/** The known facts about a request, by the names of condition keys. */
@FunctionalInterface
public interface ConditionKeys {
    /** A request without known facts. */
    ConditionKeys NONE = key -> List.of();

    /**
     * Returns the values of a key; none when the request lacks it, or the key is unknown.
     *
     * @param key in lower case up to the first slash; what follows is the name of a tag
     */
    List<String> values(String key);

    /** Returns whether a key is about a tag of an identity that is the resource. */
    static boolean isResourceTag(String key) {
        return key.startsWith("aws:resourcetag/") || key.startsWith("iam:resourcetag/");
    }

    /**
     * Returns the value of a tag; none when there is no such tag.
     *
     * @param key what follows its first slash is the name of the tag
     */
    static List<String> tag(Map<String, String> tags, String key) {
        String name = key.substring(key.indexOf('/') + 1);
        return tags.containsKey(name) ? List.of(tags.get(name)) : List.of();
    }
}
