package io.volute.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.adminapi.Route;
import io.volute.adminapi.Routes;
import io.volute.adminapi.signing.RequestSigner;
import io.volute.server.admin.AdminTestBed.Answer;
import io.volute.server.identity.SessionTokens.Issued;
import io.volute.server.query.SignedClient;
import io.volute.server.query.SignedClient.Keys;
import io.volute.server.s3.TestResponse;
import io.volute.versioning.value.BucketName;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Only users with the permission of a policy may read the past and restore it. */
@Tag("slow")
class AdminAccessTest extends AdminTestCase {
    /** The names of actions in policies. They must not change, because stored policies use them. */
    private static final Map<Route<?, ?>, String> ACTIONS =
            Map.ofEntries(
                    Map.entry(Routes.HISTORY, "volute:History"),
                    Map.entry(Routes.ACTORS, "volute:Actors"),
                    Map.entry(Routes.ACTIVITY, "volute:Activity"),
                    Map.entry(Routes.TRACE, "volute:Trace"),
                    Map.entry(Routes.POLICY, "volute:Policy"),
                    Map.entry(Routes.SET_POLICY, "volute:SetPolicy"),
                    Map.entry(Routes.USAGE, "volute:Usage"),
                    Map.entry(Routes.LIFECYCLE, "volute:Lifecycle"),
                    Map.entry(Routes.PURGE, "volute:Purge"),
                    Map.entry(Routes.SHRED, "volute:Shred"),
                    Map.entry(Routes.PLAN_RESTORE, "volute:PlanRestore"),
                    Map.entry(Routes.START_RESTORE, "volute:StartRestore"),
                    Map.entry(Routes.RESTORES, "volute:Restores"),
                    Map.entry(Routes.CANCEL_RESTORE, "volute:CancelRestore"));

    /** The routes whose resource is a bucket or its keys. */
    private static final Set<Route<?, ?>> OF_BUCKETS =
            Set.of(Routes.SET_POLICY, Routes.PURGE, Routes.SHRED, Routes.START_RESTORE);

    private RequestSigner carol = AdminTestBed.ALICE;

    @BeforeEach
    void aUser() throws IOException {
        AdminExamples.fill(bed);
        assertThat(bed.post("/_volute/v1/users", Map.of("name", "carol")).status()).isEqualTo(200);
        Map<String, Object> key = bed.post("/_volute/v1/keys", Map.of("user", "carol")).document();
        carol =
                new RequestSigner(
                        key.get("accessKey").toString(),
                        key.get("secretKey").toString(),
                        "us-east-1");
    }

    private static Map<String, Object> statement(
            String effect, Collection<String> actions, String resource) {
        return Map.of("Effect", effect, "Action", List.copyOf(actions), "Resource", resource);
    }

    /** Replaces all of carol's permissions. */
    private void give(List<Map<String, Object>> statements) throws IOException {
        Map<String, Object> policy =
                Map.of("user", "carol", "policy", "p", "document", Map.of("Statement", statements));
        assertThat(bed.put("/_volute/v1/policies/inline", policy).status()).isEqualTo(200);
    }

    private void allow(Collection<String> actions) throws IOException {
        give(List.of(statement("Allow", actions, "*")));
    }

    /**
     * Asserts that carol may use the given routes, and that all others refuse her without any
     * effect.
     */
    private void assertAllowed(Set<Route<?, ?>> allowed) throws IOException {
        Map<Route<?, ?>, Map<String, Object>> examples = AdminExamples.asked();
        for (Route<?, ?> route : Routes.all()) {
            if (!allowed.contains(route)) {
                bed.history.asked.clear();
                bed.restore.asked.clear();
                Answer refused = bed.ask(carol, route, examples.getOrDefault(route, Map.of()));
                assertThat(refused.status()).as(route.name()).isEqualTo(403);
                assertThat(refused.code()).isEqualTo("AccessDenied");
                assertThat(bed.history.asked).isEmpty();
                assertThat(bed.restore.asked).isEmpty();
            }
        }
        for (Map.Entry<Route<?, ?>, Map<String, Object>> example : examples.entrySet()) {
            if (allowed.contains(example.getKey())) {
                Answer answer = bed.ask(carol, example.getKey(), example.getValue());
                assertThat(answer.status())
                        .as("%s: %s", example.getKey(), answer)
                        .isEqualTo(example.getKey().status());
            }
        }
    }

    @Test
    void theExamplesAreAllOfIt() {
        assertThat(AdminExamples.asked().keySet()).isEqualTo(ACTIONS.keySet());
    }

    @Test
    void whoHasNoPolicyMayAskNothing() throws IOException {
        assertAllowed(Set.of());
    }

