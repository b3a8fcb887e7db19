package io.volute.versioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.BlobReader;
import io.volute.storage.Cube;
import io.volute.storage.DamagedException;
import io.volute.storage.Transaction;
import io.volute.versioning.Damages.Repaired;
import io.volute.versioning.Damages.Source;
import io.volute.versioning.Damages.State;
import io.volute.versioning.ObjectStore.PartChoice;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Repair from a replica, which may be somebody else's: other bytes are never written. */
class ReplicaRepairTest extends StoreFixture {
    private static final long RATE = 1L << 50;

    @TempDir Path directory;

    @Override
    protected Cube openCube() throws IOException {
        return DiskCubes.open(directory);
    }

    private static String text(int bytes, long seed) {
        Random random = new Random(seed);
        StringBuilder text = new StringBuilder();
        while (text.length() < bytes) {
            text.append((char) ('a' + random.nextInt(26)));
        }
        return text.toString();
    }

    private State state(String key) {
        return store.damages().states(BUCKET, key(key), Optional.empty()).getFirst();
    }

    private Repaired repair(String key, Source.OfReplica replica) throws IOException {
        return store.damages().repair(state(key), replica);
    }

    private static Source.OfReplica of(String text) {
        return state -> new FakeReader(utf8(text), List.of());
    }

    private void assertDamaged(String key) {
        assertThatThrownBy(() -> get(key)).isInstanceOf(DamagedException.class);
    }

    /** In the record, in an entry of its own, in chunks. */
    @ParameterizedTest
    @ValueSource(ints = {60, 400, 900})
    void theSameBytesArePutBackAndOthersAreNot(int bytes) throws IOException {
        String text = text(bytes, 1);
        ObjectVersion before = put("k", text);
        put("other", text(bytes, 2));
        StoredBytes.flip(directory, utf8(text), bytes / 2);
        assertDamaged("k");
        String forged = text.substring(0, bytes / 2) + "0" + text.substring(bytes / 2 + 1);
        for (String wrong : List.of(forged, text(bytes, 2), text + "x", text.substring(1), "")) {
            Repaired refused = repair("k", of(wrong));
            assertThat(refused.left()).as(wrong).isEqualTo(refused.damaged()).isPositive();
            assertThat(refused.words()).isNotEmpty();
            assertDamaged("k");
        }
        Repaired none =
                repair(
                        "k",
                        state -> {
                            throw new IOException("nobody is there");
                        });
        assertThat(none.left()).isPositive();
        assertThat(none.words()).isEqualTo("nobody is there");
        Repaired done = repair("k", of(text));
        assertThat(done.left()).as(done.words()).isZero();
        assertThat(done.verified()).isEqualTo("MD5");
        assertThat(get("k")).isEqualTo(text);
        assertThat(head("k")).contains(before);
        assertThat(cube.check(RATE, progress -> true).isSound()).isTrue();
        assertThat(repair("k", of(forged)).damaged()).as("a sound one").isZero();
        assertThat(get("k")).isEqualTo(text);
    }

    /** Gives the right bytes to be verified, and others to be written. */
    @Test
    void aReplicaThatChangesItsBytesIsRefused() throws IOException {
        String text = text(900, 3);
        put("k", text);
        StoredBytes.flip(directory, utf8(text), 700);
        AtomicInteger readings = new AtomicInteger();
        FakeReader right = new FakeReader(utf8(text), List.of());
        FakeReader wrong = new FakeReader(utf8(text(900, 4)), List.of());
        BlobReader changing =
                new BlobReader() {
                    @Override
                    public long bytes() {
                        return right.bytes();
                    }

                    @Override
                    public List<Transaction.Part> parts() {
                        return List.of();
                    }

                    @Override
                    public int bufferBytes(long offset) {
                        return right.bufferBytes(offset);
                    }

                    @Override
                    public void read(long offset, long endOffset, ByteBuffer target) {
                        boolean isFirst = readings.incrementAndGet() == 1;
                        (isFirst ? right : wrong).read(offset, endOffset, target);
                    }

                    @Override
                    public void close() {}
                };
        Repaired refused = repair("k", state -> changing);
        assertThat(refused.left()).isEqualTo(1);
        assertThat(refused.words()).isEqualTo("the replica gives other bytes each time");
        assertDamaged("k");
    }

    private static String etag(List<String> parts) throws Exception {
        MessageDigest all = MessageDigest.getInstance("MD5");
        for (String each : parts) {
            all.update(MessageDigest.getInstance("MD5").digest(utf8(each)));
        }
        return String.format("%032x-%d", new BigInteger(1, all.digest()), parts.size());
    }

    /** The ETag of the parts verifies them if nothing is signed. */
    @Test
    void partsAreVerifiedByTheirEtag() throws Exception {
        List<String> parts = List.of(text(800, 5), text(700, 6));
        String upload = createUpload("k");
        String etag = etag(parts);
        List<PartChoice> choices =
                List.of(
                        new PartChoice(1, md5(parts.get(0)), Optional.empty()),
                        new PartChoice(2, md5(parts.get(1)), Optional.empty()));
        for (int i = 0; i < parts.size(); i++) {
            putPart("k", upload, i + 1, parts.get(i));
        }
        ObjectVersion unused =
                store.completeUpload(
                        ALICE,
                        BUCKET,
                        key("k"),
                        upload,
                        choices,
                        (info, chosen) ->
                                new ObjectAttributes(
                                        etag,
                                        new TreeMap<>(),
                                        new TreeMap<>(),
                                        new TreeMap<>(),
                                        Optional.empty()),
                        WriteCondition.NONE);
        StoredBytes.flip(directory, utf8(parts.get(1)), 300);
        assertDamaged("k");
        String whole = parts.get(0) + parts.get(1);
        Repaired refused = repair("k", of(whole.substring(0, 800) + text(700, 7)));
        assertThat(refused.left()).isPositive();
        assertThat(refused.words()).contains("is not that of this version");
        Repaired done = repair("k", of(whole));
        assertThat(done.left()).as(done.words()).isZero();
        assertThat(get("k")).isEqualTo(whole);
    }
}
