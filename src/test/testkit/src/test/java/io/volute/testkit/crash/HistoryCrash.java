package io.volute.testkit.crash;

import static io.volute.testkit.crash.HistorySession.OWNER;
import static io.volute.versioning.rows.Families.ACTORS;
import static io.volute.versioning.rows.Families.CURRENT;
import static io.volute.versioning.rows.Families.RESTORES;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.Cube;
import io.volute.storage.RecordCursor;
import io.volute.storage.index.MemoryIndexFactory;
import io.volute.testkit.crash.HistorySession.Known;
import io.volute.testkit.crash.HistorySession.Step;
import io.volute.testkit.crash.HistoryView.Seen;
import io.volute.testkit.sim.SimFileSystem;
import io.volute.versioning.Provenance;
import io.volute.versioning.Provenance.Range;
import io.volute.versioning.Restore.Goal;
import io.volute.versioning.Restore.Run;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.rows.ActorRow;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.RestoreRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs the history under the crash machine. After every crash, each acknowledged write is there,
 * with all states that it kept. The history holds the earlier reads of the writer of every present
 * state. An interrupted restore is exactly at its recorded place, resumes there, and ends as
 * without the interruption.
 *
 * <p>All of it is signed: the entries match the present states and no others, restores included,
 * and an audit finds nothing.
 */
class HistoryCrash {
    private static final List<Caller> CALLERS =
            List.of(
                    OWNER,
                    new Caller("owner", "key-o", "thief"),
                    new Caller("helper", "key-h", "helper"));

    /** The work that the crashes interrupt. */
    private enum Work {
        /** Everything that has edges, under all policies. */
        SCRIPT {
            @Override
            void run(HistorySession session) throws IOException {
                session.watch();
                SplittableRandom random =
                        new SplittableRandom(Long.getLong("volute.seed", 1) * OPERATIONS);
                for (int i = 0; i < OPERATIONS; i++) {
                    operation(session, random, i);
                }
                assertThat(session.edgesWritten())
                        .as("the edges that the script knows")
                        .containsAll(session.edgesExpected())
                        .anyMatch(edge -> edge.contains(" READ "))
                        .anyMatch(edge -> edge.contains(" from "));
            }
        },
        /** A restore of some commits, begun and ended. */
        RESTORE {
            @Override
            void run(HistorySession session) throws IOException {
                session.overwrite(OWNER, HistoryView.KEYS, i -> false);
                Instant good = session.instant();
                session.overwrite(CALLERS.get(1), HistoryView.KEYS, i -> i % 3 == 0);
                session.watch();
                assertThat(session.restore(new Goal.ToInstant(good)).restored())
                        .isEqualTo(HistoryView.KEYS);
                session.put(OWNER, "k0", "behind it");
            }
        };

        private static final int OPERATIONS = 70;
        private static final int KEYS = 5;

        abstract void run(HistorySession session) throws IOException;

        private static void operation(HistorySession session, SplittableRandom random, int number)
                throws IOException {
            Caller caller = CALLERS.get(random.nextInt(CALLERS.size()));
            String key = "k" + random.nextInt(KEYS);
            int dice = random.nextInt(20);
            if (number == OPERATIONS / 2) {
                // Of the others some decide by sessions, which a crash ends: they then keep more.
                session.policy(HistoryPolicy.CYCLE_AVOIDANCE);
                session.restore(new Goal.ToInstant(session.instant().minusSeconds(number / 2)));
            } else if (!session.isThere(key) || dice < 6) {
                session.put(caller, key, "content " + number);
            } else if (dice < 14) {
                session.read(caller, key);
            } else if (dice < 16) {
                session.copy(caller, key, "k" + random.nextInt(KEYS));
            } else if (dice < 18) {
                session.delete(caller, key);
            } else {
                HistoryPolicy[] policies = HistoryPolicy.values();
                session.policy(policies[random.nextInt(policies.length)]);
            }
        }
    }

    private static final class HistoryWorkflow implements CrashWorkflow<Known> {
        private final Work work;

        HistoryWorkflow(Work work) {
            this.work = work;
        }

        @Override
        public String name() {
            return work.name();
        }

        @Override
        public void run(SimFileSystem disk, CrashProbe<Known> probe) throws IOException {
            try (HistorySession session = new HistorySession(disk, probe)) {
                work.run(session);
            }
        }

