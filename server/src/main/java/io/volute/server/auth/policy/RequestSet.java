package io.volute.server.auth.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * The access requests that one request of a client may come to: DeleteObjects names many keys, and
 * a document that has not been read may name anything. They have one caller. Not thread-safe.
 *
 * @param actions by the names that policies use; each access request has one of them
 * @param resource ARN of all of them, or the common prefix of their ARNs
 * @param isPrefix whether the resource is a prefix
 * @param conditions the known facts about all of them
 * @param open the condition keys whose values differ, or are not known yet
 * @param budget of the client's request
 */
public record RequestSet(
        Principal who,
        List<String> actions,
        String resource,
        boolean isPrefix,
        ConditionKeys conditions,
        Predicate<String> open,
        MatchingBudget budget) {
    public RequestSet {
        actions = List.copyOf(actions);
    }

    /** Returns the same set with more actions. */
    public RequestSet with(List<String> others) {
        List<String> all = new ArrayList<>(actions);
        all.addAll(others);
        return new RequestSet(who, all, resource, isPrefix, conditions, open, budget);
    }

    /** Returns whether a pattern matches the resource of at least one request. */
    boolean canBeAbout(Glob pattern) {
        return isPrefix
                ? pattern.canBeginWith(resource)
                : pattern.matches(Glob.points(resource, budget), budget);
    }

    /** Returns whether a pattern certainly matches the resource of every request. */
    boolean isCoveredBy(Glob pattern) {
        return (!isPrefix || pattern.endsOpen())
                && pattern.matches(Glob.points(resource, budget), budget);
    }

    /** Returns whether a pattern matches at least one of the actions. */
    boolean hasActionOf(Glob pattern) {
        for (String action : actions) {
            if (pattern.matchesIgnoringCase(Glob.points(action, budget), budget)) {
                return true;
            }
        }
        return false;
    }
}
