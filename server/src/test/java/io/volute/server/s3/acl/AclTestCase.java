package io.volute.server.s3.acl;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestRequest;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.TestSigner;

/** Tests of buckets with ACLs: their requests, and the documents that go with them. */
abstract class AclTestCase extends S3TestCase {
    protected static final String ALL = "http://acs.amazonaws.com/groups/global/AllUsers";
    protected static final String SIGNED =
            "http://acs.amazonaws.com/groups/global/AuthenticatedUsers";

    /** A new bucket of alice's. */
    protected static String bucket(String ownership, String acl) {
        String name = bed.freshName();
        TestResponse made =
                bed.request("PUT", "/" + name)
                        .header("x-amz-object-ownership", ownership)
                        .header("x-amz-acl", acl)
                        .sendAs(bed.alice());
        assertThat(made.status()).as(made.text()).isEqualTo(200);
        return name;
    }

    protected static TestResponse put(String target, TestSigner who, String... headers) {
        TestRequest request = bed.request("PUT", target).body("content");
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return request.sendAs(who);
    }

    protected static void putAcl(String target, TestSigner who, String acl) {
        TestResponse put = bed.request("PUT", target + "?acl").header("x-amz-acl", acl).sendAs(who);
        assertThat(put.status()).as(put.text()).isEqualTo(200);
    }

    protected static String code(String method, String target, TestSigner who) {
        return bed.request(method, target).sendAs(who).code();
    }

    protected static String anonymous(String method, String target) {
        return bed.request(method, target).sendAnonymous().code();
    }

    protected static String user(String id, String permission) {
        return "<Grant><Grantee><ID>"
                + id
                + "</ID></Grantee><Permission>"
                + permission
                + "</Permission></Grant>";
    }

    protected static String group(String uri, String permission) {
        return user(uri, permission).replace("ID>", "URI>");
    }

    protected static String document(String owner, String... grants) {
        return "<AccessControlPolicy><Owner><ID>"
                + owner
                + "</ID></Owner><AccessControlList>"
                + String.join("", grants)
                + "</AccessControlList></AccessControlPolicy>";
    }

    protected static TestResponse putDocument(String target, TestSigner who, String document) {
        return bed.request("PUT", target + "?acl").body(document).sendAs(who);
    }

    protected static String acl(String target, TestSigner who) {
        TestResponse read = bed.request("GET", target + "?acl").sendAs(who);
        assertThat(read.status()).as(read.text()).isEqualTo(200);
        return read.text();
    }

    protected static String granted(String grantee, String permission) {
        return grantee + "</Grantee><Permission>" + permission + "</Permission>";
    }

    protected static String byId(String id, String name, String permission) {
        return granted("<ID>" + id + "</ID><DisplayName>" + name + "</DisplayName>", permission);
    }

    protected static String byUri(String uri, String permission) {
        return granted("<URI>" + uri + "</URI>", permission);
    }
}
