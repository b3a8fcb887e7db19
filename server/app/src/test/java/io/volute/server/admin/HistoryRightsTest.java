package io.volute.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.adminapi.Route;
import io.volute.adminapi.Routes;
import io.volute.adminapi.signing.RequestSigner;
import io.volute.server.admin.AdminTestBed.Answer;
import io.volute.server.auditlog.AuditTrail;
import io.volute.server.json.Json;
import io.volute.server.query.SignedClient;
import io.volute.server.query.SignedClient.Keys;
import io.volute.server.s3.S3Protocol;
import io.volute.server.s3.S3Settings;
import io.volute.server.s3.TestResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Callers see the history of keys whose versions they may list, and nothing else of it. */
@Tag("slow")
class HistoryRightsTest {
    private static final String LIST = "s3:ListBucketVersions";
    private static final Keys ROOT = new Keys("ROOTKEY", "rootsecret", "");
    private static final Keys ALICE = new Keys("ALICE", "alicesecret", "");

    private final Map<String, Keys> people = new HashMap<>();
    private AdminTestBed bed;
    private SignedClient s3;

    @BeforeEach
    void open(@TempDir Path directory) throws IOException {
        bed = AdminTestBed.withHistory(directory);
        S3Protocol protocol =
                new S3Protocol(
                        bed.store(),
                        bed.people.tokens(),
                        bed.people.authority(),
                        new S3Settings("us-east-1", List.of(), () -> AdminTestBed.NOW, true),
                        AuditTrail.NONE);
        s3 = new SignedClient(protocol, AdminTestBed.NOW);
        for (String user : List.of("carol", "dave")) {
            assertThat(bed.post("/_volute/v1/users", Map.of("name", user)).status()).isEqualTo(200);
            Map<String, Object> key = bed.post("/_volute/v1/keys", Map.of("user", user)).document();
            people.put(
                    user,
                    new Keys(key.get("accessKey").toString(), key.get("secretKey").toString(), ""));
        }
    }

    @AfterEach
    void close() throws IOException {
        bed.close();
    }

    private TestResponse send(Keys who, String method, String path, String body) {
        bed.later(Duration.ofSeconds(2));
        return s3.send(who, "s3", method, path, body, Map.of("user-agent", "their-program/1"));
    }

    private void done(Keys who, String method, String path, String body) {
        TestResponse answer = send(who, method, path, body);
        assertThat(answer.status()).as(path + answer.text()).isIn(200, 204);
    }

    private void give(String user, String statements) throws IOException {
        Map<String, Object> document =
                Json.read(("{\"Statement\":" + statements + "}").getBytes(StandardCharsets.UTF_8));
        Map<String, Object> policy = Map.of("user", user, "policy", "p", "document", document);
        assertThat(bed.put("/_volute/v1/policies/inline", policy).status()).isEqualTo(200);
    }

    private static String statement(String effect, String action, String resource, String more) {
        return "{\"Effect\":\"%s\",\"Action\":\"%s\",\"Resource\":\"arn:aws:s3:::%s\"%s}"
                .formatted(effect, action, resource, more);
    }

    private static String allow(String action, String resource) {
        return statement("Allow", action, resource, "");
    }

    private Answer ask(Keys who, Route<?, ?> route, Map<String, ?> arguments) throws IOException {
        RequestSigner signer = new RequestSigner(who.accessKey(), who.secret(), "us-east-1");
        return bed.ask(signer, route, arguments);
    }

    private Answer history(String user, String bucket, String key) throws IOException {
        return ask(people.get(user), Routes.HISTORY, Map.of("bucket", bucket, "key", key));
    }

    private Answer trace(Keys who, String direction, String key) throws IOException {
        return ask(
                who, Routes.TRACE, Map.of("direction", direction, "bucket", "shared", "key", key));
    }

    private static List<?> list(Answer answer, String name) {
        assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
        return (List<?>) answer.document().get(name);
    }

    /** A bucket that is shared, and one that is not. */
    private void buckets() {
        done(ALICE, "PUT", "/shared", "");
        done(ALICE, "PUT", "/secret", "");
        done(ALICE, "PUT", "/shared/doc/one", "first");
        done(ALICE, "PUT", "/shared/doc/one", "second");
        done(ALICE, "PUT", "/secret/passwords", "geheim");
    }

