package io.volute.server.iam;

import static io.volute.server.iam.IamTestBed.ROOT;
import static io.volute.server.iam.IamTestBed.allowing;
import static io.volute.server.iam.IamTestBed.statement;
import static io.volute.server.iam.IamTestBed.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.query.SignedClient.Keys;
import io.volute.server.s3.TestResponse;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Inline and managed policies by IAM's API, and what they do for their holders. */
class IamPolicyTest extends IamTestCase {
    private static final String POLICIES = "arn:aws:iam::000000000000:policy/";

    private void create(String kind) {
        if (kind.equals("Role")) {
            bed.done("CreateRole", "RoleName", "it", "AssumeRolePolicyDocument", TRUST);
        } else {
            bed.done("Create" + kind, kind + "Name", "it");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"User", "Group", "Role"})
    void anInlinePolicyIsPutShownAndDeleted(String kind) {
        String[] name = {kind + "Name", "it", "PolicyName", "p"};
        String[] whole = {kind + "Name", "it", "PolicyName", "p", "PolicyDocument", LISTING};
        assertRefused("NoSuchEntity", "Put" + kind + "Policy", whole);
        create(kind);
        assertRefused("NoSuchEntity", "Get" + kind + "Policy", name);
        assertRefused("NoSuchEntity", "Delete" + kind + "Policy", name);
        bed.done("Put" + kind + "Policy", whole);
        String shown = bed.done("Get" + kind + "Policy", name);
        assertThat(shown).contains("<" + kind + "Name>it<").contains("<PolicyName>p<");
        String encoded = texts(shown, "PolicyDocument").getFirst();
        assertThat(encoded).startsWith("%7B%22Version%22%3A%222012-10-17%22").endsWith("%7D");
        assertThat(URLDecoder.decode(encoded, StandardCharsets.UTF_8)).isEqualTo(LISTING);
        assertThat(texts(bed.done("List" + kind + "Policies", kind + "Name", "it"), "member"))
                .containsExactly("p");
        assertRefused("DeleteConflict", "Delete" + kind, kind + "Name", "it");
        whole[5] = "{\"Statement\":[]}";
        assertRefused("MalformedPolicyDocument", "Put" + kind + "Policy", whole);
        bed.done("Delete" + kind + "Policy", name);
        assertRefused("NoSuchEntity", "Get" + kind + "Policy", name);
        bed.done("Delete" + kind, kind + "Name", "it");
    }

    @ParameterizedTest
    @ValueSource(strings = {"User", "Group", "Role"})
    void aManagedPolicyIsAttachedAndDetached(String kind) {
        bed.done("CreatePolicy", "PolicyName", "p", "Path", "/a/", "PolicyDocument", LISTING);
        String arn = POLICIES + "a/p";
        String[] both = {kind + "Name", "it", "PolicyArn", arn};
        assertRefused("NoSuchEntity", "Attach" + kind + "Policy", both);
        create(kind);
        assertRefused("NoSuchEntity", "Detach" + kind + "Policy", both);
        both[3] = POLICIES + "p";
        assertRefused("NoSuchEntity", "Attach" + kind + "Policy", both);
        both[3] = arn;
        bed.done("Attach" + kind + "Policy", both);
        bed.done("Attach" + kind + "Policy", both);
        String list = bed.done("ListAttached" + kind + "Policies", kind + "Name", "it");
        assertThat(texts(list, "PolicyArn")).containsExactly(arn);
        assertThat(texts(list, "PolicyName")).containsExactly("p");
        assertThat(bed.done("GetPolicy", "PolicyArn", arn))
                .contains("<AttachmentCount>1</AttachmentCount>");
        String entities = bed.done("ListEntitiesForPolicy", "PolicyArn", arn);
        assertThat(entities).contains("<Policy" + kind + "s><member><" + kind + "Name>it<");
        assertRefused("DeleteConflict", "DeletePolicy", "PolicyArn", arn);
        assertRefused("DeleteConflict", "Delete" + kind, kind + "Name", "it");
        bed.done("Detach" + kind + "Policy", both);
        assertRefused("NoSuchEntity", "Detach" + kind + "Policy", both);
        bed.done("DeletePolicy", "PolicyArn", "arn:aws:iam:::policy/a/p");
        assertRefused("NoSuchEntity", "GetPolicy", "PolicyArn", arn);
    }

