package io.volute.server.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.adminapi.signing.RequestSigner;
import io.volute.server.auditlog.AuditTrail;
import io.volute.server.auth.policy.Authority;
import io.volute.server.config.ReplicationConfig;
import io.volute.server.credentials.Credential;
import io.volute.server.credentials.Credential.Kind;
import io.volute.server.credentials.FixedCredentials;
import io.volute.server.http.HttpServer;
import io.volute.server.http.HttpSettings;
import io.volute.server.http.HttpSettings.Caps;
import io.volute.server.http.HttpSettings.Timeouts;
import io.volute.server.http.watch.RequestWatch;
import io.volute.server.outbound.Addresses;
import io.volute.server.outbound.S3Access;
import io.volute.server.outbound.S3Client;
import io.volute.server.s3.S3Protocol;
import io.volute.server.s3.S3Settings;
import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the rights of a target's credential at another server. */
final class TargetRightsTest extends S3TestCase {
    private static final String FAR = "replicate:far";
    private static final String RIGHTS =
            "\"s3:PutObject\",\"s3:GetObject\",\"s3:GetObjectVersion\",\"s3:DeleteObject\","
                    + "\"s3:ReplicateObject\",\"s3:ReplicateDelete\"";

    private Instant now = S3TestBed.NOW;
    private String rights = RIGHTS;
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        Credential vault =
                new Credential(
                        "VAULT", "vaultsecret", "vault", "Vault", Kind.USER, 0, Optional.empty());
        S3Protocol protocol =
                new S3Protocol(
                        bed.store(),
                        new FixedCredentials(List.of(vault)),
                        new Authority(
                                who ->
                                        List.of(
                                                "{\"Statement\":{\"Effect\":\"Allow\",\"Action\":["
                                                        + rights
                                                        + "],\"Resource\":\"*\"}}")),
                        new S3Settings(S3TestBed.REGION, List.of(), () -> now, true),
                        AuditTrail.NONE);
        server =
                HttpServer.start(
                        new HttpSettings(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                Optional.empty(),
                                Caps.defaults(),
                                Timeouts.defaults()),
                        new HttpServer.Service(
                                protocol, HttpServer.Readiness.ALWAYS, RequestWatch.NONE),
                        () -> now,
                        new Random(1));
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
        bed.store().outbox().remove(FAR, bed.store().outbox().next(FAR, 100));
    }

    private Sink sink() throws IOException {
        S3Client client =
                new S3Client(
                        URI.create("http://127.0.0.1:" + server.address().getPort()),
                        Addresses.OF_OPERATOR,
                        new S3Access(
                                () -> new RequestSigner("VAULT", "vaultsecret", S3TestBed.REGION),
                                Optional.empty()),
                        new S3Client.Settings("credential-file", "region", "ca-file"),
                        () -> now);
        return new S3Sink(
                "far",
                new Sources(bed.store(), new UUID(0, 1), Optional.empty()),
                ReplicationRightsTest.rights(bed),
                ReplicationConfig.Type.VOLUTE,
                new S3Requests(client),
                () -> now);
    }

    /** After an upgrade the change waits, and its failure names the right. */
    @Test
    void aMissingRightToClaimIsNamedAndMended() throws IOException {
        String from = bed.versionedBucket();
        String copy = bed.versionedBucket();
        TestResponse set =
                bed.request("PUT", "/" + from + "?replication")
                        .body(
                                "<ReplicationConfiguration><Role>any</Role><Rule><Status>Enabled"
                                        + "</Status><Prefix></Prefix><Destination><Bucket>"
                                        + "arn:volute:replication::far:"
                                        + copy
                                        + "</Bucket></Destination></Rule>"
                                        + "</ReplicationConfiguration>")
                        .send();
        assertThat(set.status()).as(set.text()).isEqualTo(200);
        bed.put("/" + from + "/k", "content");
        try (Sink sink = sink()) {
            ReplicaDelivery delivery =
                    new ReplicaDelivery("far", bed.store(), List.of(sink), () -> now);
            delivery.look();
            assertThat(delivery.failure().orElseThrow())
                    .contains("AccessDenied", "volute:ClaimReplica");
            assertThat(delivery.failures()).isEqualTo(1);
            assertThat(bed.request("HEAD", "/" + from + "/k").send())
                    .extracting(answer -> answer.header("x-amz-replication-status"))
                    .isEqualTo("PENDING");
            assertThat(bed.get("/" + copy + "/k").code()).isEqualTo("NoSuchKey");
            rights = RIGHTS + ",\"volute:ClaimReplica\"";
            now = now.plusSeconds(120);
            delivery.look();
            assertThat(delivery.delivered()).isEqualTo(1);
        }
        assertThat(bed.get("/" + copy + "/k").text()).isEqualTo("content");
        assertThat(bed.request("HEAD", "/" + from + "/k").send())
                .extracting(answer -> answer.header("x-amz-replication-status"))
                .isEqualTo("COMPLETED");
    }
}
