package io.volute.server.auth.policy;

import java.util.List;

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
}
