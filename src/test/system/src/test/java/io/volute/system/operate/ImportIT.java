package io.volute.system.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.json.Json;
import io.volute.system.Clients;
import io.volute.system.ServerProcess;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteCommand;
import io.volute.system.VoluteCommand.Said;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.BucketCannedACL;
import software.amazon.awssdk.services.s3.model.BucketVersioningStatus;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.ChecksumMode;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.ObjectCannedACL;
import software.amazon.awssdk.services.s3.model.ObjectLockLegalHoldStatus;
import software.amazon.awssdk.services.s3.model.ObjectLockMode;
import software.amazon.awssdk.services.s3.model.ObjectOwnership;
import software.amazon.awssdk.services.s3.model.Tag;

/** Imports buckets of one server into another one, and compares both. */
class ImportIT {
    private static final int PART_BYTES = 5 * 1024 * 1024;
    private static final String ID = "x-volute-source-version-id";

    /** Two servers: a source with buckets, and an empty target. */
    private record Pair(ServerProcess from, ServerProcess to, Store source, Store target)
            implements AutoCloseable {
        static Pair start(TemporaryStore one, TemporaryStore other) {
            ServerProcess from = ServerProcess.start(one);
            ServerProcess to = ServerProcess.start(other);
            return new Pair(from, to, store(from), store(to));
        }

        private static Store store(ServerProcess server) {
            return new Store(server.endpoint(), Clients.once(server.endpoint()));
        }

        Said run(String... arguments) throws Exception {
            List<String> all = new ArrayList<>(List.of("import"));
            all.addAll(List.of(arguments));
            all.addAll(List.of("--from-endpoint", from.endpoint().toString()));
            return VoluteCommand.runWithSource(to, all);
        }

        String done(String... arguments) throws Exception {
            Said said = run(arguments);
            assertThat(said.code()).as(said.text() + to.log()).isZero();
            return said.text();
        }

        @Override
        public void close() {
            source.s3().close();
            target.s3().close();
            from.close();
            to.close();
        }
    }

    /** All that a client sees of a bucket, by key: its versions, the oldest first. */
    private static Map<String, List<String>> seen(S3Client s3, String bucket) {
        Map<String, List<String>> seen = new TreeMap<>();
        s3.listObjectVersionsPaginator(list -> list.bucket(bucket))
                .versions()
                .forEach(
                        each ->
                                seen.computeIfAbsent(each.key(), key -> new ArrayList<>())
                                        .addFirst(seen(s3, bucket, each.key(), each.versionId())));
        s3.listObjectVersionsPaginator(list -> list.bucket(bucket))
                .deleteMarkers()
                .forEach(
                        each ->
                                seen.computeIfAbsent(each.key(), key -> new ArrayList<>())
                                        .add("marker, latest " + each.isLatest()));
        return seen;
    }

    private static String seen(S3Client s3, String bucket, String key, String id) {
        ResponseBytes<GetObjectResponse> found =
                s3.getObjectAsBytes(
                        get ->
                                get.bucket(bucket)
                                        .key(key)
                                        .versionId(id)
                                        .checksumMode(ChecksumMode.ENABLED));
        GetObjectResponse head = found.response();
        String tags =
                s3
                        .getObjectTagging(get -> get.bucket(bucket).key(key).versionId(id))
                        .tagSet()
                        .stream()
                        .map(Tag::toString)
                        .sorted()
                        .collect(Collectors.joining());
        return String.join(
                "|",
                head.eTag(),
                head.contentType(),
                head.cacheControl(),
                head.contentEncoding(),
                head.contentDisposition(),
                head.contentLanguage(),
                head.expiresString(),
                head.checksumCRC32(),
                head.checksumSHA256(),
                head.objectLockModeAsString(),
                String.valueOf(head.objectLockRetainUntilDate()),
                head.objectLockLegalHoldStatusAsString(),
                new TreeMap<>(head.metadata()).toString(),
                tags,
                Integer.toString(Arrays.hashCode(found.asByteArray())));
    }

    private static void assertSame(Pair pair, String bucket) {
        assertThat(seen(pair.target().s3(), bucket)).isEqualTo(seen(pair.source().s3(), bucket));
    }

