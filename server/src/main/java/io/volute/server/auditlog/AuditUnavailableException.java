package io.volute.server.auditlog;

/**
 * Signals that the audit log cannot be written; the action to be recorded must not be done then.
 */
public final class AuditUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public AuditUnavailableException(Exception cause) {
        super(
                "The audit log cannot be written, and without its line this is not done: make room"
                        + " where log.audit-directory is, or start the server with another one.",
                cause);
    }
}
