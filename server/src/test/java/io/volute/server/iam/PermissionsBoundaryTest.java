package io.volute.server.iam;

import static io.volute.server.iam.IamTestBed.ROOT;
import static io.volute.server.iam.IamTestBed.allowing;
import static io.volute.server.iam.IamTestBed.statement;
import static io.volute.server.iam.IamTestBed.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.query.SignedClient.Keys;
import io.volute.server.s3.TestResponse;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Permissions boundaries of users and roles, and what they do not limit. */
class PermissionsBoundaryTest extends IamTestCase {
    private static final String EDGE = "arn:aws:iam::000000000000:policy/a/edge";
    private static final String ROLE = "arn:aws:iam::000000000000:role/jobs";
    private static final String SESSION = "arn:aws:sts::000000000000:assumed-role/jobs/run";
    private static final String READING = allowing("s3:GetObject", "*");

    private Keys carol;

    @BeforeEach
    void makeBucket() {
        assertThat(bed.s3(ROOT, "PUT", "/bucket").status()).isEqualTo(200);
        assertThat(bed.s3(ROOT, "PUT", "/bucket/k").status()).isEqualTo(200);
        carol = bed.user("carol");
        edge(READING);
    }

    private void edge(String document) {
        bed.done("CreatePolicy", "PolicyName", "edge", "Path", "/a/", "PolicyDocument", document);
    }

    private void role(String... more) {
        String[] all = new String[4 + more.length];
        String[] first = {"RoleName", "jobs", "AssumeRolePolicyDocument", TRUST};
        System.arraycopy(first, 0, all, 0, 4);
        System.arraycopy(more, 0, all, 4, more.length);
        bed.done("CreateRole", all);
    }

    private Keys assume(String... more) {
        String[] all = new String[4 + more.length];
        System.arraycopy(new String[] {"RoleArn", ROLE, "RoleSessionName", "run"}, 0, all, 0, 4);
        System.arraycopy(more, 0, all, 4, more.length);
        TestResponse answer = bed.sts(carol, "AssumeRole", all);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return IamTestBed.key(answer.text());
    }

    private void setBucketPolicy(String principal) {
        String document =
                "{\"Statement\":{\"Effect\":\"Allow\",\"Principal\":"
                        + principal
                        + ",\"Action\":\"s3:PutObject\",\"Resource\":\"arn:aws:s3:::bucket/*\"}}";
        TestResponse put =
                bed.client()
                        .send(ROOT, "eu-west-1/s3", "PUT", "/bucket?policy", document, Map.of());
        assertThat(put.status()).as(put.text()).isEqualTo(204);
    }

    private static String arn(String arn) {
        return "{\"AWS\":\"" + arn + "\"}";
    }

    private String get(Keys who) {
        return bed.s3(who, "GET", "/bucket/k").code();
    }

    private String put(Keys who) {
        return bed.s3(who, "PUT", "/bucket/k").code();
    }

    @Test
    void aUserMayDoWhatPolicyAndBoundaryAllow() {
        bed.allow("carol", "all", "*", "*");
        assertThat(put(carol)).isEqualTo("200");
        String[] both = {"UserName", "carol", "PermissionsBoundary", EDGE};
        bed.done("PutUserPermissionsBoundary", both);
        assertThat(put(carol)).isEqualTo("AccessDenied");
        assertThat(get(carol)).isEqualTo("200");
        assertThat(bed.call(carol, "ListUsers").status()).isEqualTo(403);
        assertThat(bed.mayCall(carol, "volute:Space")).isFalse();
        assertThat(bed.done("GetUser", "UserName", "carol"))
                .contains(
                        "<PermissionsBoundary>"
                                + "<PermissionsBoundaryType>Policy</PermissionsBoundaryType>"
                                + "<PermissionsBoundaryArn>"
                                + EDGE
                                + "</PermissionsBoundaryArn></PermissionsBoundary>");
        // The boundary alone gives nothing.
        bed.done("DeleteUserPolicy", "UserName", "carol", "PolicyName", "all");
        assertThat(get(carol)).isEqualTo("AccessDenied");
        bed.allow("carol", "all", "*", "*");
        bed.done("DeleteUserPermissionsBoundary", "UserName", "carol");
        assertThat(put(carol)).isEqualTo("200");
        assertThat(bed.done("GetUser", "UserName", "carol")).doesNotContain("PermissionsBoundary");
        assertThat(bed.audited)
                .contains(
                        "PutUserPermissionsBoundary by root {PermissionsBoundary="
                                + EDGE
                                + ", UserName=carol}",
                        "DeleteUserPermissionsBoundary by root {UserName=carol}");
        bed.done("DeleteUserPermissionsBoundary", "UserName", "carol");
    }

