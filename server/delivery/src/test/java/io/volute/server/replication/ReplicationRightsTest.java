package io.volute.server.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.auditlog.AuditTrail;
import io.volute.server.auth.policy.Authority;
import io.volute.server.auth.policy.Authority.PolicySource;
import io.volute.server.credentials.Credential;
import io.volute.server.credentials.CredentialStore;
import io.volute.server.credentials.FixedCredentials;
import io.volute.server.s3.S3Protocol;
import io.volute.server.s3.S3Settings;
import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestRequest;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.TestSigner;
import io.volute.server.s3.replication.ReplicationMessage;
import io.volute.versioning.Outbox.Message;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.VersionId;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that replication has the rights of the user that configured it, as they are at the
 * delivery, and breaks no lock.
 */
final class ReplicationRightsTest extends S3TestCase {
    private static final String HERE = "replicate:local";
    private static final String DATE = "2026-12-24T00:00:00Z";
    private static final String LATER = "2026-12-31T00:00:00Z";
    private static final String EARLIER = "2026-12-01T00:00:00Z";

    /** Returns the rights of the users of a bed, who have no policies of their own. */
    static ConfigurerRights rights(S3TestBed bed) {
        return rights(bed, S3TestBed.credentials());
    }

    private static ConfigurerRights rights(S3TestBed bed, CredentialStore users) {
        return new ConfigurerRights(
                bed.store(),
                new Authority(PolicySource.NONE),
                users,
                new S3Settings(S3TestBed.REGION, List.of(), () -> S3TestBed.NOW, true));
    }

    @AfterEach
    void takeAll() throws IOException {
        bed.store().outbox().remove(HERE, bed.store().outbox().next(HERE, 100));
    }

    /** Delivers what waits; returns the reasons of refusals. */
    private static List<String> deliver(ConfigurerRights rights) throws IOException {
        return deliver(bed.store(), rights);
    }

    private static List<String> deliver(VersionedStore store, ConfigurerRights rights)
            throws IOException {
        StoreSink sink =
                new StoreSink(
                        new Sources(store, new UUID(0, 1), Optional.empty()),
                        rights,
                        () -> S3TestBed.NOW);
        List<Message> all = bed.store().outbox().next(HERE, 100);
        List<String> refused = new ArrayList<>();
        for (Message each : all) {
            sink.apply(ReplicationMessage.decode(each.content().orElseThrow()))
                    .ifPresent(refused::add);
        }
        bed.store().outbox().remove(HERE, all);
        return refused;
    }

    private static List<String> deliver() throws IOException {
        return deliver(rights(bed));
    }

    private static String locking(TestSigner owner) {
        String name = bed.freshName();
        TestResponse made =
                bed.request("PUT", "/" + name)
                        .header("x-amz-bucket-object-lock-enabled", "true")
                        .sendAs(owner);
        assertThat(made.status()).isEqualTo(200);
        return name;
    }

    private static void policy(String bucket, TestSigner owner, String... statements) {
        String text =
                ("{'Version':'2012-10-17','Statement':[" + String.join(",", statements) + "]}")
                        .replace('\'', '"')
                        .replace("BUCKET", "arn:aws:s3:::" + bucket);
        TestResponse set = bed.request("PUT", "/" + bucket + "?policy").body(text).sendAs(owner);
        assertThat(set.status()).as(set.text()).isEqualTo(204);
    }

    private static String statement(String effect, String actions) {
        return "{'Effect':'"
                + effect
                + "','Principal':{'AWS':'arn:aws:iam::000000000000:user/bob'},'Action':["
                + actions
                + "],'Resource':['BUCKET','BUCKET/*']}";
    }

    private static TestResponse configure(String from, String to, TestSigner who) {
        return bed.request("PUT", "/" + from + "?replication")
                .body(
                        "<ReplicationConfiguration><Role>any</Role><Rule><Priority>1</Priority>"
                                + "<Filter><Prefix></Prefix></Filter><Status>Enabled</Status>"
                                + "<DeleteMarkerReplication><Status>Enabled</Status>"
                                + "</DeleteMarkerReplication><DeleteReplication><Status>Enabled"
                                + "</Status></DeleteReplication><Destination><Bucket>arn:aws:s3:::"
                                + to
                                + "</Bucket></Destination></Rule></ReplicationConfiguration>")
                .sendAs(who);
    }

