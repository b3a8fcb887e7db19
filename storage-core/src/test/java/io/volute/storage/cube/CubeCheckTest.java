package io.volute.storage.cube;

import static io.volute.storage.cube.CubeFixture.NAMES;
import static io.volute.storage.cube.CubeFixture.delete;
import static io.volute.storage.cube.CubeFixture.head;
import static io.volute.storage.cube.CubeFixture.put;
import static io.volute.storage.cube.CubeFixture.utf8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.BlobId;
import io.volute.storage.CubeMaintenance.Cleaning;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.PendingBlob;
import io.volute.storage.Place;
import io.volute.storage.index.IndexBatch;
import io.volute.storage.report.CheckReport;
import io.volute.storage.report.CheckReport.Kind;
import io.volute.storage.report.SpaceReport;
import io.volute.storage.rows.AccountRows;
import io.volute.storage.rows.BlobRow;
import io.volute.storage.rows.CubeIndex;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A check finds each kind of wrong, and nothing where nothing is wrong. */
class CubeCheckTest {
    private static final long RATE = 1L << 50;
    private static final int CHUNKED_BYTES = 20_000;

    private final CubeFixture fixture = new CubeFixture();
    private final AtomicInteger churned = new AtomicInteger();
    private LogCube cube;

    @BeforeEach
    void open() throws IOException {
        cube = fixture.open();
    }

    @AfterEach
    void close() throws IOException {
        cube.close();
    }

    private CheckReport check() throws IOException {
        CheckReport report = cube.check(RATE, progress -> true);
        assertThat(report.complete()).isTrue();
        return report;
    }

    private void assertFinds(Kind kind, String text) throws IOException {
        assertThat(check().problems())
                .anySatisfy(
                        problem -> {
                            assertThat(problem.kind()).isEqualTo(kind);
                            assertThat(problem.where() + " " + problem.what()).contains(text);
                        });
    }

    private BlobId store(String key, int bytes) throws IOException {
        byte[] content = new byte[bytes];
        new Random(bytes).nextBytes(content);
        PendingBlob blob = CubeFixture.blob(cube, content);
        cube.commit(put(key, "summary", blob.id()).add(blob)).join();
        return blob.id();
    }

    private BlobRow row(BlobId blob) {
        return cube.index().blob(blob.value()).orElseThrow();
    }

    private void spoil(Consumer<IndexBatch> change) throws IOException {
        CubeFixture.spoil(cube, change);
    }

    private void putRow(BlobId blob, BlobRow row) throws IOException {
        spoil(
                batch ->
                        batch.put(
                                cube.index().blobs(),
                                CubeIndex.blobKey(blob.value()),
                                row.encode()));
    }

    /** Seals the head. */
    private long roll() {
        long before = head(cube);
        CubeFixture.roll(cube);
        return before;
    }

    private void flip(Place place) throws IOException {
        String name = String.format("%020d", place.segmentId());
        Path file =
                fixture.files.paths().stream()
                        .filter(path -> path.getFileName().toString().startsWith(name))
                        .findFirst()
                        .orElseThrow(() -> new AssertionError(fixture.files.paths().toString()));
        fixture.files.flipBit(file, place.offset() + place.bytes() - 10, 0);
    }

    @Test
    void findsNothingWrongInASoundCube() throws IOException {
        store("inline", 500);
        store("chunked", CHUNKED_BYTES);
        long sealed = roll();
        store("another", 500);
        CheckReport report = check();
        assertThat(report.problems()).isEmpty();
        assertThat(report.isSound()).isTrue();
        assertThat(report.progress().records()).isEqualTo(3);
        assertThat(report.progress().blobs()).isEqualTo(3);
        assertThat(report.progress().segments()).isEqualTo(report.progress().segmentsTotal());
        assertThat(report.progress().bytesRead()).isGreaterThan(CHUNKED_BYTES);
        assertThat(sealed).isPositive();
    }

    @Test
    void findsAWrongAccount() throws IOException {
        store("inline", 500);
        long sealed = roll();
        AccountRows.Account account = cube.index().accounts().account(sealed);
        spoil(
                batch ->
                        cube.index()
                                .accounts()
                                .put(batch, sealed, account.live() + 7, account.dead(), 0));
        assertFinds(Kind.ACCOUNTING, "live bytes: accounted " + (account.live() + 7));
        spoil(
                batch ->
                        cube.index()
                                .accounts()
                                .put(batch, sealed, account.live(), account.dead() - 1, 0));
        assertFinds(Kind.ACCOUNTING, "segment " + sealed + " bytes that are not live");
    }

    @Test
    void findsAWrongAccountOfTheOpenHead() throws IOException {
        store("inline", 500);
        AccountRows.Account account = cube.index().accounts().account(head(cube));
        spoil(
                batch ->
                        cube.index()
                                .accounts()
                                .put(batch, head(cube), account.live() - 1, account.dead(), 0));
        assertFinds(Kind.ACCOUNTING, "segment " + head(cube));
    }

    @Test
    void findsWrongVictims() throws IOException {
        cube.commit(put("key", "one")).join();
        long victim = roll();
        cube.commit(delete("key")).join();
        long killer = roll();
        long said = cube.index().accounts().account(killer).victims().get(victim);
        spoil(batch -> cube.index().accounts().putVictims(batch, killer, victim, said + 1));
        assertFinds(Kind.ACCOUNTING, "bytes of tombstones for segment " + victim);
        spoil(batch -> cube.index().accounts().deleteVictims(batch, killer, victim));
        assertFinds(Kind.ACCOUNTING, "victims in segment " + victim);
    }

