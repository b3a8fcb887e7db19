package io.volute.server.iam;

import static io.volute.server.iam.IamTestBed.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.config.OidcConfig;
import io.volute.server.oidc.TestIssuer;
import io.volute.server.query.SignedClient.Keys;
import io.volute.server.s3.TestResponse;
import io.volute.versioning.History.ActorFilter;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** AssumeRoleWithWebIdentity: a token of a provider, a role that trusts it, a session of S3. */
@Tag("slow")
class WebIdentityTest {
    private static final String ROLE = "arn:aws:iam::000000000000:role/jobs";

    private TestIssuer issuer;
    private OidcConfig config;
    private IamTestBed bed;

    @BeforeEach
    void start() throws IOException {
        issuer = new TestIssuer();
        issuer.add("k1", "RS256");
        config = new OidcConfig(issuer.name(), List.of("volute", "lab"), Optional.empty(), true);
        bed = new IamTestBed(Optional.of(config));
        assertThat(bed.s3(IamTestBed.ROOT, "PUT", "/bucket").status()).isEqualTo(200);
        assertThat(bed.s3(IamTestBed.ROOT, "PUT", "/bucket/k").status()).isEqualTo(200);
    }

    @AfterEach
    void stop() throws IOException {
        bed.close();
        issuer.close();
    }

    private String trust(String condition) {
        return trust(config.arn(), "sts:AssumeRoleWithWebIdentity", condition);
    }

    private static String trust(String provider, String action, String condition) {
        return "{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Allow\",\"Principal\":"
                + "{\"Federated\":\""
                + provider
                + "\"},\"Action\":\""
                + action
                + "\",\"Condition\":"
                + condition
                + "}]}";
    }

    private String equal(String claim, String value) {
        return "{\"StringEquals\":{\"" + config.name() + ":" + claim + "\":\"" + value + "\"}}";
    }

    private void role(String trust) {
        bed.done("CreateRole", "RoleName", "jobs", "AssumeRolePolicyDocument", trust);
        bed.done(
                "PutRolePolicy",
                "RoleName",
                "jobs",
                "PolicyName",
                "read",
                "PolicyDocument",
                IamTestBed.allowing("s3:GetObject", "arn:aws:s3:::bucket/*"));
    }

    private String token(String subject, String audience) {
        Map<String, Object> claims = issuer.claims(bed.now.getEpochSecond());
        claims.put("sub", subject);
        claims.put("aud", audience);
        return issuer.token("k1", "RS256", claims);
    }

    private TestResponse assume(String token, String... more) {
        String[] all = new String[6 + more.length];
        List<String> usual =
                List.of("RoleArn", ROLE, "RoleSessionName", "run-1", "WebIdentityToken", token);
        for (int i = 0; i < 6; i++) {
            all[i] = usual.get(i);
        }
        System.arraycopy(more, 0, all, 6, more.length);
        return bed.unsigned("AssumeRoleWithWebIdentity", all);
    }

