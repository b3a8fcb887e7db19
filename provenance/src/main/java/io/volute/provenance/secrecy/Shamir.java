package io.volute.provenance.secrecy;

import io.volute.provenance.format.Bytes;
import java.security.SecureRandom;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Shamir's secret sharing over GF(2^8) with the polynomial x^8 + x^4 + x^3 + x + 1, byte by byte.
 * Products are made without tables or branches on secret values.
 */
final class Shamir {
    private static final int SHARES_MAX = 255;
    private static final int POLYNOMIAL = 0x1B;

    private Shamir() {}

    /**
     * Shares numbered from 1; any k of them give the secret, fewer say nothing about it.
     *
     * @throws IllegalArgumentException unless 1 <= k <= n <= 255
     */
    public static SortedMap<Integer, Bytes> split(Bytes secret, int k, int n, SecureRandom random) {
        if (k < 1 || k > n || n > SHARES_MAX) {
            throw new IllegalArgumentException(k + " of " + n + " shares");
        }
        byte[][] coefficients = new byte[k][];
        coefficients[0] = secret.toArray();
        for (int i = 1; i < k; i++) {
            coefficients[i] = new byte[secret.length()];
            random.nextBytes(coefficients[i]);
        }
        SortedMap<Integer, Bytes> shares = new TreeMap<>();
        for (int x = 1; x <= n; x++) {
            byte[] share = new byte[secret.length()];
            for (int at = 0; at < share.length; at++) {
                int y = 0;
                for (int i = k - 1; i >= 0; i--) {
                    y = times(y, x) ^ coefficients[i][at] & 0xFF;
                }
                share[at] = (byte) y;
            }
            shares.put(x, Bytes.of(share));
        }
        return shares;
    }

    /**
     * The secret, from k shares or more; from fewer or wrong ones, something else.
     *
     * @throws IllegalArgumentException when there is none, or lengths or numbers do not fit
     */
    public static Bytes join(Map<Integer, Bytes> shares) {
        if (shares.isEmpty()
                || shares.keySet().stream().anyMatch(x -> x < 1 || x > SHARES_MAX)
                || shares.values().stream().map(Bytes::length).distinct().count() != 1) {
            throw new IllegalArgumentException("shares that do not belong together");
        }
        byte[] secret = new byte[shares.values().iterator().next().length()];
        shares.forEach(
                (x, share) -> {
                    int weight = 1;
                    for (int other : shares.keySet()) {
                        if (other != x) {
                            weight = times(weight, times(other, inverse(other ^ x)));
                        }
                    }
                    byte[] y = share.toArray();
                    for (int at = 0; at < secret.length; at++) {
                        secret[at] = (byte) (secret[at] ^ times(y[at] & 0xFF, weight));
                    }
                });
        return Bytes.of(secret);
    }

    static int times(int a, int b) {
        int product = 0;
        int factor = a;
        for (int bit = 0; bit < 8; bit++) {
            product ^= factor & -(b >> bit & 1);
            factor = factor << 1 & 0xFF ^ POLYNOMIAL & -(factor >> 7 & 1);
        }
        return product;
    }

    /** The 254th power. */
    static int inverse(int a) {
        int result = 1;
        int power = a;
        for (int bit = 1; bit < 8; bit++) {
            power = times(power, power);
            result = times(result, power);
        }
        return result;
    }
}