    @Test
    void listingVersionsIsEnoughAndNothingElseIs() throws IOException {
        buckets();
        for (String nothing :
                List.of(
                        allow("s3:ListBucket", "shared"),
                        allow("s3:GetObject*", "shared/*"),
                        allow(LIST, "secret"),
                        allow(LIST, "shared") + "," + statement("Deny", LIST, "shared", ""),
                        allow(LIST, "shared")
                                + ",{\"Effect\":\"Deny\",\"Action\":\"volute:*\","
                                + "\"Resource\":\"*\"}")) {
            give("carol", "[" + nothing + "]");
            Answer refused = history("carol", "shared", "doc/one");
            assertThat(refused.status()).as(nothing).isEqualTo(403);
            assertThat(refused.code()).isEqualTo("AccessDenied");
            assertThat(trace(people.get("carol"), "back", "doc/one").status()).isEqualTo(403);
        }
        give("carol", "[" + allow(LIST, "shared") + "]");
        assertThat(list(history("carol", "shared", "doc/one"), "states")).hasSize(2);
        assertThat(list(trace(people.get("carol"), "back", "doc/one"), "steps")).isNotEmpty();
        // A bucket that is not there is refused like one that the caller may not list.
        assertThat(history("carol", "absent", "k")).isEqualTo(history("carol", "secret", "k"));
        assertThat(history("carol", "secret", "passwords").status()).isEqualTo(403);
        assertThat(ask(people.get("carol"), Routes.ACTORS, Map.of()).status()).isEqualTo(403);
        assertThat(ask(people.get("carol"), Routes.ACTIVITY, Map.of()).status()).isEqualTo(403);
    }

    @Test
    void prefixesLimitTheHistory() throws IOException {
        buckets();
        done(ALICE, "PUT", "/shared/private/x", "x");
        String prefix = ",\"Condition\":{\"StringLike\":{\"s3:prefix\":\"%s\"}}";
        give("carol", "[" + statement("Allow", LIST, "shared", prefix.formatted("doc/*")) + "]");
        assertThat(list(history("carol", "shared", "doc/one"), "states")).hasSize(2);
        assertThat(history("carol", "shared", "private/x").status()).isEqualTo(403);
        // The parameter of a listing is none of this request.
        Answer odd =
                ask(
                        people.get("carol"),
                        Routes.HISTORY,
                        Map.of("bucket", "shared", "key", "private/x", "prefix", "doc/"));
        assertThat(odd.status()).isIn(400, 403);
        give(
                "carol",
                "["
                        + allow(LIST, "shared")
                        + ","
                        + statement("Deny", LIST, "shared", prefix.formatted("private/*"))
                        + "]");
        assertThat(history("carol", "shared", "doc/one").status()).isEqualTo(200);
        assertThat(history("carol", "shared", "private/x").status()).isEqualTo(403);
    }

    @Test
    void aBucketPolicyGivesAndDeniesIt() throws IOException {
        buckets();
        String principal = ",\"Principal\":{\"AWS\":\"arn:aws:iam::000000000000:user/carol\"}";
        done(
                ALICE,
                "PUT",
                "/shared?policy",
                "{\"Statement\":[" + statement("Allow", LIST, "shared", principal) + "]}");
        // The state before the policy is hidden.
        assertThat(list(history("carol", "shared", "doc/one"), "states")).hasSize(1);
        assertThat(history("dave", "shared", "doc/one").status()).isEqualTo(403);
        give("carol", "[" + allow("s3:*", "*") + "]");
        done(
                ALICE,
                "PUT",
                "/shared?policy",
                "{\"Statement\":[" + statement("Deny", LIST, "shared", principal) + "]}");
        assertThat(history("carol", "shared", "doc/one").status()).isEqualTo(403);
    }

    /** A policy that denied the listing then still hides the states of then. */
    @Test
    void hiddenStatesNeedThePermissionOfTheirTime() throws IOException {
        buckets();
        give("carol", "[" + allow(LIST, "shared") + "]");
        String principal = ",\"Principal\":{\"AWS\":\"arn:aws:iam::000000000000:user/carol\"}";
        done(
                ALICE,
                "PUT",
                "/shared?policy",
                "{\"Statement\":[" + statement("Deny", LIST, "shared", principal) + "]}");
        done(ALICE, "PUT", "/shared/doc/one", "not for carol");
        done(ALICE, "DELETE", "/shared?policy", "");
        done(ALICE, "PUT", "/shared/doc/one", "for carol");
        List<?> states = list(history("carol", "shared", "doc/one"), "states");
        assertThat(states).hasSize(3);
        assertThat(states.toString()).doesNotContain("bytes=13");
        assertThat(ask(ALICE, Routes.HISTORY, Map.of("bucket", "shared", "key", "doc/one")))
                .satisfies(own -> assertThat(list(own, "states")).hasSize(4));
    }

