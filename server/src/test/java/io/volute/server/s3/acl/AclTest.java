package io.volute.server.s3.acl;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.TestRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Canned ACLs, grants and ACL documents of buckets and objects, and what each allows. */
final class AclTest extends AclTestCase {
    @ParameterizedTest
    @CsvSource({
        "public-read,200,200,AccessDenied",
        "public-read-write,200,200,200",
        "authenticated-read,AccessDenied,200,AccessDenied",
        "private,AccessDenied,AccessDenied,AccessDenied",
        "log-delivery-write,AccessDenied,AccessDenied,AccessDenied",
        "bucket-owner-read,AccessDenied,AccessDenied,AccessDenied"
    })
    void aCannedAclOfABucketAllowsWhatItSays(
            String acl, String listedByAll, String listedByBob, String written) {
        String bucket = bucket("ObjectWriter", acl);
        assertThat(anonymous("GET", "/" + bucket)).isEqualTo(listedByAll);
        assertThat(code("GET", "/" + bucket, bed.bob())).isEqualTo(listedByBob);
        assertThat(put("/" + bucket + "/k", bed.bob()).code()).isEqualTo(written);
        assertThat(bed.request("PUT", "/" + bucket + "/n").body("x").sendAnonymous().code())
                .isEqualTo(written);
        assertThat(code("GET", "/" + bucket + "?acl", bed.bob())).isEqualTo("AccessDenied");
    }

    @ParameterizedTest
    @CsvSource({
        "public-read,200,200",
        "public-read-write,200,200",
        "authenticated-read,AccessDenied,200",
        "private,AccessDenied,AccessDenied",
        "bucket-owner-full-control,AccessDenied,AccessDenied"
    })
    void aCannedAclOfAnObjectAllowsWhatItSays(String acl, String all, String bob) {
        String bucket = bucket("ObjectWriter", "private");
        String key = "/" + bucket + "/k";
        assertThat(put(key, bed.alice(), "x-amz-acl", acl).status()).isEqualTo(200);
        assertThat(put("/" + bucket + "/later", bed.alice()).status()).isEqualTo(200);
        putAcl("/" + bucket + "/later", bed.alice(), acl);
        for (String target : new String[] {key, "/" + bucket + "/later"}) {
            assertThat(anonymous("GET", target)).isEqualTo(all);
            assertThat(code("GET", target, bed.bob())).isEqualTo(bob);
            assertThat(code("GET", target, bed.alice())).isEqualTo("200");
            assertThat(put(target, bed.bob()).code()).isEqualTo("AccessDenied");
            assertThat(code("DELETE", target, bed.bob())).isEqualTo("AccessDenied");
            assertThat(code("GET", target + "?acl", bed.bob())).isEqualTo("AccessDenied");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "READ,200,AccessDenied,AccessDenied,AccessDenied",
        "WRITE,AccessDenied,200,AccessDenied,AccessDenied",
        "READ_ACP,AccessDenied,AccessDenied,200,AccessDenied",
        "WRITE_ACP,AccessDenied,AccessDenied,AccessDenied,200",
        "FULL_CONTROL,200,200,200,200"
    })
    void aGrantOnABucketAllowsNothingElse(
            String permission, String list, String write, String readAcl, String writeAcl) {
        String bucket = bucket("ObjectWriter", "private");
        assertThat(put("/" + bucket + "/k", bed.alice()).status()).isEqualTo(200);
        String shared = document("alice", user("alice", "FULL_CONTROL"), user("bob", permission));
        assertThat(putDocument("/" + bucket, bed.alice(), shared).status()).isEqualTo(200);
        assertThat(acl("/" + bucket, bed.alice())).contains(byId("bob", "Bob", permission));
        assertThat(code("GET", "/" + bucket, bed.bob())).isEqualTo(list);
        assertThat(code("GET", "/" + bucket + "?versions", bed.bob())).isEqualTo(list);
        assertThat(put("/" + bucket + "/n", bed.bob()).code()).isEqualTo(write);
        assertThat(code("GET", "/" + bucket + "?acl", bed.bob())).isEqualTo(readAcl);
        assertThat(code("GET", "/" + bucket + "/k", bed.bob())).isEqualTo("AccessDenied");
        assertThat(code("GET", "/" + bucket + "?policy", bed.bob())).isEqualTo("AccessDenied");
        assertThat(code("DELETE", "/" + bucket, bed.bob())).isEqualTo("AccessDenied");
        assertThat(putDocument("/" + bucket, bed.bob(), shared).code()).isEqualTo(writeAcl);
        assertThat(code("DELETE", "/" + bucket + "/k", bed.bob()))
                .isEqualTo(write.equals("200") ? "204" : write);
    }

    @ParameterizedTest
    @CsvSource({
        "x-amz-grant-read,200,AccessDenied,AccessDenied",
        "x-amz-grant-write,AccessDenied,AccessDenied,AccessDenied",
        "x-amz-grant-read-acp,AccessDenied,200,AccessDenied",
        "x-amz-grant-write-acp,AccessDenied,AccessDenied,200",
        "x-amz-grant-full-control,200,200,200"
    })
    void aGrantOnAnObjectAllowsNothingElse(
            String header, String read, String readAcl, String writeAcl) {
        String bucket = bucket("ObjectWriter", "private");
        String key = "/" + bucket + "/k";
        assertThat(put(key, bed.alice(), header, "id=\"bob\", uri=" + SIGNED).status())
                .isEqualTo(200);
        assertThat(code("GET", key, bed.bob())).isEqualTo(read);
        assertThat(bed.request("HEAD", key).sendAs(bed.bob()).status())
                .isEqualTo(read.equals("200") ? 200 : 403);
        assertThat(code("GET", key + "?acl", bed.bob())).isEqualTo(readAcl);
        assertThat(code("GET", key + "?tagging", bed.bob())).isEqualTo("AccessDenied");
        assertThat(put(key, bed.bob()).code()).isEqualTo("AccessDenied");
        assertThat(anonymous("GET", key)).isEqualTo("AccessDenied");
        assertThat(putDocument(key, bed.bob(), document("alice", user("bob", "READ"))).code())
                .isEqualTo(writeAcl);
        // Without a grant the owner of the bucket still has all.
        assertThat(code("GET", key, bed.alice())).isEqualTo("200");
    }

