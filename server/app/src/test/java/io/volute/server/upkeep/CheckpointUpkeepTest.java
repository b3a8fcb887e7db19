package io.volute.server.upkeep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.anchor.Checkpoint;
import io.volute.provenance.anchor.HeadsFile;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.MasterKey;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SpiralShape;
import io.volute.server.config.ProvenanceConfig;
import io.volute.server.s3.S3TestBed;
import io.volute.storage.Cube;
import io.volute.storage.io.OsFileSystem;
import io.volute.versioning.CheckpointRefusedException;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.Provenance;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.StoreOptions.Confidentiality;
import io.volute.versioning.StoreOptions.ProvenanceSettings;
import io.volute.versioning.VersionedStore;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointUpkeepTest {
    private static final SpiralShape SHAPE = new SpiralShape(SpiralShape.Construction.ONE_LINK, 3);
    private static final Set<SignatureAlgorithm> SIGNED = Set.of(SignatureAlgorithm.ED25519);

    private final AtomicReference<Instant> now =
            new AtomicReference<>(Instant.parse("2026-03-01T12:00:00Z"));

    @TempDir Path directory;

    private ProvenanceConfig config() {
        return new ProvenanceConfig(
                SIGNED,
                SHAPE,
                Optional.empty(),
                Optional.empty(),
                Confidentiality.NONE,
                Duration.ofHours(1),
                Optional.of(directory.resolve("copies")),
                Optional.empty(),
                Duration.ZERO,
                ProvenanceConfig.OnMissingSettings.REFUSE);
    }

    private static List<String> names(Path in) throws IOException {
        try (Stream<Path> files = Files.list(in)) {
            return files.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void makesOneEachHourAndCopiesWhatIsMissing() throws IOException {
        Path copies = directory.resolve("copies");
        SecureRandom random = new SecureRandom();
        ProvenanceSettings settings =
                new ProvenanceSettings(MasterKey.create(random, text -> {}), SIGNED, SHAPE, random);
        try (Cube cube = S3TestBed.cube(directory.resolve("cube"), now::get);
                VersionedStore store =
                        ObjectStores.open(
                                StoreOptions.defaults(cube, now::get, random).with(settings))) {
            Provenance provenance = store.provenance().orElseThrow();
            CheckpointUpkeep upkeep =
                    new CheckpointUpkeep(provenance, config(), new OsFileSystem(), now::get);
            upkeep.look();
            upkeep.look();
            assertThat(names(copies)).containsExactly("checkpoint-0", "heads-0", "keys");
            now.updateAndGet(before -> before.plus(Duration.ofMinutes(59)));
            upkeep.look();
            assertThat(provenance.checkpoints(0, 10)).hasSize(1);
            now.updateAndGet(before -> before.plus(Duration.ofMinutes(1)));
            upkeep.look();
            assertThat(names(copies))
                    .containsExactly("checkpoint-0", "checkpoint-1", "heads-0", "heads-1", "keys");
            assertThat(upkeep.copiesMissing()).isZero();
            // Heads go with their checkpoint, and not before.
            Files.delete(copies.resolve("checkpoint-0"));
            now.updateAndGet(before -> before.plus(Duration.ofHours(1)));
            // A directory in its place: the last copy cannot be written.
            Path inTheWay = Files.createDirectories(copies.resolve("checkpoint-0.new"));
            assertThatThrownBy(upkeep::look).isInstanceOf(IOException.class);
            assertThat(upkeep.copiesMissing()).isEqualTo(1);
            Files.delete(inTheWay);
            upkeep.look();
            assertThat(upkeep.copiesMissing()).isZero();
            assertThat(names(copies)).contains("checkpoint-0", "checkpoint-2", "heads-2");
            verify(copies, provenance);
        }
    }

    /**
     * After the data directory is restored from a copy, or loses checkpoints, no new ones are
     * signed.
     */
    @Test
    void directoryThatKnowsMoreIsBelieved() throws IOException {
        Path copies = directory.resolve("copies");
        SecureRandom random = new SecureRandom();
        ProvenanceSettings settings =
                new ProvenanceSettings(MasterKey.create(random, text -> {}), SIGNED, SHAPE, random);
        try (Cube cube = S3TestBed.cube(directory.resolve("cube"), now::get);
                VersionedStore store =
                        ObjectStores.open(
                                StoreOptions.defaults(cube, now::get, random).with(settings))) {
            Provenance provenance = store.provenance().orElseThrow();
            CheckpointUpkeep upkeep =
                    new CheckpointUpkeep(provenance, config(), new OsFileSystem(), now::get);
            upkeep.look();
            Path first = copies.resolve("checkpoint-0");
            Files.copy(first, copies.resolve("checkpoint-1"));
            now.updateAndGet(before -> before.plus(Duration.ofHours(1)));
            assertThatThrownBy(upkeep::look)
                    .isInstanceOf(CheckpointRefusedException.class)
                    .hasMessageContaining("has checkpoint 1, the store has 0");
            assertThat(provenance.refusal()).isPresent();
            Files.delete(copies.resolve("checkpoint-1"));
            byte[] own = Files.readAllBytes(first);
            Files.write(first, new byte[] {1});
            assertThatThrownBy(upkeep::look)
                    .isInstanceOf(CheckpointRefusedException.class)
                    .hasMessageContaining("checkpoint-0 is not the store's");
            Files.write(first, own);
            upkeep.look();
            assertThat(provenance.refusal()).isEmpty();
            assertThat(names(copies)).contains("checkpoint-1", "heads-1");
        }
    }

    private static void verify(Path copies, Provenance provenance) throws IOException {
        Checkpoint last = Checkpoint.decode(bytes(copies.resolve("checkpoint-2")));
        assertThat(provenance.checkpoints(2, 1)).containsExactly(last);
        KeyList keys = KeyList.read(bytes(copies.resolve("keys")), provenance.keys().root());
        assertThat(keys.size()).isEqualTo(1);
        try (InputStream heads = Files.newInputStream(copies.resolve("heads-2"))) {
            assertThat(HeadsFile.read(heads, (id, head) -> {})).isEqualTo(last.map());
        }
    }

    private static Bytes bytes(Path file) throws IOException {
        return Bytes.of(Files.readAllBytes(file));
    }
}
