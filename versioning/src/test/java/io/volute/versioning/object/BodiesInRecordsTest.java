package io.volute.versioning.object;

import static io.volute.versioning.rows.Families.CURRENT;
import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.volute.storage.BlobReader;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.versioning.ObjectStore.Source;
import io.volute.versioning.Signing;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.TestKeys;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Bodies that lie in the record of their object, beside others that lie in blobs. */
class BodiesInRecordsTest extends StoreFixture {
    private static final String SMALL = "0123456789";
    private static final String GREAT = SMALL + "a";

    private int most = SMALL.length();

    @Override
    public int recordBodyBytesMax() {
        return most;
    }

    @Override
    public StoreOptions options(StoreOptions usual) {
        return usual.with(TestKeys.settings());
    }

    private int detailBytes(String key) throws IOException {
        long bucket = store.bucket(BUCKET).orElseThrow().id();
        return cube.get(CURRENT, RowKeys.current(bucket, key(key))).orElseThrow().detailBytes();
    }

    @Test
    void upToTheLimitThereIsNoBlob() throws IOException {
        put("empty", "");
        put("small", SMALL);
        assertLiveBlobs(0);
        assertThat(detailBytes("small")).isEqualTo(SMALL.length());
        put("great", GREAT);
        assertLiveBlobs(1);
        assertThat(detailBytes("great")).isZero();
        assertThat(get("empty")).isEmpty();
        assertThat(get("small")).isEqualTo(SMALL);
        assertThat(get("great")).isEqualTo(GREAT);
        put("great", SMALL);
        assertLiveBlobs(0);
        assertThat(get("great")).isEqualTo(SMALL);
    }

    @Test
    void rangesAreReadAsOfABlob() throws IOException {
        put("a", SMALL);
        try (BlobReader reader = store.open(ALICE, BUCKET, key("a"), LATEST).reader()) {
            assertThat(reader.parts()).isEmpty();
            for (int from = 0; from < SMALL.length(); from++) {
                for (int to = from + 1; to <= SMALL.length(); to++) {
                    ByteBuffer target = ByteBuffer.allocateDirect(reader.bufferBytes(from));
                    reader.read(from, to, target);
                    assertThat(target).isEqualTo(ByteBuffer.wrap(utf8(SMALL.substring(from, to))));
                }
            }
        }
    }

    @Test
    void whoReadsKeepsTheBytesWhenTheyAreReplaced() throws IOException {
        put("a", SMALL);
        try (BlobReader reader = store.open(ALICE, BUCKET, key("a"), LATEST).reader()) {
            put("a", GREAT);
            assertThat(content(reader)).isEqualTo(SMALL);
        }
    }

    /** Extras that exceed the summary share the detail with the body. */
    @Test
    void staysWithTagsAndHeadersHoweverLong() throws IOException {
        put("a", SMALL);
        for (int length : new int[] {1, 200}) {
            Map<String, String> tags = Map.of("tag", "x".repeat(length));
            assertThat(store.setTags(ALICE, BUCKET, key("a"), LATEST, tags).attributes().tags())
                    .isEqualTo(tags);
            assertThat(head("a").orElseThrow().attributes().tags()).isEqualTo(tags);
            assertThat(head("a").orElseThrow().attributes().headers())
                    .containsEntry("content-type", "text/plain");
            assertThat(get("a")).isEqualTo(SMALL);
        }
        store.setTags(ALICE, BUCKET, key("a"), LATEST, Map.of());
        assertThat(get("a")).isEqualTo(SMALL);
        assertLiveBlobs(0);
    }

    @Test
    void versionsComeAndGoWithIt() throws IOException {
        versioning(VersioningState.ENABLED);
        ObjectVersion first = put("a", SMALL);
        ObjectVersion second = put("a", GREAT);
        ObjectVersion third = put("a", "third");
        assertLiveBlobs(1);
        assertThat(get("a", number(first))).isEqualTo(SMALL);
        assertThat(get("a", number(second))).isEqualTo(GREAT);
        assertThat(delete("a", number(third)).version()).isPresent();
        assertThat(get("a")).isEqualTo(GREAT);
        assertThat(delete("a", number(second)).version()).isPresent();
        assertThat(get("a")).as("returned from behind").isEqualTo(SMALL);
        assertLiveBlobs(0);
    }

    @Test
    void copiesHaveTheirOwn() throws IOException {
        put("a", SMALL);
        ObjectAttributes other =
                new ObjectAttributes(
                        md5(SMALL),
                        new TreeMap<>(),
                        new TreeMap<>(Map.of("long", "y".repeat(150))),
                        new TreeMap<>(),
                        Optional.empty());
        for (String target : List.of("b", "a")) {
            store.copy(
                    ALICE,
                    new Source(BUCKET, key("a"), LATEST),
                    BUCKET,
                    key(target),
                    version -> {},
                    version -> other,
                    WriteCondition.NONE);
            assertThat(get(target)).isEqualTo(SMALL);
            assertThat(head(target).orElseThrow().attributes()).isEqualTo(other);
        }
        delete("a");
        assertThat(get("b")).isEqualTo(SMALL);
    }

    /** Objects that were written under one limit are readable under another. */
    @Test
    void theLimitMayChange() throws IOException {
        put("a", SMALL);
        put("b", GREAT);
        for (int limit : new int[] {0, 100}) {
            most = limit;
            store = reopen();
            assertThat(get("a")).isEqualTo(SMALL);
            assertThat(get("b")).isEqualTo(GREAT);
        }
        put("b", GREAT);
        assertLiveBlobs(0);
        assertThat(get("b")).isEqualTo(GREAT);
    }

    @Test
    void anAuditComparesIt() throws IOException {
        put("a", SMALL);
        put("b", "");
        assertThat(Signing.findings(store)).isEmpty();
        for (String forged : List.of("0123456780", SMALL.substring(1), "")) {
            long bucket = store.bucket(BUCKET).orElseThrow().id();
            byte[] row = RowKeys.current(bucket, key("a"));
            StoredRecord record = cube.get(CURRENT, row).orElseThrow();
            Transaction change =
                    new Transaction().put(CURRENT, row, record.summary(), utf8(forged), List.of());
            assertThat(cube.commit(change).join()).isPositive();
            assertThat(Signing.findings(store))
                    .singleElement(as(STRING))
                    .contains("photos/a", "the content was changed without an entry");
        }
    }
}