    private static Keys keys(TestResponse answer) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return IamTestBed.key(answer.text());
    }

    private void assertRefused(String code, TestResponse answer) {
        assertThat(texts(answer.text(), "Code")).as(answer.text()).containsExactly(code);
        assertThat(answer.text()).doesNotContain("SecretAccessKey");
    }

    @Test
    void aTokenGivesASessionOfTheRoleThatTrustsIt() {
        role(trust(equal("sub", "job:17")));
        TestResponse answer = assume(token("job:17", "volute"));
        Keys session = keys(answer);
        String text = answer.text();
        assertThat(texts(text, "SubjectFromWebIdentityToken")).containsExactly("job:17");
        assertThat(texts(text, "Audience")).containsExactly("volute");
        assertThat(texts(text, "Provider")).containsExactly(issuer.name());
        assertThat(texts(text, "Arn"))
                .containsExactly("arn:aws:sts::000000000000:assumed-role/jobs/run-1");
        assertThat(texts(text, "AssumedRoleId").getFirst()).endsWith(":run-1");
        assertThat(bed.s3(session, "GET", "/bucket/k").status()).isEqualTo(200);
        assertThat(bed.s3(session, "PUT", "/bucket/k").code()).isEqualTo("AccessDenied");
        assertThat(texts(bed.sts(session, "GetCallerIdentity").text(), "Arn"))
                .containsExactly("arn:aws:sts::000000000000:assumed-role/jobs/run-1");
        assertRefused("AccessDenied", bed.sts(session, "GetSessionToken"));
        bed.now = bed.now.plusSeconds(3600);
        assertThat(bed.s3(session, "GET", "/bucket/k").code()).isEqualTo("ExpiredToken");
    }

    @Test
    void theAuditLogHasTheCallerAndNotTheToken() {
        role(trust(equal("sub", "job:17")));
        Keys session = keys(assume(token("job:17", "volute")));
        assertThat(bed.issued.getLast())
                .contains("provider=" + issuer.name())
                .contains("subject=job:17")
                .contains("audience=volute")
                .contains("issuedAccessKey=" + session.accessKey())
                .doesNotContain("WebIdentityToken");
        assertRefused("AccessDenied", assume(token("job:18", "volute")));
        assertThat(bed.audited.getLast()).startsWith("AccessDenied");
        assertRefused("InvalidIdentityToken", assume("a.b.c"));
        assertThat(bed.audited.getLast()).startsWith("InvalidIdentityToken");
    }

    @Test
    void aSessionPolicyNarrows() {
        role(trust(equal("aud", "volute")));
        String nothing = IamTestBed.allowing("s3:PutObject", "*");
        Keys session = keys(assume(token("a", "volute"), "Policy", nothing));
        assertThat(bed.s3(session, "GET", "/bucket/k").code()).isEqualTo("AccessDenied");
    }

    /** The trust policy decides, by provider, audience and subject. */
    @Test
    void anotherTrustPolicyRefuses() {
        role(trust(equal("aud", "lab")));
        assertRefused("AccessDenied", assume(token("job:17", "volute")));
        keys(assume(token("job:17", "lab")));
        String open = "{}";
        for (String trust :
                List.of(
                        trust(config.arn() + "/deeper", "sts:AssumeRoleWithWebIdentity", open),
                        trust(config.arn(), "sts:AssumeRole", open),
                        trust(equal("sub", "job:1")),
                        trust(equal("azp", "lab")),
                        everyone("sts:AssumeRoleWithWebIdentity"),
                        everyone("sts:AssumeRole"))) {
            bed.done("UpdateAssumeRolePolicy", "RoleName", "jobs", "PolicyDocument", trust);
            assertRefused("AccessDenied", assume(token("job:17", "lab")));
        }
        bed.done("UpdateAssumeRolePolicy", "RoleName", "jobs", "PolicyDocument", trust(open));
        keys(assume(token("job:17", "lab")));
    }

    private static String everyone(String action) {
        return "{\"Statement\":{\"Effect\":\"Allow\",\"Principal\":\"*\",\"Action\":\""
                + action
                + "\"}}";
    }

    /** A role that a provider's callers may assume is not open to those with keys. */
    @Test
    void aRoleForTokensIsNotForKeys() {
        role(trust(config.arn(), "sts:AssumeRole", "{}"));
        Keys carol = bed.user("carol");
        assertRefused(
                "AccessDenied",
                bed.sts(carol, "AssumeRole", "RoleArn", ROLE, "RoleSessionName", "run"));
    }

    @Test
    void sessionsAndTokensAreOfNoUseWithoutTheRole() {
        role(trust("{}"));
        String token = token("job:17", "volute");
        Keys session = keys(assume(token));
        bed.done("DeleteRolePolicy", "RoleName", "jobs", "PolicyName", "read");
        bed.done("DeleteRole", "RoleName", "jobs");
        assertThat(bed.s3(session, "GET", "/bucket/k").code()).isEqualTo("InvalidToken");
        assertRefused("AccessDenied", assume(token));
        role(trust("{}"));
        assertThat(bed.s3(session, "GET", "/bucket/k").code()).isEqualTo("InvalidToken");
    }

    @Test
    void aSessionEndsWhenTheSettingsNoLongerNameItsProvider() {
        role(trust("{}"));
        Keys session = keys(assume(token("job:17", "volute")));
        assertThat(bed.s3(session, "GET", "/bucket/k").status()).isEqualTo(200);
        bed.providers.clear();
        bed.providers.add("login.example.com");
        assertThat(bed.s3(session, "GET", "/bucket/k").code()).isEqualTo("InvalidToken");
    }

    @Test
    void theHistoryHasTheSubjectAndTheProvider() throws IOException {
        role(trust("{}"));
        bed.done(
                "PutRolePolicy",
                "RoleName",
                "jobs",
                "PolicyName",
                "write",
                "PolicyDocument",
                IamTestBed.allowing("s3:PutObject", "arn:aws:s3:::bucket/*"));
        Keys session = keys(assume(token("job:17", "volute")));
        assertThat(bed.s3(session, "PUT", "/bucket/by-job").status()).isEqualTo(200);
        for (ActorFilter filter :
                List.of(
                        ActorFilter.ofUser(config.name() + ":job:17"),
                        ActorFilter.ofAccessKey(config.arn()))) {
            assertThat(bed.actors(filter)).containsExactly(session.accessKey());
        }
    }

    @Test
    void onlyThisActionNeedsNoSignature() {
        role(trust("{}"));
        for (String action : List.of("AssumeRole", "GetSessionToken", "GetCallerIdentity", "")) {
            assertRefused(
                    "MissingAuthenticationToken",
                    bed.unsigned(action, "RoleArn", ROLE, "RoleSessionName", "run"));
        }
        assertRefused("MissingAuthenticationToken", bed.unsigned("ListUsers"));
        assertRefused(
                "ValidationError", assume(token("a", "volute"), "ProviderId", "www.amazon.com"));
        assertRefused("ValidationError", assume(token("a", "volute"), "DurationSeconds", "899"));
        assertRefused("ValidationError", assume(token("a", "volute"), "DurationSeconds", "3601"));
    }

    @Test
    void withoutAProviderThereIsNoSuchAction() throws IOException {
        try (IamTestBed plain = new IamTestBed()) {
            assertRefused(
                    "MissingAuthenticationToken",
                    plain.unsigned("AssumeRoleWithWebIdentity", "WebIdentityToken", "a.b.c"));
            assertRefused("InvalidAction", plain.sts(IamTestBed.ROOT, "AssumeRoleWithWebIdentity"));
        }
    }

    @Test
    void iamShowsTheProvider() {
        assertThat(texts(bed.done("ListOpenIDConnectProviders"), "Arn"))
                .containsExactly(config.arn());
        String shown =
                bed.done("GetOpenIDConnectProvider", "OpenIDConnectProviderArn", config.arn());
        assertThat(texts(shown, "Url")).containsExactly(config.name());
        assertThat(texts(shown, "member")).containsExactly("volute", "lab");
        assertRefused(
                "NoSuchEntity",
                bed.call(
                        IamTestBed.ROOT,
                        "GetOpenIDConnectProvider",
                        "OpenIDConnectProviderArn",
                        config.arn() + "x"));
        TestResponse created =
                bed.call(
                        IamTestBed.ROOT,
                        "CreateOpenIDConnectProvider",
                        "Url",
                        "https://login.example.com");
        assertRefused("NotImplemented", created);
        assertThat(created.text()).contains("identity.oidc.issuer");
        assertRefused(
                "NotImplemented",
                bed.call(
                        IamTestBed.ROOT,
                        "DeleteOpenIDConnectProvider",
                        "OpenIDConnectProviderArn",
                        config.arn()));
    }
}
