package io.volute.server.auth.policy;

import java.util.Arrays;
import java.util.Optional;

/**
 * A range of IP addresses as policies write it: an address, or one with the length of its prefix in
 * bits. Reads no names, so it asks nobody.
 */
record AddressRange(byte[] address, int prefix) {

    /**
     * @throws MalformedPolicyException when it is none
     */
    static AddressRange of(String text) {
        int slash = text.indexOf('/');
        Optional<byte[]> address = Address.parse(slash < 0 ? text : text.substring(0, slash));
        if (address.isEmpty()) {
            throw bad(text);
        }
        int bits = address.get().length * Byte.SIZE;
        if (slash < 0) {
            return new AddressRange(address.get(), bits);
        }
        String length = text.substring(slash + 1);
        if (!length.matches("[0-9]{1,3}") || Integer.parseInt(length) > bits) {
            throw bad(text);
        }
        return new AddressRange(address.get(), Integer.parseInt(length));
    }

    private static MalformedPolicyException bad(String text) {
        return new MalformedPolicyException(
                "\"" + text + "\" is no range of addresses: write 192.0.2.0/24 or 2001:db8::/32");
    }

    boolean contains(String text) {
        return Address.parse(text).filter(this::contains).isPresent();
    }

    private boolean contains(byte[] other) {
        if (other.length != address.length) {
            return false;
        }
        int whole = prefix / Byte.SIZE;
        if (!Arrays.equals(address, 0, whole, other, 0, whole)) {
            return false;
        }
        int rest = prefix % Byte.SIZE;
        return rest == 0 || (address[whole] ^ other[whole]) >> (Byte.SIZE - rest) == 0;
    }
}
