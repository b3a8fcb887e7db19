package io.volute.server.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.acl.ObjectOwnership;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Buckets with ACLs: ownership, canned ACLs, grants, documents, and what each allows. */
final class AclTest extends S3TestCase {
    private static final String ALL = "http://acs.amazonaws.com/groups/global/AllUsers";
    private static final String SIGNED =
            "http://acs.amazonaws.com/groups/global/AuthenticatedUsers";

    /** A new bucket of alice's. */
    private static String bucket(String ownership, String acl) {
        String name = bed.freshName();
        TestResponse made =
                bed.request("PUT", "/" + name)
                        .header("x-amz-object-ownership", ownership)
                        .header("x-amz-acl", acl)
                        .sendAs(bed.alice());
        assertThat(made.status()).as(made.text()).isEqualTo(200);
        return name;
    }

    private static TestResponse put(String target, TestSigner who, String... headers) {
        TestRequest request = bed.request("PUT", target).body("content");
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return request.sendAs(who);
    }

    private static void putAcl(String target, TestSigner who, String acl) {
        TestResponse put = bed.request("PUT", target + "?acl").header("x-amz-acl", acl).sendAs(who);
        assertThat(put.status()).as(put.text()).isEqualTo(200);
    }

    private static String code(String method, String target, TestSigner who) {
        return bed.request(method, target).sendAs(who).code();
    }

    private static String anonymous(String method, String target) {
        return bed.request(method, target).sendAnonymous().code();
    }

    private static String user(String id, String permission) {
        return "<Grant><Grantee><ID>"
                + id
                + "</ID></Grantee><Permission>"
                + permission
                + "</Permission></Grant>";
    }

    private static String group(String uri, String permission) {
        return user(uri, permission).replace("ID>", "URI>");
    }

    private static String document(String owner, String... grants) {
        return "<AccessControlPolicy><Owner><ID>"
                + owner
                + "</ID></Owner><AccessControlList>"
                + String.join("", grants)
                + "</AccessControlList></AccessControlPolicy>";
    }

    private static TestResponse putDocument(String target, TestSigner who, String document) {
        return bed.request("PUT", target + "?acl").body(document).sendAs(who);
    }

    private static String acl(String target, TestSigner who) {
        TestResponse read = bed.request("GET", target + "?acl").sendAs(who);
        assertThat(read.status()).as(read.text()).isEqualTo(200);
        return read.text();
    }

    private static String granted(String grantee, String permission) {
        return grantee + "</Grantee><Permission>" + permission + "</Permission>";
    }

    private static String byId(String id, String name, String permission) {
        return granted("<ID>" + id + "</ID><DisplayName>" + name + "</DisplayName>", permission);
    }

    private static String byUri(String uri, String permission) {
        return granted("<URI>" + uri + "</URI>", permission);
    }

    // ---- ownership

    @ParameterizedTest
    @ValueSource(strings = {"BucketOwnerEnforced", "BucketOwnerPreferred", "ObjectWriter"})
    void ownershipIsWhatWasSet(String ownership) {
        String made = bucket(ownership, "private");
        assertThat(bed.get("/" + made + "?ownershipControls").text())
                .contains("<ObjectOwnership>" + ownership + "</ObjectOwnership>");
        String changed = bed.bucketOf(bed.alice());
        String document =
                "<OwnershipControls><Rule><ObjectOwnership>"
                        + ownership
                        + "</ObjectOwnership></Rule></OwnershipControls>";
        assertThat(
                        bed.request("PUT", "/" + changed + "?ownershipControls")
                                .body(document)
                                .sendAs(bed.alice())
                                .status())
                .isEqualTo(200);
        assertThat(bed.get("/" + changed + "?ownershipControls").text())
                .contains("<ObjectOwnership>" + ownership + "</ObjectOwnership>");
        assertThat(code("DELETE", "/" + changed + "?ownershipControls", bed.bob()))
                .isEqualTo("AccessDenied");
        assertThat(code("DELETE", "/" + changed + "?ownershipControls", bed.alice()))
                .isEqualTo("204");
        assertThat(code("GET", "/" + changed + "?ownershipControls", bed.alice()))
                .isEqualTo("OwnershipControlsNotFoundError");
    }

    @Test
    void ownershipThatIsNoneIsRefused() {
        String name = bed.freshName();
        assertThat(put("/" + name, bed.alice(), "x-amz-object-ownership", "Nobody").code())
                .isEqualTo("InvalidArgument");
        assertThat(bed.request("HEAD", "/" + name).send().status()).isEqualTo(404);
    }

