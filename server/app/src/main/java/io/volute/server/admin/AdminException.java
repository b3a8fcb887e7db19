package io.volute.server.admin;

/** Ends an admin request with an error. */
final class AdminException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String code;

    AdminException(int status, String code, String message) {
        super(message, null, false, false);
        this.status = status;
        this.code = code;
    }

    static AdminException badRequest(String message) {
        return new AdminException(400, "InvalidRequest", message);
    }

    int status() {
        return status;
    }

    String code() {
        return code;
    }
}
