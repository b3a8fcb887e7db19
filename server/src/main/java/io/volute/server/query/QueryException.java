package io.volute.server.query;

/** A refusal by IAM or STS, under their names (API References, "Common errors"). */
public final class QueryException extends RuntimeException {
    private final int status;
    private final String code;

    public QueryException(int status, String code, String message) {
        super(message);
        this.status = status;
        this.code = code;
    }

    public static QueryException invalid(String message) {
        return new QueryException(400, "ValidationError", message);
    }

    public static QueryException notImplemented(String message) {
        return new QueryException(501, "NotImplemented", message);
    }

    public static QueryException denied(String message) {
        return new QueryException(403, "AccessDenied", message);
    }

    public int status() {
        return status;
    }

    public String code() {
        return code;
    }
}
