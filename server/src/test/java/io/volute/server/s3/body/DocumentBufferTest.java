package io.volute.server.s3.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.Limits;
import io.volute.server.s3.TestAllowance;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** A document takes heap for the bytes that have arrived. */
class DocumentBufferTest {
    private static final int MAX = 2 << 20;

    private static ByteBuffer bytes(int count) {
        return ByteBuffer.wrap(new byte[count]);
    }

    private static void assertRefused(DocumentBuffer buffer, S3Error error) {
        assertThatThrownBy(() -> buffer.add(bytes(1)))
                .isInstanceOfSatisfying(
                        S3Exception.class, e -> assertThat(e.error()).isEqualTo(error));
    }

    @Test
    void growsWithWhatArrives() {
        TestAllowance budget = new TestAllowance(Long.MAX_VALUE);
        try (DocumentBuffer buffer = new DocumentBuffer(budget, MAX)) {
            assertThat(budget.held()).isZero();
            buffer.add(bytes(1));
            assertThat(budget.held()).isEqualTo(4096 * Limits.DOCUMENT_WEIGHT);
            for (int count = 1; count < MAX; count += 1023) {
                assertThat(budget.held())
                        .isLessThanOrEqualTo(Math.max(4096, 2L * count) * Limits.DOCUMENT_WEIGHT);
                buffer.add(bytes(Math.min(1023, MAX - count)));
            }
            assertThat(buffer.document()).hasSize(MAX);
            assertRefused(buffer, S3Error.MAX_MESSAGE_LENGTH_EXCEEDED);
        }
        assertThat(budget.held()).isZero();
    }
}