    @Test
    void aManagedPolicyHasOneVersion() {
        String created =
                bed.done(
                        "CreatePolicy",
                        "PolicyName",
                        "p",
                        "Description",
                        "for tests",
                        "PolicyDocument",
                        LISTING);
        String arn = POLICIES + "p";
        String id = texts(created, "PolicyId").getFirst();
        assertThat(id).matches("ANPA[A-Z2-7]{17}");
        assertThat(created).contains("<Arn>" + arn + "<").contains("<DefaultVersionId>v1<");
        for (String name : List.of("p", "P")) {
            assertRefused(
                    "EntityAlreadyExists",
                    "CreatePolicy",
                    "PolicyName",
                    name,
                    "PolicyDocument",
                    LISTING);
        }
        String[] version = {
            "PolicyArn",
            arn,
            "PolicyDocument",
            allowing("s3:GetObject", "*"),
            "SetAsDefault",
            "false"
        };
        assertRefused("NotImplemented", "CreatePolicyVersion", version);
        version[5] = "true";
        assertThat(bed.done("CreatePolicyVersion", version)).contains("<VersionId>v2<");
        assertRefused("NoSuchEntity", "GetPolicyVersion", "PolicyArn", arn, "VersionId", "v1");
        assertThat(bed.done("GetPolicyVersion", "PolicyArn", arn, "VersionId", "v2"))
                .contains("s3%3AGetObject");
        assertThat(texts(bed.done("ListPolicyVersions", "PolicyArn", arn), "VersionId"))
                .containsExactly("v2");
        String shown = bed.done("GetPolicy", "PolicyArn", arn);
        assertThat(shown).contains(id).contains("for tests").contains("<DefaultVersionId>v2<");
    }

    @Test
    void policiesOfTheServerHaveArnsAndStay() {
        String arn = AWS + "volute/readonly";
        assertThat(texts(bed.done("ListPolicies", "Scope", "AWS"), "Arn"))
                .contains(arn, AWS + "volute/diagnostics");
        assertThat(bed.done("GetPolicy", "PolicyArn", arn))
                .contains("<PolicyName>readonly<", "<Path>/volute/<");
        assertRefused("ValidationError", "DeletePolicy", "PolicyArn", arn);
        assertRefused(
                "EntityAlreadyExists",
                "CreatePolicy",
                "PolicyName",
                "ReadOnly",
                "PolicyDocument",
                LISTING);
        bed.user("carol");
        bed.done("AttachUserPolicy", "UserName", "carol", "PolicyArn", arn);
        assertThat(texts(bed.done("ListAttachedUserPolicies", "UserName", "carol"), "PolicyArn"))
                .containsExactly(arn);
    }

    @Test
    void policiesOfAwsAreThereAndStay() {
        assertThat(texts(bed.done("ListPolicies", "Scope", "AWS"), "Arn"))
                .contains(AWS + "AmazonS3FullAccess", AWS + "IAMReadOnlyAccess");
        assertThat(texts(bed.done("ListPolicies", "Scope", "Local"), "Arn")).isEmpty();
        String arn = AWS + "AmazonS3ReadOnlyAccess";
        assertThat(bed.done("GetPolicyVersion", "PolicyArn", arn, "VersionId", "v1"))
                .contains("s3%3AList%2A");
        assertRefused("ValidationError", "DeletePolicy", "PolicyArn", arn);
        assertRefused(
                "ValidationError",
                "CreatePolicyVersion",
                "PolicyArn",
                arn,
                "PolicyDocument",
                LISTING,
                "SetAsDefault",
                "true");
        assertRefused(
                "ValidationError",
                "TagPolicy",
                "PolicyArn",
                arn,
                "Tags.member.1.Key",
                "k",
                "Tags.member.1.Value",
                "v");
        Keys carol = bed.user("carol");
        assertRefused(bed.call(carol, "ListRoles"), "AccessDenied");
        bed.done("AttachUserPolicy", "UserName", "carol", "PolicyArn", AWS + "IAMReadOnlyAccess");
        assertThat(bed.call(carol, "ListRoles").status()).isEqualTo(200);
        assertRefused(bed.call(carol, "CreateGroup", "GroupName", "g"), "AccessDenied");
        assertThat(texts(bed.done("ListPolicies", "OnlyAttached", "true"), "Arn"))
                .containsExactly(AWS + "IAMReadOnlyAccess");
    }

    @Test
    void aDelegateAttachesOnlyTheAllowedPolicies() {
        Keys carol = bed.user("carol");
        bed.user("dave");
        bed.done("CreatePolicy", "PolicyName", "small", "PolicyDocument", LISTING);
        bed.done("CreatePolicy", "PolicyName", "all", "PolicyDocument", allowing("*", "*"));
        bed.policy(
                "carol",
                "attach",
                statement("Allow", "iam:AttachUserPolicy", "*")
                        .replace(
                                "}]}",
                                ",\"Condition\":{\"ArnEquals\":{\"iam:PolicyARN\":\""
                                        + POLICIES
                                        + "small\"}}}]}"));
        String[] dave = {"UserName", "dave", "PolicyArn", POLICIES + "all"};
        assertRefused(bed.call(carol, "AttachUserPolicy", dave), "AccessDenied");
        dave[3] = AWS + "AdministratorAccess";
        assertRefused(bed.call(carol, "AttachUserPolicy", dave), "AccessDenied");
        dave[3] = "arn:aws:iam:::policy/small";
        assertThat(bed.call(carol, "AttachUserPolicy", dave).status()).isEqualTo(200);
        assertRefused(
                bed.call(
                        carol,
                        "PutUserPolicy",
                        "UserName",
                        "carol",
                        "PolicyName",
                        "p",
                        "PolicyDocument",
                        allowing("*", "*")),
                "AccessDenied");
    }

