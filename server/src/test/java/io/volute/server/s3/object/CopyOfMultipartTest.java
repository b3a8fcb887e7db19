package io.volute.server.s3.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.IdentifiedBuckets;
import io.volute.server.s3.S3Protocol;
import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestRequest;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.TestSigner;
import io.volute.server.s3.past.Past;
import io.volute.versioning.VersionedStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The copy of a multipart object is a plain object, as in S3 (API Reference, "Object", ETag; User
 * Guide, "Checking object integrity").
 */
final class CopyOfMultipartTest extends S3TestCase {
    private static final String MODE = "x-amz-server-side-encryption";
    private static final String ONE = "a".repeat(70_000);
    private static final String TWO = "end";
    private static final byte[] CONTENT = (ONE + TWO).getBytes(StandardCharsets.US_ASCII);
    private static final String MD5 = HexFormat.of().formatHex(TestSigner.md5(CONTENT));

    private String bucket;

    @BeforeEach
    void makeBucket() {
        bucket = bed.bucket();
    }

    private static String sha256() {
        try {
            return Base64.getEncoder()
                    .encodeToString(MessageDigest.getInstance("SHA-256").digest(CONTENT));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private void upload(String key, String... headers) {
        TestRequest create = bed.request("POST", "/" + bucket + "/" + key + "?uploads");
        for (int i = 0; i < headers.length; i += 2) {
            create.header(headers[i], headers[i + 1]);
        }
        String target = "/" + bucket + "/" + key + "?uploadId=" + create.send().uploadId();
        StringBuilder parts = new StringBuilder("<CompleteMultipartUpload>");
        int number = 1;
        for (String part : new String[] {ONE, TWO}) {
            TestRequest request = bed.request("PUT", target + "&partNumber=" + number).body(part);
            if (headers.length > 0 && headers[0].equals("x-amz-checksum-algorithm")) {
                request.checksum(headers[1]);
            }
            TestResponse put = request.send();
            parts.append("<Part><PartNumber>" + number++ + "</PartNumber>")
                    .append("<ETag>" + put.header("etag") + "</ETag>");
            for (String algorithm : new String[] {"SHA256", "CRC32"}) {
                String value = put.header("x-amz-checksum-" + algorithm.toLowerCase(Locale.ROOT));
                if (!value.isEmpty()) {
                    String element = "Checksum" + algorithm + ">";
                    parts.append("<" + element + value + "</" + element);
                }
            }
            parts.append("</Part>");
        }
        String document = parts.append("</CompleteMultipartUpload>").toString();
        assertThat(bed.request("POST", target).body(document).send().status()).isEqualTo(200);
        assertThat(bed.get("/" + bucket + "/" + key).header("etag")).endsWith("-2\"");
    }

    private TestRequest copy(String from, String to) {
        return bed.request("PUT", "/" + bucket + "/" + to)
                .header("x-amz-copy-source", bucket + "/" + from);
    }

    private TestResponse assertPlain(String key) {
        String target = "/" + bucket + "/" + key;
        TestResponse got =
                bed.request("GET", target).header("x-amz-checksum-mode", "ENABLED").send();
        assertThat(got.body()).isEqualTo(CONTENT);
        assertThat(got.header("etag")).isEqualTo("\"" + MD5 + "\"");
        assertThat(got.header("x-amz-checksum-type")).isEqualTo("FULL_OBJECT");
        assertThat(bed.get(target + "?partNumber=1").hasHeader("x-amz-mp-parts-count")).isFalse();
        assertThat(bed.get(target + "?partNumber=2").code()).isEqualTo("InvalidPartNumber");
        TestResponse range = bed.request("GET", target).header("range", "bytes=69999-").send();
        assertThat(range.text()).isEqualTo("a" + TWO);
        return got;
    }

    @ParameterizedTest
    @ValueSource(strings = {"SHA256", "CRC32", "CRC64NVME", ""})
    void theCopyHasTheDigestsOfTheWhole(String algorithm) {
        if (algorithm.isEmpty()) {
            upload("s");
        } else {
            upload("s", "x-amz-checksum-algorithm", algorithm);
        }
        TestResponse copied = copy("s", "d").send();
        assertThat(copied.text()).contains(MD5);
        TestResponse got = assertPlain("d");
        if (algorithm.equals("SHA256")) {
            assertThat(got.header("x-amz-checksum-sha256")).isEqualTo(sha256());
        }
        assertThat(bed.get("/" + bucket + "?list-type=2&prefix=d").text()).contains(MD5);
        // The copy of the copy has them already.
        assertThat(copy("d", "e").send().text()).contains(MD5);
        assertPlain("e");
    }

    @Test
    void theClientMayAskForAnotherChecksum() {
        upload("s", "x-amz-checksum-algorithm", "CRC32");
        copy("s", "d").header("x-amz-checksum-algorithm", "SHA256").send();
        assertThat(assertPlain("d").header("x-amz-checksum-sha256")).isEqualTo(sha256());
    }

    @Test
    void soHasTheCopyOntoItself() {
        upload("s");
        copy("s", "s")
                .header("x-amz-metadata-directive", "REPLACE")
                .header("x-amz-meta-a", "b")
                .send();
        assertThat(assertPlain("s").header("x-amz-meta-a")).isEqualTo("b");
    }

    @ParameterizedTest
    @CsvSource({"AES256,AES256", "AES256,aws:kms", "AES256,''", "'',AES256"})
    void anEncryptedCopyToo(String from, String to) {
        if (from.isEmpty()) {
            upload("s");
        } else {
            upload("s", MODE, from);
        }
        TestRequest copy = copy("s", "d");
        TestResponse copied = (to.isEmpty() ? copy : copy.header(MODE, to)).send();
        assertThat(copied.status()).as(copied.text()).isEqualTo(200);
        assertPlain("d");
        // The parts still delimit the encrypted bytes of the copy of the copy.
        TestRequest again = copy("d", "e");
        (to.isEmpty() ? again : again.header(MODE, to)).send();
        assertPlain("e");
    }

    @Test
    void aCopyFromThePastToo() {
        upload("s");
        String past = Past.alias(bucket, bed.pause());
        bed.put("/" + bucket + "/s", "later");
        TestResponse copied =
                bed.request("PUT", "/" + bucket + "/d")
                        .header("x-amz-copy-source", past + "/s")
                        .send();
        assertThat(copied.status()).as(copied.text()).isEqualTo(200);
        assertPlain("d");
    }

    /** The source is replaced after it was read, before the copy is made. */
    @Test
    void aSourceThatIsReplacedMeanwhileIsCopiedAnew() {
        upload("s");
        AtomicBoolean isReplaced = new AtomicBoolean();
        AtomicBoolean isRead = new AtomicBoolean();
        VersionedStore replacing =
                (VersionedStore)
                        Proxy.newProxyInstance(
                                VersionedStore.class.getClassLoader(),
                                new Class<?>[] {VersionedStore.class},
                                (proxy, method, arguments) -> {
                                    boolean isCopy = method.getName().equals("copy");
                                    if (isCopy && isRead.get() && !isReplaced.getAndSet(true)) {
                                        bed.put("/" + bucket + "/s", "other");
                                        bed.request("DELETE", "/" + bucket + "/s").send();
                                        bed.put("/" + bucket + "/s", "new");
                                    }
                                    isRead.set(isRead.get() || isCopy);
                                    try {
                                        return method.invoke(bed.store(), arguments);
                                    } catch (InvocationTargetException e) {
                                        throw e.getCause();
                                    }
                                });
        S3Protocol protocol =
                S3TestBed.protocolOver(
                        IdentifiedBuckets.over(replacing), () -> S3TestBed.NOW, S3TestBed.REGION);
        TestResponse copied = copy("s", "d").over(protocol).send();
        assertThat(isReplaced).isTrue();
        assertThat(copied.status()).as(copied.text()).isEqualTo(200);
        assertThat(bed.get("/" + bucket + "/d").text()).isEqualTo("new");
    }
}
