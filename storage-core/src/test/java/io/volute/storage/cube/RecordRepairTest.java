package io.volute.storage.cube;

import static io.volute.storage.cube.CubeFixture.NAMES;
import static io.volute.storage.cube.CubeFixture.put;
import static io.volute.storage.cube.CubeFixture.utf8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.BlobId;
import io.volute.storage.BlobReader;
import io.volute.storage.DamagedException;
import io.volute.storage.PendingBlob;
import io.volute.storage.Place;
import io.volute.storage.Transaction;
import io.volute.storage.report.CheckReport;
import io.volute.storage.report.Damage;
import io.volute.storage.report.RecordRepair;
import io.volute.storage.report.RecordRepair.Stretch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A check names the records that need damaged bytes, and a repair puts exactly these back. */
class RecordRepairTest {
    private static final long RATE = 1L << 50;
    private static final int CHUNKED_BYTES = 20_000;

    private final CubeFixture fixture = new CubeFixture();
    private LogCube cube;

    @BeforeEach
    void open() throws IOException {
        cube = fixture.open();
    }

    @AfterEach
    void close() throws IOException {
        cube.close();
    }

    private static byte[] content(int bytes) {
        byte[] content = new byte[bytes];
        new Random(bytes).nextBytes(content);
        return content;
    }

    private BlobId store(String key, int bytes) throws IOException {
        PendingBlob blob = CubeFixture.blob(cube, content(bytes));
        cube.commit(put(key, "summary", blob.id()).add(blob)).join();
        return blob.id();
    }

    private Path file(long segment) {
        String name = String.format("%020d", segment);
        return fixture.files.paths().stream()
                .filter(path -> path.getFileName().toString().startsWith(name))
                .findFirst()
                .orElseThrow();
    }

    private void flip(Place place, long at) throws IOException {
        fixture.files.flipBit(file(place.segmentId()), place.offset() + at, 3);
    }

    private List<Damage> damages() throws IOException {
        return cube.check(RATE, progress -> true).problems().stream()
                .flatMap(problem -> problem.damage().stream())
                .toList();
    }

    private static List<String> users(Damage damage) {
        return damage.users().stream()
                .map(user -> user.family() + "/" + new String(user.key(), StandardCharsets.UTF_8))
                .toList();
    }

    private RecordRepair repair(String key) throws IOException {
        return cube.repair(NAMES.id(), utf8(key));
    }

    private void assertReads(BlobId blob, byte[] expected) throws IOException {
        try (BlobReader reader = cube.openBlob(blob)) {
            ByteBuffer all = ByteBuffer.allocate(expected.length);
            for (long at = 0; at < reader.bytes(); ) {
                ByteBuffer some = ByteBuffer.allocate(reader.bufferBytes(at));
                reader.read(at, reader.bytes(), some);
                at += some.remaining();
                all.put(some);
            }
            assertThat(all.array()).isEqualTo(expected);
        }
    }

    @Test
    void namesAllUsersOfADamagedBlob() throws IOException {
        BlobId blob = store("one", CHUNKED_BYTES);
        cube.commit(put("copy", "summary", blob)).join();
        store("other", CHUNKED_BYTES + 1);
        flip(cube.index().blob(blob.value()).orElseThrow().extents().getFirst(), 700);
        List<Damage> damages = damages();
        assertThat(damages).hasSize(1);
        assertThat(damages.getFirst().blob()).isEqualTo(blob.value());
        String family = NAMES.id() + "/";
        assertThat(users(damages.getFirst())).containsExactly(family + "copy", family + "one");
    }

    @Test
    void namesTheUserOfAPartOfAComposedBlob() throws IOException {
        PendingBlob first = CubeFixture.blob(cube, content(CHUNKED_BYTES));
        PendingBlob second = CubeFixture.blob(cube, content(500));
        BlobId whole = new BlobId(cube.allocateId());
        Transaction transaction = put("whole", "summary", whole).add(first).add(second);
        List<Transaction.Part> parts =
                List.of(
                        new Transaction.Part(first.id(), first.bytes(), new byte[0]),
                        new Transaction.Part(second.id(), second.bytes(), new byte[0]));
        cube.commit(transaction.compose(whole, parts)).join();
        CubeFixture.roll(cube);
        flip(cube.index().blob(second.id().value()).orElseThrow().entry(), 100);
        List<Damage> damages = damages();
        assertThat(damages).hasSize(1);
        assertThat(users(damages.getFirst())).containsExactly(NAMES.id() + "/whole");
        try (RecordRepair repair = repair("whole")) {
            Stretch stretch = repair.stretches().getFirst();
            assertThat(repair.stretches()).hasSize(1);
            assertThat(stretch.contentOffset()).isEqualTo(CHUNKED_BYTES);
            repair.write(stretch, repair.around(stretch, ByteBuffer.wrap(content(500))));
        }
        assertThat(damages()).isEmpty();
        assertThat(cube.check(RATE, progress -> true).isSound()).isTrue();
    }

