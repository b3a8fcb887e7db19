package io.volute.server.s3.encryption;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.TestRequest;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.past.Past;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Encryption by the store, by named keys and by customers' keys, on the real disk. */
final class EncryptionTest {
    @TempDir private static Path directory;

    private static S3TestBed bed;

    @BeforeAll
    static void open() {
        bed = new S3TestBed(directory);
    }

    @AfterAll
    static void close() {
        bed.close();
    }

    private static final String MODE = "x-amz-server-side-encryption";
    private static final byte[] KEY = new byte[32];
    private static final byte[] OTHER_KEY =
            "another key of thirty-two bytes.".getBytes(StandardCharsets.US_ASCII);

    /** The encryption of an object. */
    private enum How {
        PLAIN,
        STORE,
        NAMED,
        CUSTOMER;

        TestRequest on(TestRequest request) {
            return switch (this) {
                case PLAIN -> request;
                case STORE -> request.header(MODE, "AES256");
                case NAMED -> request.header(MODE, "aws:kms");
                case CUSTOMER -> withKey(request, "", KEY);
            };
        }

        /** A read names the customer's key alone. */
        TestRequest onRead(TestRequest request) {
            return this == CUSTOMER ? withKey(request, "", KEY) : request;
        }
    }

    private static TestRequest withKey(TestRequest request, String copy, byte[] key) {
        String prefix = "x-amz-" + copy + "server-side-encryption-customer-";
        return request.header(prefix + "algorithm", "AES256")
                .header(prefix + "key", Base64.getEncoder().encodeToString(key))
                .header(prefix + "key-md5", Base64.getEncoder().encodeToString(md5(key)));
    }

    private static byte[] md5(byte[] bytes) {
        try {
            return MessageDigest.getInstance("MD5").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /** Text that is found in no file by chance. */
    private static byte[] secret(int length) {
        StringBuilder text = new StringBuilder();
        Random random = new Random(length);
        while (text.length() < length) {
            text.append("attack at dawn, ").append(random.nextLong());
        }
        return text.substring(0, length).getBytes(StandardCharsets.US_ASCII);
    }

    private static void assertMode(TestResponse answer, How how) {
        assertThat(answer.header(MODE))
                .isEqualTo(
                        switch (how) {
                            case PLAIN, CUSTOMER -> "";
                            case STORE -> "AES256";
                            case NAMED -> "aws:kms";
                        });
        assertThat(answer.header(MODE + "-aws-kms-key-id"))
                .isEqualTo(how == How.NAMED ? "aws/s3" : "");
        assertThat(answer.header(MODE + "-customer-algorithm"))
                .isEqualTo(how == How.CUSTOMER ? "AES256" : "");
        assertThat(answer.header("x-volute-encryption")).isEmpty();
    }

    private static TestResponse put(String path, How how, byte[] content) {
        TestResponse put = how.on(bed.request("PUT", path)).body(content).send();
        assertThat(put.status()).as(put.text()).isEqualTo(200);
        assertMode(put, how);
        return put;
    }

    private static void assertContent(String path, How how, byte[] content) {
        TestResponse got = how.onRead(bed.request("GET", path)).send();
        assertThat(got.status()).as(got.code()).isEqualTo(200);
        assertThat(got.body()).isEqualTo(content);
        assertMode(got, how);
        TestResponse head = how.onRead(bed.request("HEAD", path)).send();
        assertMode(head, how);
        if (content.length > 2) {
            TestResponse range =
                    how.onRead(bed.request("GET", path))
                            .header("range", "bytes=1-" + (content.length - 2))
                            .send();
            assertThat(range.status()).isEqualTo(206);
            assertThat(range.body()).isEqualTo(Arrays.copyOfRange(content, 1, content.length - 1));
        }
    }

    private static boolean isOnDisk(byte[] text) throws IOException {
        String wanted = new String(text, StandardCharsets.ISO_8859_1);
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String found = Files.readString(file, StandardCharsets.ISO_8859_1);
                if (found.contains(wanted)) {
                    return true;
                }
            }
        }
        return false;
    }

    @ParameterizedTest
    @EnumSource(How.class)
    @Tag("slow")
    void anObjectOfAnySizeIsReadBackAndListedWithItsSize(How how) {
        String bucket = "/" + bed.bucket();
        for (int length : new int[] {0, 1, 100, 4096, 17_000, 65_504, 65_505, 300_000}) {
            byte[] content = secret(length);
            TestResponse put = put(bucket + "/k" + length, how, content);
            assertThat(put.header("etag"))
                    .isEqualTo("\"" + HexFormat.of().formatHex(md5(content)) + "\"");
            assertContent(bucket + "/k" + length, how, content);
            String listed =
                    bed.get(bucket + "?list-type=2&prefix=k" + length + "&max-keys=1").text();
            assertThat(listed).contains("<Size>" + length + "</Size>");
        }
    }

