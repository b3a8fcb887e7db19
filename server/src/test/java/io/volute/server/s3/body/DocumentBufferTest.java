package io.volute.server.s3.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.Limits;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Documents take the heap that has arrived, and no more than all of them may. */
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
        SharedBudget budget = new SharedBudget(Long.MAX_VALUE, Long.MAX_VALUE);
        try (DocumentBuffer buffer = new DocumentBuffer(budget, "alice", MAX)) {
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

    @Test
    void oneCallerLeavesRoomForTheOthers() {
        long one = 4096L * Limits.DOCUMENT_WEIGHT;
        SharedBudget budget = new SharedBudget(3 * one, 2 * one);
        try (DocumentBuffer first = new DocumentBuffer(budget, "alice", MAX);
                DocumentBuffer second = new DocumentBuffer(budget, "alice", MAX);
                DocumentBuffer third = new DocumentBuffer(budget, "alice", MAX);
                DocumentBuffer other = new DocumentBuffer(budget, "bob", MAX);
                DocumentBuffer last = new DocumentBuffer(budget, "carol", MAX)) {
            first.add(bytes(4096));
            second.add(bytes(1));
            assertRefused(third, S3Error.SLOW_DOWN);
            other.add(bytes(1));
            assertRefused(last, S3Error.SLOW_DOWN);
            assertRefused(first, S3Error.SLOW_DOWN);
            second.close();
            last.add(bytes(1));
            assertThat(budget.held()).isEqualTo(3 * one);
        }
        assertThat(budget.held()).isZero();
    }
}
