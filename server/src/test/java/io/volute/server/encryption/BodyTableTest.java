package io.volute.server.encryption;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.encryption.BodyTable.EncryptedBody;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the places of many bodies, of which only one block is in memory. */
class BodyTableTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 63, 64, 65, 128, 1000})
    void findsTheBodyOfEachOffset(int count) throws IOException {
        Random random = new Random(20_261_128L + count);
        List<Long> lengths = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            lengths.add(random.nextInt(3) == 0 ? 0L : random.nextInt(20));
        }
        lengths.set(count - 1, 7L);
        AtomicInteger reads = new AtomicInteger();
        BodyTable table =
                new BodyTable(
                        lengths,
                        () -> {
                            reads.incrementAndGet();
                            return lengths;
                        });
        long begin = 0;
        long storedBegin = 0;
        for (long bytes : lengths) {
            EncryptedBody body = new EncryptedBody(begin, bytes, storedBegin);
            for (long offset = begin; offset < begin + bytes; offset++) {
                assertThat(table.at(offset)).isEqualTo(body);
            }
            begin += bytes;
            storedBegin += BodyShape.storedBytes(bytes);
        }
        assertThat(table.contentBytes()).isEqualTo(begin);
        assertThat(reads.get()).isLessThanOrEqualTo(count / BodyTable.BLOCK);
    }
}
