package io.volute.server.identity;

/**
 * The part of an identity that is in memory: a user, group, role, policy or key, without what its
 * row has. Each change of the row makes another stub, which is a key of the cache of rows; so two
 * stubs are never equal. Immutable.
 */
final class IdentityStub {
    private final int kind;
    private final String name;
    private final String user;
    private final int bytes;

    /**
     * @param kind of the row
     * @param user the user of a key; empty for others
     * @param bytes of the row's content
     */
    IdentityStub(int kind, String name, String user, int bytes) {
        this.kind = kind;
        this.name = name;
        this.user = user;
        this.bytes = bytes;
    }

    int kind() {
        return kind;
    }

    String name() {
        return name;
    }

    String user() {
        return user;
    }

    int bytes() {
        return bytes;
    }
}