    /** Small bodies lie in their records, also behind metadata that does not fit the summary. */
    @ParameterizedTest
    @EnumSource(How.class)
    void metadataAndTagsStayReadable(How how) {
        String path = "/" + bed.bucket() + "/k";
        byte[] content = secret(200);
        TestResponse put =
                how.on(bed.request("PUT", path))
                        .header("x-amz-meta-long", "m".repeat(500))
                        .header("x-amz-tagging", "a=b")
                        .body(content)
                        .send();
        assertThat(put.status()).isEqualTo(200);
        TestResponse got = how.onRead(bed.request("GET", path)).send();
        assertThat(got.body()).isEqualTo(content);
        assertThat(got.header("x-amz-meta-long")).isEqualTo("m".repeat(500));
        assertThat(got.header("x-amz-tagging-count")).isEqualTo("1");
    }

    @ParameterizedTest
    @EnumSource(How.class)
    void contentIsOnTheDiskOnlyIfItIsPlain(How how) throws IOException {
        String bucket = "/" + bed.bucket();
        for (int length : new int[] {60, 50_000}) {
            byte[] content =
                    ("marker of "
                                    + how
                                    + length
                                    + new String(secret(length), StandardCharsets.US_ASCII))
                            .getBytes(StandardCharsets.US_ASCII);
            put(bucket + "/k" + length, how, content);
            byte[] begin = Arrays.copyOf(content, 40);
            assertThat(isOnDisk(begin)).isEqualTo(how == How.PLAIN);
        }
    }

    /** Older SDKs never send the key with the completion, and S3 needs none. */
    @ParameterizedTest
    @CsvSource({"'',200", "SHA256,InvalidRequest"})
    void aCompletionNeedsTheCustomersKeyOnlyForAChosenChecksum(String algorithm, String code) {
        String path = "/" + bed.bucket() + "/k";
        TestRequest create = How.CUSTOMER.on(bed.request("POST", path + "?uploads"));
        if (!algorithm.isEmpty()) {
            create.header("x-amz-checksum-algorithm", algorithm);
        }
        String id = create.send().uploadId();
        byte[] content = secret(5_000);
        TestRequest put =
                How.CUSTOMER
                        .onRead(bed.request("PUT", path + "?partNumber=1&uploadId=" + id))
                        .body(content);
        if (!algorithm.isEmpty()) {
            put.checksum(algorithm);
        }
        TestResponse part = put.send();
        String document =
                "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"
                        + part.header("etag")
                        + "</ETag></Part></CompleteMultipartUpload>";
        TestRequest wrong = bed.request("POST", path + "?uploadId=" + id).body(document);
        assertThat(withKey(wrong, "", OTHER_KEY).send().status()).isGreaterThanOrEqualTo(400);
        TestResponse done = bed.request("POST", path + "?uploadId=" + id).body(document).send();
        assertThat(done.code()).isEqualTo(code);
        if (done.status() == 200) {
            assertContent(path, How.CUSTOMER, content);
            assertThat(bed.get(path).code()).isEqualTo("InvalidRequest");
        }
    }

    /**
     * S3 refuses these headers with every completion. Clients of MinIO repeat those of the upload.
     */
    @ParameterizedTest
    @CsvSource({
        "'', AES256, InvalidArgument",
        "AES256, AES256, 200",
        "AES256, aws:kms, InvalidArgument",
        "aws:kms, aws:kms, 200",
        "aws:kms, AES256, InvalidArgument",
        "AES256, bogus, InvalidArgument"
    })
    void aCompletionRepeatsTheEncryptionOfItsUpload(String begun, String repeated, String code) {
        String path = "/" + bed.bucket() + "/k";
        TestRequest create = bed.request("POST", path + "?uploads");
        if (!begun.isEmpty()) {
            create.header("x-amz-server-side-encryption", begun);
        }
        String id = create.send().uploadId();
        TestResponse part =
                bed.request("PUT", path + "?partNumber=1&uploadId=" + id).body("content").send();
        TestResponse done =
                bed.request("POST", path + "?uploadId=" + id)
                        .header("x-amz-server-side-encryption", repeated)
                        .body(
                                "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"
                                        + part.header("etag")
                                        + "</ETag></Part></CompleteMultipartUpload>")
                        .send();
        assertThat(done.code()).as(done.text()).isEqualTo(code);
        assertThat(bed.request("HEAD", path).send().status())
                .isEqualTo(code.equals("200") ? 200 : 404);
    }

