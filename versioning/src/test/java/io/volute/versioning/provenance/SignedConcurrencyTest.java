package io.volute.versioning.provenance;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.record.Entry;
import io.volute.provenance.record.SignerId;
import io.volute.storage.Cube;
import io.volute.versioning.DiskCubes;
import io.volute.versioning.Signing;
import io.volute.versioning.Signing.Signed;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.rows.Families;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Many write, with group commits on disk, while keys are rotated and everything is audited. */
@Signed
@Timeout(value = 2, unit = TimeUnit.MINUTES)
@Tag("slow")
class SignedConcurrencyTest extends StoreFixture {
    private static final int WRITERS = 16;
    private static final int ROTATIONS = 8;
    private static final int KEYS = 5;

    @TempDir private Path directory;

    @Override
    public Cube openCube() throws IOException {
        return DiskCubes.open(directory);
    }

    /** Runs all at once; returns what they returned. */
    private static <T> List<T> together(List<Callable<T>> tasks) throws Exception {
        CountDownLatch start = new CountDownLatch(tasks.size());
        List<T> all = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(tasks.size())) {
            List<Future<T>> futures = new ArrayList<>();
            for (Callable<T> task : tasks) {
                futures.add(
                        threads.submit(
                                () -> {
                                    start.countDown();
                                    start.await();
                                    return task.call();
                                }));
            }
            for (Future<T> each : futures) {
                all.add(each.get());
            }
        }
        return all;
    }

    @Test
    void entriesNameThoseWhoSignTheirBatchWhateverRotates() throws Exception {
        long seed = Long.getLong("volute.seed", 1);
        CountDownLatch rotating = new CountDownLatch(ROTATIONS);
        Semaphore written = new Semaphore(0);
        List<Callable<List<String>>> tasks = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            SplittableRandom random = new SplittableRandom(seed * WRITERS + i);
            tasks.add(() -> write(random, rotating, written));
        }
        tasks.add(() -> rotate(rotating, written));
        tasks.add(() -> audit(rotating));
        List<String> done = together(tasks).stream().flatMap(List::stream).toList();
        assertThat(done).as("seed %d", seed).noneMatch(each -> each.startsWith("FOUND"));
        assertThat(rows(Families.BATCHES)).as("batches").isLessThan(done.size());
        List<String> told = new ArrayList<>();
        Set<List<SignerId>> signers = new HashSet<>();
        for (int i = 0; i < KEYS; i++) {
            for (Entry entry : entries("k" + i)) {
                told.add("k" + i + " " + entry.kind() + " " + entry.versionId().text());
                signers.add(entry.signers());
            }
        }
        assertThat(told).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(done);
        assertThat(signers).hasSizeGreaterThanOrEqualTo(ROTATIONS);
    }

    /** Writes until all rotations are done; returns what was acknowledged, in words of entries. */
    private List<String> write(SplittableRandom random, CountDownLatch rotating, Semaphore written)
            throws IOException {
        List<String> done = new ArrayList<>();
        while (rotating.getCount() > 0) {
            String key = "k" + random.nextInt(KEYS);
            if (random.nextInt(4) == 0) {
                delete(key).version().ifPresent(gone -> done.add(words(key, "DELETE", gone)));
            } else {
                done.add(words(key, "WRITE", put(key, "content " + done.size())));
            }
            written.release();
        }
        return done;
    }

    /** Each key signs something before the next one comes. */
    private List<String> rotate(CountDownLatch rotating, Semaphore written) throws Exception {
        for (int i = 0; i < ROTATIONS; i++) {
            // As many may have been under way, or deletes of nothing.
            assertThat(written.drainPermits()).isNotNegative();
            assertThat(written.tryAcquire(4 * WRITERS, 1, TimeUnit.MINUTES)).isTrue();
            provenance().rotateKeys();
            rotating.countDown();
        }
        return List.of();
    }

    private List<String> audit(CountDownLatch rotating) throws IOException {
        List<String> found = new ArrayList<>();
        while (rotating.getCount() > 0) {
            Signing.findings(store).forEach(each -> found.add("FOUND " + each));
        }
        return found;
    }

    private static String words(String key, String kind, ObjectVersion version) {
        return key + " " + kind + " " + VersionId.format(version.number(), false);
    }
}
