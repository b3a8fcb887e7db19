package io.volute.versioning.rows;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.value.ObjectKey;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowKeysTest {
    private static final ObjectKey KEY = new ObjectKey("a\u0000é");

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void encodedKeysSortAsTheKeysDo(long seed) {
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 2000; i++) {
            ObjectKey a = randomKey(random);
            ObjectKey b = randomKey(random);
            byte[] rowA = RowKeys.version(1, a, random.nextLong(Long.MAX_VALUE));
            byte[] rowB = RowKeys.version(1, b, random.nextLong(Long.MAX_VALUE));
            if (!a.equals(b)) {
                assertThat(Integer.signum(Arrays.compareUnsigned(rowA, rowB)))
                        .isEqualTo(Integer.signum(a.compareTo(b)));
            }
            int end = RowKeys.objectKeyEnd(rowA, RowKeys.NUMBER_BYTES);
            assertThat(RowKeys.objectKey(rowA, end)).isEqualTo(a.value());
            byte[] prefix = RowKeys.prefix(1, b.utf8());
            boolean within =
                    Arrays.compareUnsigned(rowA, prefix) >= 0
                            && Arrays.compareUnsigned(rowA, RowKeys.behindPrefix(prefix)) < 0;
            assertThat(within).isEqualTo(a.value().startsWith(b.value()));
        }
    }

    private static ObjectKey randomKey(Random random) {
        String[] letters = {"\u0000", "\u0001", "a", "\u007f", "é", "\uFFFF", "\uD83D\uDE00"};
        StringBuilder key = new StringBuilder();
        for (int i = random.nextInt(4); i >= 0; i--) {
            key.append(letters[random.nextInt(letters.length)]);
        }
        return new ObjectKey(key.toString());
    }

    @Test
    void newerVersionsSortFirst() {
        assertThat(Arrays.compareUnsigned(RowKeys.version(1, KEY, 9), RowKeys.version(1, KEY, 8)))
                .isNegative();
    }
}