    private static void configured(String from, String to, TestSigner who) {
        TestResponse set = configure(from, to, who);
        assertThat(set.status()).as(set.text()).isEqualTo(200);
    }

    private static String put(String bucket, TestSigner who) {
        TestResponse put =
                bed.request("PUT", "/" + bucket + "/k")
                        .header("x-amz-object-lock-mode", "GOVERNANCE")
                        .header("x-amz-object-lock-retain-until-date", DATE)
                        .header("content-md5", "mgNkuembtIDdJeHwKEyFVQ==")
                        .body("content")
                        .sendAs(who);
        assertThat(put.status()).as(put.text()).isEqualTo(200);
        return put.header("x-amz-version-id");
    }

    private static void remove(String bucket, String version, TestSigner who) {
        TestResponse removed =
                bed.request("DELETE", "/" + bucket + "/k?versionId=" + version)
                        .header("x-amz-bypass-governance-retention", "true")
                        .sendAs(who);
        assertThat(removed.status()).as(removed.text()).isEqualTo(204);
    }

    private static void retain(String bucket, String version, String until) {
        String body =
                until.isEmpty()
                        ? "<Retention/>"
                        : "<Retention><Mode>GOVERNANCE</Mode><RetainUntilDate>"
                                + until
                                + "</RetainUntilDate></Retention>";
        change(bucket, version, "retention", body);
    }

    private static void change(String bucket, String version, String what, String body) {
        TestResponse set =
                bed.request("PUT", "/" + bucket + "/k?" + what + "&versionId=" + version)
                        .header("x-amz-bypass-governance-retention", "true")
                        .body(body)
                        .send();
        assertThat(set.status()).as(set.text()).isEqualTo(200);
    }

    private static String replica(String bucket, String header) {
        return bed.request("HEAD", "/" + bucket + "/k").send().header(header);
    }

    @Test
    void whoMayNotDeleteLockedReplicasDoesNotByReplication() throws IOException {
        String copy = locking(bed.root());
        policy(
                copy,
                bed.root(),
                statement("Allow", "'s3:*'"),
                statement("Deny", "'s3:DeleteObjectVersion','s3:BypassGovernanceRetention'"));
        String from = locking(bed.bob());
        configured(from, copy, bed.bob());
        String version = put(from, bed.bob());
        assertThat(deliver()).isEmpty();
        remove(from, version, bed.bob());
        assertThat(deliver()).hasSize(1).allMatch(why -> why.contains("s3:DeleteObject"));
        assertThat(bed.get("/" + copy + "/k").text()).isEqualTo("content");
    }

    @Test
    void nobodyRemovesALockedReplica() throws IOException {
        String copy = locking(bed.root());
        String from = locking(bed.root());
        configured(from, copy, bed.root());
        String version = put(from, bed.root());
        assertThat(deliver()).isEmpty();
        remove(from, version, bed.root());
        assertThat(deliver()).containsExactly("the version is locked");
        assertThat(bed.get("/" + copy + "/k").text()).isEqualTo("content");
    }

    @Test
    void locksOfReplicasAreOnlyStrengthened() throws IOException {
        String copy = locking(bed.root());
        String from = locking(bed.root());
        configured(from, copy, bed.root());
        String version = put(from, bed.root());
        change(from, version, "legal-hold", "<LegalHold><Status>ON</Status></LegalHold>");
        retain(from, version, LATER);
        assertThat(deliver()).isEmpty();
        String until = "x-amz-object-lock-retain-until-date";
        assertThat(replica(copy, until)).startsWith("2026-12-31");
        retain(from, version, EARLIER);
        change(from, version, "legal-hold", "<LegalHold><Status>OFF</Status></LegalHold>");
        assertThat(deliver()).isEmpty();
        assertThat(replica(copy, until)).startsWith("2026-12-31");
        assertThat(replica(copy, "x-amz-object-lock-legal-hold")).isEqualTo("ON");
        retain(from, version, "");
        assertThat(deliver()).isEmpty();
        assertThat(replica(copy, until)).startsWith("2026-12-31");
        change(
                from,
                version,
                "retention",
                "<Retention><Mode>COMPLIANCE</Mode><RetainUntilDate>2027-01-01T00:00:00Z"
                        + "</RetainUntilDate></Retention>");
        assertThat(deliver()).isEmpty();
        assertThat(replica(copy, "x-amz-object-lock-mode")).isEqualTo("COMPLIANCE");
    }