    private static void fill(Store store, String bucket) {
        S3Client s3 = store.s3();
        store.createVersioned(bucket);
        for (int i = 0; i < 60; i++) {
            String key = "a b/" + i % 20 + "+&=\u00fc";
            String number = Integer.toString(i);
            s3.putObject(
                    put ->
                            put.bucket(bucket)
                                    .key(key)
                                    .contentType("text/x-" + number)
                                    .cacheControl("max-age=" + number)
                                    .contentEncoding("gzip")
                                    .contentDisposition("attachment; filename=\"" + number + "\"")
                                    .contentLanguage("de")
                                    .metadata(Map.of("number", number))
                                    .tagging("number=" + number + "&class=a%2Bb")
                                    .checksumAlgorithm(
                                            Integer.parseInt(number) % 2 == 0
                                                    ? ChecksumAlgorithm.CRC32
                                                    : ChecksumAlgorithm.SHA256),
                    RequestBody.fromString("content " + number));
        }
        store.put(bucket, "deleted", "once");
        s3.deleteObject(delete -> delete.bucket(bucket).key("deleted"));
        store.put(bucket, "back", "once");
        s3.deleteObject(delete -> delete.bucket(bucket).key("back"));
        store.put(bucket, "back", "again");
        store.put(bucket, "empty", "");
        String upload =
                s3.createMultipartUpload(create -> create.bucket(bucket).key("big")).uploadId();
        List<CompletedPart> parts = new ArrayList<>();
        for (int number = 1; number <= 2; number++) {
            int part = number;
            String etag =
                    s3.uploadPart(
                                    put ->
                                            put.bucket(bucket)
                                                    .key("big")
                                                    .uploadId(upload)
                                                    .partNumber(part),
                                    RequestBody.fromBytes(new byte[PART_BYTES + part]))
                            .eTag();
            parts.add(CompletedPart.builder().partNumber(number).eTag(etag).build());
        }
        s3.completeMultipartUpload(
                complete ->
                        complete.bucket(bucket)
                                .key("big")
                                .uploadId(upload)
                                .multipartUpload(all -> all.parts(parts)));
    }

    @Test
    void allBucketsAreAsTheyWere() throws Exception {
        try (TemporaryStore one = TemporaryStore.create("import-from");
                TemporaryStore other = TemporaryStore.create("import-to");
                Pair pair = Pair.start(one, other)) {
            fill(pair.source(), "versions");
            S3Client s3 = pair.source().s3();
            pair.source().create("plain");
            pair.source().put("plain", "k", "v");
            s3.createBucket(create -> create.bucket("locked").objectLockEnabledForBucket(true));
            Instant until = Instant.now().plus(9, ChronoUnit.DAYS).truncatedTo(ChronoUnit.SECONDS);
            s3.putObject(
                    put ->
                            put.bucket("locked")
                                    .key("kept")
                                    .objectLockMode(ObjectLockMode.GOVERNANCE)
                                    .objectLockRetainUntilDate(until)
                                    .objectLockLegalHoldStatus(ObjectLockLegalHoldStatus.ON),
                    RequestBody.fromString("kept"));
            String policy =
                    "{\"Statement\":{\"Effect\":\"Allow\",\"Principal\":\"*\","
                            + "\"Action\":\"s3:GetObject\",\"Resource\":\"arn:aws:s3:::plain/*\"}}";
            s3.putBucketPolicy(put -> put.bucket("plain").policy(policy));
            pair.source().versioning("plain", BucketVersioningStatus.SUSPENDED);

            Path lines = other.path().resolve("report.jsonl");
            assertThat(pair.done("--all", "--report", lines.toString()))
                    .contains("delete markers 2; there already: 0");
            for (String bucket : List.of("versions", "plain", "locked")) {
                assertSame(pair, bucket);
            }
            S3Client target = pair.target().s3();
            assertThat(target.getBucketPolicy(get -> get.bucket("plain")).policy())
                    .isEqualTo(policy);
            assertThat(target.getBucketVersioning(get -> get.bucket("plain")).status())
                    .isEqualTo(BucketVersioningStatus.SUSPENDED);
            assertThat(
                            target.headObject(head -> head.bucket("versions").key("back"))
                                    .sdkHttpResponse()
                                    .firstMatchingHeader(ID))
                    .contains(
                            s3.headObject(head -> head.bucket("versions").key("back")).versionId());
            List<String> written = Files.readAllLines(lines);
            assertThat(written).hasSize(69);
            Map<String, Object> line =
                    Json.read(written.getFirst().getBytes(StandardCharsets.UTF_8));
            assertThat(line).containsKeys("sourceVersionId", "sourceLastModified", "versionId");
            assertThat(VoluteCommand.done(pair.to(), "audit", "--all")).contains("0 findings");
        }
    }

