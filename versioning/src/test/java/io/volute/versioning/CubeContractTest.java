package io.volute.versioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.BlobId;
import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.Cube;
import io.volute.storage.LateCommitException;
import io.volute.storage.MissingBlobException;
import io.volute.storage.PendingBlob;
import io.volute.storage.RecordCursor;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.versioning.rows.Families;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The contract of a cube that this module relies on, for the fake and the real one. */
class CubeContractTest {
    private static final byte[] KEY = {1};
    private static final byte[] OTHER_KEY = {2};
    private static final byte[] SUMMARY = {10};
    private static final byte[] DETAIL = {20, 21};
    private Cube cube;

    Cube openCube() throws IOException {
        return new FakeCube();
    }

    @BeforeEach
    void open() throws IOException {
        cube = openCube();
    }

    @AfterEach
    void close() throws IOException {
        cube.close();
    }

    private PendingBlob blob(String text) throws IOException {
        try (BlobWriter writer = cube.newBlob(OptionalLong.empty())) {
            writer.write(ByteBuffer.wrap(StoreFixture.utf8(text)));
            return writer.finish();
        }
    }

    private static Transaction put(byte[] key, PendingBlob blob) {
        return new Transaction()
                .add(blob)
                .put(Families.CURRENT, key, SUMMARY, DETAIL, List.of(blob.id()));
    }

    private void commit(Transaction transaction) {
        assertThat(cube.commit(transaction).join()).isPositive();
    }

    private String content(BlobId id) throws IOException {
        try (BlobReader reader = cube.openBlob(id)) {
            return StoreFixture.content(reader);
        }
    }

    /** Nothing is written, and the blob goes into the next transaction. */
    @Test
    void aTransactionThatComesTooLateIsRefused() throws IOException {
        PendingBlob blob = blob("text");
        commit(new Transaction());
        long last = cube.lastSequence();
        assertThat(cube.commit(put(KEY, blob).notAfter(Long.MAX_VALUE).notAfter(last)))
                .failsWithin(Duration.ofMinutes(1))
                .withThrowableThat()
                .withCauseInstanceOf(LateCommitException.class);
        assertThat(cube.get(Families.CURRENT, KEY)).isEmpty();
        commit(put(KEY, blob).notAfter(Long.MAX_VALUE - 1));
        StoredRecord record = cube.get(Families.CURRENT, KEY).orElseThrow();
        commit(put(OTHER_KEY, blob("other")).notAfter(record.sequence() + (1L << 40)));
        assertThat(content(record.references().getFirst())).isEqualTo("text");
    }

    @Test
    void aRecordHasItsSummaryDetailAndReferences() throws IOException {
        PendingBlob blob = blob("text");
        commit(put(KEY, blob));
        StoredRecord record = cube.get(Families.CURRENT, KEY).orElseThrow();
        assertThat(record.summary()).isEqualTo(SUMMARY);
        assertThat(record.detailBytes()).isEqualTo(2);
        assertThat(cube.readDetail(Families.CURRENT, KEY, record)).isEqualTo(DETAIL);
        assertThat(record.references()).containsExactly(blob.id());
        assertThat(content(blob.id())).isEqualTo("text");
        assertThat(cube.get(Families.VERSIONS, KEY)).isEmpty();
    }

    @Test
    void aBlobLivesAsLongAsARecordRefersToIt() throws IOException {
        PendingBlob blob = blob("text");
        commit(put(KEY, blob));
        commit(
                new Transaction()
                        .put(Families.VERSIONS, KEY, SUMMARY, DETAIL, List.of(blob.id()))
                        .delete(Families.CURRENT, KEY));
        assertThat(content(blob.id())).isEqualTo("text");
        commit(new Transaction().delete(Families.VERSIONS, KEY));
        assertThatThrownBy(() -> cube.openBlob(blob.id())).isInstanceOf(IOException.class);
    }

    @Test
    void overwritingARecordReleasesItsBlob() throws IOException {
        PendingBlob first = blob("first");
        PendingBlob second = blob("second");
        commit(put(KEY, first));
        commit(put(KEY, second));
        assertThat(content(second.id())).isEqualTo("second");
        assertThatThrownBy(() -> cube.openBlob(first.id())).isInstanceOf(IOException.class);
    }

