package io.volute.server.iam;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.query.SignedClient.Keys;
import io.volute.server.s3.TestResponse;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** ListBuckets shows callers the buckets that they may list or read. */
class ListBucketsTest {
    private static final Keys ALICE = new Keys("ALICEKEY", "alicesecret", "");

    private IamTestBed bed;
    private Keys carol;

    @BeforeEach
    void open() throws IOException {
        bed = new IamTestBed();
        carol = bed.user("carol");
        for (String bucket : List.of("bucket-a", "bucket-b", "bucket-c")) {
            done(ALICE, "PUT", "/" + bucket, "");
        }
    }

    @AfterEach
    void close() throws IOException {
        bed.close();
    }

    private void done(Keys who, String method, String path, String body) {
        TestResponse answer = send(who, method, path, body, Map.of());
        assertThat(answer.status()).as(path + answer.text()).isIn(200, 204);
    }

    private TestResponse send(
            Keys who, String method, String path, String body, Map<String, String> headers) {
        return bed.client().send(who, "eu-west-1/s3", method, path, body, headers);
    }

    /** Returns the names of the listed buckets, or the code of the error. */
    private List<String> listed(Keys who) {
        TestResponse answer = bed.s3(who, "GET", "/");
        return answer.status() == 200
                ? IamTestBed.texts(answer.text(), "Name")
                : List.of(answer.code());
    }

    private static String document(String... statements) {
        return "{\"Version\":\"2012-10-17\",\"Statement\":[" + String.join(",", statements) + "]}";
    }

    private static String statement(String effect, String action, String resource, String more) {
        return "{\"Effect\":\"%s\",\"Action\":\"%s\",\"Resource\":\"%s\"%s}"
                .formatted(effect, action, resource, more);
    }

    private static String allow(String action, String resource) {
        return statement("Allow", action, "arn:aws:s3:::" + resource, "");
    }

    private static String deny(String action, String resource) {
        return statement("Deny", action, "arn:aws:s3:::" + resource, "");
    }

    @Test
    void policiesOfTheUserShowBuckets() {
        assertThat(listed(carol)).containsExactly("AccessDenied");
        bed.policy("carol", "p", document(allow("s3:ListBucket", "bucket-a")));
        assertThat(listed(carol)).containsExactly("bucket-a");
        bed.policy("carol", "p", document(allow("s3:GetObject", "bucket-b/some/*")));
        assertThat(listed(carol)).containsExactly("bucket-b");
        bed.policy("carol", "p", document(allow("s3:Get*", "*"), deny("s3:*", "bucket-b*")));
        assertThat(listed(carol)).containsExactly("bucket-a", "bucket-c");
        bed.policy(
                "carol",
                "p",
                document(
                        statement(
                                "Allow",
                                "s3:ListBucket",
                                "arn:aws:s3:::bucket-c",
                                ",\"Condition\":{\"StringLike\":{\"s3:prefix\":\"x/*\"}}")));
        assertThat(listed(carol)).containsExactly("bucket-c");
        // Neither rights to write nor to something that is no bucket show one.
        bed.policy(
                "carol",
                "p",
                document(allow("s3:PutObject", "bucket-a/*"), allow("s3:GetObject", "other/*")));
        assertThat(listed(carol)).containsExactly("AccessDenied");
    }

    @Test
    void denialsHide() {
        bed.policy(
                "carol",
                "p",
                document(allow("s3:List*", "bucket-*"), deny("s3:ListBucket*", "bucket-b")));
        assertThat(listed(carol)).containsExactly("bucket-a", "bucket-c");
        bed.policy(
                "carol",
                "p",
                document(allow("s3:List*", "bucket-*"), deny("s3:ListAllMyBuckets", "*")));
        assertThat(listed(carol)).containsExactly("AccessDenied");
        bed.policy(
                "carol",
                "p",
                document(
                        statement(
                                "Allow",
                                "s3:ListBucket",
                                "arn:aws:s3:::bucket-a",
                                ",\"Condition\":{\"IpAddress\":{\"aws:SourceIp\":\"10.0.0.1\"}}")));
        assertThat(listed(carol)).containsExactly("AccessDenied");
    }

