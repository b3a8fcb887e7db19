package io.volute.server.auth.policy;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A range of IP addresses as policies write it: an address, or one with the length of its prefix in
 * bits. Host names are not accepted, so no resolver is involved.
 */
public record AddressRange(byte[] address, int prefix) {

    /**
     * @throws MalformedPolicyException when it is none
     */
    public static AddressRange of(String text) {
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

    public boolean contains(String text) {
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

    /**
     * Whether ranges have more addresses together than one range has. Addresses in several ranges
     * count once; in the version of 128 bits, networks of 64 bits count instead of addresses.
     *
     * @param bits of the addresses that are counted, 32 or 128
     * @param prefixBits of the range that they are compared with
     */
    static boolean areMore(List<AddressRange> ranges, int bits, int prefixBits) {
        int counted = Math.min(bits, Long.SIZE);
        List<AddressRange> sorted =
                ranges.stream()
                        .filter(range -> range.address().length * Byte.SIZE == bits)
                        .sorted(
                                (one, other) ->
                                        Long.compareUnsigned(
                                                one.first(counted), other.first(counted)))
                        .toList();
        long count = 0;
        long behind = 0;
        for (AddressRange range : sorted) {
            if (range.prefix() < prefixBits) {
                return true;
            }
            long begin = range.first(counted);
            long end = begin + (1L << Math.max(0, counted - range.prefix()));
            if (count == 0 || Long.compareUnsigned(begin, behind) > 0) {
                behind = begin;
            }
            // The last range of all ends at 0: nothing is behind it.
            if (end == 0 || Long.compareUnsigned(end, behind) > 0) {
                count += end - behind;
                behind = end;
            }
            if (end == 0) {
                break;
            }
        }
        return count > 1L << (counted - prefixBits);
    }

    /** The first bits of the first address, as a number without sign. */
    private long first(int bits) {
        long value = 0;
        for (int i = 0; i < bits; i++) {
            int bit = address[i / Byte.SIZE] >> (Byte.SIZE - 1 - i % Byte.SIZE) & 1;
            value = value << 1 | (i < prefix ? bit : 0);
        }
        return value;
    }
}