    @ParameterizedTest
    @EnumSource(How.class)
    void partsOfAnUploadAreOneObject(How how) {
        String path = "/" + bed.bucket() + "/k";
        String id = how.on(bed.request("POST", path + "?uploads")).send().uploadId();
        byte[] first = secret(70_000);
        byte[] second = secret(1_234);
        List<String> etags = new ArrayList<>();
        for (byte[] part : List.of(first, second)) {
            TestResponse put =
                    how.onRead(
                                    bed.request(
                                            "PUT",
                                            path
                                                    + "?partNumber="
                                                    + (etags.size() + 1)
                                                    + "&uploadId="
                                                    + id))
                            .body(part)
                            .send();
            assertThat(put.status()).as(put.text()).isEqualTo(200);
            etags.add(put.header("etag"));
        }
        TestResponse parts = bed.get(path + "?uploadId=" + id);
        assertThat(parts.text()).contains("<Size>70000</Size>").contains("<Size>1234</Size>");
        TestResponse done =
                how.onRead(bed.request("POST", path + "?uploadId=" + id))
                        .body(
                                "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"
                                        + etags.get(0)
                                        + "</ETag></Part><Part><PartNumber>2</PartNumber><ETag>"
                                        + etags.get(1)
                                        + "</ETag></Part></CompleteMultipartUpload>")
                        .send();
        assertThat(done.status()).as(done.text()).isEqualTo(200);
        byte[] whole = Arrays.copyOf(first, 71_234);
        System.arraycopy(second, 0, whole, 70_000, 1_234);
        assertContent(path, how, whole);
        TestResponse part = how.onRead(bed.request("GET", path + "?partNumber=2")).send();
        assertThat(part.body()).isEqualTo(second);
    }

    @ParameterizedTest
    @EnumSource(How.class)
    void aCopyHasTheEncryptionThatItAsksFor(How from) {
        String bucket = "/" + bed.bucket();
        byte[] content = secret(80_000);
        put(bucket + "/source", from, content);
        for (How to : How.values()) {
            String target = bucket + "/copy-" + to;
            TestRequest copy =
                    to.on(bed.request("PUT", target))
                            .header("x-amz-copy-source", bucket + "/source");
            TestResponse copied =
                    (from == How.CUSTOMER ? withKey(copy, "copy-source-", KEY) : copy).send();
            assertThat(copied.status()).as(from + " to " + to + copied.text()).isEqualTo(200);
            assertMode(copied, to);
            assertContent(target, to, content);
        }
    }

    @Test
    void aPartCanBeCopiedFromAnEncryptedObject() {
        String bucket = "/" + bed.bucket();
        byte[] content = secret(90_000);
        put(bucket + "/source", How.CUSTOMER, content);
        String path = bucket + "/k";
        String id = How.NAMED.on(bed.request("POST", path + "?uploads")).send().uploadId();
        TestResponse copied =
                withKey(
                                bed.request("PUT", path + "?partNumber=1&uploadId=" + id)
                                        .header("x-amz-copy-source", bucket + "/source")
                                        .header("x-amz-copy-source-range", "bytes=5-80000"),
                                "copy-source-",
                                KEY)
                        .send();
        assertThat(copied.status()).as(copied.text()).isEqualTo(200);
        String etag = copied.xml("CopyPartResult").childText("ETag").orElseThrow();
        TestResponse done =
                bed.request("POST", path + "?uploadId=" + id)
                        .body(
                                "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"
                                        + etag
                                        + "</ETag></Part></CompleteMultipartUpload>")
                        .send();
        assertThat(done.status()).as(done.text()).isEqualTo(200);
        assertContent(path, How.NAMED, Arrays.copyOfRange(content, 5, 80_001));
    }

    @Test
    void thePastIsDecryptedToo() {
        String bucket = bed.bucket();
        put("/" + bucket + "/k", How.STORE, secret(30_000));
        Instant then = bed.pause();
        put("/" + bucket + "/k", How.PLAIN, secret(10));
        TestResponse got = bed.get("/" + Past.alias(bucket, then) + "/k");
        assertThat(got.status()).as(got.text()).isEqualTo(200);
        assertThat(got.body()).isEqualTo(secret(30_000));
        assertMode(got, How.STORE);
    }

