package io.volute.testkit.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.Cube;
import io.volute.storage.index.MemoryIndexFactory;
import io.volute.storage.report.SpaceReport;
import io.volute.testkit.crash.CubeSession.Known;
import io.volute.testkit.sim.PersistencePolicy;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs the whole storage core under the crash machine. After every crash, all acknowledged writes
 * are there. The state is one that stood after some commit, so a prefix of the commit order. A
 * second recovery changes nothing. An index made from the log alone gives the same state. The cube
 * accepts writes.
 */
class CubeCrash {

    /** The work that the crashes interrupt. */
    private enum Work {
        PUT_SMALL {
            @Override
            void run(CubeSession session) throws IOException {
                for (int i = 0; i < 8; i++) {
                    session.put("k" + i, i * 500);
                }
                session.putBeside(List.of("a", "b", "c", "d"), 700);
                session.putTogether(List.of("k1", "x", "y"), 900);
            }
        },
        PUT_LARGE {
            @Override
            void run(CubeSession session) throws IOException {
                session.put("a", 30_000);
                session.put("b", 100_000);
                session.abandon(50_000);
                session.put("a", 80_000);
                session.putTogether(List.of("b", "c"), 20_000);
            }
        },
        COMPOSE {
            @Override
            void run(CubeSession session) throws IOException {
                session.put("p1", 20_000);
                session.put("p2", 1_000);
                session.put("p3", 9_000);
                session.compose("whole", "p1", "p2", "p3");
                session.put("p4", 500);
                session.compose("more", "whole", "p4");
                session.delete("more");
            }
        },
        OVERWRITE_AND_DELETE {
            @Override
            void run(CubeSession session) throws IOException {
                for (int i = 0; i < 5; i++) {
                    session.put("a", 1_000 + i);
                    session.put("b", 6_000 + i);
                    session.delete("a");
                    session.putBeside(List.of("a", "b", "c"), 2_000 + i);
                }
                session.delete("a", "b", "c");
            }
        },
        ROLL_FLUSH_AND_FREE {
            @Override
            void run(CubeSession session) throws IOException {
                for (int i = 0; i < 60; i++) {
                    session.put("k" + i % 4, 3_900);
                    if (i % 6 == 5) {
                        session.put("large", 60_000);
                        session.delete("k" + i % 4);
                    }
                }
            }
        },
        CLEAN {
            @Override
            void run(CubeSession session) throws IOException {
                long freed = 0;
                for (int i = 0; i < 4; i++) {
                    for (int j = 0; j < 30; j++) {
                        session.put("k" + (j % 5 == 0 ? i * 10 + j : j % 3), 1_500 + 10 * i);
                    }
                    session.put("large" + i % 2, 20_000);
                    session.delete("k" + i * 10, "k1");
                    freed += session.clean();
                }
                assertThat(freed).isPositive();
            }
        },
        CLOSE_AND_OPEN {
            @Override
            void run(CubeSession session) throws IOException {
                for (int i = 0; i < 4; i++) {
                    session.put("a" + i, 2_000);
                    session.reopen();
                    session.put("b", 10_000);
                    session.reopen();
                }
            }
        },
        COMPACT {
            @Override
            void run(CubeSession session) throws IOException {
                long given = 0;
                for (int i = 0; i < 3; i++) {
                    session.prepareCompaction();
                    session.put("stays" + i, 14_000);
                    given += session.compact();
                    session.put("d", 11_500);
                    given += session.compact();
                }
                assertThat(given).isPositive();
            }
        },
        REBUILD {
            @Override
            void run(CubeSession session) throws IOException {
                for (int i = 0; i < 3; i++) {
                    session.putBeside(List.of("a", "b", "c"), 3_000);
                    session.delete("b");
                    session.put("large", 30_000);
                    session.rebuildIndex();
                }
            }
        };

        abstract void run(CubeSession session) throws IOException;
    }

    private record CubeWorkflow(Work work) implements CrashWorkflow<Known> {
        @Override
        public String name() {
            return work.name();
        }

        @Override
        public void run(SimFileSystem disk, CrashProbe<Known> probe) throws IOException {
            try (CubeSession session = new CubeSession(disk, probe)) {
                work.run(session);
            }
        }

        @Override
        public void check(SimFileSystem disk, Known known, CrashProbe<Known> probe)
                throws IOException {
            MemoryIndexFactory indexes = known.indexes().crashImage();
            probe.watch(() -> known.with(indexes.crashImage()));
            TreeMap<String, String> found;
            SpaceReport space;
            try (Cube cube = CubeSession.open(disk, indexes)) {
                found = CubeSession.state(cube);
                checkPrefix(known, found);
                space = cube.space();
                long given = CubeSession.compact(cube);
                assertThat(CubeSession.state(cube)).as("after %d bytes", given).isEqualTo(found);
                SimFileSystem again = disk.crashImage(PersistencePolicy.ALL_LOST, 1);
                checkAgain(again, indexes.crashImage(), found, space);
                checkAgain(again, new MemoryIndexFactory(), found, space);
                CubeSession.writeProbe(cube);
                checkProbe(
                        disk.crashImage(PersistencePolicy.ALL_LOST, 1),
                        indexes.crashImage(),
                        found);
                if (work == Work.CLEAN) {
                    checkCleaned(cube, disk, found);
                }
            }
            assertThat(disk.openFiles()).isZero();
        }

