package io.volute.versioning;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The policies and configurations of buckets: in rows, and in the heap only while needed. */
class BucketTextsTest extends StoreFixture {
    private static final String LONG = "a".repeat(1_400_000);

    private void set(BucketDocument document, String text) throws IOException {
        store.settings().setDocument(BUCKET, document, Optional.of(text));
    }

    private BucketInfo bucket() {
        return store.bucket(BUCKET).orElseThrow();
    }

    /** A text that the bucket itself keeps would be the same object again. */
    @Test
    void aTextLeavesTheHeapWhenOthersAreRead() throws IOException {
        set(BucketDocument.CORS, "one");
        BucketInfo.Text text = bucket().documents().get(BucketDocument.CORS);
        String first = text.text();
        assertThat(text.text()).isSameAs(first);
        for (int i = 0; i < 12; i++) {
            set(BucketDocument.LIFECYCLE, i + LONG);
            assertThat(bucket().document(BucketDocument.LIFECYCLE)).contains(i + LONG);
        }
        assertThat(text.text()).isEqualTo(first).isNotSameAs(first);
    }

    @Test
    void theTextsOfABucketAreThoseOfItsState() throws IOException {
        set(BucketDocument.CORS, "one");
        BucketInfo one = bucket();
        set(BucketDocument.CORS, "two");
        set(BucketDocument.TAGGING, "tags");
        BucketInfo two = bucket();
        store.settings().setAccess(BUCKET, access -> access.withPolicy(Optional.of("policy")));
        store.settings().setDocument(BUCKET, BucketDocument.CORS, Optional.empty());
        assertThat(one.document(BucketDocument.CORS)).contains("one");
        assertThat(one.document(BucketDocument.TAGGING)).isEmpty();
        assertThat(two.document(BucketDocument.CORS)).contains("two");
        assertThat(two.access().policy()).isEmpty();
        assertThat(bucket().access().policy()).contains("policy");
        assertThat(bucket().has(BucketDocument.CORS)).isFalse();
        assertThat(bucket().document(BucketDocument.TAGGING)).contains("tags");
        BucketInfo last = bucket();
        store.deleteBucket(ALICE, BUCKET);
        assertThat(last.access().policy()).contains("policy");
        assertThat(one.document(BucketDocument.CORS)).contains("one");
        BucketInfo again = store.createBucket(ALICE, BUCKET);
        assertThat(again.access().policy()).isEmpty();
        assertThat(last.access().policy()).contains("policy");
    }

    @Test
    void equalTextsChangeNothing() throws IOException {
        set(BucketDocument.CORS, "one");
        long sequence = cube.lastSequence();
        set(BucketDocument.CORS, "one");
        assertThat(cube.lastSequence()).isEqualTo(sequence);
        assertThat(bucket()).isEqualTo(reopen().bucket(BUCKET).orElseThrow());
    }

    @Test
    void allTextsTogetherAreBounded() throws IOException {
        String half = "a".repeat((int) (StoreOptions.Limits.BUCKET_TEXT_BYTES_MAX / 2));
        set(BucketDocument.CORS, half);
        set(BucketDocument.LIFECYCLE, half);
        refused(Reason.TEXTS_TOO_LONG, () -> set(BucketDocument.TAGGING, "a"));
        refused(
                Reason.TEXTS_TOO_LONG,
                () ->
                        store.settings()
                                .setAccess(BUCKET, access -> access.withPolicy(Optional.of("p"))));
        set(BucketDocument.LIFECYCLE, half.substring(1));
        set(BucketDocument.TAGGING, "a");
        store.createBucket(ALICE, new BucketName("two"), false, Map.of(BucketDocument.CORS, half));
        refused(
                Reason.TEXTS_TOO_LONG,
                () ->
                        store.createBucket(
                                ALICE,
                                new BucketName("three"),
                                false,
                                Map.of(BucketDocument.CORS, half + half + "a")));
    }
}
