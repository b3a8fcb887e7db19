package io.volute.server.identity;

/** A change of users and policies that cannot be; the message says why. */
public final class IdentityException extends RuntimeException {
    /** What is wrong. */
    public enum Reason {
        NO_SUCH_ENTITY,
        ENTITY_ALREADY_EXISTS,
        DELETE_CONFLICT,
        MALFORMED_POLICY_DOCUMENT,
        INVALID_INPUT,
        LIMIT_EXCEEDED
    }

    private final Reason reason;

    public IdentityException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