    @Test
    void aSettingDecidesForNewBucketsAndAHeaderOverIt() {
        S3Protocol protocol =
                S3TestBed.protocolOver(
                        bed.store(),
                        new S3Settings(S3TestBed.REGION, List.of(), () -> S3TestBed.NOW, true)
                                .withOwnership(ObjectOwnership.OBJECT_WRITER));
        String name = bed.freshName();
        assertThat(
                        bed.request("PUT", "/" + name)
                                .over(protocol)
                                .header("x-amz-acl", "public-read")
                                .sendAs(bed.alice())
                                .status())
                .isEqualTo(200);
        assertThat(acl("/" + name, bed.alice())).contains(byUri(ALL, "READ"));
        String enforced = bed.freshName();
        assertThat(
                        bed.request("PUT", "/" + enforced)
                                .over(protocol)
                                .header("x-amz-object-ownership", "BucketOwnerEnforced")
                                .header("x-amz-acl", "public-read")
                                .sendAs(bed.alice())
                                .code())
                .isEqualTo("InvalidBucketAclWithObjectOwnership");
    }

    @Test
    void aBucketThatSharesKeepsItsAcls() {
        String bucket = bucket("ObjectWriter", "public-read");
        String document =
                "<OwnershipControls><Rule><ObjectOwnership>BucketOwnerEnforced"
                        + "</ObjectOwnership></Rule></OwnershipControls>";
        TestRequest enforcing =
                bed.request("PUT", "/" + bucket + "?ownershipControls").body(document);
        assertThat(enforcing.sendAs(bed.alice()).code())
                .isEqualTo("InvalidBucketAclWithObjectOwnership");
        putAcl("/" + bucket, bed.alice(), "private");
        assertThat(enforcing.sendAs(bed.alice()).status()).isEqualTo(200);
        assertThat(
                        bed.request("PUT", "/" + bucket + "?acl")
                                .header("x-amz-acl", "public-read")
                                .sendAs(bed.alice())
                                .code())
                .isEqualTo("AccessControlListNotSupported");
    }

    @Test
    void theOwnerOfAnObjectFollowsFromTheOwnershipAndTheAcl() {
        String his = bucket("ObjectWriter", "public-read-write");
        String full = "bucket-owner-full-control";
        assertThat(put("/" + his + "/a", bed.bob()).status()).isEqualTo(200);
        assertThat(put("/" + his + "/b", bed.bob(), "x-amz-acl", full).status()).isEqualTo(200);
        assertThat(acl("/" + his + "/a", bed.bob())).contains("<Owner><ID>bob</ID>");
        assertThat(acl("/" + his + "/b", bed.bob()))
                .contains("<Owner><ID>bob</ID>")
                .contains(byId("alice", "Alice", "FULL_CONTROL"))
                .contains(byId("bob", "Bob", "FULL_CONTROL"));
        assertThat(bed.get("/" + his).text().split("<Owner><ID>bob</ID>", -1)).hasSize(3);
        assertThat(bed.get("/" + his + "?versions").text()).contains("<Owner><ID>bob</ID>");

        String preferred = bucket("BucketOwnerPreferred", "public-read-write");
        assertThat(put("/" + preferred + "/a", bed.bob()).status()).isEqualTo(200);
        assertThat(put("/" + preferred + "/b", bed.bob(), "x-amz-acl", full).status())
                .isEqualTo(200);
        assertThat(acl("/" + preferred + "/a", bed.bob())).contains("<Owner><ID>bob</ID>");
        assertThat(acl("/" + preferred + "/b", bed.alice())).contains("<Owner><ID>alice</ID>");
        assertThat(code("GET", "/" + preferred + "/b", bed.bob())).isEqualTo("AccessDenied");
    }

    @Test
    void anUploadInPartsHasTheOwnerAndTheAclOfItsBegin() {
        String bucket = bucket("ObjectWriter", "public-read-write");
        String key = "/" + bucket + "/k";
        String begun =
                bed.request("POST", key + "?uploads")
                        .header("x-amz-acl", "public-read")
                        .sendAs(bed.bob())
                        .text();
        String id = begun.replaceAll("(?s).*<UploadId>(.*)</UploadId>.*", "$1");
        assertThat(bed.get("/" + bucket + "?uploads").text())
                .contains("<Owner><ID>bob</ID><DisplayName>Bob</DisplayName></Owner>");
        String part = put(key + "?partNumber=1&uploadId=" + id, bed.bob()).header("etag");
        String complete =
                "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"
                        + part
                        + "</ETag></Part></CompleteMultipartUpload>";
        // The bucket's owner completes it, and owns it no more for that.
        TestResponse completed =
                bed.request("POST", key + "?uploadId=" + id).body(complete).sendAs(bed.alice());
        assertThat(completed.status()).as(completed.text()).isEqualTo(200);
        assertThat(acl(key, bed.bob()))
                .contains("<Owner><ID>bob</ID>")
                .contains(byUri(ALL, "READ"));
        assertThat(anonymous("GET", key)).isEqualTo("200");
        assertThat(bed.get("/" + bucket).text()).contains("<Owner><ID>bob</ID>");
    }

    // ---- canned ACLs, grants, documents

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
