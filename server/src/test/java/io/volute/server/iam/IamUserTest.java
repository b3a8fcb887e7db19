package io.volute.server.iam;

import static io.volute.server.iam.IamTestBed.ALICE;
import static io.volute.server.iam.IamTestBed.ROOT;
import static io.volute.server.iam.IamTestBed.key;
import static io.volute.server.iam.IamTestBed.statement;
import static io.volute.server.iam.IamTestBed.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.query.SignedClient.Keys;
import io.volute.server.s3.TestResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Users and their access keys by IAM's API, and the callers that may use it. */
class IamUserTest {
    private static final String USERS = "arn:aws:iam::000000000000:user/";

    private IamTestBed bed;

    @BeforeEach
    void open() throws IOException {
        bed = new IamTestBed();
    }

    @AfterEach
    void close() throws IOException {
        bed.close();
    }

    private void assertRefused(TestResponse answer, int status, String code) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(texts(answer.text(), "Code")).containsExactly(code);
        assertThat(answer.text())
                .contains("<ErrorResponse xmlns=\"https://iam.amazonaws.com/doc/2010-05-08/\">")
                .contains("<RequestId>REQ1</RequestId>");
    }

    private void assertDenied(TestResponse answer) {
        assertRefused(answer, 403, "AccessDenied");
    }

    @Test
    void aUserHasAllItsFields() {
        String created =
                bed.done(
                        "CreateUser",
                        "UserName",
                        "carol",
                        "Path",
                        "/team/a/",
                        "Tags.member.1.Key",
                        "cost",
                        "Tags.member.1.Value",
                        "a b");
        assertThat(created)
                .startsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<CreateUserResponse xmlns")
                .contains("<CreateUserResult><User><Path>/team/a/</Path>")
                .contains("<UserName>carol</UserName>")
                .contains("<Arn>" + USERS + "team/a/carol</Arn>")
                .contains("<CreateDate>2026-11-21T10:00:00Z</CreateDate>")
                .contains("<member><Key>cost</Key><Value>a b</Value></member>")
                .contains("<ResponseMetadata><RequestId>REQ1</RequestId></ResponseMetadata>");
        String id = texts(created, "UserId").getFirst();
        assertThat(id).matches("AIDA[A-Z2-7]{17}");
        Keys keys = key(bed.done("CreateAccessKey", "UserName", "carol"));
        assertThat(texts(bed.sts(keys, "GetCallerIdentity").text(), "UserId")).containsExactly(id);
        bed.done("DeleteAccessKey", "UserName", "carol", "AccessKeyId", keys.accessKey());
        String shown = bed.done("GetUser", "UserName", "CAROL");
        assertThat(shown).contains("<UserName>carol</UserName>").contains(id).contains("cost");
        bed.done("DeleteUser", "UserName", "Carol");
        assertRefused(bed.call(ROOT, "GetUser", "UserName", "carol"), 404, "NoSuchEntity");
        assertThat(texts(bed.done("CreateUser", "UserName", "carol"), "UserId")).doesNotContain(id);
    }

    @Test
    void namesDifferInMoreThanCase() {
        bed.done("CreateUser", "UserName", "Carol");
        for (String name : List.of("Carol", "cAROL", "root", "alice", "Alice")) {
            assertRefused(
                    bed.call(ROOT, "CreateUser", "UserName", name), 409, "EntityAlreadyExists");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "UserName,a b",
        "UserName,a/b",
        "Path,team",
        "Path,/team",
        "Path,//",
        "Path,/*/",
        "MaxItems,0",
        "Tags.member.1.Key,<"
    })
    void fieldsAreChecked(String parameter, String value) {
        Map<String, String> form =
                new TreeMap<>(Map.of("Action", "CreateUser", "UserName", "carol"));
        form.put(parameter, value);
        form.put("Tags.member.1.Value", "v");
        TestResponse answer = bed.client().call(ROOT, "iam", "2010-05-08", form);
        assertThat(answer.status()).as(answer.text()).isIn(400, 501);
        assertRefused(bed.call(ROOT, "GetUser", "UserName", "carol"), 404, "NoSuchEntity");
    }

    @Test
    void whatIsNotBuiltIsNamed() {
        assertRefused(
                bed.call(
                        ROOT,
                        "CreateGroup",
                        "GroupName",
                        "team",
                        "PermissionsBoundary",
                        "arn:aws:iam::aws:policy/X"),
                501,
                "NotImplemented");
        assertRefused(bed.call(ROOT, "CreateLoginProfile"), 400, "InvalidAction");
        assertRefused(bed.call(ROOT, "ListUsers", "PathPrefix", "a"), 400, "ValidationError");
        assertRefused(
                bed.client().call(ROOT, "iam", "2011-06-15", Map.of("Action", "ListUsers")),
                400,
                "ValidationError");
        bed.done("CreateUser", "UserName", "carol");
        assertRefused(
                bed.call(ROOT, "UpdateUser", "UserName", "carol", "NewUserName", "dave"),
                501,
                "NotImplemented");
    }

    /** Pages have all users once, in an order that no case of letters changes. */
    @Test
    void aListHasPages() {
        for (String name : List.of("Ad", "ac", "Ab", "aa")) {
            bed.done("CreateUser", "UserName", name, "Path", "/p/" + name + "/");
        }
        bed.done("CreateUser", "UserName", "b");
        List<String> seen = new ArrayList<>();
        String marker = "";
        do {
            String page =
                    marker.isEmpty()
                            ? bed.done("ListUsers", "PathPrefix", "/p", "MaxItems", "1")
                            : bed.done(
                                    "ListUsers",
                                    "PathPrefix",
                                    "/p",
                                    "MaxItems",
                                    "1",
                                    "Marker",
                                    marker);
            seen.addAll(texts(page, "UserName"));
            List<String> markers = texts(page, "Marker");
            assertThat(texts(page, "IsTruncated").getFirst().equals("true"))
                    .isEqualTo(!markers.isEmpty());
            marker = markers.isEmpty() ? "" : markers.getFirst();
        } while (!marker.isEmpty());
        assertThat(seen).containsExactly("aa", "Ab", "ac", "Ad");
        assertThat(texts(bed.done("ListUsers"), "UserName")).hasSize(5);
    }

    @Test
    void aPathIsPartOfTheArnEverywhere() {
        Keys carol = bed.user("carol");
        bed.done("UpdateUser", "UserName", "carol", "NewPath", "/team/");
        assertThat(bed.done("GetUser", "UserName", "carol")).contains(USERS + "team/carol");
        assertThat(bed.sts(carol, "GetCallerIdentity").text()).contains(USERS + "team/carol");
        Keys session = key(bed.sts(carol, "GetSessionToken").text());
        assertThat(bed.sts(session, "GetCallerIdentity").text()).contains(USERS + "team/carol");
    }

    @Test
    void aKeyIsGoodUntilItIsDisabledOrDeleted() {
        Keys carol = bed.user("carol");
        bed.allow("carol", "s3", "s3:*", "*");
        assertThat(bed.s3(carol, "GET", "/").status()).isEqualTo(200);
        String list = bed.done("ListAccessKeys", "UserName", "carol");
        assertThat(list).contains(carol.accessKey()).contains("Active").doesNotContain("Secret");
        String[] key = {"UserName", "carol", "AccessKeyId", carol.accessKey(), "Status", "x"};
        assertRefused(bed.call(ROOT, "UpdateAccessKey", key), 400, "ValidationError");
        key[5] = "Inactive";
        bed.done("UpdateAccessKey", key);
        assertThat(bed.s3(carol, "GET", "/").code()).isEqualTo("InvalidAccessKeyId");
        assertThat(bed.done("ListAccessKeys", "UserName", "carol")).contains("Inactive");
        key[5] = "Active";
        bed.done("UpdateAccessKey", key);
        assertThat(bed.s3(carol, "GET", "/").status()).isEqualTo(200);
        assertRefused(bed.call(ROOT, "DeleteUser", "UserName", "carol"), 409, "DeleteConflict");
        bed.done("DeleteAccessKey", "UserName", "carol", "AccessKeyId", carol.accessKey());
        assertThat(bed.s3(carol, "GET", "/").status()).isEqualTo(403);
        assertRefused(
                bed.call(
                        ROOT,
                        "DeleteAccessKey",
                        "UserName",
                        "carol",
                        "AccessKeyId",
                        carol.accessKey()),
                404,
                "NoSuchEntity");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CreateUser",
                "GetUser",
                "ListUsers",
                "UpdateUser",
                "DeleteUser",
                "CreateAccessKey",
                "ListAccessKeys",
                "UpdateAccessKey",
                "DeleteAccessKey",
                "CreateLoginProfile"
            })
    void withoutAPolicyNothingIsAllowed(String action) {
        Keys carol = bed.user("carol");
        bed.user("dave");
        bed.allow("carol", "others", "s3:*", "*");
        String before = bed.done("ListUsers");
        for (Keys keys : List.of(carol, ALICE)) {
            for (String name : List.of("dave", "carol", "nobody")) {
                assertDenied(bed.call(keys, action, "UserName", name));
            }
        }
        assertThat(bed.done("ListUsers")).isEqualTo(before);
        assertThat(bed.audited).contains("AccessDenied for " + operation(action) + " by carol");
    }

    private static String operation(String action) {
        return action.equals("CreateLoginProfile") ? "" : action;
    }

    @Test
    void aUserWithKeysOfTheirOwnMakesNoneForOthers() {
        Keys carol = bed.user("carol");
        Keys dave = bed.user("dave");
        bed.allow("carol", "self", "iam:*AccessKey*", "arn:aws:iam:::user/${aws:username}");
        Keys second = key(bed.call(carol, "CreateAccessKey").text());
        assertThat(bed.call(second, "ListAccessKeys").text())
                .contains(carol.accessKey())
                .contains(second.accessKey());
        assertDenied(bed.call(carol, "CreateAccessKey", "UserName", "dave"));
        assertDenied(bed.call(carol, "CreateAccessKey", "UserName", "DAVE"));
        assertDenied(bed.call(carol, "CreateAccessKey", "UserName", "nobody"));
        assertDenied(bed.call(carol, "ListAccessKeys", "UserName", "dave"));
        for (String action : List.of("DeleteAccessKey", "UpdateAccessKey")) {
            String[] named = {"AccessKeyId", dave.accessKey(), "UserName", "dave"};
            assertDenied(bed.call(carol, action, named));
            // The key of another user, under their own name.
            TestResponse answer =
                    action.equals("DeleteAccessKey")
                            ? bed.call(carol, action, "AccessKeyId", dave.accessKey())
                            : bed.call(
                                    carol,
                                    action,
                                    "AccessKeyId",
                                    dave.accessKey(),
                                    "Status",
                                    "Inactive");
            assertRefused(answer, 404, "NoSuchEntity");
        }
        assertThat(bed.sts(dave, "GetCallerIdentity").status()).isEqualTo(200);
    }

    /** Another case of letters, or another path, is no way around a denial. */
    @Test
    void aDenialHoldsForEachWayToNameAUser() {
        Keys carol = bed.user("carol");
        bed.user("Dave");
        bed.allow("carol", "all", "iam:*", "*");
        bed.policy("carol", "not", statement("Deny", "iam:*", USERS + "Dave"));
        for (String name : List.of("Dave", "dave", "DAVE")) {
            assertDenied(bed.call(carol, "GetUser", "UserName", name));
            assertDenied(bed.call(carol, "DeleteUser", "UserName", name));
        }
        assertThat(bed.call(carol, "ListUsers").status()).isEqualTo(200);
    }

    /** Policies that kept users from the admin API before there was IAM keep their meaning. */
    @Test
    void aDenialOfTheAdminApiHoldsHere() {
        Keys carol = bed.user("carol");
        bed.allow("carol", "all", "*", "*");
        assertThat(bed.call(carol, "CreateAccessKey", "UserName", "carol").status()).isEqualTo(200);
        bed.policy("carol", "not", statement("Deny", "volute:*", "*"));
        assertDenied(bed.call(carol, "CreateAccessKey", "UserName", "carol"));
        assertDenied(bed.call(carol, "ListUsers"));
    }

    /** A user who manages one path takes nobody out of it or into it. */
    @Test
    void aMoveNeedsBothPaths() {
        Keys carol = bed.user("carol");
        bed.done("CreateUser", "UserName", "a", "Path", "/team/");
        bed.done("CreateUser", "UserName", "b");
        bed.allow("carol", "team", "iam:*User", USERS + "team/*");
        assertDenied(bed.call(carol, "UpdateUser", "UserName", "b", "NewPath", "/team/"));
        assertDenied(bed.call(carol, "UpdateUser", "UserName", "a", "NewPath", "/"));
        assertDenied(bed.call(carol, "CreateUser", "UserName", "c"));
        assertThat(bed.call(carol, "CreateUser", "UserName", "c", "Path", "/team/").status())
                .isEqualTo(200);
        assertThat(bed.call(carol, "UpdateUser", "UserName", "a", "NewPath", "/team/b/").status())
                .isEqualTo(200);
    }

    /** Otherwise it could make a key that outlives it, without its policy. */
    @Test
    void aSessionOfAUserCallsNothing() {
        Keys carol = bed.user("carol");
        bed.allow("carol", "all", "*", "*");
        Keys session = key(bed.sts(carol, "GetSessionToken").text());
        assertDenied(bed.call(session, "CreateAccessKey", "UserName", "carol"));
        assertDenied(bed.call(session, "ListUsers"));
        Keys ofRoot = key(bed.sts(ROOT, "GetSessionToken").text());
        assertDenied(bed.call(ofRoot, "CreateUser", "UserName", "dave"));
    }

    @Test
    void aSignatureInTheQueryCallsNothing() {
        Map<String, String> form = IamTestBed.form("CreateUser", "UserName", "carol");
        for (String payload : List.of("UNSIGNED-PAYLOAD", "")) {
            TestResponse answer = bed.client().presigned(ROOT, "iam", "2010-05-08", form, payload);
            assertThat(answer.status()).as(answer.text()).isIn(400, 403);
            assertThat(answer.text()).contains("iam.amazonaws.com");
        }
        assertRefused(bed.call(ROOT, "GetUser", "UserName", "carol"), 404, "NoSuchEntity");
    }

    @Test
    void aSignatureForAnotherServiceCallsNothing() {
        Map<String, String> form = IamTestBed.form("CreateUser", "UserName", "carol");
        assertThat(bed.client().call(ROOT, "sts", "2010-05-08", form).status()).isEqualTo(400);
        assertThat(bed.client().call(ROOT, "eu-west-1/s3", "2010-05-08", form).status())
                .isNotEqualTo(200);
        assertThat(bed.client().call(ROOT, "eu-west-2/iam", "2010-05-08", form).status())
                .isEqualTo(400);
        for (String region : List.of("eu-west-1/iam", "us-east-1/iam", "/iam")) {
            Map<String, String> list = Map.of("Action", "ListUsers");
            assertThat(bed.client().call(ROOT, region, "2010-05-08", list).status()).isEqualTo(200);
        }
        assertThat(texts(bed.done("ListUsers"), "UserName")).isEmpty();
    }

    @Test
    void aChangeIsRecordedBeforeItIsMade() {
        bed.done("CreateUser", "UserName", "carol");
        String key = key(bed.done("CreateAccessKey", "UserName", "carol")).accessKey();
        bed.call(ROOT, "CreateUser", "UserName", "carol");
        bed.done("ListUsers");
        assertThat(bed.audited)
                .containsExactly(
                        "CreateUser by root {UserName=carol}",
                        "done{}",
                        "CreateAccessKey by root {UserName=carol}",
                        "done{createdAccessKey=" + key + "}",
                        "CreateUser by root {UserName=carol}",
                        "EntityAlreadyExists{}");
        bed.isAuditBroken = true;
        assertRefused(
                bed.call(ROOT, "DeleteAccessKey", "UserName", "carol", "AccessKeyId", key),
                503,
                "ServiceUnavailable");
        assertThat(bed.done("ListAccessKeys", "UserName", "carol")).contains(key);
    }

    @Test
    void formsAreBounded() {
        assertRefused(
                bed.call(ROOT, "CreateUser", "UserName", "a".repeat(70_000)),
                400,
                "ValidationError");
        Map<String, String> many = IamTestBed.form("CreateUser", "UserName", "carol");
        for (int i = 1; i <= 50; i++) {
            many.put("Tags.member." + i + ".Key", "k" + i);
            many.put("Tags.member." + i + ".Value", "v");
        }
        assertThat(bed.client().call(ROOT, "iam", "2010-05-08", many).status()).isEqualTo(400);
        assertRefused(bed.call(ROOT, "GetUser", "UserName", "carol"), 404, "NoSuchEntity");
    }
}
