package io.volute.server.auth.policy;

import java.util.List;

/** The action of one caller on one resource, as the input of a decision. Not thread-safe. */
public final class AccessRequest {
    private final Principal who;
    private final String action;
    private final String resource;
    private final ConditionKeys conditions;
    private final MatchingBudget budget;
    private final List<String> equivalents;
    private int[] actionPoints = {};
    private int[] resourcePoints = {};

    /**
     * @param action by the name that policies use
     * @param resource ARN of the action's target
     * @param budget of all decisions about one request of a client
     */
    public AccessRequest(
            Principal who,
            String action,
            String resource,
            ConditionKeys conditions,
            MatchingBudget budget) {
        this(who, action, resource, conditions, budget, Authorizer.inIam(action));
    }

    /**
     * @param equivalents other names of what the action does: a statement that allows all actions
     *     but one of these does not allow the action
     */
    public AccessRequest(
            Principal who,
            String action,
            String resource,
            ConditionKeys conditions,
            MatchingBudget budget,
            List<String> equivalents) {
        this.equivalents = List.copyOf(equivalents);
        this.who = who;
        this.action = action;
        this.resource = resource;
        this.conditions = conditions;
        this.budget = budget;
    }

    /** The only decision that a request of a client needs. */
    public AccessRequest(Principal who, String action, String resource, ConditionKeys conditions) {
        this(who, action, resource, conditions, new MatchingBudget());
    }

    Principal who() {
        return who;
    }

    String action() {
        return action;
    }

    List<String> equivalents() {
        return equivalents;
    }

    ConditionKeys conditions() {
        return conditions;
    }

    MatchingBudget budget() {
        return budget;
    }

    /** The code points of the action. */
    int[] actionPoints() {
        if (actionPoints.length == 0) {
            actionPoints = Glob.points(action, budget);
        }
        return actionPoints;
    }

    /** The code points of the resource. */
    int[] resourcePoints() {
        if (resourcePoints.length == 0) {
            resourcePoints = Glob.points(resource, budget);
        }
        return resourcePoints;
    }
}