    @Test
    void tagsAreAddedAndRemoved() {
        bed.done("CreateUser", "UserName", "carol");
        String[] tags = {
            "UserName",
            "carol",
            "Tags.member.1.Key",
            "b",
            "Tags.member.1.Value",
            "1",
            "Tags.member.2.Key",
            "a",
            "Tags.member.2.Value",
            ""
        };
        bed.done("TagUser", tags);
        tags[5] = "2";
        bed.done("TagUser", tags);
        String list = bed.done("ListUserTags", "UserName", "carol");
        assertThat(texts(list, "Key")).containsExactly("a", "b");
        assertThat(texts(list, "Value")).containsExactly("", "2");
        bed.done("UntagUser", "UserName", "carol", "TagKeys.member.1", "b");
        assertThat(texts(bed.done("GetUser", "UserName", "carol"), "Key")).containsExactly("a");
        for (int from : List.of(1, 21)) {
            String[] many = new String[2 + 4 * 20];
            many[0] = "UserName";
            many[1] = "carol";
            IntStream.range(0, 20)
                    .forEach(
                            i -> {
                                many[2 + 4 * i] = "Tags.member." + (i + 1) + ".Key";
                                many[3 + 4 * i] = "k" + (from + i);
                                many[4 + 4 * i] = "Tags.member." + (i + 1) + ".Value";
                                many[5 + 4 * i] = "v";
                            });
            if (from == 1) {
                bed.done("TagUser", many);
            } else {
                assertRefused("LimitExceeded", "TagUser", many);
            }
        }
    }

    @Test
    void theRootSeesItself() {
        assertThat(bed.done("GetUser")).contains("<Arn>arn:aws:iam::000000000000:root</Arn>");
        bed.done("CreateUser", "UserName", "carol");
        assertThat(bed.done("GetAccountSummary"))
                .contains("<entry><key>Users</key><value>1</value></entry>")
                .contains("AccessKeysPerUserQuota");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Action",
                "Action=%zz&Version=2010-05-08",
                "Action=%FF&Version=2010-05-08",
                "Action=%3Cx%3E%00&Version=2010-05-08",
                "Action=ListUsers&Action=ListUsers&Version=2010-05-08",
                "Action=ListUsers&Version=2010-05-08&version=2010-05-08",
                "Action=ListUsers&Version=2010-05-08&Marker=a&MaxItems=1001",
                "Action=listusers&Version=2010-05-08",
                "Action=LIST_USERS&Version=2010-05-08"
            })
    void aFormThatNamesNoActionIsRefused(String body) {
        Map<String, String> form =
                Map.of("content-type", "application/x-www-form-urlencoded; charset=utf-8");
        TestResponse answer = bed.client().send(ROOT, "us-east-1/iam", "POST", "/", body, form);
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.text())
                .startsWith("<?xml")
                .contains("<ErrorResponse xmlns=\"https://iam.amazonaws.com/doc/2010-05-08/\">")
                .doesNotContain("<x>");
    }

    /** Tools look for these before they delete a user or role; no answer may stop them. */
    @Test
    void nobodyHasWhatIsNotBuilt() {
        create("User");
        create("Role");
        for (String list :
                List.of(
                        "MFADevices",
                        "SSHPublicKeys",
                        "SigningCertificates",
                        "ServiceSpecificCredentials")) {
            assertThat(bed.done("List" + list, "UserName", "it"))
                    .contains("></")
                    .contains("<IsTruncated>false<");
            assertRefused("NoSuchEntity", "List" + list, "UserName", "nobody");
        }
        assertRefused("NoSuchEntity", "DeleteLoginProfile", "UserName", "it");
        bed.done("ListInstanceProfilesForRole", "RoleName", "it");
        for (String list :
                List.of(
                        "ListVirtualMFADevices",
                        "ListAccountAliases",
                        "ListOpenIDConnectProviders",
                        "ListSAMLProviders")) {
            assertThat(texts(bed.done(list), "member")).isEmpty();
        }
        assertThat(bed.done("UpdateRoleDescription", "RoleName", "it", "Description", "d"))
                .contains("<Role>")
                .contains("<Description>d<");
    }
}
