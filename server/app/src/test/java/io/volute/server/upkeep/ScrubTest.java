package io.volute.server.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.keys.MasterKey;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SpiralShape;
import io.volute.server.admin.Scrubber.Pass;
import io.volute.server.config.ServerConfig.ScrubConfig;
import io.volute.server.s3.S3TestBed;
import io.volute.storage.BlobWriter;
import io.volute.storage.Cube;
import io.volute.storage.Transaction;
import io.volute.storage.directory.StoreDirectory;
import io.volute.storage.io.OsFileSystem;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.StoreOptions.ProvenanceSettings;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.rows.Families;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class ScrubTest {
    private static final Caller ALICE = new Caller("alice", "key-a", "laptop");
    private static final BucketName BUCKET = new BucketName("photos");
    private static final byte BODY = 'b';

    /** Short enough that a pass need not wait. */
    private static final Duration INTERVAL = Duration.ofSeconds(2);

    private final AtomicReference<Instant> now =
            new AtomicReference<>(Instant.parse("2026-03-01T12:00:00Z"));

    @TempDir Path directory;
    private StoreDirectory data;
    private Cube cube;
    private VersionedStore store;
    private Scrub scrub;

    @BeforeEach
    void open() throws IOException {
        SecureRandom random = new SecureRandom();
        data = StoreDirectory.open(directory.resolve("data"), new OsFileSystem(), now::get);
        cube = S3TestBed.cube(directory.resolve("cube"), now::get);
        store =
                ObjectStores.open(
                        StoreOptions.defaults(cube, now::get, random)
                                .with(
                                        new ProvenanceSettings(
                                                MasterKey.create(random, text -> {}),
                                                Set.of(SignatureAlgorithm.ED25519),
                                                new SpiralShape(
                                                        SpiralShape.Construction.ONE_LINK, 3),
                                                random)));
        scrub = newScrub();
        assertThat(store.createBucket(ALICE, BUCKET).name()).isEqualTo(BUCKET);
        for (int i = 0; i < 20; i++) {
            byte[] content = new byte[20_000 + i];
            Arrays.fill(content, BODY);
            put("key-" + i % 7, content);
        }
    }

    /** The damages that the audit log received. */
    private final List<String> told = new ArrayList<>();

    private Scrub newScrub() {
        return new Scrub(
                () -> List.of(new StoreCubes.Opened("default", 0, cube, store)),
                new ScrubConfig(INTERVAL, 1L << 40),
                new ScrubState(data),
                now::get,
                told::add);
    }

    @AfterEach
    void close() throws IOException {
        store.close();
        cube.close();
        data.close();
    }

    private void put(String key, byte[] content) throws IOException {
        ObjectAttributes attributes = ObjectAttributes.ofEtag("00000000000000000000000000000000");
        try (BlobWriter writer =
                store.newBody(BUCKET, new ObjectKey("any"), OptionalLong.of(content.length))) {
            writer.write(ByteBuffer.wrap(content));
            assertThat(
                            store.put(
                                            ALICE,
                                            BUCKET,
                                            new ObjectKey(key),
                                            writer.finish(),
                                            attributes,
                                            WriteCondition.NONE)
                                    .bytes())
                    .isEqualTo(content.length);
        }
    }

    /** Looks once, and returns the start of the last pass. */
    private static Optional<Instant> looked(Scrub scrub) throws IOException {
        scrub.look();
        assertThat(scrub.status().running()).isEmpty();
        return scrub.status().last().map(Pass::began);
    }

    @Test
    void isMadeOncePerIntervalWhateverRestarts() throws IOException {
        Instant first = now.get();
        assertThat(scrub.figures().lastBegan()).isEmpty();
        assertThat(looked(scrub)).contains(first);
        assertThat(scrub.figures().passes()).isEqualTo(1);
        assertThat(scrub.figures().bytes()).isGreaterThan(7 * 20_000);
        assertThat(scrub.status().last().orElseThrow().isSound()).isTrue();
        now.updateAndGet(before -> before.plus(INTERVAL).minusMillis(1));
        assertThat(looked(scrub)).contains(first);
        Scrub other = newScrub();
        assertThat(looked(other)).contains(first);
        assertThat(other.figures().passes()).isZero();
        assertThat(other.figures().lastBegan()).contains(first);
        now.updateAndGet(before -> before.plusMillis(1));
        assertThat(looked(other)).contains(now.get());
    }

    @Test
    void whatCannotBeReadOfTheLastPassIsForgotten() throws IOException {
        assertThat(looked(scrub)).isPresent();
        // Two bits differ: a single one would be put right.
        Files.delete(directory.resolve("data/scrub.mark.copy"));
        Path mark = directory.resolve("data/scrub.mark");
        Files.writeString(mark, Files.readString(mark).replace("problems 0", "problems 3"));
        Scrub other = newScrub();
        assertThat(other.status().last()).isEmpty();
        assertThat(looked(other)).contains(now.get());
        data.remember("scrub", Map.of("instant", "yesterday"));
        assertThat(newScrub().status().last()).isEmpty();
        // As versions wrote it that kept nothing else.
        data.remember("scrub", Map.of("instant", "2026-03-01T11:00:00Z"));
        assertThat(newScrub().status().last().orElseThrow().isSound()).isTrue();
    }

    @Test
    void isMadeWhenAskedFor() throws IOException {
        assertThat(looked(scrub)).contains(now.get());
        now.updateAndGet(before -> before.plusMillis(1));
        assertThat(scrub.begin()).isTrue();
        assertThat(scrub.begin()).isFalse();
        assertThat(looked(scrub)).contains(now.get());
        assertThat(scrub.begin()).isTrue();
    }

    @Test
    void findsWhatIsMissingInChains() throws IOException {
        long bucketId = store.bucket(BUCKET).orElseThrow().id();
        byte[] entry = RowKeys.entry(bucketId, new ObjectKey("key-1"), 1);
        assertThat(cube.commit(new Transaction().delete(Families.ENTRIES, entry)).join())
                .isPositive();
        scrub.look();
        Pass found = scrub.status().last().orElseThrow();
        assertThat(found.problems()).isZero();
        assertThat(found.findings()).isPositive();
        assertThat(scrub.figures().findings()).containsEntry("chain", found.findings());
        assertThat(found.found().getFirst()).startsWith("photos/key-1: entry 1");
        assertThat(newScrub().status().last()).contains(found);
    }

    @Test
    void findsBytesThatHaveChanged() throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("cube/segments"))) {
            files.filter(Files::isRegularFile).forEach(ScrubTest::flip);
        }
        scrub.look();
        Pass found = scrub.status().last().orElseThrow();
        assertThat(found.problems()).isPositive();
        assertThat(told).hasSize((int) found.problems());
        assertThat(scrub.figures().findings()).containsEntry("checksum", found.problems());
        // As many as there is room for are there after a restart; all are counted.
        Pass kept = newScrub().status().last().orElseThrow();
        assertThat(kept.problems()).isEqualTo(found.problems());
        assertThat(kept.found()).isNotEmpty().isSubsetOf(found.found());
    }

    /** Bodies are full of these; so one of them is in each chunk that is looked at. */
    private static void flip(Path segment) {
        try {
            byte[] bytes = Files.readAllBytes(segment);
            int run = 0;
            for (int at = bytes.length - 1; at >= 0; at--) {
                run = bytes[at] == BODY ? run + 1 : 0;
                // A signature has two of these by chance, and a damaged entry is another finding.
                if (run > 8) {
                    bytes[at] = 0;
                }
            }
            Files.write(segment, bytes);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aPassThatIsInterruptedIsNotCounted() throws IOException {
        Scrub stopped = newScrub();
        stopped.stop();
        assertThat(looked(stopped)).isEmpty();
        assertThat(looked(scrub)).contains(now.get());
    }
}