    @Test
    void aSourceThatTheConfigurerMayNotReadIsNotCopied() throws IOException {
        String from = locking(bed.alice());
        policy(from, bed.alice(), statement("Allow", "'s3:PutReplicationConfiguration'"));
        String copy = locking(bed.bob());
        configured(from, copy, bed.bob());
        String version = put(from, bed.alice());
        assertThat(deliver()).hasSize(1).allMatch(why -> why.contains("s3:GetObjectVersion"));
        assertThat(bed.request("GET", "/" + copy + "/k").sendAs(bed.bob()).code())
                .isEqualTo("NoSuchKey");
        policy(
                from,
                bed.alice(),
                statement("Allow", "'s3:PutReplicationConfiguration','s3:GetObject'"));
        assertThat(put(from, bed.alice())).isNotEqualTo(version);
        assertThat(deliver()).isEmpty();
        assertThat(bed.request("GET", "/" + copy + "/k").sendAs(bed.bob()).text())
                .isEqualTo("content");
    }

    @Test
    void aRightThatIsTakenAwayEndsTheReplication() throws IOException {
        String copy = locking(bed.alice());
        policy(copy, bed.alice(), statement("Allow", "'s3:*'"));
        String from = locking(bed.bob());
        configured(from, copy, bed.bob());
        put(from, bed.bob());
        assertThat(bed.request("DELETE", "/" + copy + "?policy").sendAs(bed.alice()).status())
                .isEqualTo(204);
        assertThat(deliver()).hasSize(1).allMatch(why -> why.contains("s3:PutObject"));
    }

    @Test
    void aRemovedUserReplicatesNothing() throws IOException {
        String copy = locking(bed.bob());
        String from = locking(bed.bob());
        configured(from, copy, bed.bob());
        put(from, bed.bob());
        Credential root = S3TestBed.credentials().find("ROOTKEY").orElseThrow();
        CredentialStore left = new FixedCredentials(List.of(root));
        assertThat(deliver(rights(bed, left)))
                .hasSize(1)
                .allMatch(why -> why.contains("bob") && why.contains("was removed"));
    }

    @Test
    void aConfigurationWithoutAConfigurerHasNoRights() throws IOException {
        String copy = locking(bed.root());
        String from = locking(bed.root());
        configured(from, copy, bed.root());
        bed.store()
                .settings()
                .setDocument(
                        new BucketName(from),
                        BucketDocument.REPLICATION_CONFIGURER,
                        Optional.empty());
        put(from, bed.root());
        assertThat(deliver()).hasSize(1).allMatch(why -> why.contains("put the configuration"));
        configured(from, copy, bed.root());
        put(from, bed.root());
        assertThat(deliver()).isEmpty();
    }

    @Test
    void whatWaitsForAnEarlierDestinationIsRefused() throws IOException {
        String from = locking(bed.root());
        configured(from, locking(bed.root()), bed.root());
        put(from, bed.root());
        configured(from, locking(bed.root()), bed.root());
        assertThat(deliver()).hasSize(1).allMatch(why -> why.contains("no longer"));
        put(from, bed.root());
        bed.request("DELETE", "/" + from + "?replication").send();
        assertThat(deliver()).hasSize(1).allMatch(why -> why.contains("no longer"));
    }

    @Test
    void theConfigurationIsAnsweredWithoutItsConfigurer() {
        String from = locking(bed.root());
        configured(from, locking(bed.root()), bed.root());
        assertThat(bed.get("/" + from + "?replication").text()).doesNotContain("kind", "ROOT");
    }

    private static TestRequest claim(String bucket, String body) {
        return bed.request("PUT", "/" + bucket + "/k")
                .header(
                        "x-volute-replica",
                        new UUID(0, 1) + "/some-bucket/" + VersionId.format(7, false))
                .body(body);
    }