    @Test
    void aTraceIntoOtherBucketsShowsClosedNodes() throws IOException {
        buckets();
        done(ALICE, "PUT", "/secret/more", "m");
        give("dave", "[" + allow("s3:*", "*") + "]");
        done(people.get("dave"), "GET", "/secret/passwords", "");
        done(people.get("dave"), "GET", "/secret/more", "");
        done(people.get("dave"), "PUT", "/shared/made", "from secrets");
        give("carol", "[" + allow("s3:*", "shared") + "]");
        Answer limited = trace(people.get("carol"), "back", "made");
        List<?> steps = list(limited, "steps");
        assertThat(steps.toString())
                .doesNotContain("secret", "passwords", "more", "their-program", "192.0.2");
        assertThat(steps).filteredOn(step -> step.toString().contains("node={}")).hasSize(1);
        assertThat(steps.toString()).contains("principal=dave");
        Answer whole = trace(ROOT, "back", "made");
        assertThat(list(whole, "steps").toString())
                .contains("secret", "passwords", "more", "ALICE", "192.0.2");
        // Nothing is reached through a closed node.
        done(ALICE, "PUT", "/shared/origin", "o");
        s3.send(
                ROOT,
                "s3",
                "PUT",
                "/secret/between",
                "",
                Map.of("x-amz-copy-source", "/shared/origin"));
        bed.later(Duration.ofSeconds(2));
        s3.send(
                ROOT,
                "s3",
                "PUT",
                "/shared/far",
                "",
                Map.of("x-amz-copy-source", "/secret/between"));
        bed.later(Duration.ofSeconds(2));
        assertThat(list(trace(ROOT, "forward", "origin"), "steps").toString())
                .contains("between", "far");
        assertThat(list(trace(people.get("carol"), "forward", "origin"), "steps").toString())
                .contains("node={}")
                .doesNotContain("between", "far");
    }

    @Test
    void detailsOfClientsAreForTheOwnerAndForThemselves() throws IOException {
        buckets();
        give("carol", "[" + allow("s3:*", "shared") + "," + allow("s3:*", "shared/*") + "]");
        give("dave", "[" + allow(LIST, "shared") + "]");
        done(people.get("carol"), "PUT", "/shared/doc/one", "third");
        Answer own = history("carol", "shared", "doc/one");
        assertThat(list(own, "states").getFirst().toString()).contains("192.0.2.1", "their");
        assertThat(list(own, "states").get(1).toString())
                .contains("principal=alice")
                .doesNotContain("192.0.2.1", "their", "ALICE");
        assertThat(list(history("dave", "shared", "doc/one"), "states").toString())
                .contains("principal=carol")
                .doesNotContain("192.0.2.1", "their", people.get("carol").accessKey());
        Answer owner = ask(ALICE, Routes.HISTORY, Map.of("bucket", "shared", "key", "doc/one"));
        assertThat(list(owner, "states").getFirst().toString())
                .contains("192.0.2.1", "their", people.get("carol").accessKey());
        give(
                "dave",
                "["
                        + allow(LIST, "shared")
                        + ",{\"Effect\":\"Allow\",\"Action\":\"volute:Actors\","
                        + "\"Resource\":\"*\"}]");
        assertThat(list(history("dave", "shared", "doc/one"), "states").toString())
                .contains("192.0.2.1");
    }

    @Test
    void aLimitedTraceComesInPages() throws IOException {
        buckets();
        give("dave", "[" + allow("s3:*", "*") + "]");
        give("carol", "[" + allow(LIST, "shared") + "]");
        for (String key : List.of("secret/passwords", "shared/doc/one")) {
            done(people.get("dave"), "GET", "/" + key, "");
        }
        done(people.get("dave"), "PUT", "/shared/made", "of both");
        List<?> all = list(trace(people.get("carol"), "back", "made"), "steps");
        assertThat(all).hasSizeGreaterThan(3);
        Map<String, Object> asked = new HashMap<>();
        asked.putAll(Map.of("direction", "back", "bucket", "shared", "key", "made", "max", 1));
        List<Object> paged = new ArrayList<>();
        Answer page;
        do {
            page = ask(people.get("carol"), Routes.TRACE, asked);
            paged.addAll(list(page, "steps"));
            asked.put("from", String.valueOf(page.document().get("next")));
        } while (page.document().containsKey("next"));
        assertThat(paged).isEqualTo(all);
        // Rights that end between two pages end the trace.
        asked.put("from", "1");
        give("carol", "[" + allow("s3:GetObject", "other/*") + "]");
        assertThat(ask(people.get("carol"), Routes.TRACE, asked).status()).isEqualTo(403);
    }

    /** The past of a deleted bucket is for operators, and a later bucket of its name another. */
    @Test
    void aLaterBucketOfTheNameIsAnother() throws IOException {
        buckets();
        give("carol", "[" + allow("s3:*", "shared") + "]");
        done(ALICE, "PUT", "/secret/mixed", "m");
        give("dave", "[" + allow("s3:*", "*") + "]");
        done(people.get("dave"), "GET", "/secret/mixed", "");
        done(people.get("dave"), "PUT", "/shared/doc/one", "of mixed");
        for (String key : List.of("mixed", "passwords")) {
            done(ALICE, "DELETE", "/secret/" + key, "");
        }
        done(ALICE, "DELETE", "/secret", "");
        done(ALICE, "PUT", "/secret", "");
        give("carol", "[" + allow("s3:*", "*") + "]");
        assertThat(list(trace(people.get("carol"), "back", "doc/one"), "steps").toString())
                .doesNotContain("mixed")
                .contains("node={}");
        done(ALICE, "DELETE", "/secret", "");
        assertThat(history("carol", "secret", "mixed").status()).isEqualTo(403);
    }
}
