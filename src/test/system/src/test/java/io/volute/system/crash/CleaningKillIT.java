package io.volute.system.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.AdminAnswers;
import io.volute.system.AdminAnswers.Space;
import io.volute.system.Clients;
import io.volute.system.ServerProcess;
import io.volute.system.SpaceSteering;
import io.volute.system.TemporaryStore;
import io.volute.testkit.ledger.ClientLedger;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * SIGKILL while the cleaner works at 85% of live bytes: after each start nothing acknowledged is
 * lost, nothing deleted or replaced has come back, and a check finds the accounting exact; in the
 * end an audit finds every chain whole. Some starts make the index again from the log, which would
 * show what a cleaner forgot to bury. {@code -Dvolute.cleaning.kills=100} is the full run; {@code
 * -Dvolute.seed} takes a seed back.
 */
class CleaningKillIT {
    private static final double LIVE_SHARE = 0.85;
    private static final Duration CLEANING_LIMIT = Duration.ofMinutes(3);
    private static final int PASSES_MAX = 3;
    private static final int MORE_WRITES_MAX = 1_000;

    /**
     * Every head loses some KiB to its digests and to gaps, and the reserves hold some segments
     * back: 85% of live bytes needs many segments that are not too small. More than that would only
     * be filled and read back, which is what a kill takes its time for.
     */
    private static final Map<String, String> SMALL =
            Map.of(
                    "VOLUTE_LOG_SEGMENT_SIZE", "512KiB",
                    "VOLUTE_LOG_CAPACITY", "128MiB",
                    "VOLUTE_CLEANER_RESERVE_SEGMENTS", "6",
                    "VOLUTE_LOG_INLINE_LIMIT", "40KiB",
                    "VOLUTE_LOG_CHUNK_SIZE", "32KiB",
                    "VOLUTE_INDEX_FLUSH_LOG_SIZE", "8MiB",
                    // The expansion limit would clean earlier than space needs it.
                    "VOLUTE_LOG_EXPANSION_FACTOR", "10");

    private final AtomicLong passes = new AtomicLong();
    private final AtomicLong copied = new AtomicLong();

    /** Pulls the trigger some writes after the cleaner has made some passes since the start. */
    private final class Trigger implements CleaningLoad.Watch {
        private final ServerProcess server;
        private final SpaceSteering steering;
        private final int passesFirst;
        private final AtomicLong writesLeft;
        private final AtomicBoolean isPulled = new AtomicBoolean();
        private final long begun = System.nanoTime();

        Trigger(ServerProcess server, SpaceSteering steering, SplittableRandom random) {
            this.server = server;
            this.steering = steering;
            this.passesFirst = 1 + random.nextInt(PASSES_MAX);
            this.writesLeft = new AtomicLong(1 + random.nextInt(MORE_WRITES_MAX));
        }

        @Override
        public boolean isOver() {
            if (!isPulled.get() && System.nanoTime() - begun > CLEANING_LIMIT.toNanos()) {
                throw new AssertionError(
                        "no cleaning within " + CLEANING_LIMIT + ": " + steering.last());
            }
            return isPulled.get();
        }

        @Override
        public void acknowledged() {
            if (steering.last().passes() >= passesFirst
                    && writesLeft.decrementAndGet() <= 0
                    && isPulled.compareAndSet(false, true)) {
                Space last = steering.last();
                passes.addAndGet(last.passes());
                copied.addAndGet(last.copied());
                server.kill();
            }
        }
    }

    /** Ends when so much is live as should be. */
    private record Filling(SpaceSteering steering) implements CleaningLoad.Watch {
        @Override
        public boolean isOver() {
            return !steering.isBelow();
        }

        @Override
        public boolean isFilling() {
            return true;
        }

        @Override
        public void acknowledged() {
            // Only the space counts.
        }
    }

