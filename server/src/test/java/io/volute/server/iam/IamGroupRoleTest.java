package io.volute.server.iam;

import static io.volute.server.iam.IamTestBed.allowing;
import static io.volute.server.iam.IamTestBed.key;
import static io.volute.server.iam.IamTestBed.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.query.SignedClient.Keys;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Groups and roles by IAM's API: membership, sessions and trust. */
class IamGroupRoleTest extends IamTestCase {
    /** A group's policies are those of its members, as long as they are members. */
    @Test
    void aGroupGivesItsMembersItsPolicies() {
        Keys carol = bed.user("carol");
        bed.done("CreateGroup", "GroupName", "g", "Path", "/x/");
        bed.done(
                "PutGroupPolicy",
                "GroupName",
                "g",
                "PolicyName",
                "p",
                "PolicyDocument",
                allowing("s3:ListAllMyBuckets", "*"));
        String[] member = {"GroupName", "g", "UserName", "carol"};
        assertRefused("NoSuchEntity", "RemoveUserFromGroup", member);
        assertThat(bed.s3(carol, "GET", "/").code()).isEqualTo("AccessDenied");
        bed.done("AddUserToGroup", member);
        assertThat(bed.s3(carol, "GET", "/").status()).isEqualTo(200);
        assertThat(texts(bed.done("GetGroup", "GroupName", "g"), "UserName"))
                .containsExactly("carol");
        assertThat(bed.done("ListGroupsForUser", "UserName", "carol"))
                .contains("arn:aws:iam::000000000000:group/x/g");
        bed.done("UpdateGroup", "GroupName", "g", "NewPath", "/y/");
        assertThat(bed.done("ListGroups", "PathPrefix", "/y/")).contains("<GroupName>g<");
        assertThat(bed.s3(carol, "GET", "/").status()).isEqualTo(200);
        assertRefused("DeleteConflict", "DeleteGroup", "GroupName", "g");
        bed.done("RemoveUserFromGroup", member);
        assertThat(bed.s3(carol, "GET", "/").code()).isEqualTo("AccessDenied");
    }

    @Test
    void aGroupKeepsItsMembersUnderAnotherName() {
        Keys carol = bed.user("carol");
        for (String name : List.of("g", "taken")) {
            bed.done("CreateGroup", "GroupName", name, "Path", "/a/");
        }
        bed.done("AddUserToGroup", "GroupName", "g", "UserName", "carol");
        String arn = AWS + "AmazonS3ReadOnlyAccess";
        bed.done("AttachGroupPolicy", "GroupName", "g", "PolicyArn", arn);
        String id = texts(bed.done("GetGroup", "GroupName", "g"), "GroupId").getFirst();
        String[] update = {"GroupName", "g", "NewPath", "/b/", "NewGroupName", "TAKEN"};
        assertRefused("EntityAlreadyExists", "UpdateGroup", update);
        update[5] = "a/b";
        assertRefused("ValidationError", "UpdateGroup", update);
        update[5] = "h";
        // Both ARNs must be allowed.
        String groups = "arn:aws:iam::000000000000:group";
        bed.allow("carol", "old", "iam:UpdateGroup", groups + "/a/g");
        assertRefused(bed.call(carol, "UpdateGroup", update), "AccessDenied");
        bed.allow("carol", "new", "iam:UpdateGroup", groups + "/b/h");
        assertThat(bed.call(carol, "UpdateGroup", update).status()).isEqualTo(200);
        assertRefused("NoSuchEntity", "GetGroup", "GroupName", "g");
        assertThat(bed.done("GetGroup", "GroupName", "h"))
                .contains(id)
                .contains(groups + "/b/h<")
                .contains("<UserName>carol<");
        assertThat(texts(bed.done("ListGroupsForUser", "UserName", "carol"), "GroupName"))
                .containsExactly("h");
        assertThat(bed.s3(carol, "GET", "/").status()).isEqualTo(200);
        bed.done("UpdateGroup", "GroupName", "h", "NewGroupName", "H");
        assertThat(texts(bed.done("ListGroups"), "GroupName")).containsExactly("H", "taken");
    }

