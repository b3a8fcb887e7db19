package io.volute.storage.log.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SharedForceTest {

    /** A file whose force waits until the test lets it go on. */
    private static final class Gate implements StoredFile {
        private final AtomicInteger forces = new AtomicInteger();
        private final CountDownLatch firstBegan = new CountDownLatch(1);
        private final Semaphore mayEnd = new Semaphore(0);
        private final AtomicBoolean fails = new AtomicBoolean();

        @Override
        public void force() throws IOException {
            forces.incrementAndGet();
            firstBegan.countDown();
            mayEnd.acquireUninterruptibly();
            if (fails.get()) {
                throw new IOException("Input/output error");
            }
        }

        @Override
        public void write(ByteBuffer source, long offset, WriteCause cause) {}

        @Override
        public int read(ByteBuffer target, long offset) {
            return 0;
        }

        @Override
        public boolean punch(long offset, long bytes) {
            return false;
        }

        @Override
        public long size() {
            return 0;
        }

        @Override
        public void close() {}
    }

    /** One force was under way when the others asked: it does not count, one more serves all. */
    @Test
    void aForceThatBeganEarlierDoesNotCountAndOneMoreServesAll() throws Exception {
        Gate file = new Gate();
        SharedForce shared = new SharedForce();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Boolean> first = threads.submit(() -> shared.force(file));
            file.firstBegan.await();
            List<Future<Boolean>> others = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                others.add(threads.submit(() -> shared.force(file)));
            }
            while (shared.calls() < 9) {
                Thread.onSpinWait();
            }
            file.mayEnd.release();
            assertThat(first.get()).isTrue();
            assertThat(others).noneMatch(Future::isDone);
            file.mayEnd.release();
            int leaders = 0;
            for (Future<Boolean> other : others) {
                leaders += other.get() ? 1 : 0;
            }
            assertThat(leaders).isEqualTo(1);
            assertThat(file.forces).hasValue(2);
        }
    }

    @Test
    void aFailureIsFinalForThoseWhoWaitAndForThoseWhoCome() throws Exception {
        Gate file = new Gate();
        file.fails.set(true);
        SharedForce shared = new SharedForce();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Boolean> first = threads.submit(() -> shared.force(file));
            file.firstBegan.await();
            Future<Boolean> second = threads.submit(() -> shared.force(file));
            while (shared.calls() < 2) {
                Thread.onSpinWait();
            }
            file.mayEnd.release();
            assertThatThrownBy(first::get).hasMessageContaining("Input/output error");
            assertThatThrownBy(second::get).hasMessageContaining("earlier force");
        }
        file.fails.set(false);
        assertThatThrownBy(() -> shared.force(file)).isInstanceOf(IOException.class);
        assertThat(file.forces).hasValue(1);
    }
}
