package io.volute.server.auth.policy;

/** Signals that a document is not a policy; the message names the error in it. */
public final class MalformedPolicyException extends RuntimeException {
    public MalformedPolicyException(String message) {
        super(message);
    }
}
