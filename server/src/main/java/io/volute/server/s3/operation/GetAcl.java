package io.volute.server.s3.operation;

import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.ObjectVersion;
import java.io.IOException;

/** GetBucketAcl and GetObjectAcl: nobody but the owner has rights, and the owner has all. */
public final class GetAcl {
    private static final String GRANTEE =
            "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\""
                    + " xsi:type=\"CanonicalUser\"";

    private GetAcl() {}

    public static S3Response ofBucket(S3Request request) {
        return Answer.of(200).xml(document(request, request.bucketInfo().owner()));
    }

    public static S3Response ofObject(S3Request request, ObjectStore store) throws IOException {
        ObjectVersion version = ReadTarget.find(store, request);
        Answer answer = Answer.of(200);
        ObjectHeaders.versionId(answer, request, version);
        return answer.xml(document(request, version.owner()));
    }

    private static byte[] document(S3Request request, String owner) {
        XmlWriter xml = XmlWriter.document("AccessControlPolicy");
        Documents.owner(xml, request, owner);
        xml.begin("AccessControlList").begin("Grant").beginWith("Grantee", GRANTEE);
        xml.element("ID", owner);
        xml.element("DisplayName", Documents.displayName(request, owner)).end();
        xml.element("Permission", "FULL_CONTROL");
        return xml.finish();
    }
}
