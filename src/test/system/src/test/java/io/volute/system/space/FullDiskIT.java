package io.volute.system.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.AdminAnswers;
import io.volute.system.Bytes;
import io.volute.system.Clients;
import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * The real server on a real small disk that becomes full, with no capacity set: what does not fit
 * is refused in clear words, the rest goes on, nothing is lost, and deleting makes room.
 */
class FullDiskIT {
    private static final long DISK_BYTES = 40L << 20;
    private static final String BUCKET = "full";
    private static final int PUTS_MAX = 100_000;
    private static final int CLIENTS = 8;

    /** Refusals in a row after which the store is full. */
    private static final int REFUSED_MAX = 5;

    private static final Duration DELETE_LIMIT = Duration.ofSeconds(60);
    private static final Duration ROOM_LIMIT = Duration.ofMinutes(2);
    private static final long AGAIN_NANOS = 20_000_000;
    private static final Map<String, String> SMALL =
            Map.of(
                    "VOLUTE_LOG_SEGMENT_SIZE", "512KiB",
                    "VOLUTE_INDEX_FLUSH_LOG_SIZE", "8MiB",
                    "VOLUTE_INDEX_WRITE_BUFFER", "4MiB");

    private TemporaryStore directory;
    private LoopFileSystem disk;
    private ServerProcess server;
    private S3Client s3;

    /** Digests of the acknowledged writes, by key. */
    private final Map<String, String> written = new ConcurrentSkipListMap<>();

    /** Keys of refused writes. A refusal means that they are not there. */
    private final Set<String> refused = new ConcurrentSkipListSet<>();

    @BeforeEach
    void start() throws IOException {
        directory = TemporaryStore.create("full-disk");
        disk = LoopFileSystem.mount(directory.path(), DISK_BYTES);
        startServer();
        s3.createBucket(create -> create.bucket(BUCKET));
    }

    private void startServer() {
        server =
                ServerProcess.start(
                        ServerProcess.Options.of(disk.root().resolve("data"))
                                .withEnvironment(SMALL));
        s3 = Clients.once(server.endpoint());
    }

    @AfterEach
    void stop() throws IOException {
        if (server != null) {
            s3.close();
            server.close();
        }
        if (disk != null) {
            disk.close();
        }
        directory.close();
    }

    /** Empty when it was taken, else the error code. */
    private String put(String key, byte[] body) {
        try {
            s3.putObject(put -> put.bucket(BUCKET).key(key), RequestBody.fromBytes(body));
            written.put(key, Bytes.sha256Hex(body));
            refused.remove(key);
            return "";
        } catch (S3Exception e) {
            String code = e.awsErrorDetails().errorCode();
            assertThat(code).as("%s%n%s", e, server.log()).isIn("SlowDown", "InsufficientStorage");
            assertThat(e.statusCode()).isEqualTo(code.equals("SlowDown") ? 503 : 507);
            assertThat(e.awsErrorDetails().errorMessage()).isNotBlank();
            if (!written.containsKey(key)) {
                refused.add(key);
            }
            return code;
        }
    }

    private void fill(int bodyBytes) {
        int inARow = 0;
        for (int i = 0; inARow < REFUSED_MAX; i++) {
            assertThat(i).as("puts until the disk is full").isLessThan(PUTS_MAX);
            inARow = put("key-" + i, Bytes.random(i, bodyBytes)).isEmpty() ? 0 : inARow + 1;
        }
    }

    private void assertThere(String key, String digest) {
        byte[] body = s3.getObjectAsBytes(get -> get.bucket(BUCKET).key(key)).asByteArray();
        assertThat(Bytes.sha256Hex(body)).as(key).isEqualTo(digest);
    }

    private void assertEverythingThere() throws IOException {
        written.entrySet().parallelStream()
                .forEach(each -> assertThere(each.getKey(), each.getValue()));
        Set<String> listed = new TreeSet<>();
        s3.listObjectsV2Paginator(list -> list.bucket(BUCKET))
                .contents()
                .forEach(each -> listed.add(each.key()));
        assertThat(listed).isEqualTo(written.keySet()).doesNotContainAnyElementsOf(refused);
        assertThat(new AdminAnswers(server.endpoint()).check()).isEmpty();
    }

    /** Deletes every second object; returns how often it was put off. */
    private int deleteHalf() {
        int putOff = 0;
        boolean isKept = true;
        for (String key : new TreeSet<>(written.keySet())) {
            isKept = !isKept;
            long begun = System.nanoTime();
            while (!isKept && written.containsKey(key)) {
                try {
                    s3.deleteObject(delete -> delete.bucket(BUCKET).key(key));
                    written.remove(key);
                } catch (S3Exception e) {
                    putOff++;
                    assertThat(e.statusCode()).as("%s", e).isIn(503, 507);
                    assertThat(System.nanoTime() - begun)
                            .as("a delete is put off for ever: %s%n%s", e, server.log())
                            .isLessThan(DELETE_LIMIT.toNanos());
                    LockSupport.parkNanos(AGAIN_NANOS);
                }
            }
        }
        return putOff;
    }

    private void awaitRoom(String key, byte[] body) throws IOException {
        long begun = System.nanoTime();
        while (!put(key, body).isEmpty()) {
            assertThat(System.nanoTime() - begun)
                    .as(
                            "puts are refused for ever: %s, %s bytes usable%n%s",
                            new AdminAnswers(server.endpoint()).space(),
                            disk.usableBytes(),
                            server.log())
                    .isLessThan(ROOM_LIMIT.toNanos());
            LockSupport.parkNanos(AGAIN_NANOS);
        }
    }

    /** Puts many objects at once. When space is short, each put waits for the cleaner a moment. */
    private void putAgain(int count, int bodyBytes) throws Exception {
        List<Callable<Void>> puts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String key = "again-" + i;
            byte[] body = Bytes.random(-2 - i, bodyBytes);
            puts.add(
                    () -> {
                        awaitRoom(key, body);
                        return null;
                    });
        }
        try (ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
            for (Future<Void> put : clients.invokeAll(puts)) {
                put.get();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {8_000, 20_000, 700_000})
    void aFullDiskServesAndDeletingMakesRoom(int bodyBytes) throws Exception {
        fill(bodyBytes);
        int count = written.size();
        assertEverythingThere();

        server.kill();
        s3.close();
        startServer();
        assertEverythingThere();

        int putOff = deleteHalf();
        awaitRoom("after", Bytes.random(-1, bodyBytes));
        putAgain(count / 4, bodyBytes);
        assertEverythingThere();
        System.out.printf(
                "full disk: %d objects of %d bytes, %d deletes put off, %d MiB usable in the end%n",
                count, bodyBytes, putOff, disk.usableBytes() >> 20);
        assertThat(server.stop()).as(server.log()).isZero();
    }

    /** Somebody else's file takes the space that was counted on, and goes again. */
    @Test
    void anotherProgramFillsTheDisk() throws IOException {
        for (int i = 0; i < 500; i++) {
            assertThat(put("early-" + i, Bytes.random(i, 20_000))).isEmpty();
        }
        Path ballast = disk.takeTheRest();
        fill(20_000);
        assertEverythingThere();
        server.kill();
        s3.close();
        startServer();
        assertEverythingThere();
        Files.delete(ballast);
        awaitRoom("after", Bytes.random(-1, 20_000));
        assertEverythingThere();
        assertThat(server.stop()).as(server.log()).isZero();
    }
}
