package io.volute.server.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.encryption.DataKeys;
import io.volute.server.encryption.KeyServiceException.Kind;
import io.volute.server.encryption.Keyring;
import io.volute.server.encryption.MemoryKeyService;
import io.volute.server.encryption.MemoryPlace;
import io.volute.server.encryption.ObjectName;
import io.volute.server.encryption.Shreds;
import io.volute.server.s3.encryption.Encryption;
import io.volute.server.s3.past.Past;
import io.volute.versioning.value.BucketName;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Objects under keys of a key service, while it answers and while it does not. */
final class KeyServiceTest extends S3TestCase {
    private static final String MODE = "x-amz-server-side-encryption";

    private final Keyring keyring = MemoryPlace.keyring();
    private final MemoryKeyService service = new MemoryKeyService("reports");
    private S3Protocol protocol;
    private String bucket;

    @BeforeEach
    void open() throws IOException {
        keyring.require(List.of("old"));
        protocol = over(Optional.of(service));
        bucket = "/" + bed.versionedBucket();
    }

    private S3Protocol over(Optional<MemoryKeyService> keys) {
        return S3TestBed.protocolOver(
                bed.store(),
                new S3Settings("us-east-1", List.of(), () -> S3TestBed.NOW, true)
                        .withEncryption(
                                new Encryption(
                                        Optional.of(new DataKeys(keyring, keys.map(each -> each))),
                                        Set.of(),
                                        true)));
    }

    private TestResponse send(TestRequest request) {
        return request.over(protocol).send();
    }

    private TestRequest under(String key, TestRequest request) {
        return request.header(MODE, "aws:kms").header(MODE + "-aws-kms-key-id", key);
    }

    private TestRequest put(String key) {
        return under(key, bed.request("PUT", bucket + "/" + key).body("content"));
    }

    private TestRequest copy(String from, String to) {
        return bed.request("PUT", bucket + "/" + to).header("x-amz-copy-source", bucket + from);
    }

    private static void assertDone(TestResponse answer) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    }

    private void assertReadable(String key) {
        assertThat(send(bed.request("GET", bucket + "/" + key)).text()).isEqualTo("content");
    }

    private static void assertUnavailable(TestResponse answer) {
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.code()).isEqualTo("ServiceUnavailable");
        assertThat(answer.header("retry-after")).isEqualTo("5");
    }

    @Test
    void anObjectIsReadNowAndInThePast() {
        TestResponse put = send(put("reports"));
        assertDone(put);
        assertThat(put.header(MODE + "-aws-kms-key-id")).isEqualTo("reports");
        assertReadable("reports");
        Instant then = bed.pause();
        bed.put(bucket + "/reports", "plain");
        String past = "/" + Past.alias(bucket.substring(1), then) + "/reports";
        assertThat(send(bed.request("GET", past)).text()).isEqualTo("content");
    }

    @Test
    void copiesMoveFromAKeyOfTheServiceToOthersAndBack() throws IOException {
        assertDone(send(put("reports")));
        assertDone(send(copy("/reports", "store").header(MODE, "AES256")));
        assertDone(send(under("reports", copy("/store", "again"))));
        assertDone(send(under("aws/s3", copy("/again", "own"))));
        assertDone(send(copy("/own", "plain")));
        service.fail(Optional.of(Kind.UNAVAILABLE));
        for (String key : List.of("store", "own", "plain")) {
            assertReadable(key);
        }
        assertUnavailable(send(bed.request("GET", bucket + "/again")));
    }

    @Test
    void aServiceThatDoesNotAnswerStopsItsObjectsAlone() {
        assertDone(send(put("reports")));
        String id = send(under("reports", bed.request("POST", bucket + "/up?uploads"))).uploadId();
        String part = bucket + "/up?partNumber=1&uploadId=" + id;
        service.fail(Optional.of(Kind.UNAVAILABLE));
        assertUnavailable(send(put("reports")));
        assertUnavailable(send(bed.request("GET", bucket + "/reports")));
        assertUnavailable(send(bed.request("PUT", part).body("content")));
        assertUnavailable(send(under("reports", bed.request("POST", bucket + "/two?uploads"))));
        assertUnavailable(send(copy("/reports", "copy")));
        assertUnavailable(send(copy("/reports", "copy").header(MODE, "AES256")));
        assertDone(send(bed.request("HEAD", bucket + "/reports")));
        assertDone(send(put("aws/s3")));
        assertDone(send(bed.request("PUT", bucket + "/s").header(MODE, "AES256").body("content")));
        assertDone(send(bed.request("PUT", bucket + "/plain").body("content")));
        assertDone(send(copy("/s", "t").header(MODE, "AES256")));
        service.fail(Optional.empty());
        assertReadable("reports");
        assertDone(send(bed.request("PUT", part).body("content")));
    }

    @Test
    void aKeyThatTheServiceRefusesIsNoFaultOfTheServer() {
        assertDone(send(put("reports")));
        service.fail(Optional.of(Kind.REFUSED));
        TestResponse refused = send(bed.request("GET", bucket + "/reports"));
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.code()).isEqualTo("KMS.KMSInvalidStateException");
    }

    /** Keys that were made in the keyring before there was a service open what they wrapped. */
    @Test
    void olderObjectsStayReadableAndNewOnesUseTheService() {
        protocol = over(Optional.empty());
        assertDone(send(put("old")));
        protocol = over(Optional.of(service));
        assertReadable("old");
        assertThat(send(put("old")).code()).isEqualTo("KMS.NotFoundException");
        assertDone(send(put("reports")));
        protocol = over(Optional.empty());
        assertThat(send(bed.request("GET", bucket + "/reports")).status()).isEqualTo(500);
        protocol = over(Optional.of(service));
        assertReadable("reports");
    }

    /** Neither the service nor what it decrypts opens a shredded object, and nobody calls it. */
    @Test
    void aShredNeedsNoService() throws IOException {
        assertDone(send(put("reports")));
        service.fail(Optional.of(Kind.UNAVAILABLE));
        BucketName name = new BucketName(bucket.substring(1));
        long id = bed.store().bucket(name).orElseThrow().id();
        Shreds.shred(keyring, new ObjectName(name.value(), id, "reports"), 0);
        service.fail(Optional.empty());
        int before = service.calls();
        TestResponse gone = send(bed.request("GET", bucket + "/reports"));
        assertThat(gone.code()).isEqualTo("InvalidObjectState");
        assertThat(service.calls()).isEqualTo(before);
    }
}
