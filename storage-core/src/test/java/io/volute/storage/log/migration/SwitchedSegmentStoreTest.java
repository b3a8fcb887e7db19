package io.volute.storage.log.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeOptions.OnDamage;
import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import io.volute.storage.log.LogOptions;
import io.volute.storage.log.SegmentFileName;
import io.volute.storage.log.SegmentLog.SpacePriority;
import io.volute.storage.log.space.LocalSegmentStore;
import io.volute.storage.log.space.SegmentStore;
import io.volute.storage.log.space.SegmentStoreContract;
import io.volute.storage.report.SpaceReport.Kind;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A store that is replaced: the promises of every store, and those of a switch. */
class SwitchedSegmentStoreTest extends SegmentStoreContract {
    private static final Path OTHER = Path.of("/other");
    private SimFileSystem files = new SimFileSystem();

    private LogOptions options(String directory) {
        LogSettings settings =
                new LogSettings(
                        SEGMENT_BYTES, 4096, 8192, 1 << 20, 4 << 20, 4 << 20, OnDamage.REFUSE);
        return new LogOptions(
                        Path.of(directory), files, new UUID(1, 2), InstantSource.system(), settings)
                .withSpareMaker(Runnable::run);
    }

    @Override
    protected SegmentStore store() {
        return new SwitchedSegmentStore(new LocalSegmentStore(options("/log")));
    }

    @Override
    protected void kill() {
        files = files.afterKill();
    }

    private SwitchedSegmentStore opened() throws IOException {
        SwitchedSegmentStore store =
                new SwitchedSegmentStore(new LocalSegmentStore(options("/log")));
        store.open();
        assertThat(store.list()).isEmpty();
        store.startWriting();
        return store;
    }

    private SegmentStore other() throws IOException {
        SegmentStore other = new LocalSegmentStore(options(OTHER.toString()));
        other.open();
        assertThat(other.list()).isEmpty();
        other.startWriting();
        return other;
    }

    private static StoredFile published(SegmentStore store, SegmentFileName name)
            throws IOException {
        SegmentStore.Draft draft = draft(store, name);
        return draft.publish(name);
    }

    private static SegmentStore.Draft draft(SegmentStore store, SegmentFileName name)
            throws IOException {
        Kind kind = name.state().kind().orElseThrow();
        SegmentStore.Draft draft =
                store.create(new SegmentStore.Claim(kind, SpacePriority.CLIENT, SEGMENT_BYTES));
        try (StoredFile file = draft.open()) {
            file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 0, WriteCause.DIGEST);
            file.force();
        }
        return draft;
    }

    /** The next start goes on with it, even if this life has closed it. */
    @Test
    void theNewestHeadIsNeverSealed() throws IOException {
        SwitchedSegmentStore store = opened();
        SegmentFileName older = SegmentFileName.of(1, Kind.HEAD);
        SegmentFileName stream = SegmentFileName.of(2, Kind.STREAM);
        SegmentFileName newest = SegmentFileName.of(3, Kind.HEAD);
        for (SegmentFileName name : new SegmentFileName[] {older, stream, newest}) {
            published(store, name).close();
        }
        assertThat(store.sealed()).containsExactly(older, stream);
    }

    @Test
    void aSegmentThatIsWrittenIsNotSealed() throws IOException {
        SwitchedSegmentStore store = opened();
        SegmentFileName stream = SegmentFileName.of(2, Kind.STREAM);
        try (StoredFile file = published(store, stream)) {
            assertThat(file).isNotNull();
            assertThat(store.sealed()).isEmpty();
        }
        assertThat(store.sealed()).containsExactly(stream);
    }

    /** Its file is of the old store, and would be published there. */
    @Test
    void noSwitchBeginsWhileASegmentIsBeingCreated() throws Exception {
        SwitchedSegmentStore store = opened();
        SegmentStore other = other();
        SegmentFileName stream = SegmentFileName.of(2, Kind.STREAM);
        SegmentStore.Draft draft = draft(store, stream);
        CompletableFuture<Boolean> switched =
                CompletableFuture.supplyAsync(() -> switched(store, other));
        draft.publish(stream).close();
        // It waits for the draft: what is published belongs to the switch.
        assertThat(switched.join()).isTrue();
        try (StoredFile file = store.open(stream, Access.READ)) {
            assertThat(file.size()).isEqualTo(SEGMENT_BYTES);
        }
        assertThat(files.list(OTHER)).anyMatch(name -> name.equals(stream.toString()));
    }

    private static boolean switched(SwitchedSegmentStore store, SegmentStore other) {
        LogCopy copy = new LogCopy(store, other, List.of());
        try {
            return store.trySwitch(other, copy::copyRest);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void openFilesGoOnInTheOtherStore() throws Exception {
        SwitchedSegmentStore store = opened();
        SegmentStore other = other();
        SegmentFileName head = SegmentFileName.of(1, Kind.HEAD);
        try (StoredFile writer = published(store, head);
                StoredFile reader = store.open(head, Access.READ)) {
            writer.write(ByteBuffer.wrap(new byte[] {7, 8}), 4096, WriteCause.CLIENT_DATA);
            assertThat(switched(store, other)).isTrue();
            writer.write(ByteBuffer.wrap(new byte[] {9}), 4098, WriteCause.CLIENT_DATA);
            writer.force();
            ByteBuffer read = ByteBuffer.allocate(3);
            assertThat(reader.read(read, 4096)).isEqualTo(3);
            assertThat(read.array()).containsExactly(7, 8, 9);
        }
        try (StoredFile there = other.open(head, Access.READ)) {
            ByteBuffer read = ByteBuffer.allocate(3);
            assertThat(there.read(read, 0)).isEqualTo(3);
            assertThat(read.array()).containsExactly(1, 2, 3);
        }
    }

    @Test
    void afterAnUnknownOutcomeNothingChanges() throws Exception {
        SwitchedSegmentStore store = opened();
        SegmentFileName head = SegmentFileName.of(1, Kind.HEAD);
        try (StoredFile writer = published(store, head)) {
            store.fail(new IOException("no answer"));
            assertThatThrownBy(writer::force).hasMessageContaining("no answer");
            assertThatThrownBy(store::requireOwned).hasMessageContaining("no answer");
            assertThatThrownBy(() -> draft(store, SegmentFileName.of(2, Kind.STREAM)))
                    .hasMessageContaining("no answer");
            assertThatThrownBy(() -> store.retire(head)).hasMessageContaining("no answer");
        }
    }
}