    @Test
    void aClaimNeedsARightThatAllOfS3DoesNotContain() {
        String bucket = locking(bed.alice());
        policy(bucket, bed.alice(), statement("Allow", "'s3:*'"));
        assertThat(claim(bucket, "x").sendAs(bed.bob()).code()).isEqualTo("AccessDenied");
        String own =
                "{\"Statement\":{\"Effect\":\"Allow\",\"Action\":\"volute:ClaimReplica\","
                        + "\"Resource\":\"arn:aws:s3:::"
                        + bucket
                        + "/*\"}}";
        S3Protocol allowing =
                new S3Protocol(
                        bed.store(),
                        S3TestBed.credentials(),
                        new Authority(who -> List.of(own)),
                        new S3Settings(S3TestBed.REGION, List.of(), () -> S3TestBed.NOW, true),
                        AuditTrail.NONE);
        assertThat(claim(bucket, "x").over(allowing).sendAs(bed.bob()).code()).isEqualTo("200");
    }

    @Test
    void aVersionThatClaimsToBeTheReplicaDoesNotEndTheReplication() throws IOException {
        String copy = locking(bed.root());
        String from = locking(bed.root());
        configured(from, copy, bed.root());
        String version = put(from, bed.root());
        TestResponse forged =
                bed.request("PUT", "/" + copy + "/k")
                        .header("x-volute-replica", new UUID(0, 1) + "/" + from + "/" + version)
                        .body("forged")
                        .send();
        assertThat(forged.status()).as(forged.text()).isEqualTo(200);
        assertThat(deliver()).containsExactly(S3Sink.CLAIMED);
    }

    /** Each refusal gives the reason, and the removal of its version ends them. */
    @Test
    void aClaimOfALaterVersionHoldsUntilItIsRemoved() throws IOException {
        String copy = bed.versionedBucket();
        String from = bed.versionedBucket();
        configured(from, copy, bed.root());
        String later = new UUID(0, 1) + "/" + from + "/" + VersionId.format(1L << 50, false);
        TestResponse claimed =
                bed.request("PUT", "/" + copy + "/k")
                        .header("x-volute-replica", later)
                        .body("forged")
                        .send();
        assertThat(claimed.status()).as(claimed.text()).isEqualTo(200);
        bed.put("/" + from + "/k", "content");
        assertThat(deliver()).containsExactly("there is a replica of a later version");
        remove(copy, claimed.header("x-amz-version-id"), bed.root());
        bed.put("/" + from + "/k", "content");
        assertThat(deliver()).isEmpty();
        assertThat(bed.get("/" + copy + "/k").text()).isEqualTo("content");
    }

    @Test
    void theConfigurerActsAndTheOwnerOfTheDestinationOwns() throws IOException {
        String copy = locking(bed.alice());
        policy(copy, bed.alice(), statement("Allow", "'s3:*'"));
        String from = locking(bed.bob());
        configured(from, copy, bed.bob());
        put(from, bed.bob());
        bed.request("DELETE", "/" + from + "/k").sendAs(bed.bob());
        List<Caller> callers = new ArrayList<>();
        assertThat(deliver(writesOf(callers), rights(bed))).isEmpty();
        assertThat(callers)
                .hasSize(2)
                .allSatisfy(
                        caller -> {
                            assertThat(caller.principal()).isEqualTo("bob");
                            assertThat(caller.owner()).isEqualTo("alice");
                            assertThat(caller.actor().name()).isEqualTo("replication");
                        });
        assertThat(bed.request("GET", "/" + copy + "?versions").sendAs(bed.alice()).text())
                .contains("<ID>alice</ID>")
                .doesNotContain("<ID>bob</ID>");
    }

    /** Returns the store, which adds the callers of copies and deletes to a list. */
    private static VersionedStore writesOf(List<Caller> callers) {
        InvocationHandler calls =
                (proxy, method, arguments) -> {
                    if (List.of("copy", "delete").contains(method.getName())) {
                        callers.add((Caller) arguments[0]);
                    }
                    try {
                        return method.invoke(bed.store(), arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                };
        return (VersionedStore)
                Proxy.newProxyInstance(
                        VersionedStore.class.getClassLoader(),
                        new Class<?>[] {VersionedStore.class},
                        calls);
    }
}
