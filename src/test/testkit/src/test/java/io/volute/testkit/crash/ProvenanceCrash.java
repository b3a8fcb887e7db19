package io.volute.testkit.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.testkit.crash.ProvenanceSession.Known;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Signed writes under the crash machine, with rotations of the keys, checkpoints, removals of old
 * entries and cleaning in between, and in every other recovery the index made again. After every
 * crash: what is there and what the entries say are of the same commit, that of the last
 * acknowledgement or the next; an audit finds nothing; and the chains go on.
 */
class ProvenanceCrash {
    private static final int OPERATIONS = 60;

    private static final class Signed implements CrashWorkflow<Known> {
        @Override
        public String name() {
            return "SIGNED";
        }

        @Override
        public void run(SimFileSystem disk, CrashProbe<Known> probe) throws IOException {
            SplittableRandom random =
                    new SplittableRandom(Long.getLong("volute.seed", 1) * OPERATIONS);
            try (ProvenanceSession session = ProvenanceSession.begin(disk, probe)) {
                for (int i = 0; i < OPERATIONS; i++) {
                    operation(session, random, i);
                }
                session.rotate();
                session.checkpoint();
                assertThat(session.removeOld()).isPositive();
                session.clean();
                session.put("k0", 10);
            }
        }

        private static void operation(ProvenanceSession session, SplittableRandom random, int i)
                throws IOException {
            String key = "k" + random.nextInt(6);
            int dice = random.nextInt(20);
            if (!session.isThere(key) || dice < 9) {
                session.put(key, 100 + random.nextInt(9_000));
            } else if (dice < 12) {
                session.deleteAll(List.of(key, "k" + random.nextInt(6)));
            } else if (dice < 14) {
                session.tag(key, "tag " + i);
            } else if (dice < 17) {
                session.copy(key, "k" + random.nextInt(6));
            } else if (dice < 18) {
                session.rotate();
            } else if (dice < 19) {
                assertThat(session.removeOld()).isNotNegative();
            } else {
                session.clean();
            }
        }

        @Override
        public void check(SimFileSystem disk, Known known, CrashProbe<Known> probe)
                throws IOException {
            try (ProvenanceSession session = ProvenanceSession.recover(disk, known, probe)) {
                assertThat(known.allowed()).contains(session.seen());
                assertThat(SimProvenance.audit(session.provenance())).hasSize(1);
                assertThat(session.auditCheckpoints()).isEmpty();
                session.goOn();
                assertThat(SimProvenance.audit(session.provenance())).hasSize(1);
                assertThat(session.auditCheckpoints()).isEmpty();
            }
            assertThat(disk.openFiles()).isZero();
        }
    }

    @Test
    void crashesAtEveryEvent() throws IOException {
        CrashReport report = new CrashLoop(CrashLoop.Settings.usual()).run(new Signed());
        System.out.println(report);
        assertThat(report.checked()).isPositive();
    }
}