    @Test
    void aRoleIsAssumedByItsArnForItsTime() {
        Keys carol = bed.user("carol");
        bed.user("dave");
        String created =
                bed.done(
                        "CreateRole",
                        "RoleName",
                        "backup",
                        "Path",
                        "/jobs/",
                        "AssumeRolePolicyDocument",
                        TRUST,
                        "Description",
                        "nightly");
        String arn = "arn:aws:iam::000000000000:role/jobs/backup";
        assertThat(created)
                .contains("<Arn>" + arn + "<")
                .contains("<MaxSessionDuration>3600<")
                .contains("<Description>nightly<")
                .contains("<AssumeRolePolicyDocument>%7B");
        bed.done(
                "PutRolePolicy",
                "RoleName",
                "backup",
                "PolicyName",
                "p",
                "PolicyDocument",
                allowing("*", "*"));
        String[] assume = {"RoleArn", arn, "RoleSessionName", "night", "DurationSeconds", "3601"};
        assertThat(bed.sts(carol, "AssumeRole", assume).status()).isEqualTo(400);
        assume[5] = "3600";
        String assumed = bed.sts(carol, "AssumeRole", assume).text();
        String id = texts(created, "RoleId").getFirst() + ":night";
        assertThat(texts(assumed, "AssumedRoleId")).containsExactly(id);
        Keys session = key(assumed);
        assertThat(texts(bed.sts(session, "GetCallerIdentity").text(), "UserId"))
                .containsExactly(id);
        assertThat(bed.s3(session, "GET", "/").status()).isEqualTo(200);
        // The session of a role may call IAM, and has no user of its own.
        assertThat(bed.call(session, "ListUsers").status()).isEqualTo(200);
        assertRefused(bed.call(session, "CreateAccessKey"), "ValidationError");
        // The path is part of the name.
        assume[1] = "arn:aws:iam::000000000000:role/backup";
        assertThat(bed.sts(carol, "AssumeRole", assume).status()).isEqualTo(403);
        assume[1] = arn;
        bed.done("UpdateRole", "RoleName", "backup", "MaxSessionDuration", "7200");
        assume[5] = "7200";
        assertThat(bed.sts(carol, "AssumeRole", assume).status()).isEqualTo(200);
        bed.done(
                "UpdateAssumeRolePolicy",
                "RoleName",
                "backup",
                "PolicyDocument",
                TRUST.replace("carol", "dave"));
        assertThat(bed.sts(carol, "AssumeRole", assume).status()).isEqualTo(403);
        assertThat(bed.done("ListInstanceProfilesForRole", "RoleName", "backup"))
                .contains("<IsTruncated>false<");
        assertRefused(
                "ValidationError", "UpdateRole", "RoleName", "backup", "MaxSessionDuration", "9");
        assertRefused(
                "MalformedPolicyDocument",
                "CreateRole",
                "RoleName",
                "other",
                "AssumeRolePolicyDocument",
                LISTING);
    }

    /** A path in a trust policy is strict: nobody is trusted by the name alone. */
    @Test
    void aUserOfAnotherPathIsNotTrusted() {
        Keys carol = bed.user("carol");
        bed.done("CreateRole", "RoleName", "r", "AssumeRolePolicyDocument", TRUST);
        String[] assume = {
            "RoleArn", "arn:aws:iam::000000000000:role/r", "RoleSessionName", "night"
        };
        assertThat(bed.sts(carol, "AssumeRole", assume).status()).isEqualTo(200);
        bed.done("UpdateUser", "UserName", "carol", "NewPath", "/other/");
        assertThat(bed.sts(carol, "AssumeRole", assume).status()).isEqualTo(403);
    }

    /** Large documents in a list go to the next page, so that an answer stays small. */
    @Test
    void anAnswerHasABound() {
        String trust = TRUST.replace("}}}", "}}" + " ".repeat(6000) + "}");
        for (int i = 0; i < 80; i++) {
            bed.done("CreateRole", "RoleName", "r" + i, "AssumeRolePolicyDocument", trust);
        }
        String first = bed.done("ListRoles", "MaxItems", "1000");
        assertThat(first.length()).isLessThan(1_100_000);
        assertThat(texts(first, "IsTruncated")).containsExactly("true");
        String second = bed.done("ListRoles", "Marker", texts(first, "Marker").getFirst());
        assertThat(texts(first, "RoleName").size() + texts(second, "RoleName").size())
                .isEqualTo(80);
    }
}
