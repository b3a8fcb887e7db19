package io.volute.server.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.keys.MasterKey;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SpiralShape;
import io.volute.server.s3.S3TestBed;
import io.volute.storage.Cube;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.Provenance;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.StoreOptions.ProvenanceSettings;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EntryUpkeepTest {
    private static final Caller CALLER = new Caller("a", "key", "actor");
    private static final BucketName BUCKET = new BucketName("bucket");
    private static final ObjectKey KEY = new ObjectKey("k");

    private final AtomicReference<Instant> now =
            new AtomicReference<>(Instant.parse("2026-03-01T12:00:00Z"));

    @TempDir Path directory;

    private static void put(VersionedStore store) throws IOException {
        try (var body = store.newBody(BUCKET, new ObjectKey("any"), OptionalLong.of(0))) {
            ObjectAttributes attributes =
                    ObjectAttributes.ofEtag("d41d8cd98f00b204e9800998ecf8427e");
            assertThat(
                            store.put(
                                            CALLER,
                                            BUCKET,
                                            KEY,
                                            body.finish(),
                                            attributes,
                                            WriteCondition.NONE)
                                    .latest())
                    .isTrue();
        }
    }

    private static long entries(Provenance provenance) throws IOException {
        long[] entries = new long[1];
        provenance.entries(BUCKET, KEY, each -> ++entries[0] > 0);
        return entries[0];
    }

    @Test
    void removesWhatIsOldAndRestsBetweenRounds() throws IOException {
        SecureRandom random = new SecureRandom();
        ProvenanceSettings settings =
                new ProvenanceSettings(
                                MasterKey.create(random, text -> {}),
                                Set.of(SignatureAlgorithm.ED25519),
                                new SpiralShape(SpiralShape.Construction.ONE_LINK, 3),
                                random)
                        .with(Duration.ofDays(30));
        try (Cube cube = S3TestBed.cube(directory.resolve("cube"), now::get);
                VersionedStore store =
                        ObjectStores.open(
                                StoreOptions.withoutHistory(
                                                cube, now::get, random, StoreOptions.Limits.S3)
                                        .with(settings))) {
            Provenance provenance = store.provenance().orElseThrow();
            assertThat(store.createBucket(CALLER, BUCKET).name()).isEqualTo(BUCKET);
            for (int i = 0; i < 40; i++) {
                put(store);
            }
            assertThat(provenance.checkpoint(() -> true).body().number()).isZero();
            EntryUpkeep upkeep = new EntryUpkeep(provenance, Duration.ofDays(30), now::get);
            upkeep.look();
            assertThat(entries(provenance)).isEqualTo(40);
            now.updateAndGet(before -> before.plus(Duration.ofDays(31)));
            put(store);
            upkeep.look();
            // The last 8, and the entry that records the removal of the others.
            assertThat(entries(provenance)).isEqualTo(9);
            for (int i = 0; i < 40; i++) {
                put(store);
            }
            assertThat(provenance.checkpoint(() -> true).body().number()).isEqualTo(1);
            upkeep.look();
            assertThat(entries(provenance)).isEqualTo(49);
        }
    }
}
