package io.volute.server.s3.acl;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The permission of a grant (S3 User Guide, "ACL overview"). The names are at rest. */
public enum Permission {
    /** Listing a bucket; reading an object. */
    READ,
    /** Writing and deleting the objects of a bucket; nothing for an object. */
    WRITE,
    READ_ACP,
    WRITE_ACP,
    /** All others. */
    FULL_CONTROL;

    private final String header =
            AclHeaders.GRANT_PREFIX + name().toLowerCase(Locale.ROOT).replace('_', '-');

    /** Returns the permission of that name; empty when there is none. */
    public static Optional<Permission> named(String name) {
        return Arrays.stream(values()).filter(each -> each.name().equals(name)).findFirst();
    }

    /** Returns the name of the header that grants it. */
    String header() {
        return header;
    }

    boolean includes(Permission other) {
        return this == FULL_CONTROL || this == other;
    }
}