    @Test
    void aDenialOfTheBoundaryDenies() {
        bed.allow("carol", "all", "*", "*");
        bed.done(
                "CreatePolicy",
                "PolicyName",
                "no",
                "PolicyDocument",
                statement("Deny", "s3:GetObject", "*"));
        setBucketPolicy(arn("arn:aws:iam:::user/carol"));
        bed.done(
                "PutUserPermissionsBoundary",
                "UserName",
                "carol",
                "PermissionsBoundary",
                "arn:aws:iam::000000000000:policy/no");
        assertThat(get(carol)).isEqualTo("AccessDenied");
        // What the policy of the bucket gives to a user is not limited, only denied.
        assertThat(put(carol)).isEqualTo("200");
        bed.done(
                "CreatePolicyVersion",
                "PolicyArn",
                "arn:aws:iam::000000000000:policy/no",
                "PolicyDocument",
                statement("Deny", "s3:PutObject", "*"),
                "SetAsDefault",
                "true");
        assertThat(put(carol)).isEqualTo("AccessDenied");
    }

    @Test
    void creationTakesABoundary() {
        assertRefused(
                "NoSuchEntity",
                "CreateUser",
                "UserName",
                "dave",
                "PermissionsBoundary",
                "arn:aws:iam::000000000000:policy/none");
        assertRefused("NoSuchEntity", "GetUser", "UserName", "dave");
        assertThat(bed.done("CreateUser", "UserName", "dave", "PermissionsBoundary", EDGE))
                .contains("<PermissionsBoundaryArn>" + EDGE + "<");
        role("PermissionsBoundary", EDGE);
        assertThat(bed.done("GetRole", "RoleName", "jobs"))
                .contains("<PermissionsBoundaryArn>" + EDGE + "<");
        assertThat(bed.done("ListRoles")).doesNotContain("PermissionsBoundary");
        bed.done("AttachRolePolicy", "RoleName", "jobs", "PolicyArn", AWS + "AdministratorAccess");
        Keys session = assume();
        assertThat(put(session)).isEqualTo("AccessDenied");
        assertThat(get(session)).isEqualTo("200");
        bed.done("DeleteRolePermissionsBoundary", "RoleName", "jobs");
        assertThat(put(session)).isEqualTo("200");
        bed.done("PutRolePermissionsBoundary", "RoleName", "jobs", "PermissionsBoundary", EDGE);
        assertThat(put(session)).isEqualTo("AccessDenied");
        assertRefused("ValidationError", "PutRolePermissionsBoundary", "RoleName", "jobs");
    }

    /** IAM limits a role, and not a session that the bucket's policy names. */
    @ParameterizedTest
    @ValueSource(strings = {"boundary", "session"})
    void theBucketsPolicyGoesBeyondALimitOnlyForTheSessionItself(String limit) {
        role();
        if (limit.equals("boundary")) {
            bed.done("PutRolePermissionsBoundary", "RoleName", "jobs", "PermissionsBoundary", EDGE);
        }
        Keys session = limit.equals("boundary") ? assume() : assume("Policy", READING);
        for (String principal : new String[] {arn(ROLE), "\"*\"", arn(SESSION + "-2")}) {
            setBucketPolicy(principal);
            assertThat(put(session)).as(principal).isEqualTo("AccessDenied");
        }
        setBucketPolicy(arn(SESSION));
        assertThat(put(session)).isEqualTo("200");
        assertThat(get(session)).isEqualTo("AccessDenied");
        Keys denied = assume("Policy", statement("Deny", "s3:PutObject", "*"));
        assertThat(put(denied)).isEqualTo("AccessDenied");
    }

    @Test
    void aLimitedAdministratorDoesNotRemoveTheLimit() {
        bed.allow("carol", "iam", "iam:*", "*");
        String[] user = {"UserName", "carol"};
        String[] wide = {"UserName", "carol", "PermissionsBoundary", AWS + "AdministratorAccess"};
        bed.done("PutUserPermissionsBoundary", "UserName", "carol", "PermissionsBoundary", EDGE);
        for (String action : new String[] {"Delete", "Put"}) {
            String[] parameters = action.equals("Put") ? wide : user;
            assertRefused(
                    bed.call(carol, action + "UserPermissionsBoundary", parameters),
                    "AccessDenied");
        }
        // Neither do their session and other ways to permissions.
        TestResponse own = bed.sts(carol, "GetSessionToken");
        assertThat(own.status()).isEqualTo(200);
        assertRefused(
                bed.call(IamTestBed.key(own.text()), "DeleteUserPermissionsBoundary", user),
                "AccessDenied");
        assertRefused(
                bed.call(
                        carol,
                        "PutUserPolicy",
                        "UserName",
                        "carol",
                        "PolicyName",
                        "x",
                        "PolicyDocument",
                        allowing("*", "*")),
                "AccessDenied");
        assertRefused(
                bed.call(
                        carol,
                        "CreatePolicyVersion",
                        "PolicyArn",
                        EDGE,
                        "PolicyDocument",
                        allowing("*", "*"),
                        "SetAsDefault",
                        "true"),
                "AccessDenied");
        // Within a boundary that allows it they may.
        bed.done(
                "CreatePolicyVersion",
                "PolicyArn",
                EDGE,
                "PolicyDocument",
                allowing("iam:DeleteUserPermissionsBoundary", "*"),
                "SetAsDefault",
                "true");
        assertRefused(bed.call(carol, "PutUserPermissionsBoundary", wide), "AccessDenied");
        assertThat(bed.call(carol, "DeleteUserPermissionsBoundary", user).status()).isEqualTo(200);
        assertThat(bed.call(carol, "PutUserPermissionsBoundary", wide).status()).isEqualTo(200);
    }

