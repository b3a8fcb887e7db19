package io.volute.storage.cube;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.index.MemoryIndexFactory;
import io.volute.storage.recovery.StandbyIndex;
import io.volute.storage.report.StandbyReport.State;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;

/**
 * The same on ledgers, with a standby on another machine that takes the cube over again and again.
 * After each take-over its index equals one made from the segments alone. The standby steps at
 * random, so it is behind by much or little, and in the middle of cleaning.
 */
class StandbyModel extends CubeModel {
    private static int continued;
    private static int rebuilt;

    private SimFileSystem files = new SimFileSystem();
    private MemoryIndexFactory indexes = new MemoryIndexFactory();
    private StandbyIndex standby;

    /** Returns seeds that have found something, and as many more as are asked for. */
    static LongStream seeds() {
        return LongStream.concat(
                LongStream.of(53, 153, 275, 295),
                LongStream.rangeClosed(1, Integer.getInteger("volute.model.seeds", 8)));
    }

    @Override
    CubeFixture newFixture(long seed) {
        CubeFixture made = CubeFixture.onLedgers(seed);
        standby = made.standby(files, indexes);
        return made;
    }

    @AfterAll
    static void mostTakeOversContinueTheIndexOfTheStandby() {
        assertThat(continued).isGreaterThan(2 * rebuilt).isGreaterThan(0);
    }

    @Override
    void beside() throws IOException {
        if (random.nextInt(3) == 0) {
            standby.step();
        }
        if (random.nextInt(60) == 0) {
            restartStandby(random.nextBoolean());
        }
    }

    private void restartStandby(boolean isClean) throws IOException {
        if (isClean) {
            standby.close();
        } else {
            files = files.afterKill();
            indexes = indexes.crashImage();
        }
        standby = fixture.standby(files, indexes);
    }

    @Override
    void reopen(CubeFixture next) throws IOException {
        super.reopen(next);
        restartStandby(random.nextBoolean());
    }

    @Override
    void disturb() throws IOException {
        if (random.nextBoolean()) {
            super.disturb();
        } else {
            takeOver();
        }
    }

    /** The two machines change their roles. The one that had the cube may come back empty. */
    private void takeOver() throws IOException {
        boolean isFollowing = standby.report().state() == State.FOLLOWING && random.nextInt(4) > 0;
        if (isFollowing) {
            standby.close();
        }
        CubeFixture next = fixture.crashImage();
        SimFileSystem filesOfOwner = next.files;
        MemoryIndexFactory indexesOfOwner = next.indexes;
        next.files = files;
        next.indexes = indexes;
        files = random.nextBoolean() ? filesOfOwner : new SimFileSystem();
        indexes = indexesOfOwner;
        super.reopen(next);
        if (isFollowing && cube.report().indexRebuilt()) {
            rebuilt++;
        } else if (isFollowing) {
            continued++;
        }
        standby = fixture.standby(files, indexes);
    }
}
