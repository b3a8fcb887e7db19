package io.volute.versioning.rows;

import io.volute.versioning.Identities.Identity;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Rows of {@code identities} and {@code identity-changes}. The content is the detail; its format
 * belongs to the server.
 *
 * <pre>
 *   key of identities   octet kind, then the name in UTF-8
 *   summary of both     octet 1, the version of this layout
 * </pre>
 */
public final class IdentityRow {
    private static final int LAYOUT = 1;
    private static final int NAME_BYTES_MOST = 256;

    private IdentityRow() {}

    public static byte[] key(Identity identity) {
        byte[] name = identity.name().getBytes(StandardCharsets.UTF_8);
        if (identity.kind() < 1
                || identity.kind() > 255
                || name.length == 0
                || name.length > NAME_BYTES_MOST) {
            throw new IllegalArgumentException(
                    "kind " + identity.kind() + " with a name of " + name.length + " bytes");
        }
        return ByteBuffer.allocate(1 + name.length).put((byte) identity.kind()).put(name).array();
    }

    public static byte[] summary() {
        return new RowOutput().octet(LAYOUT).toBytes();
    }

    /** Refuses a layout that this program does not support. */
    public static void check(byte[] summary) {
        new RowInput(summary).version(LAYOUT, "identity");
    }

    public static Identity decode(byte[] key, byte[] summary, byte[] detail) {
        check(summary);
        if (key.length < 2) {
            throw new RowFormatException("identity without a name");
        }
        String name = new String(key, 1, key.length - 1, StandardCharsets.UTF_8);
        return new Identity(Byte.toUnsignedInt(key[0]), name, detail);
    }
}
