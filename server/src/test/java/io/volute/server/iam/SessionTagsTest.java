package io.volute.server.iam;

import static io.volute.server.iam.IamTestBed.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.config.OidcConfig;
import io.volute.server.oidc.TestIssuer;
import io.volute.server.query.SignedClient.Keys;
import io.volute.server.s3.TestResponse;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tags of users, roles and sessions, as policies see them. */
final class SessionTagsTest {
    private static final String ROLE = "arn:aws:iam::000000000000:role/jobs";
    private static final String CAROL = "{\"AWS\":\"arn:aws:iam::000000000000:user/carol\"}";
    private static final String BOTH = "[\"sts:AssumeRole\",\"sts:TagSession\"]";
    private static final String CLAIM = "https://aws.amazon.com/tags";

    private TestIssuer issuer;
    private OidcConfig config;
    private IamTestBed bed;
    private Keys carol;

    @BeforeEach
    void start() throws IOException {
        issuer = new TestIssuer();
        issuer.add("k1", "RS256");
        config = new OidcConfig(issuer.name(), List.of("volute"), Optional.empty(), true);
        bed = new IamTestBed(Optional.of(config));
        assertThat(bed.s3(IamTestBed.ROOT, "PUT", "/bucket").status()).isEqualTo(200);
        assertThat(bed.s3(IamTestBed.ROOT, "PUT", "/bucket/hr").status()).isEqualTo(200);
        carol = bed.user("carol");
    }

    @AfterEach
    void stop() throws IOException {
        bed.close();
        issuer.close();
    }

    private static String document(String principal, String action, String condition) {
        return "{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Allow\""
                + (principal.isEmpty()
                        ? ",\"Resource\":\"arn:aws:s3:::bucket/*\""
                        : ",\"Principal\":" + principal)
                + ",\"Action\":"
                + action
                + (condition.isEmpty() ? "" : ",\"Condition\":" + condition)
                + "}]}";
    }

    private static String equal(String key, String value) {
        return "{\"StringEquals\":{\"" + key + "\":\"" + value + "\"}}";
    }

    private void role(String trust, String... more) {
        String[] all = new String[4 + more.length];
        System.arraycopy(
                new String[] {"RoleName", "jobs", "AssumeRolePolicyDocument", trust}, 0, all, 0, 4);
        System.arraycopy(more, 0, all, 4, more.length);
        bed.done("CreateRole", all);
        bed.done(
                "PutRolePolicy",
                "RoleName",
                "jobs",
                "PolicyName",
                "read",
                "PolicyDocument",
                document("", "\"s3:GetObject\"", equal("aws:PrincipalTag/team", "hr")));
    }

    private TestResponse assume(String... more) {
        String[] all = new String[4 + more.length];
        System.arraycopy(new String[] {"RoleArn", ROLE, "RoleSessionName", "run-1"}, 0, all, 0, 4);
        System.arraycopy(more, 0, all, 4, more.length);
        return bed.sts(carol, "AssumeRole", all);
    }

    private TestResponse tagged(String team) {
        return assume("Tags.member.1.Key", "team", "Tags.member.1.Value", team);
    }

