package io.volute.versioning.value;

import java.util.Arrays;
import java.util.Optional;

/** The configuration documents of a bucket. The server defines their content. */
public enum BucketDocument {
    CORS(1),
    TAGGING(2),
    REQUEST_PAYMENT(3),
    ACCELERATE(4),
    LIFECYCLE(5),
    ENCRYPTION(6),
    OWNERSHIP(7),
    ACL(8),
    LOGGING(9),
    NOTIFICATION(10),
    REPLICATION(11),
    /** Names who set {@link #REPLICATION}. */
    REPLICATION_CONFIGURER(12);

    private final int code;

    BucketDocument(int code) {
        this.code = code;
    }

    /** Returns the number on disk. */
    public int code() {
        return code;
    }

    /** Returns the document of a number on disk; empty when there is none. */
    public static Optional<BucketDocument> ofCode(int code) {
        return Arrays.stream(values()).filter(each -> each.code == code).findFirst();
    }
}