    @Test
    void nothingIsLostAndNothingComesBack() throws Exception {
        long seed = Long.getLong("volute.seed", 1);
        SplittableRandom random = new SplittableRandom(seed);
        try (TemporaryStore directory = TemporaryStore.create("cleaning-kill");
                ClientLedger ledger = ClientLedger.inMemory()) {
            ServerProcess.Options options =
                    ServerProcess.Options.of(directory.data()).withEnvironment(SMALL);
            KillAudit audit = new KillAudit(ledger);
            CleaningLoad load = new CleaningLoad(ledger);
            Kills kills = new Kills(Integer.getInteger("volute.cleaning.kills", 2));
            int rebuilds = 0;
            int inexact = 0;
            ServerProcess server = ServerProcess.start(options);
            try {
                fill(server, load, random);
                while (!kills.areEnough()) {
                    killWhileCleaning(server, load, random);
                    ledger.serverDied();
                    kills.add(options, random);
                    if (random.nextInt(5) == 0 || kills.areEnough()) {
                        deleteIndex(directory.data());
                        rebuilds++;
                    }
                    server = ServerProcess.start(options);
                    List<String> wrong = audit(server, audit, random);
                    inexact += wrong.isEmpty() ? 0 : 1;
                    String when = "seed " + seed + ", kill " + kills.done();
                    assertThat(audit.findings()).as(when).isEmpty();
                    assertThat(wrong).as(when).isEmpty();
                }
                Kills.requireHistory(server);
                assertThat(server.stop()).isZero();
            } finally {
                server.close();
                System.out.printf(
                        "kills while cleaning: seed %d, kills %d, rebuilds %d, passes %d, copied %d"
                                + " MiB, acknowledged %d, unknown %d, busy %d, full %d, %s,"
                                + " inexact accounting %d%n",
                        seed,
                        kills.done(),
                        rebuilds,
                        passes.get(),
                        copied.get() >> 20,
                        ledger.acknowledged(),
                        ledger.unknown(),
                        load.busy(),
                        load.full(),
                        audit.counts(),
                        inexact);
            }
        }
    }

    private static void fill(ServerProcess server, CleaningLoad load, SplittableRandom random)
            throws Exception {
        try (S3Client s3 = Clients.once(server.endpoint());
                SpaceSteering steering =
                        new SpaceSteering(new AdminAnswers(server.endpoint()), LIVE_SHARE)) {
            s3.createBucket(create -> create.bucket(KillLoad.PLAIN));
            s3.createBucket(create -> create.bucket(KillLoad.VERSIONED));
            Filling filling = new Filling(steering);
            Kills.requireNoFaults(load.run(s3, steering, filling, random.nextLong()), server);
        }
    }

    private void killWhileCleaning(ServerProcess server, CleaningLoad load, SplittableRandom random)
            throws Exception {
        try (S3Client s3 = Clients.once(server.endpoint());
                SpaceSteering steering =
                        new SpaceSteering(new AdminAnswers(server.endpoint()), LIVE_SHARE)) {
            Trigger trigger = new Trigger(server, steering, random);
            Kills.requireNoFaults(load.run(s3, steering, trigger, random.nextLong()), server);
        }
    }

    private static List<String> audit(
            ServerProcess server, KillAudit audit, SplittableRandom random) throws IOException {
        try (S3Client s3 = Clients.sync(server.endpoint())) {
            audit.currentStates(s3, random);
        }
        return new AdminAnswers(server.endpoint()).check();
    }

    /** The log is the truth: the next start makes the index again. */
    private static void deleteIndex(Path data) throws IOException {
        List<Path> indexes;
        try (Stream<Path> cubes = Files.list(data.resolve("cubes"))) {
            indexes = cubes.map(cube -> cube.resolve("index")).toList();
        }
        assertThat(indexes).isNotEmpty().allMatch(Files::isDirectory);
        indexes.forEach(TemporaryStore::deleteTree);
    }
}
