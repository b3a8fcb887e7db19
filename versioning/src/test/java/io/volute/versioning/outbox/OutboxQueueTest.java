package io.volute.versioning.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.Outbox.Message;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class OutboxQueueTest {
    private static final Message OLD = new Message("", 3, Instant.EPOCH, Optional.empty());

    @Test
    void aReadDoesNotSkipMessagesThatWereMovedMeanwhile() {
        OutboxQueue queue = new OutboxQueue(Long.MAX_VALUE);
        queue.read(queue.moves(), 10, Optional.empty());
        long before = queue.moves();
        queue.moved(List.of(OLD));
        queue.read(before, 11, Optional.empty());
        assertThat(queue.first()).isEqualTo(3);
        queue.read(queue.moves(), 12, Optional.empty());
        assertThat(queue.first()).isEqualTo(12);
        assertThat(queue.report().messages()).isEqualTo(1);
    }
}