    private static Keys keys(TestResponse answer) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return IamTestBed.key(answer.text());
    }

    private int read(Keys keys) {
        return bed.s3(keys, "GET", "/bucket/hr").status();
    }

    private static void assertRefused(TestResponse answer, String code) {
        assertThat(texts(answer.text(), "Code")).as(answer.text()).containsExactly(code);
    }

    @Test
    void policiesSeeTheTagsOfAUser() {
        bed.policy(
                "carol",
                "read",
                document("", "\"s3:GetObject\"", equal("aws:PrincipalTag/team", "hr")));
        assertThat(read(carol)).isEqualTo(403);
        bed.done(
                "TagUser",
                "UserName",
                "carol",
                "Tags.member.1.Key",
                "team",
                "Tags.member.1.Value",
                "hr");
        assertThat(read(carol)).isEqualTo(200);
        Keys session = keys(bed.sts(carol, "GetSessionToken"));
        assertThat(read(session)).isEqualTo(200);
        bed.done("UntagUser", "UserName", "carol", "TagKeys.member.1", "team");
        assertThat(read(carol)).isEqualTo(403);
        assertThat(read(session)).isEqualTo(403);
    }

    @Test
    void aTagIsAVariable() {
        bed.policy(
                "carol",
                "read",
                IamTestBed.allowing(
                        "s3:GetObject", "arn:aws:s3:::bucket/${aws:PrincipalTag/team}"));
        assertThat(read(carol)).isEqualTo(403);
        bed.done(
                "TagUser",
                "UserName",
                "carol",
                "Tags.member.1.Key",
                "team",
                "Tags.member.1.Value",
                "hr");
        assertThat(read(carol)).isEqualTo(200);
    }

    @Test
    void aSessionHasItsOwnTagsAndThoseOfItsRole() {
        role(
                document(CAROL, BOTH, ""),
                "Tags.member.1.Key",
                "Team",
                "Tags.member.1.Value",
                "it",
                "Tags.member.2.Key",
                "place",
                "Tags.member.2.Value",
                "x");
        assertThat(read(keys(assume()))).isEqualTo(403);
        assertThat(read(keys(tagged("it")))).isEqualTo(403);
        Keys session = keys(tagged("hr"));
        assertThat(read(session)).isEqualTo(200);
        assertThat(bed.issued.getLast()).contains("tags={team=hr}");
    }

    /** Else a caller could choose the tags that the policy of the role is about. */
    @Test
    void tagsNeedAPermissionOfTheirOwn() {
        role(document(CAROL, "\"sts:AssumeRole\"", ""));
        assertRefused(tagged("hr"), "AccessDenied");
        assertThat(keys(assume())).isNotNull();
        bed.policy("carol", "deny", IamTestBed.statement("Deny", "sts:TagSession", "*"));
        bed.done(
                "UpdateAssumeRolePolicy",
                "RoleName",
                "jobs",
                "PolicyDocument",
                document(CAROL, BOTH, ""));
        assertRefused(tagged("hr"), "AccessDenied");
        assertThat(keys(assume())).isNotNull();
    }

    @Test
    void theTrustPolicyLimitsTags() {
        role(document(CAROL, BOTH, equal("aws:RequestTag/team", "hr")));
        assertThat(read(keys(tagged("hr")))).isEqualTo(200);
        assertRefused(tagged("it"), "AccessDenied");
        assertRefused(assume(), "AccessDenied");
        String keys = "{\"ForAllValues:StringEquals\":{\"aws:TagKeys\":[\"team\"]}}";
        bed.done(
                "UpdateAssumeRolePolicy",
                "RoleName",
                "jobs",
                "PolicyDocument",
                document(CAROL, BOTH, keys));
        assertThat(read(keys(tagged("hr")))).isEqualTo(200);
        assertRefused(
                assume("Tags.member.1.Key", "other", "Tags.member.1.Value", "hr"), "AccessDenied");
    }

    @ParameterizedTest
    @CsvSource({"iam:ResourceTag/place", "aws:ResourceTag/place"})
    void theTrustPolicySeesTheTagsOfTheRole(String key) {
        role(
                document(CAROL, BOTH, equal(key, "x")),
                "Tags.member.1.Key",
                "place",
                "Tags.member.1.Value",
                "y");
        assertRefused(assume(), "AccessDenied");
        bed.done(
                "TagRole",
                "RoleName",
                "jobs",
                "Tags.member.1.Key",
                "place",
                "Tags.member.1.Value",
                "x");
        assertThat(keys(assume())).isNotNull();
    }

    @Test
    void transitiveKeysAreAmongTheTags() {
        role(document(CAROL, BOTH, ""));
        String[] tag = {"Tags.member.1.Key", "team", "Tags.member.1.Value", "hr"};
        assertThat(
                        keys(
                                assume(
                                        tag[0],
                                        tag[1],
                                        tag[2],
                                        tag[3],
                                        "TransitiveTagKeys.member.1",
                                        "team")))
                .isNotNull();
        assertRefused(assume("TransitiveTagKeys.member.1", "team"), "ValidationError");
    }

    @ParameterizedTest
    @CsvSource({
        "team, hr, Team, it, ValidationError",
        "team, hr, team, it, InvalidInput",
        "team, hr, aws:x, it, ValidationError",
        "team, hr, '', it, ValidationError",
        "team, hr, other, <>, ValidationError"
    })
    void tagsOfAnotherFormAreRefused(
            String key, String value, String second, String its, String code) {
        role(document(CAROL, BOTH, ""));
        assertRefused(
                assume(
                        "Tags.member.1.Key",
                        key,
                        "Tags.member.1.Value",
                        value,
                        "Tags.member.2.Key",
                        second,
                        "Tags.member.2.Value",
                        its),
                code);
    }

    @Test
    void tooManyTagsAreRefused() {
        role(document(CAROL, BOTH, ""));
        String[] many = new String[4 * 51];
        String[] large = new String[4 * 10];
        for (int i = 0; i < 51; i++) {
            many[4 * i] = "Tags.member." + (i + 1) + ".Key";
            many[4 * i + 1] = "k" + i;
            many[4 * i + 2] = "Tags.member." + (i + 1) + ".Value";
            many[4 * i + 3] = "v";
            if (i < 10) {
                System.arraycopy(many, 4 * i, large, 4 * i, 4);
                large[4 * i + 3] = "v".repeat(256);
            }
        }
        assertRefused(assume(large), "PackedPolicyTooLarge");
        assertThat(assume(many).status()).isEqualTo(400);
    }

    /** A user could otherwise choose the tags that its own policies are about. */
    @Test
    void aSessionOfOnesOwnHasNoTags() {
        TestResponse refused =
                bed.sts(
                        carol,
                        "AssumeRole",
                        "RoleArn",
                        "arn:aws:iam::000000000000:user/carol",
                        "RoleSessionName",
                        "own",
                        "Tags.member.1.Key",
                        "team",
                        "Tags.member.1.Value",
                        "hr");
        assertRefused(refused, "ValidationError");
    }

    @Test
    void callsOfIamAreJudgedByTheTagsOfTheIdentityAndOfTheRequest() {
        bed.user("dave");
        bed.policy(
                "carol",
                "iam",
                "{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Allow\",\"Action\":"
                        + "\"iam:*\",\"Resource\":\"*\",\"Condition\":"
                        + equal("iam:ResourceTag/team", "hr")
                        + "},{\"Effect\":\"Allow\",\"Action\":\"iam:CreateUser\",\"Resource\":"
                        + "\"*\","
                        + "\"Condition\":"
                        + equal("aws:RequestTag/team", "hr")
                        + "},{\"Effect\":\"Deny\",\"Action\":\"iam:UntagUser\",\"Resource\":\"*\","
                        + "\"Condition\":"
                        + equal("aws:TagKeys", "team")
                        + "}]}");
        assertRefused(bed.call(carol, "GetUser", "UserName", "dave"), "AccessDenied");
        assertRefused(bed.call(carol, "CreateUser", "UserName", "erin"), "AccessDenied");
        String[] tag = {"Tags.member.1.Key", "team", "Tags.member.1.Value", "hr"};
        assertThat(
                        bed.call(
                                        carol,
                                        "CreateUser",
                                        "UserName",
                                        "erin",
                                        tag[0],
                                        tag[1],
                                        tag[2],
                                        tag[3])
                                .status())
                .isEqualTo(200);
        assertThat(bed.call(carol, "GetUser", "UserName", "erin").status()).isEqualTo(200);
        assertRefused(
                bed.call(carol, "UntagUser", "UserName", "erin", "TagKeys.member.1", "team"),
                "AccessDenied");
    }

    private TestResponse byToken(Map<String, ?> more) {
        Map<String, Object> claims = issuer.claims(bed.now.getEpochSecond());
        claims.put("sub", "job:17");
        claims.put("aud", "volute");
        claims.putAll(more);
        return bed.unsigned(
                "AssumeRoleWithWebIdentity",
                "RoleArn",
                ROLE,
                "RoleSessionName",
                "run-1",
                "WebIdentityToken",
                issuer.token("k1", "RS256", claims));
    }

    private void webRole(String actions) {
        role(document("{\"Federated\":\"" + config.arn() + "\"}", actions, ""));
    }

    @Test
    void aTokenNamesTags() {
        webRole("[\"sts:AssumeRoleWithWebIdentity\",\"sts:TagSession\"]");
        assertThat(read(keys(byToken(Map.of())))).isEqualTo(403);
        Map<String, ?> nested =
                Map.of(
                        CLAIM,
                        Map.of(
                                "principal_tags",
                                Map.of("team", List.of("hr")),
                                "transitive_tag_keys",
                                List.of("team")));
        assertThat(read(keys(byToken(nested)))).isEqualTo(200);
        assertThat(bed.issued.getLast()).contains("tags={team=hr}");
        Map<String, ?> flat = Map.of(CLAIM + "/principal_tags/team", List.of("hr"));
        assertThat(read(keys(byToken(flat)))).isEqualTo(200);
        Map<String, ?> other =
                Map.of(CLAIM, Map.of("principal_tags", Map.of("team", List.of("it"))));
        assertThat(read(keys(byToken(other)))).isEqualTo(403);
    }

    @Test
    void tagsOfATokenNeedThePermission() {
        webRole("\"sts:AssumeRoleWithWebIdentity\"");
        Map<String, ?> tags =
                Map.of(CLAIM, Map.of("principal_tags", Map.of("team", List.of("hr"))));
        assertRefused(byToken(tags), "AccessDenied");
        assertThat(keys(byToken(Map.of()))).isNotNull();
    }

    @Test
    void claimsOfAnotherFormAreRefused() {
        webRole("[\"sts:AssumeRoleWithWebIdentity\",\"sts:TagSession\"]");
        for (Object claim :
                List.of(
                        "text",
                        Map.of("principal_tags", Map.of("team", List.of("hr", "it"))),
                        Map.of("principal_tags", Map.of("team", List.of())),
                        Map.of("principal_tags", Map.of("team", 7)),
                        Map.of("principal_tags", "text"),
                        Map.of("transitive_tag_keys", "team"),
                        Map.of("unknown", List.of("team")))) {
            assertRefused(byToken(Map.of(CLAIM, claim)), "InvalidIdentityToken");
        }
    }

    /** Parameters of the call name no tags: the token does. */
    @Test
    void aCallerWithATokenChoosesNoTags() {
        webRole("[\"sts:AssumeRoleWithWebIdentity\",\"sts:TagSession\"]");
        Map<String, Object> claims = issuer.claims(bed.now.getEpochSecond());
        claims.put("sub", "job:17");
        claims.put("aud", "volute");
        TestResponse refused =
                bed.unsigned(
                        "AssumeRoleWithWebIdentity",
                        "RoleArn",
                        ROLE,
                        "RoleSessionName",
                        "run-1",
                        "WebIdentityToken",
                        issuer.token("k1", "RS256", claims),
                        "Tags.member.1.Key",
                        "team",
                        "Tags.member.1.Value",
                        "hr");
        assertRefused(refused, "ValidationError");
    }
}
