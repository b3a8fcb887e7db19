package io.volute.server.auth.policy;

import io.volute.server.Limits;

/**
 * The work that policies may cause for one request of a client, in steps of about one compared
 * character. A decision that needs more ends in deny, and so does every later decision of the same
 * request. Not thread-safe.
 */
public final class MatchingBudget {
    /** Reading a number, a time or an address costs as much as comparing so many characters. */
    static final int READING = 64;

    private long left;

    /** Creates a budget of {@link Limits#POLICY_STEPS_MAX} steps. */
    public MatchingBudget() {
        this(Limits.POLICY_STEPS_MAX);
    }

    MatchingBudget(long steps) {
        this.left = steps;
    }

    /** Thrown when no steps are left; {@link Authorizer} makes a denial of it. */
    static final class SpentException extends RuntimeException {
        private static final long serialVersionUID = 1;

        SpentException() {
            super("the policies need more steps than a request may cause", null, false, false);
        }
    }

    /**
     * Counts steps.
     *
     * @throws SpentException when fewer are left
     */
    void spend(long steps) {
        left -= steps;
        if (left < 0) {
            left = 0;
            throw new SpentException();
        }
    }

    /**
     * Counts the reading of a value of the request.
     *
     * @throws SpentException also for a value that is too long to be compared
     */
    void spendOn(String value) {
        if (value.length() > Limits.POLICY_VALUE_CHARS_MAX) {
            throw new SpentException();
        }
        spend(1 + value.length());
    }
}