    @Test
    void policiesAndAclsOfBucketsShowThem() {
        String principal = ",\"Principal\":{\"AWS\":\"arn:aws:iam::000000000000:user/carol\"}";
        done(
                ALICE,
                "PUT",
                "/bucket-b?policy",
                document(statement("Allow", "s3:GetObject", "arn:aws:s3:::bucket-b/k", principal)));
        assertThat(listed(carol)).containsExactly("bucket-b");
        bed.policy("carol", "p", document(allow("s3:List*", "bucket-*")));
        done(
                ALICE,
                "PUT",
                "/bucket-b?policy",
                document(statement("Deny", "s3:ListBucket*", "arn:aws:s3:::bucket-b", principal)));
        assertThat(listed(carol)).containsExactly("bucket-a", "bucket-c");
        bed.policy("carol", "p", document(allow("s3:GetObject", "nothing/*")));
        TestResponse shared =
                send(
                        ALICE,
                        "PUT",
                        "/bucket-d",
                        "",
                        Map.of("x-amz-object-ownership", "ObjectWriter"));
        assertThat(shared.status()).isEqualTo(200);
        assertThat(listed(carol)).containsExactly("AccessDenied");
        assertThat(
                        send(ALICE, "PUT", "/bucket-d?acl", "", Map.of("x-amz-acl", "public-read"))
                                .status())
                .isEqualTo(200);
        assertThat(listed(carol)).containsExactly("bucket-d");
    }

    @Test
    void groupsShowBucketsAndSessionsHideThem() {
        bed.done("CreateGroup", "GroupName", "readers");
        bed.done(
                "PutGroupPolicy",
                "GroupName",
                "readers",
                "PolicyName",
                "p",
                "PolicyDocument",
                document(allow("s3:ListBucket", "bucket-*")));
        bed.done("AddUserToGroup", "GroupName", "readers", "UserName", "carol");
        assertThat(listed(carol)).containsExactly("bucket-a", "bucket-b", "bucket-c");
        bed.policy("carol", "boundary", document(deny("s3:*", "bucket-c")));
        assertThat(listed(carol)).containsExactly("bucket-a", "bucket-b");
        bed.done(
                "CreateRole",
                "RoleName",
                "reader",
                "AssumeRolePolicyDocument",
                "{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Allow\","
                        + "\"Principal\":{\"AWS\":\"arn:aws:iam::000000000000:user/carol\"},"
                        + "\"Action\":\"sts:AssumeRole\"}]}");
        bed.done(
                "PutRolePolicy",
                "RoleName",
                "reader",
                "PolicyName",
                "p",
                "PolicyDocument",
                document(allow("s3:ListBucket", "bucket-*")));
        Keys session =
                IamTestBed.key(
                        bed.sts(
                                        carol,
                                        "AssumeRole",
                                        "RoleArn",
                                        "arn:aws:iam::000000000000:role/reader",
                                        "RoleSessionName",
                                        "night",
                                        "Policy",
                                        document(allow("s3:ListBucket", "bucket-a")))
                                .text());
        assertThat(listed(session)).containsExactly("bucket-a");
    }

    @Test
    void ownBucketsNeedTheirRight() {
        // An account sees its own, as ever, and others that it may read.
        assertThat(listed(ALICE)).containsExactly("bucket-a", "bucket-b", "bucket-c");
        done(IamTestBed.ROOT, "PUT", "/bucket-of-root", "");
        assertThat(listed(ALICE)).doesNotContain("bucket-of-root");
        bed.allow("carol", "p", "s3:ListAllMyBuckets", "*");
        assertThat(listed(carol)).containsExactly("bucket-of-root");
        bed.policy(
                "carol",
                "p",
                document(allow("s3:ListAllMyBuckets", "*"), allow("s3:GetObject", "bucket-a/*")));
        assertThat(listed(carol)).containsExactly("bucket-a", "bucket-of-root");
        assertThat(listed(IamTestBed.ROOT)).hasSize(4);
    }
}
