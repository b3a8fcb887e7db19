package io.volute.server.s3.acl;

import io.volute.server.Limits;
import io.volute.server.s3.acl.Acl.Grant;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.xml.XmlElement;
import io.volute.server.s3.xml.XmlReader;
import io.volute.server.s3.xml.XmlWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** The document AccessControlPolicy. */
public final class AclDocument {
    private static final String ROOT = "AccessControlPolicy";
    private static final String XSI =
            "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:type=";

    private static final String GRANT = "AccessControlList/Grant";
    private static final Set<String> ELEMENTS =
            Set.of(
                    "Owner",
                    "Owner/ID",
                    "Owner/DisplayName",
                    "AccessControlList",
                    GRANT,
                    GRANT + "/Grantee",
                    GRANT + "/Grantee/ID",
                    GRANT + "/Grantee/DisplayName",
                    GRANT + "/Grantee/EmailAddress",
                    GRANT + "/Grantee/URI",
                    GRANT + "/Permission");

    private AclDocument() {}

    /**
     * Reads a document that a client sent.
     *
     * @param owner whom the document must name as owner
     * @param isUser whether a user has this canonical id
     * @throws S3Exception MalformedXML, MalformedACLError, InvalidArgument, AccessDenied for
     *     another owner, MethodNotAllowed for an email address
     */
    public static Acl read(byte[] document, String owner, Predicate<String> isUser) {
        XmlElement root = XmlReader.read(document, ROOT, Limits.XML_ELEMENTS_MAX).only(ELEMENTS);
        XmlElement list = root.child("AccessControlList").orElseThrow(AclDocument::malformed);
        String named =
                root.child("Owner")
                        .flatMap(each -> each.childText("ID"))
                        .map(String::strip)
                        .orElseThrow(AclDocument::malformed);
        if (!named.equals(owner)) {
            throw new S3Exception(S3Error.ACCESS_DENIED);
        }
        List<Grant> grants = new ArrayList<>();
        for (XmlElement grant : list.all("Grant")) {
            Permission permission =
                    grant.childText("Permission")
                            .map(String::strip)
                            .flatMap(Permission::named)
                            .orElseThrow(AclDocument::malformed);
            XmlElement grantee = grant.child("Grantee").orElseThrow(AclDocument::malformed);
            grants.add(new Grant(grantee(grantee, isUser), permission));
        }
        return new Acl(owner, AclHeaders.checked(grants));
    }

    private static Grantee grantee(XmlElement grantee, Predicate<String> isUser) {
        if (grantee.child("EmailAddress").isPresent()) {
            throw AclHeaders.email();
        }
        Optional<String> id = grantee.childText("ID").map(String::strip);
        Optional<String> uri = grantee.childText("URI").map(String::strip);
        if (id.isPresent() == uri.isPresent()) {
            throw malformed();
        }
        return id.isPresent() ? AclHeaders.user(id.get(), isUser) : AclHeaders.group(uri.get());
    }

    private static S3Exception malformed() {
        return new S3Exception(S3Error.MALFORMED_ACL);
    }

    /**
     * Writes the document.
     *
     * @param displayName returns the name of a user for people
     */
    public static byte[] write(Acl acl, UnaryOperator<String> displayName) {
        XmlWriter xml = XmlWriter.document(ROOT);
        xml.begin("Owner");
        user(xml, acl.owner(), displayName);
        xml.end().begin("AccessControlList");
        for (Grant grant : acl.grants()) {
            xml.begin("Grant");
            switch (grant.grantee()) {
                case Grantee.User(String id) -> {
                    xml.beginWith("Grantee", XSI + "\"CanonicalUser\"");
                    user(xml, id, displayName);
                }
                case Grantee.Group group -> {
                    xml.beginWith("Grantee", XSI + "\"Group\"");
                    xml.element("URI", group.uri());
                }
            }
            xml.end().element("Permission", grant.permission().name()).end();
        }
        return xml.finish();
    }

    private static void user(XmlWriter xml, String id, UnaryOperator<String> displayName) {
        xml.element("ID", id).element("DisplayName", displayName.apply(id));
    }
}