    /** The delegation of AWS's guide: users may be made within the boundary only. */
    @Test
    void aConditionKeepsNewUsersWithinTheBoundary() {
        String actions =
                "iam:CreateUser\",\"iam:AttachUserPolicy\",\"iam:PutUserPermissionsBoundary";
        String condition =
                "\"Condition\":{\"StringEquals\":{\"iam:PermissionsBoundary\":\"" + EDGE + "\"}},";
        bed.policy(
                "carol",
                "hire",
                allowing(actions, "*")
                        .replace("\"iam:Create", "[\"iam:Create")
                        .replace("Boundary\"", "Boundary\"]")
                        .replace("\"Resource\"", condition + "\"Resource\""));
        assertRefused(bed.call(carol, "CreateUser", "UserName", "dave"), "AccessDenied");
        String[] wide = {"UserName", "dave", "PermissionsBoundary", AWS + "AdministratorAccess"};
        assertRefused(bed.call(carol, "CreateUser", wide), "AccessDenied");
        String[] right = {"UserName", "dave", "PermissionsBoundary", EDGE};
        assertThat(bed.call(carol, "CreateUser", right).status()).isEqualTo(200);
        String[] attach = {"UserName", "dave", "PolicyArn", AWS + "AdministratorAccess"};
        assertThat(bed.call(carol, "AttachUserPolicy", attach).status()).isEqualTo(200);
        assertRefused(bed.call(carol, "PutUserPermissionsBoundary", wide), "AccessDenied");
        attach[1] = "carol";
        assertRefused(bed.call(carol, "AttachUserPolicy", attach), "AccessDenied");
        // Actions that AWS does not know the key for do not see it.
        bed.policy(
                "carol",
                "tag",
                allowing("iam:TagUser", "*").replace("\"Resource\"", condition + "\"Resource\""));
        assertRefused(
                bed.call(
                        carol,
                        "TagUser",
                        "UserName",
                        "dave",
                        "Tags.member.1.Key",
                        "a",
                        "Tags.member.1.Value",
                        "b"),
                "AccessDenied");
    }

    /** The admin API does not know boundaries, so it must take a denial for some as its own. */
    @Test
    void aDenialByTheBoundaryHoldsForTheAdminApi() {
        bed.policy("carol", "all", allowing("*", "*"));
        assertThat(bed.mayCall(carol, "volute:AttachPolicy")).isTrue();
        String condition =
                "\"Condition\":{\"StringEquals\":{\"iam:PermissionsBoundary\":\"" + EDGE + "\"}},";
        bed.policy(
                "carol",
                "not",
                statement("Deny", "iam:AttachUserPolicy", "*")
                        .replace("\"Resource\"", condition + "\"Resource\""));
        assertThat(bed.mayCall(carol, "volute:AttachPolicy")).isFalse();
    }

    @Test
    void thePolicyOfABoundaryIsInUse() {
        bed.done("PutUserPermissionsBoundary", "UserName", "carol", "PermissionsBoundary", EDGE);
        assertRefused("DeleteConflict", "DeletePolicy", "PolicyArn", EDGE);
        assertThat(bed.done("GetPolicy", "PolicyArn", EDGE))
                .contains("<AttachmentCount>0<", "<PermissionsBoundaryUsageCount>1<");
        String[] entities = {"PolicyArn", EDGE, "PolicyUsageFilter", "PermissionsBoundary"};
        assertThat(texts(bed.done("ListEntitiesForPolicy", entities), "UserName"))
                .containsExactly("carol");
        assertThat(bed.done("ListEntitiesForPolicy", "PolicyArn", EDGE)).contains("carol");
        assertThat(texts(bed.done("ListPolicies", "PolicyUsageFilter", entities[3]), "Arn"))
                .containsExactly(EDGE);
        entities[3] = "PermissionsPolicy";
        assertThat(bed.done("ListEntitiesForPolicy", entities)).doesNotContain("carol");
        assertThat(bed.done("ListPolicies", "PolicyUsageFilter", entities[3]))
                .doesNotContain("edge");
        entities[3] = "Other";
        assertRefused("ValidationError", "ListEntitiesForPolicy", entities);
        bed.done("DeleteUserPermissionsBoundary", "UserName", "carol");
        bed.done("DeletePolicy", "PolicyArn", EDGE);
    }
}
