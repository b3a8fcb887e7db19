package io.volute.server.auth.policy;

import java.util.List;
import java.util.Optional;

/**
 * A statement of a policy.
 *
 * @param principals empty where the policy says nothing of them: identity and session policies
 * @param actions wildcards only
 * @param notActions whether it is about all other actions
 */
record Statement(
        Effect effect,
        Optional<Principals> principals,
        List<Glob> actions,
        boolean notActions,
        List<Template> resources,
        boolean notResources,
        List<Condition> conditions) {
    Statement {
        actions = List.copyOf(actions);
        resources = List.copyOf(resources);
        conditions = List.copyOf(conditions);
    }

    /**
     * Whether it is about this request. A variable without value matches nothing; where that would
     * make a statement apply, it does so only if it denies.
     */
    boolean applies(AccessRequest request) {
        return (principals.isEmpty() || principals.get().matches(request.who(), effect))
                && notActions
                        != actions.stream().anyMatch(a -> a.matchesIgnoringCase(request.action()))
                && concerns(request)
                && holds(request.conditions());
    }

    private boolean concerns(AccessRequest request) {
        boolean found = false;
        boolean unresolved = false;
        for (Template template : resources) {
            Optional<Glob> glob = template.resolve(request.conditions());
            unresolved |= glob.isEmpty();
            found |= glob.isPresent() && glob.get().matches(request.resource());
        }
        if (!notResources) {
            return found;
        }
        return !found && (!unresolved || effect == Effect.DENY);
    }

    private boolean holds(ConditionKeys keys) {
        for (Condition condition : conditions) {
            boolean holds =
                    switch (condition.judge(keys)) {
                        case HOLDS -> true;
                        case FAILS -> false;
                        case HOLDS_UNRESOLVED -> effect == Effect.DENY;
                    };
            if (!holds) {
                return false;
            }
        }
        return true;
    }
}
