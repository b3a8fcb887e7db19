package io.volute.storage.log.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import io.volute.storage.log.SegmentFileName;
import io.volute.storage.log.SegmentLog.SpacePriority;
import io.volute.storage.report.SpaceReport.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The promises of every store of segments. */
public abstract class SegmentStoreContract {
    protected static final int SEGMENT_BYTES = 64 << 10;
    private static final int PAGE = 4096;

    /** Returns a store over the same state as the last, which is closed or dead. */
    protected abstract SegmentStore store() throws IOException;

    /** Kills the process: what was forced or published stays. */
    protected abstract void kill() throws IOException;

    /** Returns a store that takes changes. */
    private SegmentStore started() throws IOException {
        SegmentStore store = store();
        store.open();
        store.list();
        store.startWriting();
        return store;
    }

    private static SegmentFileName name(long id, Kind kind) {
        return SegmentFileName.of(id, kind);
    }

    private static SegmentStore.Draft draft(SegmentStore store, Kind kind) throws IOException {
        return store.create(new SegmentStore.Claim(kind, SpacePriority.CLIENT, SEGMENT_BYTES));
    }

    private static byte[] content(long seed, int bytes) {
        byte[] content = new byte[bytes];
        new SplittableRandom(seed).nextBytes(content);
        return content;
    }

    private static StoredFile published(SegmentStore store, SegmentFileName name)
            throws IOException {
        SegmentStore.Draft draft = draft(store, name.state().kind().orElseThrow());
        try (StoredFile file = draft.open()) {
            file.write(ByteBuffer.wrap(content(name.number(), PAGE)), 0, WriteCause.DIGEST);
            file.force();
        }
        return draft.publish(name);
    }

    private static byte[] read(SegmentStore store, SegmentFileName name, long offset, int bytes)
            throws IOException {
        ByteBuffer target = ByteBuffer.allocate(bytes);
        try (StoredFile file = store.open(name, Access.READ)) {
            assertThat(file.read(target, offset)).isEqualTo(bytes);
        }
        return target.array();
    }

    @Test
    void aNewStoreHasNoSegments() throws IOException {
        try (SegmentStore store = store()) {
            store.open();
            assertThat(store.list()).isEmpty();
        }
    }

    @Test
    void aSegmentHasItsContentOnceItIsNamed() throws IOException {
        SegmentFileName name = name(1, Kind.HEAD);
        try (StoredFile file = published(started(), name)) {
            kill();
            assertThat(file).isNotNull();
        }
        SegmentStore after = store();
        after.open();
        assertThat(after.list()).containsExactly(name);
        assertThat(read(after, name, 0, PAGE)).isEqualTo(content(1, PAGE));
    }

    @Test
    void aDraftIsNoSegment() throws IOException {
        SegmentStore store = started();
        SegmentStore.Draft draft = draft(store, Kind.STREAM);
        try (StoredFile file = draft.open()) {
            file.write(ByteBuffer.wrap(content(1, PAGE)), 0, WriteCause.DIGEST);
            file.force();
        }
        kill();
        SegmentStore after = store();
        after.open();
        assertThat(after.list()).isEmpty();
    }

    @Test
    void forcedBytesSurviveAKill() throws IOException {
        SegmentFileName name = name(7, Kind.STREAM);
        byte[] more = content(8, 3 * PAGE);
        StoredFile file = published(started(), name);
        file.write(ByteBuffer.wrap(more), 2L * PAGE, WriteCause.CLIENT_DATA);
        file.force();
        kill();
        SegmentStore after = store();
        after.open();
        after.list();
        assertThat(read(after, name, 2L * PAGE, 3 * PAGE)).isEqualTo(more);
        assertThat(read(after, name, 0, PAGE)).isEqualTo(content(7, PAGE));
    }

    @Test
    void readsWhatIsBeingWritten() throws IOException {
        SegmentFileName name = name(3, Kind.SURVIVOR);
        SegmentStore store = started();
        StoredFile file = published(store, name);
        byte[] more = content(4, PAGE);
        file.write(ByteBuffer.wrap(more), PAGE, WriteCause.CLEANING);
        assertThat(read(store, name, PAGE, PAGE)).isEqualTo(more);
    }

    @Test
    void aFileHasTheSizeOfASegmentAndZerosWhereNothingWasWritten() throws IOException {
        SegmentFileName name = name(3, Kind.STREAM);
        SegmentStore store = started();
        published(store, name).close();
        try (StoredFile file = store.open(name, Access.READ)) {
            assertThat(file.size()).isEqualTo(SEGMENT_BYTES);
        }
        assertThat(read(store, name, SEGMENT_BYTES - PAGE, PAGE)).containsOnly(0);
    }

    @Test
    void aRetiredSegmentIsGoneForGood() throws IOException {
        SegmentStore store = started();
        published(store, name(1, Kind.HEAD)).close();
        published(store, name(2, Kind.STREAM)).close();
        store.retire(name(2, Kind.STREAM));
        assertThatThrownBy(() -> read(store, name(2, Kind.STREAM), 0, PAGE))
                .isInstanceOf(NoSuchFileException.class);
        store.close();
        SegmentStore after = store();
        after.open();
        assertThat(after.list()).containsExactly(name(1, Kind.HEAD));
    }

    @Test
    void aDraftThatWasPutBackLeavesSpaceForAnother() throws IOException {
        SegmentStore store = started();
        draft(store, Kind.HEAD).putBack();
        published(store, name(1, Kind.HEAD)).close();
        assertThat(read(store, name(1, Kind.HEAD), 0, PAGE)).isEqualTo(content(1, PAGE));
    }

    @Test
    void listsInTheOrderOfIds() throws IOException {
        SegmentStore store = started();
        for (long id : new long[] {1, 2, 10, 11}) {
            published(store, name(id, id % 2 == 0 ? Kind.STREAM : Kind.HEAD)).close();
        }
        store.close();
        SegmentStore after = store();
        after.open();
        assertThat(after.list())
                .extracting(SegmentFileName::number)
                .containsExactly(1L, 2L, 10L, 11L);
    }

    @Test
    void theReserveIsNotForClients() throws IOException {
        SegmentStore store = started();
        long before = store.available(SpacePriority.CLIENT);
        store.reserve().promise(3);
        assertThat(store.available(SpacePriority.CLIENT)).isEqualTo(before);
        assertThat(store.available(SpacePriority.CLEANER)).isGreaterThanOrEqualTo(before);
    }
}
