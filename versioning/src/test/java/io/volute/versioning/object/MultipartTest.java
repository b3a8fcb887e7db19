package io.volute.versioning.object;

import static io.volute.versioning.value.BucketInfo.VersioningState.ENABLED;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.BlobReader;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.Listing.PartPage;
import io.volute.versioning.ObjectReader.OpenObject;
import io.volute.versioning.ObjectStore.PartChoice;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.rows.Families;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectAttributes.Algorithm;
import io.volute.versioning.value.ObjectAttributes.Checksum;
import io.volute.versioning.value.ObjectAttributes.Type;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Multipart uploads: parts, completion, abortion, limits. */
class MultipartTest extends StoreFixture {
    private static final String LONG = "0123456789";

    private static PartChoice choice(int number, String text) {
        return new PartChoice(number, md5(text), Optional.empty());
    }

    private ObjectVersion complete(String key, String uploadId, PartChoice... choices)
            throws IOException {
        return complete(key, uploadId, WriteCondition.NONE, choices);
    }

    private ObjectVersion complete(
            String key, String uploadId, WriteCondition condition, PartChoice... choices)
            throws IOException {
        return store.completeUpload(
                ALICE,
                BUCKET,
                key(key),
                uploadId,
                List.of(choices),
                (upload, chosen) ->
                        new ObjectAttributes(
                                md5("whole") + "-" + chosen.size(),
                                upload.attributes().headers(),
                                upload.attributes().userMetadata(),
                                new TreeMap<>(),
                                Optional.empty()),
                condition);
    }

    @Test
    void completionJoinsTheChosenPartsInOneCommit() throws IOException {
        String upload = createUpload("m");
        putPart("m", upload, 1, LONG);
        putPart("m", upload, 3, "abcdefghij");
        putPart("m", upload, 7, "end");
        putPart("m", upload, 9, "unused");
        assertThat(head("m")).isEmpty();
        long before = cube.stats().commits();
        ObjectVersion version =
                complete("m", upload, choice(1, LONG), choice(3, "abcdefghij"), choice(7, "end"));
        assertThat(cube.stats().commits() - before).isEqualTo(1);
        assertThat(version.bytes()).isEqualTo(23);
        assertThat(version.parts()).isEqualTo(3);
        assertThat(get("m")).isEqualTo(LONG + "abcdefghijend");
        assertThat(head("m")).contains(version);
        assertThat(version.attributes().etag()).endsWith("-3");
        assertThat(version.attributes().userMetadata()).containsEntry("camera", "left");
        assertThat(rows(Families.UPLOADS)).isZero();
        assertThat(rows(Families.PARTS)).isZero();
        // Three parts and the object.
        assertLiveBlobs(4);
        delete("m");
        assertLiveBlobs(0);
    }

    @Test
    void partsOfAnObjectKeepTheirNumbers() throws IOException {
        String upload = createUpload("m");
        PartInfo first = putPart("m", upload, 2, LONG);
        PartInfo second = putPart("m", upload, 5, "end");
        ObjectVersion version = complete("m", upload, choice(2, LONG), choice(5, "end"));
        assertThat(store.parts(ALICE, BUCKET, version)).containsExactly(first, second);
        OpenObject object = store.open(ALICE, BUCKET, key("m"), LATEST);
        try (BlobReader reader = object.reader()) {
            assertThat(ObjectStores.partsOf(object)).containsExactly(first, second);
            assertThat(reader.parts()).hasSize(2);
        }
        assertThat(store.parts(ALICE, BUCKET, put("single", "x"))).isEmpty();
    }

    @Test
    void onePartMakesAMultipartObject() throws IOException {
        String upload = createUpload("m");
        putPart("m", upload, 1, "x");
        ObjectVersion version = complete("m", upload, choice(1, "x"));
        assertThat(version.parts()).isEqualTo(1);
        assertThat(head("m").orElseThrow().attributes().etag()).endsWith("-1");
        assertThat(store.parts(ALICE, BUCKET, version)).hasSize(1);
    }

    @Test
    void aPartUploadedAgainReplacesTheFirst() throws IOException {
        String upload = createUpload("m");
        putPart("m", upload, 1, "first try");
        putPart("m", upload, 1, "again");
        assertLiveBlobs(1);
        refused(Reason.INVALID_PART, () -> complete("m", upload, choice(1, "first try")));
        complete("m", upload, choice(1, "again"));
        assertThat(get("m")).isEqualTo("again");
    }