    @Test
    void theDefaultOfABucketHoldsForWhatAsksForNothing() {
        String bucket = "/" + bed.bucket();
        assertThat(bed.get(bucket + "?encryption").code())
                .isEqualTo("ServerSideEncryptionConfigurationNotFoundError");
        String document =
                "<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault>"
                        + "<SSEAlgorithm>aws:kms</SSEAlgorithm><KMSMasterKeyID>aws/s3"
                        + "</KMSMasterKeyID></ApplyServerSideEncryptionByDefault></Rule>"
                        + "</ServerSideEncryptionConfiguration>";
        assertThat(bed.request("PUT", bucket + "?encryption").body(document).send().status())
                .isEqualTo(200);
        assertThat(bed.get(bucket + "?encryption").text()).contains("aws:kms").contains("aws/s3");
        TestResponse put = bed.request("PUT", bucket + "/k").body(secret(10)).send();
        assertMode(put, How.NAMED);
        assertContent(bucket + "/k", How.NAMED, secret(10));
        put(bucket + "/own", How.STORE, secret(10));
        String unknown = document.replace("aws/s3", "unknown");
        assertThat(bed.request("PUT", bucket + "?encryption").body(unknown).send().code())
                .isEqualTo("KMS.NotFoundException");
        assertThat(bed.request("DELETE", bucket + "?encryption").send().status()).isEqualTo(204);
        assertMode(bed.request("PUT", bucket + "/k").body(secret(10)).send(), How.PLAIN);
    }

    @ParameterizedTest
    @CsvSource({
        "<a/>",
        "<ServerSideEncryptionConfiguration/>",
        "<ServerSideEncryptionConfiguration><Rule/></ServerSideEncryptionConfiguration>"
    })
    void aDefaultThatIsNoneIsMalformed(String document) {
        assertThat(
                        bed.request("PUT", "/" + bed.bucket() + "?encryption")
                                .body(document)
                                .send()
                                .code())
                .isEqualTo("MalformedXML");
    }

    @Test
    void aCustomersObjectNeedsItsKey() {
        String path = "/" + bed.bucket() + "/k";
        put(path, How.CUSTOMER, secret(50));
        for (String method : List.of("GET", "HEAD")) {
            assertThat(bed.request(method, path).send().status()).isEqualTo(400);
            assertThat(withKey(bed.request(method, path), "", OTHER_KEY).send().status())
                    .isEqualTo(400);
        }
        String copy = path + "-copy";
        assertThat(bed.request("PUT", copy).header("x-amz-copy-source", path).send().code())
                .isEqualTo("InvalidRequest");
        put(path, How.STORE, secret(50));
        assertThat(withKey(bed.request("GET", path), "", KEY).send().code())
                .isEqualTo("InvalidRequest");
    }

    @ParameterizedTest
    @CsvSource({
        "x-amz-server-side-encryption, AES192, InvalidArgument",
        "x-amz-server-side-encryption, aws:kms:dsse, NotImplemented",
        "x-amz-server-side-encryption-context, e30=, InvalidArgument",
        "x-amz-server-side-encryption-aws-kms-key-id, aws/s3, InvalidArgument",
        "x-amz-server-side-encryption-customer-algorithm, AES256, InvalidArgument",
        "x-amz-server-side-encryption-customer-key-md5, AAAA, InvalidArgument"
    })
    void headersThatDoNotFitAreRefused(String name, String value, String code) {
        TestResponse refused =
                bed.request("PUT", "/" + bed.bucket() + "/k")
                        .header(name, value)
                        .body("content")
                        .send();
        assertThat(refused.code()).as(refused.text()).isEqualTo(code);
    }

    @Test
    void anUnknownNamedKeyIsTold() {
        TestResponse refused =
                How.NAMED
                        .on(bed.request("PUT", "/" + bed.bucket() + "/k"))
                        .header(MODE + "-aws-kms-key-id", "unknown")
                        .body("content")
                        .send();
        assertThat(refused.code()).isEqualTo("KMS.NotFoundException");
        assertThat(refused.text()).contains("encryption.keys");
    }

    /** A client cannot pretend that its object is encrypted. */
    @Test
    void theHeaderOfTheStoreIsNotTakenFromClients() {
        String path = "/" + bed.bucket() + "/k";
        bed.request("PUT", path).header("x-volute-encryption", "AQEA").body("content").send();
        assertContent(path, How.PLAIN, "content".getBytes(StandardCharsets.US_ASCII));
    }
}
