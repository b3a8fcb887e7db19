package io.volute.storage.cube;

import static io.volute.storage.cube.CubeFixture.head;
import static io.volute.storage.cube.CubeFixture.put;
import static io.volute.storage.cube.CubeFixture.roll;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.Cube;
import io.volute.storage.DamagedException;
import io.volute.storage.PendingBlob;
import io.volute.storage.cleaning.CleaningPass;
import io.volute.storage.format.SegmentFormat;
import io.volute.storage.index.MemoryIndexFactory;
import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import io.volute.storage.log.ledger.SimBookies;
import io.volute.storage.recovery.StandbyIndex;
import io.volute.storage.report.StandbyReport.State;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A standby of a cube on ledgers, and its take-over. */
class StandbyIndexTest {
    private final CubeFixture fixture = CubeFixture.onLedgers(1);
    private final SimFileSystem files = new SimFileSystem();
    private final MemoryIndexFactory indexes = new MemoryIndexFactory();
    private final StandbyIndex standby = fixture.standby(files, indexes);

    private static void fill(Cube cube, String prefix) throws IOException {
        for (int i = 0; i < 12; i++) {
            PendingBlob blob = CubeFixture.blob(cube, new byte[300 + i]);
            cube.commit(put(prefix + i, "value " + i, blob.id()).add(blob)).join();
        }
    }

    private static void clean(LogCube cube, long... segments) throws IOException {
        for (long segment : segments) {
            cube.cleaner().cleanThese(Set.of(segment), CleaningPass.Pace.NONE);
        }
    }

    /** The standby's machine opens the cube, whose index must equal one from the segments alone. */
    private void takeOver(boolean isContinued) throws IOException {
        fixture.files = files;
        fixture.indexes = indexes;
        try (LogCube cube = fixture.open()) {
            assertThat(cube.report().indexRebuilt()).isEqualTo(!isContinued);
            try (LogCube fromSegments = fixture.imageWithoutIndex().open()) {
                assertThat(CubeFixture.dump(cube)).isEqualTo(CubeFixture.dump(fromSegments));
            }
        }
    }

    @Test
    void aTakeOverContinuesTheIndex() throws IOException {
        try (LogCube cube = fixture.open()) {
            fill(cube, "a");
            standby.step();
            assertThat(standby.report().state()).isEqualTo(State.FOLLOWING);
            fill(cube, "b");
            standby.step();
            fill(cube, "c");
        }
        standby.close();
        takeOver(true);
    }

    @Test
    void rowsOfMovedEntriesFollowThemToSurvivors() throws IOException {
        try (LogCube cube = fixture.open()) {
            fill(cube, "a");
            standby.step();
            long first = head(cube);
            roll(cube);
            fill(cube, "b");
            standby.step();
            clean(cube, first);
            fill(cube, "c");
            standby.step();
            assertThat(standby.report().builds()).isEqualTo(1);
        }
        standby.close();
        takeOver(true);
    }

    /** The survivors of the time between are applied by the take-over itself. */
    @Test
    void aTakeOverAppliesSurvivorsThatTheStandbyHasNotSeen() throws IOException {
        try (LogCube cube = fixture.open()) {
            fill(cube, "a");
            long first = head(cube);
            roll(cube);
            fill(cube, "b");
            standby.step();
            standby.close();
            clean(cube, first);
            fill(cube, "c");
        }
        takeOver(true);
    }

    /** Entries of a head that was never read are in survivors only, among others. */
    @Test
    void aHeadThatLeftTheLogUnreadIsMissed() throws IOException {
        try (LogCube cube = fixture.open()) {
            fill(cube, "a");
            standby.step();
            roll(cube);
            fill(cube, "b");
            long unread = head(cube);
            roll(cube);
            clean(cube, unread);
            fill(cube, "c");
            standby.step();
            standby.step();
            assertThat(standby.report().builds()).isEqualTo(2);
        }
        standby.close();
        takeOver(true);
    }

    @Test
    void aTakeOverMissesAHeadThatLeftTheLogUnread() throws IOException {
        try (LogCube cube = fixture.open()) {
            fill(cube, "a");
            standby.step();
            standby.close();
            roll(cube);
            fill(cube, "b");
            long unread = head(cube);
            roll(cube);
            clean(cube, unread);
            fill(cube, "c");
        }
        takeOver(false);
    }

    /** An index of an owner may have more of a survivor than its successor. */
    @Test
    void theIndexOfAnEarlierOwnerIsNotFollowed() throws IOException {
        try (LogCube cube = fixture.open()) {
            fill(cube, "a");
        }
        CubeFixture other = fixture.crashImage();
        other.files = new SimFileSystem();
        other.indexes = new MemoryIndexFactory();
        try (LogCube cube = other.open()) {
            fill(cube, "b");
            StandbyIndex earlier = other.standby(fixture.files, fixture.indexes);
            earlier.step();
            assertThat(earlier.report().builds()).isEqualTo(1);
            earlier.close();
        }
    }

    /** A pass that fails behind its first batches; it seals the survivor there. */
    private static final class ShortPass implements CleaningPass.Pace {
        private int batches;

        @Override
        public void await(long bytes) throws IOException {
            batches++;
            if (batches > 2) {
                throw new IOException("the pass ends here");
            }
        }

        @Override
        public boolean isEnough(int entries, long bytes) {
            return entries >= 4;
        }