    /** A second run brings what is new, and nothing twice. */
    @Test
    void itIsContinued() throws Exception {
        try (TemporaryStore one = TemporaryStore.create("import-more-from");
                TemporaryStore other = TemporaryStore.create("import-more-to");
                Pair pair = Pair.start(one, other)) {
            S3Client s3 = pair.source().s3();
            pair.source().createVersioned("bbb");
            for (int i = 0; i < 9; i++) {
                pair.source().put("bbb", "k" + i % 3, "content " + i);
            }
            pair.done("--from", "s3://bbb/k1");
            assertThat(seen(pair.target().s3(), "bbb")).containsOnlyKeys("k1");
            assertThat(pair.done("--from", "s3://bbb")).contains("versions 6,", "there already: 3");
            assertSame(pair, "bbb");

            pair.source().put("bbb", "k1", "newer");
            s3.deleteObject(delete -> delete.bucket("bbb").key("k2"));
            // The source forgets its oldest version, as a lifecycle rule does.
            String oldest =
                    s3.listObjectVersions(list -> list.bucket("bbb").prefix("k1"))
                            .versions()
                            .getLast()
                            .versionId();
            s3.deleteObject(delete -> delete.bucket("bbb").key("k1").versionId(oldest));
            assertThat(pair.done("--from", "s3://bbb"))
                    .contains("versions 1,", "delete markers 1;");
            assertThat(seen(pair.target().s3(), "bbb").get("k2"))
                    .isEqualTo(seen(s3, "bbb").get("k2"));
            assertThat(seen(pair.target().s3(), "bbb").get("k1")).hasSize(4);
            assertThat(pair.done("--from", "s3://bbb"))
                    .contains("versions 0, bytes 0, delete markers 0;");
        }
    }

    /** Tests that other content at the target stays, and is reported. */
    @Test
    void whatIsThereFromElsewhereStays() throws Exception {
        try (TemporaryStore one = TemporaryStore.create("import-others-from");
                TemporaryStore other = TemporaryStore.create("import-others-to");
                Pair pair = Pair.start(one, other)) {
            pair.source().create("bbb");
            pair.source().put("bbb", "mine", "of the source");
            pair.source().put("bbb", "free", "of the source");
            pair.target().create("bbb");
            pair.target().put("bbb", "mine", "of the target");
            Said said = pair.run("--from", "s3://bbb");
            assertThat(said.code()).isEqualTo(3);
            assertThat(said.text())
                    .contains("not carried over: 1", "s3://bbb/mine", "other versions of it");
            assertThat(
                            pair.target()
                                    .s3()
                                    .getObjectAsBytes(get -> get.bucket("bbb").key("mine"))
                                    .asUtf8String())
                    .isEqualTo("of the target");
            assertThat(seen(pair.target().s3(), "bbb")).containsKey("free");

            Said missing = pair.run("--from", "s3://nowhere");
            assertThat(missing.code()).isEqualTo(1);
            assertThat(missing.text()).contains("there is no bucket nowhere at the source");
            assertThat(pair.target().s3().listBuckets().buckets().stream().map(each -> each.name()))
                    .doesNotContain("nowhere");
        }
    }