        @Override
        public void check(SimFileSystem disk, Known known, CrashProbe<Known> probe)
                throws IOException {
            MemoryIndexFactory indexes = known.indexes().crashImage();
            probe.watch(() -> known.with(indexes.crashImage()));
            try (Cube cube = HistoryView.openCube(disk, indexes, known::now)) {
                if (work == Work.RESTORE) {
                    checkPlace(cube);
                }
                try (VersionedStore store = HistoryView.openStore(cube, known::now)) {
                    List<Run> runs = HistoryView.ended(store.restore());
                    if (work == Work.RESTORE && !runs.isEmpty()) {
                        assertThat(runs).singleElement().satisfies(HistoryWorkflow::checkWhole);
                    }
                    checkStep(known.steps().from(known.acknowledged()), store);
                    checkChains(store.provenance().orElseThrow());
                }
                try (VersionedStore later =
                        HistoryView.openStore(cube, () -> known.now().plusSeconds(1))) {
                    HistoryView.readAll(later);
                }
            }
            assertThat(disk.openFiles()).isZero();
        }

        /** Audits all chains, or for a restore a sample of keys from each of its commits. */
        private void checkChains(Provenance provenance) throws IOException {
            List<String> prefixes =
                    work == Work.RESTORE ? List.of("k10", "k40", "k9") : List.of("k");
            for (String prefix : prefixes) {
                Range range = new Range(Optional.empty(), prefix, false);
                assertThat(SimProvenance.audit(provenance, range))
                        .as("nothing but how many chains there are")
                        .hasSize(1);
            }
        }

        private static void checkStep(List<Step> allowed, VersionedStore store) throws IOException {
            Seen seen = HistoryView.see(store);
            List<Step> same = allowed.stream().filter(step -> step.seen().equals(seen)).toList();
            assertThat(same)
                    .as("%s is none of the %d that may be there", seen, allowed.size())
                    .isNotEmpty();
            assertThat(HistoryView.edges(store)).containsAll(same.getFirst().edges());
        }

        /** None looked at twice, none left out. */
        private static void checkWhole(Run run) {
            assertThat(run.looked()).isEqualTo(HistoryView.KEYS);
            assertThat(run.restored()).isEqualTo(HistoryView.KEYS);
            assertThat(run.skipped()).isZero();
        }

        /**
         * Checks, before the restore resumes, that its recorded place matches the restored keys.
         */
        private static void checkPlace(Cube cube) {
            Set<Long> restoring = new TreeSet<>();
            each(
                    cube.scan(ACTORS, new byte[0], new byte[0]),
                    cursor -> {
                        String name = ActorRow.decode(cursor.record().summary()).name().label();
                        if (name.startsWith("restore-")) {
                            restoring.add(~RowKeys.suffix(cursor.key()));
                        }
                    });
            List<RestoreRow> rows = new ArrayList<>();
            each(
                    cube.scan(RESTORES, new byte[0], new byte[0]),
                    cursor -> rows.add(RestoreRow.decode(cursor.record().summary())));
            List<String> back = new ArrayList<>();
            each(
                    cube.scan(CURRENT, new byte[0], new byte[0]),
                    cursor -> {
                        ObjectRow row = ObjectRow.decode(cursor.record().summary());
                        if (restoring.contains(row.causal().actor())) {
                            byte[] key = cursor.key();
                            back.add(RowKeys.objectKey(key, RowKeys.objectKeyEnd(key, 0)));
                        }
                    });
            if (back.isEmpty()) {
                assertThat(rows).allMatch(row -> row.looked() == 0);
            } else if (rows.getFirst().looked() < HistoryView.KEYS) {
                assertThat(back).hasSize((int) rows.getFirst().looked());
                assertThat(back.getLast()).isEqualTo(rows.getFirst().after());
            }
        }

        private interface Visitor {
            void see(RecordCursor cursor);
        }

        private static void each(RecordCursor cursor, Visitor visitor) {
            try (cursor) {
                while (cursor.next()) {
                    visitor.see(cursor);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void crashesAtEveryEvent(Work work) throws IOException {
        CrashReport report =
                new CrashLoop(CrashLoop.Settings.usual()).run(new HistoryWorkflow(work));
        System.out.println(report);
        assertThat(report.checked()).isPositive();
    }
}
