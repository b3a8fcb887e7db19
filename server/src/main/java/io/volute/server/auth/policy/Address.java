package io.volute.server.auth.policy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Optional;

/** IP addresses in their text forms. A mapped address of version 4 is one of version 4. */
public final class Address {
    private static final int V4_BYTES = 4;
    private static final int V6_GROUPS = 8;
    private static final byte[] MAPPED = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1};

    private Address() {}

    /**
     * Returns an address as {@link InetAddress#getHostAddress} writes it; empty for a text that is
     * no address.
     */
    public static Optional<String> normalized(String text) {
        return parse(text)
                .map(
                        bytes -> {
                            try {
                                return InetAddress.getByAddress(bytes).getHostAddress();
                            } catch (UnknownHostException e) {
                                throw new IllegalStateException("4 or 16 bytes were wanted", e);
                            }
                        });
    }

    /** Parses an address into 4 or 16 bytes; empty for other text. */
    static Optional<byte[]> parse(String text) {
        if (text.indexOf(':') < 0) {
            return v4(text);
        }
        int zone = text.indexOf('%');
        return v6(zone < 0 ? text : text.substring(0, zone))
                .map(
                        bytes ->
                                Arrays.equals(bytes, 0, MAPPED.length, MAPPED, 0, MAPPED.length)
                                        ? Arrays.copyOfRange(bytes, MAPPED.length, bytes.length)
                                        : bytes);
    }

    private static Optional<byte[]> v4(String text) {
        String[] fields = text.split("\\.", -1);
        byte[] bytes = new byte[V4_BYTES];
        if (fields.length != V4_BYTES) {
            return Optional.empty();
        }
        for (int i = 0; i < V4_BYTES; i++) {
            if (!fields[i].matches("0|[1-9][0-9]{0,2}") || Integer.parseInt(fields[i]) > 255) {
                return Optional.empty();
            }
            bytes[i] = (byte) Integer.parseInt(fields[i]);
        }
        return Optional.of(bytes);
    }

    private static Optional<byte[]> v6(String text) {
        int gap = text.indexOf("::");
        if (gap < 0) {
            return groups(text).filter(bytes -> bytes.length == 2 * V6_GROUPS);
        }
        Optional<byte[]> before = groups(text.substring(0, gap));
        Optional<byte[]> behind = groups(text.substring(gap + 2));
        if (before.isEmpty()
                || behind.isEmpty()
                || before.get().length + behind.get().length > 2 * V6_GROUPS - 2) {
            return Optional.empty();
        }
        byte[] bytes = Arrays.copyOf(before.get(), 2 * V6_GROUPS);
        byte[] end = behind.get();
        System.arraycopy(end, 0, bytes, bytes.length - end.length, end.length);
        return Optional.of(bytes);
    }

    /** Groups of 16 bits, the last two perhaps as an address of version 4. */
    private static Optional<byte[]> groups(String text) {
        if (text.isEmpty()) {
            return Optional.of(new byte[0]);
        }
        String[] fields = text.split(":", -1);
        byte[] bytes = new byte[2 * V6_GROUPS];
        int length = 0;
        for (int i = 0; i < fields.length; i++) {
            byte[] group;
            if (i == fields.length - 1 && fields[i].indexOf('.') >= 0) {
                group = v4(fields[i]).orElse(new byte[0]);
            } else if (fields[i].matches("[0-9A-Fa-f]{1,4}")) {
                int value = Integer.parseInt(fields[i], 16);
                group = new byte[] {(byte) (value >> Byte.SIZE), (byte) value};
            } else {
                return Optional.empty();
            }
            if (group.length == 0 || length + group.length > bytes.length) {
                return Optional.empty();
            }
            System.arraycopy(group, 0, bytes, length, group.length);
            length += group.length;
        }
        return Optional.of(Arrays.copyOf(bytes, length));
    }
}