    @Test
    void aRecordThatIsSaidToBeNewIsLikeAnyOther() throws IOException {
        for (int times = 0; times < 2; times++) {
            PendingBlob first = blob("first");
            PendingBlob second = blob("second");
            commit(
                    new Transaction()
                            .add(first)
                            .putNew(Families.CURRENT, KEY, SUMMARY, DETAIL, List.of(first.id())));
            assertThat(content(first.id())).isEqualTo("first");
            commit(put(KEY, second));
            assertThat(content(second.id())).isEqualTo("second");
            assertThatThrownBy(() -> cube.openBlob(first.id())).isInstanceOf(IOException.class);
            commit(new Transaction().delete(Families.CURRENT, KEY));
            assertThatThrownBy(() -> cube.openBlob(second.id())).isInstanceOf(IOException.class);
        }
    }

    @Test
    void aReaderKeepsTheBytesOfADeadBlob() throws IOException {
        PendingBlob blob = blob("text");
        commit(put(KEY, blob));
        try (BlobReader reader = cube.openBlob(blob.id())) {
            commit(new Transaction().delete(Families.CURRENT, KEY));
            assertThat(StoreFixture.content(reader)).isEqualTo("text");
        }
    }

    @Test
    void aComposedBlobKeepsItsPartsAlive() throws IOException {
        PendingBlob left = blob("left ");
        PendingBlob right = blob("right");
        commit(put(KEY, left));
        commit(put(OTHER_KEY, right));
        BlobId whole = new BlobId(cube.allocateId());
        List<Transaction.Part> parts =
                List.of(
                        new Transaction.Part(left.id(), left.bytes(), SUMMARY),
                        new Transaction.Part(right.id(), right.bytes(), DETAIL));
        commit(
                new Transaction()
                        .compose(whole, parts)
                        .put(Families.CURRENT, KEY, SUMMARY, new byte[0], List.of(whole))
                        .delete(Families.CURRENT, OTHER_KEY));
        assertThat(content(whole)).isEqualTo("left right");
        try (BlobReader reader = cube.openBlob(whole)) {
            assertThat(reader.parts()).hasSize(2);
            assertThat(reader.parts().get(1).attributes()).isEqualTo(DETAIL);
        }
        commit(new Transaction().delete(Families.CURRENT, KEY));
        assertThatThrownBy(() -> cube.openBlob(left.id())).isInstanceOf(IOException.class);
    }

    @Test
    void aTransactionThatNamesADeadBlobChangesNothing() {
        Transaction transaction =
                new Transaction()
                        .put(Families.CURRENT, OTHER_KEY, SUMMARY, DETAIL, List.of())
                        .put(
                                Families.CURRENT,
                                KEY,
                                SUMMARY,
                                DETAIL,
                                List.of(new BlobId(cube.allocateId())));
        assertThatThrownBy(() -> cube.commit(transaction).join())
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(MissingBlobException.class);
        assertThat(cube.get(Families.CURRENT, OTHER_KEY)).isEmpty();
    }

    @Test
    void aBlobThatNothingRefersToIsRefused() throws IOException {
        Transaction transaction =
                new Transaction()
                        .add(blob("text"))
                        .put(Families.CURRENT, KEY, SUMMARY, DETAIL, List.of());
        assertThatThrownBy(() -> cube.commit(transaction).join())
                .hasCauseInstanceOf(IllegalArgumentException.class);
        assertThat(cube.get(Families.CURRENT, KEY)).isEmpty();
    }

    @Test
    void deletingWhatIsNotThereChangesNothing() {
        assertThat(cube.commit(new Transaction().delete(Families.CURRENT, KEY)).join())
                .isNotNegative();
    }

    @Test
    void aCursorIsASnapshotInKeyOrder() throws IOException {
        commit(put(OTHER_KEY, blob("b")));
        commit(put(KEY, blob("a")));
        try (RecordCursor cursor = cube.scan(Families.CURRENT, KEY, new byte[] {3})) {
            commit(new Transaction().delete(Families.CURRENT, OTHER_KEY));
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.key()).isEqualTo(KEY);
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.key()).isEqualTo(OTHER_KEY);
            assertThat(cursor.next()).isFalse();
        }
        try (RecordCursor cursor = cube.scan(Families.CURRENT, KEY, OTHER_KEY)) {
            assertThat(cursor.seek(KEY)).isTrue();
            assertThat(cursor.seek(OTHER_KEY)).isFalse();
        }
        try (RecordCursor cursor = cube.scan(Families.CURRENT, OTHER_KEY, OTHER_KEY)) {
            assertThat(cursor.next()).isFalse();
        }
    }

    @Test
    void idsAscend() {
        long first = cube.allocateId();
        assertThat(first).isPositive();
        assertThat(cube.allocateId()).isGreaterThan(first);
    }
}