        @Override
        public long forceBytes() {
            return 1;
        }
    }

    /** Its own index was flushed before the last batch, which a digest had listed already. */
    @Test
    void aSurvivorThatItsOwnerCutsAtARestartIsNotFollowed() throws IOException {
        CubeFixture again;
        try (LogCube cube = fixture.open()) {
            fill(cube, "a");
            long first = head(cube);
            roll(cube);
            standby.step();
            assertThatThrownBy(() -> cube.cleaner().cleanThese(Set.of(first), new ShortPass()))
                    .hasMessageContaining("the pass ends here");
            roll(cube);
            fill(cube, "b");
            standby.step();
            assertThat(standby.report().builds()).isEqualTo(1);
            standby.close();
            again = fixture.crashImage();
        }
        try (LogCube restarted = again.open()) {
            assertThat(restarted.report().indexRebuilt()).isFalse();
            fill(restarted, "c");
            StandbyIndex next = again.standby(files, indexes);
            next.step();
            next.step();
            assertThat(next.report().builds()).isEqualTo(1);
            next.close();
        }
        fixture.bookies = again.bookies;
        takeOver(true);
    }

    /**
     * The digest of its head is confirmed with the next entry, which an idle owner never writes.
     */
    @Test
    void theStandbyOfAnIdleOwnerIsBuiltFromTheHeadBefore() throws IOException {
        try (LogCube cube = fixture.open()) {
            fill(cube, "a");
        }
        try (LogCube idle = fixture.open()) {
            standby.step();
            assertThat(standby.report().state()).isEqualTo(State.FOLLOWING);
            fill(idle, "b");
            standby.step();
            assertThat(standby.report().builds()).isEqualTo(1);
        }
        standby.close();
        takeOver(true);
    }

    @Test
    void aDamagedMirrorIsReadAgain() throws IOException {
        try (LogCube cube = fixture.open()) {
            fill(cube, "a");
            roll(cube);
            fill(cube, "b");
            roll(cube);
            fill(cube, "c");
            StandbyIndex before = fixture.standby(files, new MemoryIndexFactory());
            before.step();
            before.close();
            damageMirrors();
            assertThatThrownBy(standby::step).hasMessageContaining("from the bookies again");
            standby.step();
            assertThat(standby.report().state()).isEqualTo(State.FOLLOWING);
        }
        standby.close();
        takeOver(true);
    }

    /** Spoils the mirrors of all closed ledgers. */
    private void damageMirrors() throws IOException {
        for (String name : files.list(CubeFixture.LOG)) {
            if (name.endsWith(".whole")) {
                try (StoredFile file =
                        files.open(CubeFixture.LOG.resolve(name), Access.READ_WRITE)) {
                    file.write(
                            ByteBuffer.wrap(CubeFixture.utf8("damage")),
                            SegmentFormat.PAGE_BYTES + 600,
                            WriteCause.CLIENT_DATA);
                }
            }
        }
    }

    /** A machine that had the log last continues its own index. */
    @Test
    void theLastOwnerKeepsItsIndex() throws IOException {
        try (LogCube cube = fixture.open()) {
            fill(cube, "a");
        }
        StandbyIndex same = fixture.standby(fixture.files, fixture.indexes);
        same.step();
        assertThat(same.report().state()).isEqualTo(State.IDLE);
        same.close();
        try (LogCube cube = fixture.open()) {
            assertThat(cube.report().indexRebuilt()).isFalse();
        }
    }

    /** One bookie has an entry that was not acknowledged. It vanishes with that bookie. */
    private static void takeOverWithoutABookie(SimBookies services) throws IOException {
        CubeFixture owner = new CubeFixture();
        owner.bookies = Optional.of(services);
        SimFileSystem machine = new SimFileSystem();
        MemoryIndexFactory itsIndexes = new MemoryIndexFactory();
        try (LogCube cube = owner.open()) {
            fill(cube, "a");
            services.stop(1);
            services.stop(2);
            assertThatThrownBy(() -> cube.commit(put("lost", "")).join())
                    .hasCauseInstanceOf(IOException.class);
            StandbyIndex ahead = owner.standby(machine, itsIndexes);
            ahead.step();
            ahead.close();
            CubeFixture next = owner.crashImage();
            SimBookies left = next.bookies.orElseThrow();
            left.stop(0);
            left.start(1);
            left.start(2);
            next.files = machine;
            next.indexes = itsIndexes;
            try (LogCube again = next.open();
                    LogCube fromSegments = next.imageWithoutIndex().open()) {
                assertThat(again.report().indexRebuilt()).isFalse();
                assertThat(CubeFixture.dump(again)).isEqualTo(CubeFixture.dump(fromSegments));
            }
            services.start(1);
            services.start(2);
        }
    }

    @Test
    void unconfirmedEntriesAreNotApplied() throws IOException {
        for (long seed = 1; seed <= 8; seed++) {
            takeOverWithoutABookie(new SimBookies(seed));
        }
    }

    @Test
    void aReaderOfUnconfirmedEntriesIsFound() {
        assertThatThrownBy(
                        () -> {
                            for (long seed = 1; seed <= 8; seed++) {
                                takeOverWithoutABookie(new SimBookies(seed).readingUnconfirmed());
                            }
                        })
                .isInstanceOf(DamagedException.class);
    }
}
