package io.volute.admin.s3;

import java.io.IOException;

/** The refusal of a request by an S3 server. */
public final class S3Error extends IOException {
    private final int status;
    private final String code;

    S3Error(int status, String code, String message) {
        super(message);
        this.status = status;
        this.code = code;
    }

    /** Returns the HTTP status. */
    public int status() {
        return status;
    }

    /** Returns the code of S3; the answers to HEAD requests have the status alone. */
    public String code() {
        return code;
    }
}
