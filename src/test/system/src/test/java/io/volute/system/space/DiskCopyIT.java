package io.volute.system.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Bytes;
import io.volute.system.Clients;
import io.volute.system.ServerProcess;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteCommand;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.s3.S3Client;

/** An atomic copy of the disk of a busy server, which docs/guide/back-up.md allows. */
class DiskCopyIT {
    private static final long DISK_BYTES = 600L << 20;
    private static final int FEW = 50;
    private static final String BUCKET = "bucket";

    private final AtomicInteger acknowledged = new AtomicInteger();
    private final AtomicBoolean isStopped = new AtomicBoolean();

    @Test
    void aStoreStartsFromItAndHasEveryAcknowledgedWrite() throws Exception {
        try (TemporaryStore work = TemporaryStore.create("disk-copy");
                LoopFileSystem disk = LoopFileSystem.mount(work.path(), DISK_BYTES);
                ServerProcess server = start(disk);
                S3Client s3 = Clients.sync(server.endpoint())) {
            Store store = new Store(server.endpoint(), s3);
            store.create(BUCKET);
            try (ExecutorService client = Executors.newSingleThreadExecutor()) {
                Future<?> writes = client.submit(() -> write(store));
                while (acknowledged.get() < FEW && !writes.isDone()) {
                    Thread.onSpinWait();
                }
                int before = acknowledged.get();
                try (LoopFileSystem copy = disk.copy(work.path())) {
                    isStopped.set(true);
                    writes.get();
                    requireWhole(copy, before);
                } finally {
                    isStopped.set(true);
                }
            }
        }
    }

    private static ServerProcess start(LoopFileSystem disk) {
        return ServerProcess.start(ServerProcess.Options.of(disk.root().resolve("data")));
    }

    private void write(Store store) {
        while (!isStopped.get()) {
            int next = acknowledged.get();
            store.put(BUCKET, "key-" + next, body(next));
            acknowledged.set(next + 1);
        }
    }

    /** Some are in the records, some in segments of their own. */
    private static byte[] body(int i) {
        return Bytes.random(i, i % 10 == 0 ? 300_000 : 3_000);
    }

    private static void requireWhole(LoopFileSystem copy, int before) throws Exception {
        assertThat(before).isGreaterThanOrEqualTo(FEW);
        try (ServerProcess server = start(copy);
                S3Client s3 = Clients.sync(server.endpoint())) {
            Store store = new Store(server.endpoint(), s3);
            for (int i = 0; i < before; i++) {
                assertThat(store.get(BUCKET, "key-" + i)).isEqualTo(body(i));
            }
            VoluteCommand.done(server, "check");
            assertThat(VoluteCommand.done(server, "audit", "--all", "--contents"))
                    .contains(" 0 findings");
        }
    }
}
