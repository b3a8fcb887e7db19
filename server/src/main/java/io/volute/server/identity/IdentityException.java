package io.volute.server.identity;

/** Signals an invalid change of users or policies; the message names the reason. */
public final class IdentityException extends RuntimeException {
    /** The reason of a refusal. */
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
