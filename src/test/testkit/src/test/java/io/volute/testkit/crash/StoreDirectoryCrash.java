package io.volute.testkit.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.directory.StoreDirectory;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A data directory, its mark and its notes under the crash machine. */
class StoreDirectoryCrash {
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.EPOCH);
    private static final int NOTES = 4;

    /** The newest note that was acknowledged, and the one that was begun; 0: none. */
    private record Known(int acknowledged, int begun) {}

    private static final class Steps {
        private Known known = new Known(0, 0);
    }

    private record Notes() implements CrashWorkflow<Known> {
        @Override
        public String name() {
            return "notes of a data directory";
        }

        private static StoreDirectory open(SimFileSystem disk) throws IOException {
            return StoreDirectory.open(Path.of("/data"), disk, CLOCK);
        }

        private static void remember(StoreDirectory directory, int number) throws IOException {
            directory.remember("note", Map.of("number", Integer.toString(number)));
        }

        @Override
        public void run(SimFileSystem disk, CrashProbe<Known> probe) throws IOException {
            Steps steps = new Steps();
            probe.watch(() -> steps.known);
            try (StoreDirectory directory = open(disk)) {
                for (int number = 1; number <= NOTES; number++) {
                    steps.known = new Known(number - 1, number);
                    remember(directory, number);
                    steps.known = new Known(number, number);
                    probe.point("remembered");
                }
            }
        }

        /** The whole note of before or the whole new one is there, and can be replaced. */
        @Override
        public void check(SimFileSystem disk, Known known, CrashProbe<Known> probe)
                throws IOException {
            probe.watch(() -> known);
            try (StoreDirectory directory = open(disk)) {
                int found = number(directory);
                assertThat(found).isBetween(known.acknowledged(), known.begun());
                remember(directory, found);
                assertThat(number(directory)).isEqualTo(found);
            }
        }

        private static int number(StoreDirectory directory) throws IOException {
            Optional<Map<String, String>> note = directory.remembered("note");
            return note.map(lines -> Integer.parseInt(lines.get("number"))).orElse(0);
        }
    }

    @Test
    void aCrashLeavesAWholeNote() throws IOException {
        CrashReport report = new CrashLoop(CrashLoop.Settings.usual()).run(new Notes());

        assertThat(report.points()).isGreaterThan(8);
        assertThat(report.nested()).isPositive();
        FaultLoop.Report faults = new FaultLoop(1, Integer.MAX_VALUE).run(new Notes());
        assertThat(faults.failed()).isGreaterThan(8);
    }
}
