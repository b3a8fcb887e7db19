package io.volute.server.auth.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A statement of a policy.
 *
 * @param principals empty in identity and session policies, which name none
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
    /** Heap bytes of the object and its lists when they are empty, rounded up. */
    private static final int HEAP_BYTES = 256;

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
                && notActions != hasAction(request)
                && !(notActions && effect == Effect.ALLOW && leavesOutTheSame(request))
                && concerns(request)
                && holds(request);
    }

    /** Returns whether it names the session of a role itself, not the role or everyone. */
    boolean namesSession(Principal who) {
        return principals.filter(each -> each.nameSession(who)).isPresent();
    }

    private boolean hasAction(AccessRequest request) {
        for (Glob action : actions) {
            if (action.matchesIgnoringCase(request.actionPoints(), request.budget())) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether it names an action that does the same under another name. */
    private boolean leavesOutTheSame(AccessRequest request) {
        for (String other : request.equivalents()) {
            int[] points = Glob.points(other, request.budget());
            for (Glob action : actions) {
                if (action.matchesIgnoringCase(points, request.budget())) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean concerns(AccessRequest request) {
        boolean found = false;
        boolean unresolved = false;
        for (Template template : resources) {
            Optional<Glob> glob = template.resolve(request.conditions(), request.budget());
            unresolved |= glob.isEmpty();
            found |=
                    glob.isPresent()
                            && glob.get().matches(request.resourcePoints(), request.budget());
        }
        if (!notResources) {
            return found;
        }
        return !found && (!unresolved || effect == Effect.DENY);
    }

    private boolean holds(AccessRequest request) {
        for (Condition condition : conditions) {
            if (!holds(condition.judge(request.conditions(), request.budget()))) {
                return false;
            }
        }
        return true;
    }

    private boolean holds(Condition.Outcome outcome) {
        return switch (outcome) {
            case HOLDS -> true;
            case FAILS -> false;
            case HOLDS_UNRESOLVED -> effect == Effect.DENY;
        };
    }

    /**
     * Returns the part that concerns a set of requests; it applies to each exactly as this
     * statement does. Empty when this statement applies to none of them.
     */
    Optional<Statement> within(RequestSet set) {
        if (principals.isPresent() && !principals.get().matches(set.who(), effect)) {
            return Optional.empty();
        }
        List<Glob> meant = actions.stream().filter(set::hasActionOf).toList();
        List<Template> met = resources.stream().filter(each -> canMatch(each, set)).toList();
        boolean isAboutNone = !notActions && meant.isEmpty() || !notResources && met.isEmpty();
        if (isAboutNone) {
            return Optional.empty();
        }
        List<Condition> undecided = new ArrayList<>();
        for (Condition condition : conditions) {
            if (condition.dependsOn(set.open())) {
                undecided.add(condition);
            } else if (!holds(condition.judge(set.conditions(), set.budget()))) {
                return Optional.empty();
            }
        }
        return Optional.of(
                new Statement(
                        effect,
                        principals.filter(each -> each.nameSession(set.who())),
                        meant,
                        notActions,
                        met,
                        notResources,
                        undecided));
    }

    /**
     * Returns whether a template can influence whether the statement covers a request of the set.
     */
    private boolean canMatch(Template template, RequestSet set) {
        if (template.dependsOn(set.open())) {
            return true;
        }
        Optional<Glob> glob = template.resolve(set.conditions(), set.budget());
        // One without value matches nothing, but counts where the resource must not be named.
        return glob.map(set::canBeAbout).orElse(notResources);
    }

    /** Returns whether the statement names one of the actions, regardless of its other elements. */
    boolean isAboutOneOf(RequestSet set) {
        return set.actions().stream().anyMatch(action -> names(action, set) != notActions);
    }

    /**
     * Returns whether it certainly applies to every request of the set that it is {@link #within}.
     */
    boolean appliesToAllOf(RequestSet set) {
        boolean isAboutThem =
                notResources
                        ? resources.isEmpty()
                        : resources.stream().anyMatch(each -> isKnownToCover(each, set));
        return isAboutThem
                && conditions.isEmpty()
                && set.actions().stream().allMatch(action -> names(action, set) != notActions);
    }

    /**
     * Returns whether it may apply to a request of the set that it is reduced to by {@link
     * #within}.
     */
    boolean mayApplyToOneOf(RequestSet set) {
        return isAboutOneOf(set)
                && !(notResources
                        && resources.stream().anyMatch(each -> isKnownToCover(each, set)));
    }

    private static boolean isKnownToCover(Template template, RequestSet set) {
        return !template.dependsOn(set.open())
                && template.resolve(set.conditions(), set.budget())
                        .filter(set::isCoveredBy)
                        .isPresent();
    }

    private boolean names(String action, RequestSet set) {
        int[] points = Glob.points(action, set.budget());
        return actions.stream().anyMatch(each -> each.matchesIgnoringCase(points, set.budget()));
    }

    /** Heap bytes that it needs, about. */
    int heapBytes() {
        int bytes = HEAP_BYTES + principals.map(Principals::heapBytes).orElse(0);
        for (Glob action : actions) {
            bytes += action.heapBytes();
        }
        for (Template resource : resources) {
            bytes += resource.heapBytes();
        }
        for (Condition condition : conditions) {
            bytes += condition.heapBytes();
        }
        return bytes;
    }
}
