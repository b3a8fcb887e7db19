package io.volute.server.sts;

/** A refusal by STS, under its names (STS API Reference, "Common errors"). */
final class StsException extends RuntimeException {
    private final int status;
    private final String code;

    StsException(int status, String code, String message) {
        super(message);
        this.status = status;
        this.code = code;
    }

    static StsException invalid(String message) {
        return new StsException(400, "ValidationError", message);
    }

    static StsException denied(String message) {
        return new StsException(403, "AccessDenied", message);
    }

    int status() {
        return status;
    }

    String code() {
        return code;
    }
}