    @Test
    void theDocumentOfGroupsComesBack() {
        String bucket = bucket("ObjectWriter", "private");
        String sent =
                document(
                        "alice",
                        group(ALL, "READ"),
                        group(SIGNED, "WRITE"),
                        group("http://acs.amazonaws.com/groups/s3/LogDelivery", "READ_ACP"));
        assertThat(putDocument("/" + bucket, bed.alice(), sent).status()).isEqualTo(200);
        assertThat(acl("/" + bucket, bed.alice()))
                .contains("xsi:type=\"Group\"")
                .contains(byUri(ALL, "READ"))
                .contains(byUri(SIGNED, "WRITE"))
                .contains(byUri("http://acs.amazonaws.com/groups/s3/LogDelivery", "READ_ACP"));
        assertThat(putDocument("/" + bucket, bed.alice(), document("alice")).status())
                .isEqualTo(200);
        assertThat(acl("/" + bucket, bed.alice())).doesNotContain("<Grant>");
    }

    @Test
    void whatIsNoAclIsRefusedAndChangesNothing() {
        String bucket = bucket("ObjectWriter", "private");
        assertThat(put("/" + bucket + "/k", bed.alice()).status()).isEqualTo(200);
        for (String target : new String[] {"/" + bucket, "/" + bucket + "/k"}) {
            String[][] wrong = {
                {"MalformedACLError", "<AccessControlPolicy/>"},
                {"MalformedACLError", document("alice", user("bob", "EVERYTHING"))},
                {"MalformedACLError", document("alice", user("bob", "read"))},
                {"MalformedACLError", document("alice", "<Grant/>")},
                {"AccessDenied", document("bob", user("bob", "READ"))},
                {"InvalidArgument", document("alice", user("nobody", "READ"))},
                {"InvalidArgument", document("alice", user("anonymous", "READ"))},
                {"InvalidArgument", document("alice", group("http://example.org/all", "READ"))},
                {
                    "MethodNotAllowed",
                    document("alice", user("b@example.org", "READ"))
                            .replace("<Grantee><ID>", "<Grantee><EmailAddress>")
                            .replace("</ID></Grantee>", "</EmailAddress></Grantee>")
                },
                {"MalformedXML", "<Nonsense/>"},
                {"MissingSecurityHeader", ""},
            };
            for (String[] each : wrong) {
                assertThat(putDocument(target, bed.alice(), each[1]).code())
                        .as(each[1])
                        .isEqualTo(each[0]);
            }
            String[][] headers = {
                {"InvalidArgument", "x-amz-acl", "public-ready"},
                {"InvalidArgument", "x-amz-grant-everything", "id=bob"},
                {"InvalidArgument", "x-amz-grant-read", "id=nobody"},
                {"InvalidArgument", "x-amz-grant-read", "bob"},
                {"InvalidArgument", "x-amz-grant-read", "id=\"bob"},
                {"InvalidArgument", "x-amz-grant-read", "id=\"bob\"x, id=\"bob\""},
                {"InvalidArgument", "x-amz-grant-read", "name=bob"},
                {"MethodNotAllowed", "x-amz-grant-read", "emailAddress=\"b@example.org\""},
                {"NotImplemented", "x-amz-acl", "aws-exec-read"},
            };
            for (String[] each : headers) {
                TestRequest request = bed.request("PUT", target + "?acl").header(each[1], each[2]);
                assertThat(request.sendAs(bed.alice()).code()).as(each[2]).isEqualTo(each[0]);
            }
            assertThat(
                            bed.request("PUT", target + "?acl")
                                    .header("x-amz-acl", "private")
                                    .header("x-amz-grant-read", "id=bob")
                                    .sendAs(bed.alice())
                                    .code())
                    .isEqualTo("InvalidRequest");
            assertThat(acl(target, bed.alice()))
                    .contains(byId("alice", "Alice", "FULL_CONTROL"))
                    .doesNotContain("bob");
        }
        assertThat(put("/" + bucket + "/n", bed.alice(), "x-amz-acl", "public-ready").code())
                .isEqualTo("InvalidArgument");
        assertThat(code("GET", "/" + bucket + "/n", bed.alice())).isEqualTo("NoSuchKey");
    }

    @Test
    void anAclHasAHundredGrants() {
        String bucket = bucket("ObjectWriter", "private");
        String most = user("bob", "READ").repeat(100);
        assertThat(putDocument("/" + bucket, bed.alice(), document("alice", most)).status())
                .isEqualTo(200);
        assertThat(
                        putDocument(
                                        "/" + bucket,
                                        bed.alice(),
                                        document("alice", most, user("bob", "READ")))
                                .code())
                .isEqualTo("InvalidRequest");
    }

    @Test
    void aBucketThatIsMadeAgainHasTheAclOfThatRequest() {
        String bucket = bucket("ObjectWriter", "public-read");
        assertThat(put("/" + bucket, bed.alice()).status()).isEqualTo(400);
        assertThat(code("PUT", "/" + bucket, bed.alice())).isEqualTo("200");
        assertThat(anonymous("GET", "/" + bucket)).isEqualTo("AccessDenied");
    }
}
