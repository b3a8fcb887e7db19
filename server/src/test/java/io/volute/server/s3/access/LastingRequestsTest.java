package io.volute.server.s3.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.auditlog.AuditTrail;
import io.volute.server.auth.policy.Authority;
import io.volute.server.auth.policy.Authority.PolicySource;
import io.volute.server.credentials.Credential;
import io.volute.server.credentials.CredentialStore;
import io.volute.server.s3.S3Protocol;
import io.volute.server.s3.S3Settings;
import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestBody;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.request.RequestBody;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that a body which arrives for long is judged again when it is there. */
final class LastingRequestsTest extends S3TestCase {
    private boolean isDisabled;
    private Instant now;
    private String bucket;

    private final CredentialStore users =
            new CredentialStore() {
                @Override
                public Optional<Credential> find(String accessKey) {
                    return isDisabled && accessKey.equals("BOB")
                            ? Optional.empty()
                            : S3TestBed.credentials().find(accessKey);
                }
            };

    @BeforeEach
    void make() {
        now = S3TestBed.NOW;
        bucket = bed.bucketOf(bed.alice());
        policy();
    }

    private void policy() {
        String text =
                "{\"Version\":\"2012-10-17\",\"Statement\":{\"Effect\":\"Allow\",\"Principal\":"
                        + "{\"AWS\":\"arn:aws:iam::000000000000:user/bob\"},\"Action\":\"s3:*\","
                        + "\"Resource\":[\"arn:aws:s3:::BUCKET\",\"arn:aws:s3:::BUCKET/*\"]}}";
        TestResponse set =
                bed.request("PUT", "/" + bucket + "?policy")
                        .body(text.replace("BUCKET", bucket))
                        .sendAs(bed.alice());
        assertThat(set.status()).as(set.text()).isEqualTo(204);
    }

    /** A body before whose last piece something happens. */
    private record Slow(TestBody body, int bytes, Runnable event) implements RequestBody {
        @Override
        public boolean next() {
            if (body.pulled() == bytes) {
                event.run();
            }
            return body.next();
        }

        @Override
        public ByteBuffer buffer() {
            return body.buffer();
        }
    }

    private String put(String target, String text, Runnable event) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        S3Protocol protocol =
                new S3Protocol(
                        bed.store(),
                        users,
                        new Authority(PolicySource.NONE),
                        new S3Settings(S3TestBed.REGION, List.of(), () -> now, true),
                        AuditTrail.NONE);
        return bed.request("PUT", "/" + bucket + target)
                .header("x-amz-content-sha256", "UNSIGNED-PAYLOAD")
                .contentLength(bytes.length)
                .body(new Slow(new TestBody(bytes, 1), bytes.length, event))
                .over(protocol)
                .sendAs(bed.bob())
                .code();
    }

    private String stored() {
        return bed.request("GET", "/" + bucket + "/k").sendAs(bed.alice()).code();
    }

    private void late() {
        now = now.plusSeconds(60);
    }

    @Test
    void aSlowBodyIsTaken() {
        assertThat(put("/k", "text", this::late)).isEqualTo("200");
        assertThat(stored()).isEqualTo("200");
    }

    @Test
    void aKeyThatWasDisabledMeanwhileWritesNothing() {
        Runnable disabling =
                () -> {
                    late();
                    isDisabled = true;
                };
        assertThat(put("/k", "text", disabling)).isEqualTo("AccessDenied");
        assertThat(stored()).isEqualTo("NoSuchKey");
    }

    @Test
    void aRightThatWasTakenAwayMeanwhileWritesNothing() {
        Runnable denying =
                () -> {
                    late();
                    String target = "/" + bucket + "?policy";
                    assertThat(bed.request("DELETE", target).sendAs(bed.alice()).status())
                            .isEqualTo(204);
                };
        assertThat(put("/k", "text", denying)).isEqualTo("AccessDenied");
        assertThat(stored()).isEqualTo("NoSuchKey");
    }

    @Test
    void aDocumentNeedsItsKeyAsWell() {
        Runnable disabling =
                () -> {
                    late();
                    isDisabled = true;
                };
        String text = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";
        assertThat(put("?versioning", text, disabling)).isEqualTo("AccessDenied");
        assertThat(bed.request("GET", "/" + bucket + "?versioning").sendAs(bed.alice()).text())
                .doesNotContain("Enabled");
    }
}
