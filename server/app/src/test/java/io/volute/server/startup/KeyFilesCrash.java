package io.volute.server.startup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.keys.MasterKey;
import io.volute.provenance.keys.PassphraseParameters;
import io.volute.server.encryption.DataKey;
import io.volute.server.encryption.DataKeys;
import io.volute.server.encryption.EncryptionContext;
import io.volute.server.encryption.KeyGoneException;
import io.volute.server.encryption.Keyring;
import io.volute.server.encryption.ObjectName;
import io.volute.server.encryption.Shreds;
import io.volute.server.encryption.WrappedKey;
import io.volute.storage.directory.StoreDirectory;
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
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The files without which a store cannot open its signing keys, under the crash machine: once
 * something may have been sealed with one, no crash takes it away or changes it.
 */
class KeyFilesCrash {
    private static final Path DATA = Path.of("/data");
    private static final Path KEYS = DATA.resolve("keys");
    private static final Path PARAMETERS = KEYS.resolve("provenance.passphrase");
    private static final Path MASTER = KEYS.resolve("provenance.key");

    private static final InstantSource CLOCK = InstantSource.fixed(Instant.EPOCH);

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

    /** Makes data keys, and shreds one of their objects. */
    private record Shredding(MasterKey master, SecureRandom random)
            implements CrashWorkflow<Shredding.Known> {
        private static final ObjectName KEPT = new ObjectName("bucket", 1, "kept");
        private static final ObjectName SHREDDED = new ObjectName("bucket", 1, "shredded");

        /** The data keys that objects have, and whether the shred was acknowledged. */
        private record Known(
                Optional<WrappedKey> kept, Optional<WrappedKey> shredded, boolean isGone) {}

        private static final class Steps {
            private Known known = new Known(Optional.empty(), Optional.empty(), false);
        }

        @Override
        public String name() {
            return "shredding";
        }

        private static DataKeys keys(Keyring keyring) {
            return new DataKeys(keyring, Optional.empty());
        }

        private Keyring open(FileSystem disk) throws IOException {
            try (StoreDirectory data = StoreDirectory.open(DATA, disk, CLOCK)) {
                return Keyring.open(new KeyringFile(disk, data, false), master, random);
            }
        }

        @Override
        public void run(SimFileSystem disk, CrashProbe<Known> probe) throws IOException {
            Steps steps = new Steps();
            probe.watch(() -> steps.known);
            Keyring keyring = open(disk);
            Optional<WrappedKey> kept =
                    Optional.of(
                            keys(keyring)
                                    .make(KEPT, Keyring.DEFAULT_KEY, EncryptionContext.NONE)
                                    .wrapped());
            Optional<WrappedKey> shredded =
                    Optional.of(
                            keys(keyring)
                                    .make(SHREDDED, Keyring.DEFAULT_KEY, EncryptionContext.NONE)
                                    .wrapped());
            steps.known = new Known(kept, shredded, false);
            probe.point("made");
            Shreds.shred(keyring, SHREDDED, 0);
            steps.known = new Known(kept, shredded, true);
            probe.point("shredded");
        }

        @Override
        public void check(SimFileSystem disk, Known known, CrashProbe<Known> probe)
                throws IOException {
            probe.watch(() -> known);
            Keyring keyring = open(disk);
            if (known.kept.isPresent()) {
                DataKey unused = keys(keyring).open(known.kept.get(), KEPT, Optional.empty());
            }
            if (known.isGone) {
                assertThatThrownBy(
                                () ->
                                        keys(keyring)
                                                .open(
                                                        known.shredded.orElseThrow(),
                                                        SHREDDED,
                                                        Optional.empty()))
                        .isInstanceOf(KeyGoneException.class);
            }
            int unused = keyring.rotate(Keyring.DEFAULT_KEY);
        }
    }

    @Test
    void aCrashNeverTakesADataKeyNorBringsAShreddedOneBack() throws IOException {
        MasterKey master = MasterKey.create(random, text -> {});
        tryAll(new Shredding(master, random));
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

    private static void tryAll(CrashWorkflow<?> starts) throws IOException {
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

    /** A missing keyring is not one that was never made. */
    @Test
    void aLostKeyringIsNotMadeAnew() throws IOException {
        SimFileSystem disk = new SimFileSystem(1);
        MasterKey master = MasterKey.create(random, text -> {});
        try (StoreDirectory data = StoreDirectory.open(DATA, disk, CLOCK)) {
            Keyring.open(new KeyringFile(disk, data, false), master, random).make();
            disk.delete(KEYS.resolve("encryption.keyring"));
            assertThatThrownBy(
                            () -> Keyring.open(new KeyringFile(disk, data, false), master, random))
                    .hasMessageContaining("encryption.keyring is missing")
                    .hasMessageContaining("put it back")
                    .hasMessageContaining("encryption.on-missing-keyring = begin-anew");
            Keyring.open(new KeyringFile(disk, data, true), master, random).make();
            Keyring again = Keyring.open(new KeyringFile(disk, data, false), master, random);
            assertThat(again.names()).hasSize(1);
        }
    }
}
