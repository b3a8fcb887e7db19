package io.volute.versioning;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EventKind;
import io.volute.storage.Cube;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.versioning.ObjectStore.DeleteOutcome;
import io.volute.versioning.ObjectStore.DeleteTarget;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionId;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store that is full takes deletes, of every kind, and by that takes puts again. */
@Tag("slow")
class FullStoreOnDiskTest extends StoreFixture {
    private static final long CAPACITY_BYTES = 4 << 20;
    private static final int PUTS_MAX = 100_000;

    /** In a row; each has waited for the cleaner most of a second. */
    private static final int BUSY_MAX = 20;

    /** Through the head, so that every delete is about the head alone. */
    private static final String BODY = "0123456789abcdef".repeat(30);

    @TempDir private Path directory;
    private boolean signs;

    @Override
    public StoreOptions options(StoreOptions usual) throws IOException {
        return signs ? usual.with(TestKeys.settings()) : super.options(usual);
    }

    @Override
    public Cube openCube() throws IOException {
        return DiskCubes.open(directory, CAPACITY_BYTES);
    }

    /** Puts objects until the store is full; returns the number of puts that succeeded. */
    private int fill(String prefix) throws IOException {
        int busy = 0;
        for (int i = 0; i < PUTS_MAX; i++) {
            try {
                put(prefix + i, BODY);
                busy = 0;
            } catch (CubeUnavailableException e) {
                if (e.reason() == Reason.FULL) {
                    return i;
                }
                assertThat(e.reason()).isEqualTo(Reason.BUSY);
                assertThat(++busy).as(cube.space().toString()).isLessThan(BUSY_MAX);
                i--;
            }
        }
        throw new AssertionError("never full: " + cube.space().totals());
    }

    private void assertPutsAgain() throws IOException {
        CubeUnavailableException last = null;
        for (int i = 0; i < BUSY_MAX; i++) {
            try {
                put("again", BODY);
                assertThat(get("again")).isEqualTo(BODY);
                return;
            } catch (CubeUnavailableException e) {
                // The cleaner is at it.
                last = e;
                assertThat(cube.clean(Cube.Cleaning.COMBINED)).isNotNegative();
            }
        }
        throw new AssertionError("puts are refused for ever: " + cube.space(), last);
    }

    @Test
    void deletesMakeRoom() throws IOException {
        int count = fill("key");
        assertThat(count).isGreaterThan(1000);
        for (int i = 0; i < count; i += 2) {
            assertThat(delete("key" + i)).isNotNull();
        }
        assertPutsAgain();
        assertThat(get("key1")).isEqualTo(BODY);
        assertThat(cube.check(1L << 40, progress -> true).problems()).isEmpty();
    }

    @Test
    void deleteMarkersAreTakenWhenNothingElseIs() throws IOException {
        versioning(VersioningState.ENABLED);
        int count = fill("key");
        for (int i = 0; i < 100; i++) {
            assertThat(delete("key" + i).markerCreated()).isTrue();
        }
        assertThat(head("key0").orElseThrow().deleteMarker()).isTrue();
        for (ObjectVersion version : allVersions()) {
            assertThat(delete(version.key().value(), number(version)).version()).isPresent();
        }
        assertThat(count).isGreaterThan(100);
        assertPutsAgain();
    }

    @Test
    void manyAtOnceAndUploadsAndBucketsGoToo() throws IOException {
        String upload = createUpload("upload");
        assertThat(putPart("upload", upload, 1, BODY).bytes()).isPositive();
        BucketName other = new BucketName("other");
        assertThat(store.createBucket(ALICE, other).name()).isEqualTo(other);
        int count = fill("key");
        store.abortUpload(ALICE, BUCKET, key("upload"), upload);
        store.deleteBucket(ALICE, other);
        for (int from = 0; from < count; from += 1000) {
            List<DeleteTarget> targets = new ArrayList<>();
            for (int i = from; i < Math.min(count, from + 1000); i++) {
                targets.add(new DeleteTarget(key("key" + i), LATEST, WriteCondition.NONE));
            }
            assertThat(store.deleteAll(ALICE, BUCKET, targets))
                    .allMatch(DeleteOutcome.Deleted.class::isInstance);
        }
        assertPutsAgain();
    }

    /** Deletes that found no room are sealed when they are tried again. */
    @Test
    void provenanceCanBeginWhenAllIsFull() throws IOException {
        assertThat(fill("key")).isGreaterThan(100);
        store.close();
        signs = true;
        store = reopen();
        Provenance provenance = store.provenance().orElseThrow();
        for (int i = 0; i < 100; i++) {
            ObjectVersion gone = delete("key" + i).version().orElseThrow();
            List<Entry> entries = new ArrayList<>();
            provenance.entries(BUCKET, key("key" + i), each -> entries.add(each.entry()));
            assertThat(entries).singleElement().extracting(Entry::kind).isEqualTo(EventKind.DELETE);
            assertThat(entries.getFirst().versionId().text())
                    .isEqualTo(VersionId.format(gone.number(), false));
        }
        assertThat(Signing.findings(store)).isEmpty();
    }
}