        private static void checkPrefix(Known known, TreeMap<String, String> found) {
            List<TreeMap<String, String>> allowed =
                    known.states().subList(known.acknowledged(), known.states().size());
            assertThat(allowed)
                    .as("states from commit %d on", known.acknowledged())
                    .contains(found);
        }

        /**
         * Checks that cleaning keeps the state: removed entries stay removed, relocated ones are
         * there.
         */
        private static void checkCleaned(
                Cube cube, SimFileSystem disk, TreeMap<String, String> found) throws IOException {
            long freed = CubeSession.clean(cube);
            assertThat(CubeSession.state(cube)).as("%d bytes freed", freed).isEqualTo(found);
            SimFileSystem again = disk.crashImage(PersistencePolicy.ALL_LOST, 1);
            try (Cube rebuilt = CubeSession.open(again, new MemoryIndexFactory())) {
                assertThat(CubeSession.state(rebuilt)).isEqualTo(found);
            }
        }

        /** Recovers what is sure to be on the disk after a recovery, and compares. */
        private static void checkAgain(
                SimFileSystem disk,
                MemoryIndexFactory indexes,
                TreeMap<String, String> found,
                SpaceReport space)
                throws IOException {
            try (Cube cube =
                    CubeSession.open(disk.crashImage(PersistencePolicy.ALL_KEPT, 1), indexes)) {
                assertThat(CubeSession.state(cube)).isEqualTo(found);
                assertThat(liveBytes(cube.space())).isEqualTo(liveBytes(space));
            }
        }

        /**
         * By segment; all together when a cleaning pass was cut off: of two copies a rebuild may
         * take the other one.
         */
        private static TreeMap<Long, Long> liveBytes(SpaceReport space) {
            boolean isCleaned =
                    space.segments().stream()
                            .anyMatch(each -> each.kind() == SpaceReport.Kind.SURVIVOR);
            TreeMap<Long, Long> live = new TreeMap<>();
            for (SpaceReport.SegmentSpace segment : space.segments()) {
                if (segment.live() > 0) {
                    live.merge(isCleaned ? 0L : segment.segmentId(), segment.live(), Long::sum);
                }
            }
            return live;
        }

        private static void checkProbe(
                SimFileSystem disk, MemoryIndexFactory indexes, TreeMap<String, String> found)
                throws IOException {
            try (Cube cube = CubeSession.open(disk, indexes)) {
                assertThat(CubeSession.state(cube)).isEqualTo(found);
                assertThat(cube.get(CubeSession.RECORDS, CubeSession.utf8(CubeSession.PROBE)))
                        .isPresent();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void crashesAtEveryEvent(Work work) throws IOException {
        CrashReport report = new CrashLoop(CrashLoop.Settings.usual()).run(new CubeWorkflow(work));
        System.out.println(report);
        assertThat(report.checked()).isPositive();
    }

    /** Watches from a moment on, so that all of a short time can be tried. */
    private static final class LateProbe implements CrashProbe<Known> {
        private final CrashProbe<Known> probe;
        private final AtomicReference<Supplier<Known>> known = new AtomicReference<>();

        LateProbe(CrashProbe<Known> probe) {
            this.probe = probe;
        }

        @Override
        public void watch(Supplier<Known> newKnown) {
            known.set(newKnown);
        }

        @Override
        public void point(String where) {
            probe.point(where);
        }

        void begin() {
            probe.watch(known.get());
        }
    }

    /** Tries every event and every policy, not a sample, from the first punch to the later work. */
    @Test
    void crashesAtEveryEventOfACompaction() throws IOException {
        CubeWorkflow usual = new CubeWorkflow(Work.COMPACT);
        CrashWorkflow<Known> compaction =
                new CrashWorkflow<>() {
                    @Override
                    public String name() {
                        return "compaction";
                    }

                    @Override
                    public void run(SimFileSystem disk, CrashProbe<Known> probe)
                            throws IOException {
                        LateProbe late = new LateProbe(probe);
                        try (CubeSession session = new CubeSession(disk, late)) {
                            session.prepareCompaction();
                            late.begin();
                            assertThat(session.compact()).isPositive();
                            session.delete("a");
                            session.compact();
                        }
                    }

                    @Override
                    public void check(SimFileSystem disk, Known known, CrashProbe<Known> probe)
                            throws IOException {
                        usual.check(disk, known, probe);
                    }
                };
        CrashLoop.Settings usualSettings = CrashLoop.Settings.usual();
        CrashReport report =
                new CrashLoop(
                                new CrashLoop.Settings(
                                        usualSettings.seed(),
                                        Integer.MAX_VALUE,
                                        usualSettings.recoveriesMax(),
                                        usualSettings.nestedMax()))
                        .run(compaction);
        System.out.println(report);
        assertThat(report.checked()).isPositive();
    }

    @ParameterizedTest
    @EnumSource
    void failsAtEveryEvent(Work work) throws IOException {
        FaultLoop.Report report = FaultLoop.usual().run(new CubeWorkflow(work));
        System.out.println(report);
        assertThat(report.failed()).isPositive();
    }

    /**
     * Work that continues after a failed force, in the same machine, relies on nothing that is
     * lost.
     */
    @Test
    void failsAtEveryForce() throws IOException {
        FaultLoop.Report report = FaultLoop.ofForces().run(new CubeWorkflow(Work.CLOSE_AND_OPEN));
        System.out.println(report);
        assertThat(report.failed()).isPositive();
    }
}
