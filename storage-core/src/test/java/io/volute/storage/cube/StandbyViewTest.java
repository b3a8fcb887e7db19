package io.volute.storage.cube;

import static io.volute.storage.cube.CubeFixture.delete;
import static io.volute.storage.cube.CubeFixture.head;
import static io.volute.storage.cube.CubeFixture.put;
import static io.volute.storage.cube.CubeFixture.roll;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.BlobId;
import io.volute.storage.CommitTime;
import io.volute.storage.Cube;
import io.volute.storage.CubeState;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.DamagedException;
import io.volute.storage.PendingBlob;
import io.volute.storage.Transaction;
import io.volute.storage.cleaning.CleaningPass;
import io.volute.storage.index.MemoryIndexFactory;
import io.volute.storage.recovery.StandbyIndex;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Reads of a cube from a standby, beside its owner. */
class StandbyViewTest {
    private static final Instant LONG_AGO = Instant.EPOCH;

    private final CubeFixture fixture = CubeFixture.onLedgers(7);
    private final SimFileSystem files = new SimFileSystem();
    private final StandbyIndex standby = fixture.standby(files, new MemoryIndexFactory());

    private Cube view() {
        return standby.view(LONG_AGO).orElseThrow();
    }

    /** Adds a record with a blob, and one commit that confirms it to the standby. */
    private static BlobId add(Cube cube, String key, int bytes) throws IOException {
        byte[] content = new byte[bytes];
        Arrays.fill(content, (byte) key.charAt(0));
        PendingBlob blob = CubeFixture.blob(cube, content);
        cube.commit(put(key, "value " + key, blob.id()).add(blob)).join();
        confirm(cube);
        return blob.id();
    }

    private static Optional<String> value(Cube cube, String key) {
        return cube.get(CubeFixture.NAMES, CubeFixture.utf8(key))
                .map(record -> new String(record.summary(), StandardCharsets.UTF_8));
    }

    private static void confirm(Cube cube) {
        cube.commit(put("confirmation", "of the entry before")).join();
    }

    private static void assertContent(Cube cube, String key, BlobId blob, int bytes)
            throws IOException {
        byte[] content = new byte[bytes];
        Arrays.fill(content, (byte) key.charAt(0));
        assertThat(value(cube, key)).contains("value " + key);
        assertThat(CubeFixture.read(cube, blob)).isEqualTo(content);
    }

    @Test
    void thereIsNoViewWithoutAnIndex() {
        assertThat(standby.view(LONG_AGO)).isEmpty();
    }

    @Test
    void aViewHasRecordsAndBlobsOfEachKind() throws IOException {
        try (LogCube cube = fixture.open()) {
            BlobId small = add(cube, "a", 300);
            BlobId large = add(cube, "b", 40_000);
            standby.step();
            try (Cube view = view()) {
                assertContent(view, "a", small, 300);
                assertContent(view, "b", large, 40_000);
            }
        }
    }

    @Test
    void laterStepsDoNotChangeAView() throws IOException {
        try (LogCube cube = fixture.open()) {
            BlobId first = add(cube, "a", 300);
            standby.step();
            try (Cube before = view()) {
                BlobId second = add(cube, "b", 300);
                cube.commit(delete("a")).join();
                confirm(cube);
                standby.step();
                assertContent(before, "a", first, 300);
                assertThat(value(before, "b")).isEmpty();
                try (Cube after = view()) {
                    assertThat(value(after, "a")).isEmpty();
                    assertContent(after, "b", second, 300);
                }
            }
        }
    }

    /** The owner deletes the ledger of a segment that a view still refers to. */
    @Test
    void aFreedSegmentStaysUntilTheLastViewOfItIsClosed() throws IOException {
        try (LogCube cube = fixture.open()) {
            BlobId blob = add(cube, "a", 300);
            long first = head(cube);
            roll(cube);
            standby.step();
            long mirrors = mirrors();
            try (Cube view = view()) {
                cube.cleaner().cleanThese(Set.of(first), CleaningPass.Pace.NONE);
                add(cube, "b", 300);
                standby.step();
                standby.step();
                assertContent(view, "a", blob, 300);
                try (Cube after = view()) {
                    assertContent(after, "a", blob, 300);
                }
            }
            long held = mirrors();
            standby.step();
            assertThat(mirrors()).isLessThan(held).isLessThanOrEqualTo(mirrors + 1);
            assertThat(standby.report().builds()).isEqualTo(1);
        }
    }

    private long mirrors() throws IOException {
        return files.list(CubeFixture.LOG).size();
    }

    @Test
    void aViewTakesNoCommitsAndNamesTheLastOne() throws IOException {
        try (LogCube cube = fixture.open()) {
            add(cube, "a", 300);
            long last = cube.lastSequence();
            confirm(cube);
            standby.step();
            try (Cube view = view();
                    Cube complete = standby.view(Instant.now().plusSeconds(9)).orElseThrow()) {
                assertThat(view.state()).isEqualTo(CubeState.READ_ONLY);
                assertThat(view.lastSequence()).isEqualTo(last);
                assertThat(CommitTime.of(complete.lastSequence())).isAfter(CommitTime.of(last));
                assertThatThrownBy(() -> view.commit(new Transaction()).join())
                        .isInstanceOf(CompletionException.class)
                        .hasCauseInstanceOf(CubeUnavailableException.class);
            }
        }
    }

    /** A body that was never read here, and whose ledger is gone, is not damaged. */
    @Test
    void bytesThatLeftWithTheirLedgerAreRefused() throws IOException {
        try (LogCube cube = fixture.open()) {
            BlobId large = add(cube, "a", 40_000);
            standby.step();
            try (Cube view = view()) {
                cube.commit(delete("a")).join();
                cube.flushIndex();
                confirm(cube);
                standby.step();
                assertThatThrownBy(() -> CubeFixture.read(view, large))
                        .isInstanceOf(IOException.class)
                        .isNotInstanceOf(DamagedException.class);
            }
        }
    }

    /** The time of the standby is the number of its clock's readings. */
    @Test
    void aStandbyIsCompleteAsOfTheStepBeforeTheOneThatFoundMore() throws IOException {
        try (LogCube cube = fixture.open()) {
            add(cube, "a", 300);
            standby.step();
            assertThat(standby.report().completeAt()).isEmpty();
            standby.step();
            assertThat(standby.report().completeAt()).isEmpty();
            confirm(cube);
            standby.step();
            assertThat(standby.report().completeAt()).hasValue(2);
            standby.step();
            assertThat(standby.report().completeAt()).hasValue(2);
        }
    }

    @Test
    void aStandbyIsCompleteOnceNothingIsUnconfirmed() throws IOException {
        try (LogCube cube = fixture.open()) {
            add(cube, "a", 300);
            fixture.bookies.orElseThrow().loseList();
            cube.requireServing();
            standby.step();
            standby.step();
            assertThat(standby.report().completeAt()).hasValue(2);
            try (Cube view = view()) {
                assertThat(view.lastSequence()).isEqualTo(cube.lastSequence());
            }
            cube.commit(put("b", "not confirmed")).join();
            standby.step();
            assertThat(standby.report().completeAt()).hasValue(2);
        }
    }
}