    @Test
    void findsAWrongCountOfReferences() throws IOException {
        BlobId blob = store("key", 500);
        BlobId right = store("right", 501);
        putRow(blob, row(blob).withReferences(2));
        assertFinds(
                Kind.REFERENCE,
                "blob " + blob.value() + " counted references: 2, found 1, among them record");
        assertThat(check().problems())
                .noneMatch(problem -> problem.where().equals("blob " + right.value()));
    }

    @Test
    void findsARecordWithoutItsBlob() throws IOException {
        BlobId blob = store("key", 500);
        spoil(batch -> batch.delete(cube.index().blobs(), CubeIndex.blobKey(blob.value())));
        assertFinds(Kind.REFERENCE, "refers to blob " + blob.value() + ", which does not exist");
    }

    @Test
    void findsABlobThatNothingRefersTo() throws IOException {
        BlobId blob = store("key", 500);
        spoil(batch -> batch.delete(cube.index().table(NAMES), utf8("key")));
        assertFinds(Kind.REFERENCE, "blob " + blob.value() + " counted references: 1, found 0");
    }

    @Test
    void findsAnExtentThatIsNotKept() throws IOException {
        BlobId blob = store("key", CHUNKED_BYTES);
        spoil(batch -> cube.index().extents().delete(batch, row(blob)));
        assertFinds(Kind.ACCOUNTING, "extents 0");
    }

    @Test
    void findsDamageInASealedSegment() throws IOException {
        BlobId blob = store("key", 500);
        long sealed = roll();
        flip(row(blob).entry());
        assertFinds(Kind.CHECKSUM, "segment " + sealed);
    }

    @Test
    void findsDamageInTheOpenHead() throws IOException {
        BlobId blob = store("key", 500);
        flip(row(blob).entry());
        assertFinds(Kind.CHECKSUM, "blob " + blob.value());
    }

    @Test
    void findsDamageInAChunk() throws IOException {
        BlobId blob = store("key", CHUNKED_BYTES);
        flip(row(blob).extents().getLast());
        assertFinds(Kind.CHECKSUM, "blob " + blob.value() + ", chunk");
    }

    @Test
    void findsAnotherEntryInTheOpenHead() throws IOException {
        BlobId one = store("1", 500);
        BlobId two = store("2", 500);
        putRow(one, row(one).at(row(two).entry()));
        assertFinds(Kind.CHECKSUM, "another entry lies there");
    }

    @Test
    void stopsWhenToldTo() throws IOException {
        store("key", 500);
        AtomicInteger asked = new AtomicInteger();
        CheckReport report = cube.check(RATE, progress -> asked.incrementAndGet() < 1);
        assertThat(report.complete()).isFalse();
        assertThat(asked).hasValue(1);
    }

    @Test
    void endsWithTheCube() throws IOException {
        store("key", 500);
        LogCube other = cube;
        assertThatThrownBy(
                        () ->
                                other.check(
                                        RATE,
                                        progress -> {
                                            closeQuietly(other);
                                            return true;
                                        }))
                .isInstanceOf(CubeUnavailableException.class);
    }

    private static void closeQuietly(LogCube cube) {
        try {
            cube.close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void raisesNoFalseAlarmBesideWritesAndCleaning() throws IOException {
        AtomicBoolean ends = new AtomicBoolean();
        CompletableFuture<Void> writes = CompletableFuture.runAsync(() -> churn(ends));
        try {
            for (int i = 0; i < 30 || churned.get() < 500; i++) {
                assertThat(check().problems()).as("check " + i).isEmpty();
                assertThat(writes.isDone()).isFalse();
            }
        } finally {
            ends.set(true);
            writes.join();
        }
        assertThat(check().problems()).isEmpty();
    }

    private void churn(AtomicBoolean ends) {
        Random random = new Random(99);
        try {
            for (int i = 0; !ends.get(); i++) {
                String key = "key" + random.nextInt(60);
                if (random.nextInt(4) == 0) {
                    cube.commit(delete(key)).join();
                } else {
                    store(key, random.nextInt(5) == 0 ? CHUNKED_BYTES : 1 + random.nextInt(1500));
                }
                churned.incrementAndGet();
                if (i % 50 == 49) {
                    cube.flushIndex();
                    assertThat(cube.clean(Cleaning.COMBINED)).isNotNegative();
                    assertThat(cube.clean(Cleaning.COMPACT)).isNotNegative();
                }
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void compactionIsOneOfTheLevels() throws IOException {
        store("key", CHUNKED_BYTES);
        store("stays", CHUNKED_BYTES);
        while (cube.space().segments().stream()
                .noneMatch(each -> each.kind() == SpaceReport.Kind.STREAM && each.sealed())) {
            store("more", CHUNKED_BYTES);
        }
        cube.commit(delete("key")).join();
        long compactable = cube.space().totals().compactable();
        assertThat(compactable).isPositive();
        assertThat(cube.clean(Cleaning.COMPACT)).isEqualTo(compactable);
        assertThat(cube.space().totals().compactable()).isZero();
        assertThat(check().problems()).isEmpty();
    }
}