    @Test
    void whoIsAllowedAllOfItMayAskThatAndNothingElse() throws IOException {
        allow(ACTIONS.values());
        assertAllowed(ACTIONS.keySet());
    }

    /** A session ends, and a key that it made would not. */
    @Test
    void aSessionOfAUserChangesNoIdentities() throws IOException {
        allow(List.of("volute:*"));
        String own = bed.people.identities().keysOf("carol").getFirst().accessKey();
        Issued session =
                bed.people
                        .tokens()
                        .issue(
                                bed.people.tokens().find(own).orElseThrow(),
                                "session",
                                AdminTestBed.NOW.plusSeconds(900),
                                Optional.empty());
        Keys keys =
                new Keys(
                        session.credential().accessKey(),
                        session.credential().secretKey(),
                        session.token());
        SignedClient client = new SignedClient(bed.front, AdminTestBed.NOW);
        for (Route<?, ?> route : Routes.all()) {
            if (new AdminRoute(route).changesIdentities()) {
                TestResponse refused =
                        client.send(
                                keys,
                                "s3",
                                route.method(),
                                route.path(),
                                "{\"user\":\"carol\"}",
                                Map.of());
                assertThat(refused.status()).as(route.name()).isEqualTo(403);
                assertThat(refused.text()).contains("A session of a user");
            }
        }
        assertThat(client.send(keys, "s3", "GET", "/_volute/v1/users", "", Map.of()).status())
                .isEqualTo(200);
        assertThat(bed.people.identities().keysOf("carol")).hasSize(1);
        assertThat(bed.ask(carol, Routes.CREATE_KEY, Map.of("user", "carol")).status())
                .isEqualTo(200);
    }

    @Test
    void eachIsAllowedByItsOwnName() throws IOException {
        for (Map.Entry<Route<?, ?>, String> each : ACTIONS.entrySet()) {
            allow(Set.of(each.getValue()));
            assertAllowed(Set.of(each.getKey()));
        }
    }

    @Test
    void whatIsDeniedIsNotAllowedByAnything() throws IOException {
        give(
                List.of(
                        statement("Allow", Set.of("volute:*"), "*"),
                        statement("Deny", ACTIONS.values(), "*")));
        for (Route<?, ?> route : ACTIONS.keySet()) {
            Answer refused = bed.ask(carol, route, AdminExamples.asked().get(route));
            assertThat(refused.code()).as(route.name()).isEqualTo("AccessDenied");
        }
        assertThat(bed.ask(carol, Routes.SPACE, Map.of()).status()).isEqualTo(200);
    }

    @Test
    void rightsToBucketsAreRightsToTheHistoryOfTheirKeysAlone() throws IOException {
        give(List.of(statement("Allow", Set.of("s3:*"), "*")));
        assertAllowed(Set.of(Routes.HISTORY, Routes.TRACE));
    }

    @Test
    void whatChangesABucketIsAllowedByBucket() throws IOException {
        give(List.of(statement("Allow", Set.of("volute:*"), "arn:aws:s3:::*")));
        assertAllowed(OF_BUCKETS);
        give(List.of(statement("Allow", Set.of("volute:*"), "arn:aws:s3:::other*")));
        assertAllowed(Set.of());
    }

    private String codeOf(Route<?, ?> route) throws IOException {
        Answer answer = bed.ask(carol, route, AdminExamples.asked().get(route));
        return answer.status() == route.status() ? "" : answer.code();
    }

    /** The caller is denied by S3 what the admin API would do in the caller's stead. */
    @ParameterizedTest
    @CsvSource({
        "StartRestore, s3:PutObject, arn:aws:s3:::BUCKET/*",
        "StartRestore, s3:DeleteObject, arn:aws:s3:::BUCKET/*",
        "StartRestore, s3:Put*, arn:aws:s3:::BUCKET/a/secret/*",
        "StartRestore, volute:StartRestore, arn:aws:s3:::BUCKET/a/secret/*",
        "StartRestore, volute:StartRestore, arn:aws:s3:::BUCKET",
        "Purge, s3:DeleteObjectVersion, arn:aws:s3:::*/secret/*",
        "Purge, volute:Purge, arn:aws:s3:::BUCKET",
        "Shred, s3:DeleteObjectVersion, arn:aws:s3:::BUCKET/k",
        "Shred, volute:Shred, arn:aws:s3:::BUCKET",
        "SetPolicy, s3:PutBucketVersioning, arn:aws:s3:::BUCKET",
        "SetPolicy, s3:PutLifecycleConfiguration, *",
    })
    void whatS3DeniesTheAdminApiDoesNot(String name, String denied, String resource)
            throws IOException {
        Route<?, ?> route =
                Routes.all().stream()
                        .filter(each -> each.name().equals(name))
                        .findFirst()
                        .orElseThrow();
        String bucket = AdminExamples.BUCKET;
        Map<String, Object> all = statement("Allow", Set.of("volute:*", "s3:*"), "*");
        give(List.of(all, statement("Deny", Set.of(denied), resource.replace("BUCKET", "other"))));
        boolean isOther = resource.contains("BUCKET");
        assertThat(codeOf(route)).isEqualTo(isOther ? "" : "AccessDenied");
        give(List.of(all, statement("Deny", Set.of(denied), resource.replace("BUCKET", bucket))));
        bed.history.asked.clear();
        bed.restore.asked.clear();
        assertThat(codeOf(route)).isEqualTo("AccessDenied");
        assertThat(bed.history.asked).isEmpty();
        assertThat(bed.restore.asked).isEmpty();
    }

