package io.volute.server.auth.policy;

/** A document that is no policy; the message says what is wrong with it. */
public final class MalformedPolicyException extends RuntimeException {
    public MalformedPolicyException(String message) {
        super(message);
    }
}
