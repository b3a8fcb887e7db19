package io.volute.versioning;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.Cube;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.ObjectStore.DeleteOutcome;
import io.volute.versioning.ObjectStore.DeleteTarget;
import io.volute.versioning.Restore.Goal;
import io.volute.versioning.Restore.OnConflict;
import io.volute.versioning.Restore.Run;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.rows.Families;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The longest keys there are, and the smallest segments: what one commit takes is soon full. */
@Tag("slow")
public class SmallSegmentsTest extends PastFixture {
    private static final int KEYS = 60;

    @TempDir Path directory;

    @Override
    public Cube openCube() throws IOException {
        return DiskCubes.openSmallest(directory, clock::get);
    }

    @BeforeEach
    void keepEverything() throws IOException {
        policy(HistoryPolicy.EVERY_WRITE);
    }

    private static String key(int i) {
        return String.format("%04d", i) + "x".repeat(ObjectKey.BYTES_MAX - 4);
    }

    private void putAll() throws IOException {
        for (int i = 0; i < KEYS; i++) {
            assertThat(put(ALICE, key(i), "good").latest()).isTrue();
        }
    }

    private void deleteAll(Caller caller) throws IOException {
        List<DeleteTarget> targets =
                IntStream.range(0, KEYS)
                        .mapToObj(
                                i ->
                                        new DeleteTarget(
                                                new ObjectKey(key(i)),
                                                VersionSelector.LATEST,
                                                WriteCondition.NONE))
                        .toList();
        assertThat(store.deleteAll(caller, BUCKET, targets))
                .hasSize(KEYS)
                .allMatch(DeleteOutcome.Deleted.class::isInstance);
    }

    private int objects() throws IOException {
        ObjectQuery query = new ObjectQuery("", "", "", 1000);
        return store.listObjects(ALICE, BUCKET, query).objects().size();
    }

    @Test
    void manyKeysAreDeletedAndPutBack() throws IOException {
        putAll();
        Instant good = tick();
        deleteAll(THIEF);
        assertThat(objects()).isZero();
        tick();
        Restore restore = store.restore();
        Restore.Request request =
                new Restore.Request(BUCKET, "", new Goal.ToInstant(good), OnConflict.SKIP);
        Run run = ended(restore.start(ALICE, request).id());
        assertThat(run.message()).isEmpty();
        assertThat(run.restored()).isEqualTo(KEYS);
        assertThat(run.looked()).isEqualTo(KEYS);
        assertThat(objects()).isEqualTo(KEYS);
    }

    @Test
    void whatWasReadOfManyKeysIsWrittenDownWithAWrite() throws IOException {
        putAll();
        for (int i = 0; i < KEYS; i++) {
            assertThat(read(THIEF, key(i))).isEqualTo("good");
        }
        put(THIEF, key(0), "bad");
        History.ActivityFilter thief =
                new History.ActivityFilter(
                        Optional.empty(),
                        History.ActorFilter.ofName("thief"),
                        Optional.empty(),
                        Optional.empty());
        long told =
                store.history().activity(thief, Optional.empty(), 1000).entries().stream()
                        .map(each -> each.action() + " " + each.key().value())
                        .distinct()
                        .count();
        assertThat(told).isEqualTo(KEYS + 1);
    }

    @Test
    void historyOfManyKeysIsRemoved() throws IOException {
        putAll();
        deleteAll(ALICE);
        clock.set(START.plus(Duration.ofDays(30)));
        assertThat(store.retention().trim()).isEqualTo(KEYS);
        assertThat(rows(Families.HISTORY) + removedKeys()).isZero();
        assertThat(rows(Families.EVENTS)).isZero();
        putAll();
        deleteAll(ALICE);
        tick();
        assertThat(store.history().purge(ALICE, BUCKET, clock.get())).isEqualTo(KEYS);
        assertThat(rows(Families.HISTORY) + removedKeys()).isZero();
    }
}