    @Test
    void namesADamagedRecordInASealedSegment() throws IOException {
        store("before", 300);
        cube.commit(put("key", "a summary of some length")).join();
        store("behind", 300);
        CubeFixture.roll(cube);
        Place place = cube.index().record(NAMES, utf8("key")).orElseThrow().place();
        flip(place, place.bytes() - 5);
        List<Damage> damages = damages();
        assertThat(damages).hasSize(1);
        assertThat(damages.getFirst().blob()).isZero();
        assertThat(users(damages.getFirst())).containsExactly(NAMES.id() + "/key");
    }

    @Test
    void putsChunksBackInTheirPlaces() throws IOException {
        BlobId blob = store("key", CHUNKED_BYTES);
        byte[] content = content(CHUNKED_BYTES);
        Place extent = cube.index().blob(blob.value()).orElseThrow().extents().getFirst();
        for (long at = 100; at < extent.bytes(); at += 3000) {
            flip(extent, at);
        }
        try (RecordRepair repair = repair("key")) {
            assertThat(repair.stretches()).hasSizeGreaterThan(1);
            for (Stretch each : repair.stretches()) {
                int from = (int) each.contentOffset();
                byte[] right = Arrays.copyOfRange(content, from, from + each.contentBytes());
                repair.write(each, repair.around(each, ByteBuffer.wrap(right)));
            }
        }
        assertReads(blob, content);
        assertThat(cube.check(RATE, progress -> true).isSound()).isTrue();
    }

    @Test
    void refusesBytesOfAnotherPlace() throws IOException {
        BlobId one = store("one", 500);
        BlobId two = store("two", 500);
        Place place = cube.index().blob(one.value()).orElseThrow().entry();
        Place other = cube.index().blob(two.value()).orElseThrow().entry();
        ByteBuffer foreign = ByteBuffer.wrap(bytes(other));
        flip(place, 200);
        try (RecordRepair repair = repair("one")) {
            Stretch stretch = repair.stretches().getFirst();
            assertThatThrownBy(() -> repair.write(stretch, foreign))
                    .isInstanceOf(DamagedException.class);
            ByteBuffer wrong = ByteBuffer.wrap(content(499));
            assertThatThrownBy(() -> repair.around(stretch, wrong))
                    .isInstanceOf(DamagedException.class);
        }
        assertThat(damages()).hasSize(1);
    }

    @Test
    void putsAWholeEntryBackFromACopyOfTheFile() throws IOException {
        cube.commit(put("key", "a summary of some length")).join();
        Place place = cube.index().record(NAMES, utf8("key")).orElseThrow().place();
        byte[] right = bytes(place);
        for (long at = 0; at < place.bytes(); at++) {
            flip(place, at);
        }
        try (RecordRepair repair = repair("key")) {
            Stretch stretch = repair.stretches().getFirst();
            assertThat(stretch.isEntry()).isTrue();
            assertThat(stretch.offset()).isEqualTo(place.offset());
            assertThat(file(place.segmentId()).getFileName()).hasToString(stretch.file());
            repair.write(stretch, ByteBuffer.wrap(right));
        }
        assertThat(cube.check(RATE, progress -> true).isSound()).isTrue();
    }

    @Test
    void findsNothingToRepairInASoundRecord() throws IOException {
        store("key", CHUNKED_BYTES);
        try (RecordRepair repair = repair("key")) {
            assertThat(repair.stretches()).isEmpty();
        }
        try (RecordRepair repair = repair("missing")) {
            assertThat(repair.stretches()).isEmpty();
        }
    }

    @Test
    void namesAtMostSoManyProblems() throws IOException {
        BlobId blob = store("key", CHUNKED_BYTES);
        Place extent = cube.index().blob(blob.value()).orElseThrow().extents().getFirst();
        for (long at = 100; at < extent.bytes(); at += 3000) {
            flip(extent, at);
        }
        CheckReport report = cube.check(RATE, progress -> true);
        assertThat(report.problems()).hasSize(1);
    }

    private byte[] bytes(Place place) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate((int) place.bytes());
        try (var file =
                fixture.files.open(
                        file(place.segmentId()), io.volute.storage.io.FileSystem.Access.READ)) {
            int unused = file.read(bytes, place.offset());
        }
        return bytes.array();
    }
}