    @Test
    void thePolicyOfTheBucketDeniesToo() throws IOException {
        allow(Set.of("volute:*"));
        assertThat(codeOf(Routes.PURGE)).isEmpty();
        String bucket = AdminExamples.BUCKET;
        String policy =
                "{'Statement':{'Effect':'Deny','Principal':'*','Action':'s3:DeleteObjectVersion',"
                        + "'Resource':'arn:aws:s3:::BUCKET/kept/*'}}";
        bed.store
                .settings()
                .setAccess(
                        new BucketName(bucket),
                        access ->
                                access.withPolicy(
                                        Optional.of(
                                                policy.replace('\'', '"')
                                                        .replace("BUCKET", bucket))));
        assertThat(codeOf(Routes.PURGE)).isEqualTo("AccessDenied");
        assertThat(codeOf(Routes.START_RESTORE)).isEmpty();
    }

    private Answer restore(String prefix) throws IOException {
        Map<String, Object> request =
                Map.of(
                        "bucket",
                        AdminExamples.BUCKET,
                        "prefix",
                        prefix,
                        "goal",
                        Map.of("kind", "to-instant", "instant", "2026-11-20T14:05:00Z"));
        return bed.ask(carol, Routes.START_RESTORE, Map.of("request", request));
    }

    private Answer restoreBefore(String bucket, String key, Map<String, Object> cause)
            throws IOException {
        Map<String, Object> goal = new HashMap<>(cause);
        goal.putAll(Map.of("kind", "before-taint", "bucket", bucket, "key", key));
        Map<String, Object> request =
                Map.of("bucket", AdminExamples.BUCKET, "prefix", "team/", "goal", goal);
        return bed.ask(carol, Routes.START_RESTORE, Map.of("request", request));
    }

    /** The answer names the version that was found, so it would tell about keys of others. */
    @Test
    void aRestoreThatTracesOtherKeysNeedsTheRightToTrace() throws IOException {
        String own = AdminExamples.BUCKET;
        Map<String, Object> restores =
                statement(
                        "Allow", Set.of("volute:StartRestore"), "arn:aws:s3:::" + own + "/team/*");
        give(List.of(restores));
        assertThat(restoreBefore(own, "team/a", Map.of()).status()).isEqualTo(202);
        bed.restore.asked.clear();
        assertThat(restoreBefore(own, "other", Map.of()).code()).isEqualTo("AccessDenied");
        assertThat(restoreBefore("another", "team/a", Map.of()).code()).isEqualTo("AccessDenied");
        assertThat(restoreBefore(own, "team/a", Map.of("causeUser", "dave")).code())
                .isEqualTo("AccessDenied");
        assertThat(bed.restore.asked).isEmpty();
        give(List.of(restores, statement("Allow", Set.of("volute:Trace"), "*")));
        assertThat(restoreBefore("another", "team/a", Map.of("causeUser", "dave")).status())
                .isEqualTo(202);
    }

    /** A prefix is allowed when all keys below it are, and denied when one of them may be. */
    @Test
    void aRestoreIsAllowedByPrefix() throws IOException {
        String keys = "arn:aws:s3:::" + AdminExamples.BUCKET + "/";
        give(
                List.of(
                        statement("Allow", Set.of("volute:StartRestore"), keys + "team/*"),
                        statement("Allow", Set.of("volute:StartRestore"), keys + "one"),
                        statement("Allow", Set.of("volute:StartRestore"), keys + "one?"),
                        statement("Deny", Set.of("s3:PutObject"), keys + "team/secret/*"),
                        Map.of(
                                "Effect",
                                "Deny",
                                "Action",
                                "s3:DeleteObject",
                                "NotResource",
                                keys + "team/*")));
        assertThat(restore("team/public/").status()).isEqualTo(202);
        for (String refused :
                List.of("", "team", "team/", "team/secret/", "team/secret/x", "one", "other")) {
            assertThat(restore(refused).code()).as(refused).isEqualTo("AccessDenied");
        }
    }
}