    @Test
    void completionChecksItsParts() throws IOException {
        String upload = createUpload("m");
        putPart("m", upload, 1, LONG);
        putPart("m", upload, 2, "short");
        putPart("m", upload, 3, LONG);
        refused(Reason.INVALID_PART, () -> complete("m", upload, choice(4, LONG)));
        refused(Reason.INVALID_PART, () -> complete("m", upload, choice(1, "other")));
        refused(
                Reason.INVALID_PART_ORDER,
                () -> complete("m", upload, choice(3, LONG), choice(1, LONG)));
        refused(
                Reason.INVALID_PART_ORDER,
                () -> complete("m", upload, choice(1, LONG), choice(1, LONG)));
        refused(
                Reason.PART_TOO_SMALL,
                () -> complete("m", upload, choice(2, "short"), choice(3, LONG)));
        refused(Reason.INVALID_ARGUMENT, () -> complete("m", upload));
        complete(
                "m",
                upload,
                new PartChoice(1, '"' + md5(LONG) + '"', Optional.empty()),
                choice(2, "short"));
        assertThat(get("m")).isEqualTo(LONG + "short");
    }

    @Test
    void checksumsOfChoicesMustBeTheStoredOnes() throws IOException {
        String upload = createUpload("m");
        Checksum stored = new Checksum(Algorithm.CRC32, Type.FULL_OBJECT, "AAAAAA==");
        Checksum other = new Checksum(Algorithm.CRC32, Type.FULL_OBJECT, "AAAAAQ==");
        PartInfo part = new PartInfo(1, 0, md5("x"), Instant.EPOCH, Optional.of(stored));
        assertThat(store.putPart(ALICE, BUCKET, key("m"), upload, part, body("x")).checksum())
                .contains(stored);
        refused(
                Reason.INVALID_PART,
                () -> complete("m", upload, new PartChoice(1, md5("x"), Optional.of(other))));
        complete("m", upload, new PartChoice(1, md5("x"), Optional.of(stored)));
    }

    @Test
    void conditionsHoldAtCompletion() throws IOException {
        String upload = createUpload("m");
        putPart("m", upload, 1, "x");
        put("m", "in between");
        refused(
                Reason.PRECONDITION_FAILED,
                () -> complete("m", upload, new WriteCondition.IfAbsent(), choice(1, "x")));
        complete("m", upload, new WriteCondition.IfMatch(md5("in between")), choice(1, "x"));
        assertThat(get("m")).isEqualTo("x");
    }

    @Test
    void completingAgainGivesTheSameAnswerWhileTheObjectIsCurrent() throws IOException {
        versioning(ENABLED);
        String upload = createUpload("m");
        putPart("m", upload, 1, LONG);
        putPart("m", upload, 2, "x");
        ObjectVersion version = complete("m", upload, choice(1, LONG), choice(2, "x"));
        assertThat(complete("m", upload, choice(1, LONG), choice(2, "x"))).isEqualTo(version);
        refused(Reason.NO_SUCH_UPLOAD, () -> complete("m", upload, choice(1, LONG)));
        refused(
                Reason.NO_SUCH_UPLOAD,
                () -> complete("m", upload, choice(1, LONG), choice(2, "y")));
        assertThat(chain()).containsExactly("m id*");
        put("m", "newer");
        refused(
                Reason.NO_SUCH_UPLOAD,
                () -> complete("m", upload, choice(1, LONG), choice(2, "x")));
    }

    @Test
    void abortTakesThePartsAway() throws IOException {
        String upload = createUpload("m");
        putPart("m", upload, 1, LONG);
        store.abortUpload(ALICE, BUCKET, key("m"), upload);
        assertLiveBlobs(0);
        refused(Reason.NO_SUCH_UPLOAD, () -> store.abortUpload(ALICE, BUCKET, key("m"), upload));
        refused(Reason.NO_SUCH_UPLOAD, () -> putPart("m", upload, 1, LONG));
        refused(Reason.NO_SUCH_UPLOAD, () -> complete("m", upload, choice(1, LONG)));
        refused(
                Reason.NO_SUCH_UPLOAD,
                () -> store.listParts(ALICE, BUCKET, key("m"), upload, OptionalInt.empty(), 9));
    }

