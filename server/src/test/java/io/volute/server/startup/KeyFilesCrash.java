package io.volute.server.startup;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.keys.MasterKey;
import io.volute.provenance.keys.PassphraseParameters;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.StoredFile;
import io.volute.testkit.crash.CrashLoop;
import io.volute.testkit.crash.CrashProbe;
import io.volute.testkit.crash.CrashReport;
import io.volute.testkit.crash.CrashWorkflow;
import io.volute.testkit.crash.FaultLoop;
import io.volute.testkit.sim.PersistencePolicy;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The files without which a store cannot open its signing keys, under the crash machine: once
 * something may have been sealed with one, no crash takes it away or changes it.
 */
class KeyFilesCrash {
    private static final Path KEYS = Path.of("/data/keys");
    private static final Path PARAMETERS = KEYS.resolve("provenance.passphrase");
    private static final Path MASTER = KEYS.resolve("provenance.key");

    private final SecureRandom random = new SecureRandom();

    @TempDir private Path directory;

    /** A start, which seals something, and the next one. */
    private interface Start {
        /** Returns what seals from now on. */
        String of(SimFileSystem disk, boolean isSealed) throws IOException;
    }

    private record Starts(String name, Start start) implements CrashWorkflow<Optional<String>> {
        @Override
        public void run(SimFileSystem disk, CrashProbe<Optional<String>> probe) throws IOException {
            Known known = new Known();
            probe.watch(() -> known.sealedWith);
            known.sealedWith = Optional.of(start.of(disk, false));
            probe.point("sealed");
        }

        /** A start after the crash, whose seal must outlast one more crash. */
        @Override
        public void check(
                SimFileSystem disk, Optional<String> known, CrashProbe<Optional<String>> probe)
                throws IOException {
            probe.watch(() -> known);
            String again = start.of(disk, known.isPresent());
            known.ifPresent(seal -> assertThat(again).isEqualTo(seal));
            SimFileSystem later = disk.crashImage(PersistencePolicy.ALL_LOST, 1);
            assertThat(start.of(later, true)).isEqualTo(again);
        }
    }

    private static final class Known {
        private Optional<String> sealedWith = Optional.empty();
    }

    private static byte[] content(FileSystem disk, Path file) throws IOException {
        try (StoredFile open = disk.open(file, FileSystem.Access.READ)) {
            ByteBuffer bytes = ByteBuffer.allocate(256);
            return Arrays.copyOf(bytes.array(), open.read(bytes, 0));
        }
    }

    @Test
    void aCrashNeverTakesTheParametersOfAPassphrase() throws IOException {
        Start start =
                (disk, isSealed) -> {
                    PassphraseParameters parameters =
                            new PassphraseKey(disk, directory.resolve("none"), PARAMETERS)
                                    .parameters(isSealed, random);
                    return parameters.encode().hex();
                };
        tryAll(new Starts("passphrase", start));
    }

    @Test
    void aCrashNeverTakesTheMasterKey() throws IOException {
        Path copy = directory.resolve("copy.key");
        Start start =
                (disk, isSealed) -> {
                    if (!disk.exists(MASTER)) {
                        assertThat(isSealed).as("the key is gone").isFalse();
                        MasterKeys.create(disk, MASTER, random);
                    } else if (!isSealed) {
                        MasterKeys.keep(disk, MASTER);
                    }
                    byte[] line = content(disk, MASTER);
                    Files.write(copy, line);
                    Files.setPosixFilePermissions(
                            copy, PosixFilePermissions.fromString("rw-------"));
                    assertThat(MasterKey.ofFile(copy)).as("a whole key").isNotNull();
                    return new String(line, StandardCharsets.US_ASCII);
                };
        tryAll(new Starts("master key", start));
    }

    private static void tryAll(Starts starts) throws IOException {
        CrashLoop.Settings usual = CrashLoop.Settings.usual();
        CrashReport report =
                new CrashLoop(
                                new CrashLoop.Settings(
                                        usual.seed(),
                                        Integer.MAX_VALUE,
                                        usual.recoveriesMax(),
                                        usual.nestedMax()))
                        .run(starts);
        assertThat(report.points()).isGreaterThan(8);
        assertThat(report.nested()).isPositive();
        // A start that fails leaves names in the page cache, which the next one finds.
        FaultLoop.Report faults = new FaultLoop(1, Integer.MAX_VALUE).run(starts);
        assertThat(faults.failed()).isGreaterThan(8);
    }
}
