package io.volute.provenance.secrecy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.Samples;
import io.volute.provenance.format.Bytes;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import org.junit.jupiter.api.Test;

class ShamirTest {
    private final Random random = new Random(61);
    private final SecureRandom secure = new SecureRandom();

    @Test
    void theFieldIsAField() {
        assertThat(Shamir.times(0x57, 0x83)).as("FIPS 197, 4.2").isEqualTo(0xC1);
        for (int a = 1; a < 256; a++) {
            assertThat(Shamir.times(a, Shamir.inverse(a))).isEqualTo(1);
            int b = random.nextInt(256);
            int c = random.nextInt(256);
            assertThat(Shamir.times(a, b ^ c)).isEqualTo(Shamir.times(a, b) ^ Shamir.times(a, c));
        }
    }

    @Test
    void anyKSharesGiveTheSecretAndFewerDoNot() {
        Bytes secret = Samples.bytes(random, 32);
        for (int n = 1; n <= 6; n++) {
            for (int k = 1; k <= n; k++) {
                SortedMap<Integer, Bytes> shares = Shamir.split(secret, k, n, secure);
                for (int chosen = 1; chosen < 1 << n; chosen++) {
                    Map<Integer, Bytes> some = new HashMap<>(shares);
                    int mask = chosen;
                    some.keySet().removeIf(x -> (mask >> (x - 1) & 1) == 0);
                    assertThat(Shamir.join(some).equals(secret))
                            .as("%d of %d, %s", k, n, some.keySet())
                            .isEqualTo(some.size() >= k);
                }
            }
        }
    }

    /** Verifies that with one share missing every secret is possible: one per byte value. */
    @Test
    void fewerSharesSayNothing() {
        SortedMap<Integer, Bytes> shares = Shamir.split(Bytes.of(new byte[] {42}), 2, 2, secure);
        Set<Bytes> possible = new HashSet<>();
        for (int other = 0; other < 256; other++) {
            Bytes guess = Bytes.of(new byte[] {(byte) other});
            possible.add(Shamir.join(Map.of(1, shares.get(1), 2, guess)));
        }
        assertThat(possible).hasSize(256);
    }

    @Test
    void refusesWhatCannotBe() {
        assertThatThrownBy(() -> Shamir.split(Bytes.EMPTY, 3, 2, secure))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Shamir.join(Map.of(1, Bytes.of("ab"), 2, Bytes.of("a"))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Shamir.join(Map.of(0, Bytes.of("ab"))))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
