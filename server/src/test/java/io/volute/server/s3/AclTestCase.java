package io.volute.server.s3;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of buckets with ACLs: their requests, and the documents that go with them. */
abstract class AclTestCase extends S3TestCase {
    static final String ALL = "http://acs.amazonaws.com/groups/global/AllUsers";
    static final String SIGNED = "http://acs.amazonaws.com/groups/global/AuthenticatedUsers";

    /** A new bucket of alice's. */
    static String bucket(String ownership, String acl) {
        String name = bed.freshName();
        TestResponse made =
                bed.request("PUT", "/" + name)
                        .header("x-amz-object-ownership", ownership)
                        .header("x-amz-acl", acl)
                        .sendAs(bed.alice());
        assertThat(made.status()).as(made.text()).isEqualTo(200);
        return name;
    }

    static TestResponse put(String target, TestSigner who, String... headers) {
        TestRequest request = bed.request("PUT", target).body("content");
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return request.sendAs(who);
    }

    static void putAcl(String target, TestSigner who, String acl) {
        TestResponse put = bed.request("PUT", target + "?acl").header("x-amz-acl", acl).sendAs(who);
        assertThat(put.status()).as(put.text()).isEqualTo(200);
    }

    static String code(String method, String target, TestSigner who) {
        return bed.request(method, target).sendAs(who).code();
    }

    static String anonymous(String method, String target) {
        return bed.request(method, target).sendAnonymous().code();
    }

    static String user(String id, String permission) {
        return "<Grant><Grantee><ID>"
                + id
                + "</ID></Grantee><Permission>"
                + permission
                + "</Permission></Grant>";
    }

    static String group(String uri, String permission) {
        return user(uri, permission).replace("ID>", "URI>");
    }

    static String document(String owner, String... grants) {
        return "<AccessControlPolicy><Owner><ID>"
                + owner
                + "</ID></Owner><AccessControlList>"
                + String.join("", grants)
                + "</AccessControlList></AccessControlPolicy>";
    }

    static TestResponse putDocument(String target, TestSigner who, String document) {
        return bed.request("PUT", target + "?acl").body(document).sendAs(who);
    }

    static String acl(String target, TestSigner who) {
        TestResponse read = bed.request("GET", target + "?acl").sendAs(who);
        assertThat(read.status()).as(read.text()).isEqualTo(200);
        return read.text();
    }

    static String granted(String grantee, String permission) {
        return grantee + "</Grantee><Permission>" + permission + "</Permission>";
    }

    static String byId(String id, String name, String permission) {
        return granted("<ID>" + id + "</ID><DisplayName>" + name + "</DisplayName>", permission);
    }

    static String byUri(String uri, String permission) {
        return granted("<URI>" + uri + "</URI>", permission);
    }
}