    @Test
    void uploadIdsBelongToTheirKeyAndCannotBeMadeUp() throws IOException {
        String upload = createUpload("m");
        assertThat(store.upload(ALICE, BUCKET, key("m"), upload).key()).isEqualTo(key("m"));
        refused(Reason.NO_SUCH_UPLOAD, () -> store.upload(ALICE, BUCKET, key("n"), upload));
        char last = upload.charAt(upload.length() - 1);
        String guessed = upload.substring(0, upload.length() - 1) + (last == '0' ? '1' : '0');
        refused(Reason.NO_SUCH_UPLOAD, () -> store.upload(ALICE, BUCKET, key("m"), guessed));
        refused(Reason.NO_SUCH_UPLOAD, () -> store.upload(ALICE, BUCKET, key("m"), "x"));
        assertThat(createUpload("m")).as("ids sort by initiation").isGreaterThan(upload);
    }

    @Test
    void uploadRemembersWhatTheObjectWillCarry() throws IOException {
        String upload = createUpload("m");
        ObjectAttributes attributes = store.upload(ALICE, BUCKET, key("m"), upload).attributes();
        assertThat(attributes).isEqualTo(uploadAttributes());
        store.close();
        store = reopen();
        assertThat(store.upload(ALICE, BUCKET, key("m"), upload).attributes())
                .isEqualTo(attributes);
    }

    @Test
    void sizesAndNumbersAreBounded() throws IOException {
        String upload = createUpload("m");
        String big = "x".repeat(1000);
        putPart("m", upload, 1, big);
        putPart("m", upload, 2, big);
        putPart("m", upload, 10_000, "y");
        refused(Reason.INVALID_ARGUMENT, () -> putPart("m", upload, 0, LONG));
        refused(Reason.INVALID_ARGUMENT, () -> putPart("m", upload, 10_001, LONG));
        refused(
                Reason.OBJECT_TOO_LARGE,
                () -> complete("m", upload, choice(1, big), choice(2, big), choice(10_000, "y")));
        refused(
                Reason.OBJECT_TOO_LARGE,
                () -> store.newBody(BUCKET, new ObjectKey("any"), OptionalLong.of(1001)));
    }

    @Test
    void bodiesOfUnknownLengthAreBoundedWhenTheyArePut() throws IOException {
        String upload = createUpload("m");
        var writer = store.newBody(BUCKET, new ObjectKey("any"), OptionalLong.empty());
        writer.write(java.nio.ByteBuffer.allocate(1001));
        var tooLong = writer.finish();
        refused(
                Reason.OBJECT_TOO_LARGE,
                () ->
                        store.put(
                                ALICE,
                                BUCKET,
                                key("a"),
                                tooLong,
                                attributes("a"),
                                WriteCondition.NONE));
        PartInfo part = new PartInfo(1, 0, md5("x"), Instant.EPOCH, Optional.empty());
        refused(
                Reason.OBJECT_TOO_LARGE,
                () -> store.putPart(ALICE, BUCKET, key("m"), upload, part, tooLong));
    }

    @Test
    void partsAreListedInPages() throws IOException {
        String upload = createUpload("m");
        List<Integer> numbers = List.of(1, 2, 255, 256, 9_999, 10_000);
        for (int number : numbers) {
            putPart("m", upload, number, "part " + number);
        }
        for (int max = 1; max <= 7; max++) {
            List<Integer> listed = new ArrayList<>();
            OptionalInt after = OptionalInt.empty();
            PartPage page;
            do {
                page = store.listParts(ALICE, BUCKET, key("m"), upload, after, max);
                page.parts().forEach(part -> listed.add(part.number()));
                after = page.nextPartNumber().map(OptionalInt::of).orElse(OptionalInt.empty());
            } while (after.isPresent());
            assertThat(listed).isEqualTo(numbers);
        }
        PartPage none = store.listParts(ALICE, BUCKET, key("m"), upload, OptionalInt.of(10_000), 5);
        assertThat(none.parts()).isEmpty();
        PartPage zero = store.listParts(ALICE, BUCKET, key("m"), upload, OptionalInt.empty(), 0);
        assertThat(zero.parts()).isEmpty();
        assertThat(zero.nextPartNumber()).isEmpty();
    }
}