    /** An unversioned object that was written again at the source is written again here. */
    @Test
    void aReplacedObjectIsReplaced() throws Exception {
        try (TemporaryStore one = TemporaryStore.create("import-again-from");
                TemporaryStore other = TemporaryStore.create("import-again-to");
                Pair pair = Pair.start(one, other)) {
            pair.source().create("bbb");
            pair.source().put("bbb", "k", "old");
            pair.done("--from", "s3://bbb", "--into", "ccc");
            pair.source().put("bbb", "k", "new");
            assertThat(pair.done("--from", "s3://bbb", "--into", "ccc")).contains("versions 1,");
            assertThat(
                            pair.target()
                                    .s3()
                                    .getObjectAsBytes(get -> get.bucket("ccc").key("k"))
                                    .asUtf8String())
                    .isEqualTo("new");
        }
    }

    /** Sharing with everyone comes along, and the report names the grants that do not. */
    @Test
    void sharingIsAsItWas() throws Exception {
        try (TemporaryStore one = TemporaryStore.create("import-shared-from");
                TemporaryStore other = TemporaryStore.create("import-shared-to");
                Pair pair = Pair.start(one, other)) {
            S3Client s3 = pair.source().s3();
            VoluteCommand.json(pair.from(), "user", "add", "ann");
            s3.createBucket(
                    create ->
                            create.bucket("shared")
                                    .objectOwnership(ObjectOwnership.OBJECT_WRITER)
                                    .acl(BucketCannedACL.PUBLIC_READ));
            pair.source().put("shared", "private", "private");
            s3.putObject(
                    put -> put.bucket("shared").key("open").acl(ObjectCannedACL.AUTHENTICATED_READ),
                    RequestBody.fromString("open"));
            s3.putObject(
                    put -> put.bucket("shared").key("hers").grantRead("id=\"ann\""),
                    RequestBody.fromString("hers"));
            String policy =
                    "{\"Statement\":{\"Effect\":\"Allow\",\"Principal\":\"*\","
                            + "\"Action\":\"s3:GetObject\","
                            + "\"Resource\":\"arn:aws:s3:::shared/*\"}}";
            s3.putBucketPolicy(put -> put.bucket("shared").policy(policy));
            s3.putPublicAccessBlock(
                    put ->
                            put.bucket("shared")
                                    .publicAccessBlockConfiguration(
                                            block ->
                                                    block.blockPublicAcls(true)
                                                            .blockPublicPolicy(true)
                                                            .ignorePublicAcls(true)
                                                            .restrictPublicBuckets(true)));
            // A bucket as before 2021 has no ownership controls.
            s3.createBucket(
                    create ->
                            create.bucket("older").objectOwnership(ObjectOwnership.OBJECT_WRITER));
            s3.putObject(
                    put -> put.bucket("older").key("open").acl(ObjectCannedACL.PUBLIC_READ),
                    RequestBody.fromString("open"));
            s3.deleteBucketOwnershipControls(delete -> delete.bucket("older"));

            Said said = pair.run("--all");
            assertThat(said.code()).as(said.text()).isEqualTo(3);
            assertThat(said.text())
                    .contains(
                            "not carried over: 2",
                            "s3://shared/hers",
                            "READ to user ann",
                            "s3://older/open",
                            "ACLs are disabled here");
            S3Client target = pair.target().s3();
            assertThat(sharing(target, "shared")).isEqualTo(sharing(s3, "shared"));
            for (String key : List.of("private", "open")) {
                assertThat(grants(target, key)).isEqualTo(grants(s3, key));
            }
            assertThat(grants(target, "hers")).isEqualTo(grants(s3, "private"));
            assertThat(pair.done("--all")).contains("versions 0,", "there already: 4");
            assertThat(sharing(target, "shared")).isEqualTo(sharing(s3, "shared"));
        }
    }

    private static String grants(S3Client s3, String key) {
        return s3.getObjectAcl(get -> get.bucket("shared").key(key)).grants().toString();
    }

    private static String sharing(S3Client s3, String bucket) {
        return String.join(
                "|",
                s3.getBucketOwnershipControls(get -> get.bucket(bucket))
                        .ownershipControls()
                        .toString(),
                s3.getBucketAcl(get -> get.bucket(bucket)).grants().toString(),
                s3.getPublicAccessBlock(get -> get.bucket(bucket))
                        .publicAccessBlockConfiguration()
                        .toString(),
                s3.getBucketPolicy(get -> get.bucket(bucket)).policy());
    }
}
