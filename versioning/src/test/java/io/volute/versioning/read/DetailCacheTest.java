package io.volute.versioning.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.Place;
import io.volute.storage.StoredRecord;
import io.volute.versioning.FakeCube;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Details of rows that stay in memory. */
final class DetailCacheTest extends StoreFixture {
    /** Too long for its row, whose detail would be read with it. */
    private static final String BODY = "body".repeat(100);

    private int reads;

    private byte[] read(DetailCache cache, long sequence, int bytes) throws IOException {
        StoredRecord record =
                new StoredRecord(sequence, new Place(1, 1, 1), new byte[0], bytes, List.of());
        return cache.detail(
                record,
                () -> {
                    reads++;
                    byte[] detail = new byte[bytes];
                    detail[0] = (byte) sequence;
                    return detail;
                });
    }

    @Test
    void aDetailIsReadOnce() throws IOException {
        DetailCache cache = DetailCache.create();
        for (int round = 0; round < 3; round++) {
            assertThat(read(cache, 1, 100)[0]).isEqualTo((byte) 1);
            assertThat(read(cache, 2, 100)[0]).isEqualTo((byte) 2);
        }
        assertThat(reads).isEqualTo(2);
    }

    /** The newer one takes the slot of the older one. */
    @Test
    void detailsReplaceEachOther() throws IOException {
        DetailCache cache = DetailCache.create();
        for (long sequence = 0; sequence < 100_000; sequence++) {
            assertThat(read(cache, sequence, 1)[0]).isEqualTo((byte) sequence);
            assertThat(read(cache, sequence / 2, 1)[0]).isEqualTo((byte) (sequence / 2));
        }
    }

    @Test
    void aLongDetailIsNotKept() throws IOException {
        DetailCache cache = DetailCache.create();
        for (int round = 0; round < 3; round++) {
            assertThat(read(cache, 1, 513)).hasSize(513);
        }
        assertThat(reads).isEqualTo(3);
    }

    @Test
    void aReadOfTheNewestObjectReadsItsAttributesOnce() throws IOException {
        Map<String, String> first = Map.of("long", "1".repeat(200));
        ObjectVersion written = putWith(first);
        long before = details();
        for (int round = 0; round < 3; round++) {
            assertThat(get("a")).isEqualTo(BODY);
            assertThat(head("a").orElseThrow().attributes().userMetadata()).isEqualTo(first);
        }
        assertThat(details() - before).isEqualTo(1);
        Map<String, String> second = Map.of("long", "2".repeat(200));
        assertThat(putWith(second).number()).isGreaterThan(written.number());
        assertThat(head("a").orElseThrow().attributes().userMetadata()).isEqualTo(second);
    }

    private long details() {
        return ((FakeCube) cube).details();
    }

    private ObjectVersion putWith(Map<String, String> metadata) throws IOException {
        ObjectAttributes attributes =
                new ObjectAttributes(
                        "5d41402abc4b2a76b9719d911017c592",
                        new TreeMap<>(),
                        new TreeMap<>(metadata),
                        new TreeMap<>(),
                        Optional.empty());
        return store.put(ALICE, BUCKET, key("a"), body(BODY), attributes, WriteCondition.NONE);
    }
}
