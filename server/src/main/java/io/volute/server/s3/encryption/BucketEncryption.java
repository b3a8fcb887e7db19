package io.volute.server.s3.encryption;

import io.volute.server.Limits;
import io.volute.server.auth.policy.Principal;
import io.volute.server.encryption.Keyring;
import io.volute.server.s3.call.ParsedDocuments;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.xml.XmlElement;
import io.volute.server.s3.xml.XmlReader;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The default encryption of a bucket, for objects whose request selects none.
 *
 * @param isNamed whether a named key wraps the data keys (SSE-KMS)
 * @param key the named key; empty for the default one
 * @param blocksCustomerKeys whether writes with keys of customers (SSE-C) are refused
 */
public record BucketEncryption(
        boolean isNamed, Optional<String> key, boolean bucketKey, boolean blocksCustomerKeys) {
    private static final String ROOT = "ServerSideEncryptionConfiguration";
    private static final String KEY_ARN = "^arn:aws:kms:[a-z0-9-]+:" + Principal.ACCOUNT + ":key/";

    private static final String BLOCKED = "BlockedEncryptionTypes";
    private static final String BLOCKED_TYPE = "EncryptionType";
    private static final String CUSTOMER = "SSE-C";
    private static final Set<String> ELEMENTS =
            Set.of(
                    "Rule",
                    "Rule/ApplyServerSideEncryptionByDefault",
                    "Rule/ApplyServerSideEncryptionByDefault/SSEAlgorithm",
                    "Rule/ApplyServerSideEncryptionByDefault/KMSMasterKeyID",
                    "Rule/BucketKeyEnabled",
                    "Rule/" + BLOCKED,
                    "Rule/" + BLOCKED + "/" + BLOCKED_TYPE);

    private static final ParsedDocuments<BucketEncryption> READ =
            new ParsedDocuments<>(stored -> read(stored.getBytes(StandardCharsets.UTF_8)));

    /** Returns the default of a bucket; empty when it has none. */
    public static Optional<BucketEncryption> of(BucketInfo bucket) {
        return bucket.document(BucketDocument.ENCRYPTION).map(READ::of);
    }

    /**
     * Reads a document that a client sent.
     *
     * @throws S3Exception MalformedXML, InvalidArgument, or NotImplemented for two layers of
     *     encryption
     */
    public static BucketEncryption read(byte[] document) {
        XmlElement root = XmlReader.read(document, ROOT, Limits.XML_ELEMENTS_MAX).only(ELEMENTS);
        List<XmlElement> rules = root.all("Rule");
        if (rules.size() != 1) {
            throw new S3Exception(S3Error.MALFORMED_XML);
        }
        XmlElement rule = rules.getFirst();
        XmlElement byDefault =
                rule.child("ApplyServerSideEncryptionByDefault")
                        .orElseThrow(() -> new S3Exception(S3Error.MALFORMED_XML));
        String algorithm = byDefault.childText("SSEAlgorithm").orElse("").strip();
        Optional<String> key =
                byDefault
                        .childText("KMSMasterKeyID")
                        .map(String::strip)
                        .filter(id -> !id.isEmpty());
        boolean isNamed = EncryptionHeaders.isNamed("SSEAlgorithm", algorithm);
        if (!isNamed && key.isPresent()) {
            throw new S3Exception(
                    S3Error.INVALID_ARGUMENT,
                    "a KMSMasterKeyID is not applicable if the default sse algorithm is not"
                            + " aws:kms");
        }
        boolean bucketKey =
                switch (rule.childText("BucketKeyEnabled").map(String::strip).orElse("false")) {
                    case "true", "TRUE" -> true;
                    case "false", "FALSE", "" -> false;
                    default -> throw new S3Exception(S3Error.MALFORMED_XML);
                };
        return new BucketEncryption(isNamed, key, bucketKey, blocksCustomerKeys(rule));
    }

    private static boolean blocksCustomerKeys(XmlElement rule) {
        Optional<XmlElement> blocked = rule.child(BLOCKED);
        if (blocked.isEmpty()) {
            return false;
        }
        List<String> types =
                blocked.get().all(BLOCKED_TYPE).stream().map(each -> each.text().strip()).toList();
        boolean isKnown = types.equals(List.of("NONE")) || types.equals(List.of(CUSTOMER));
        if (!isKnown) {
            throw new S3Exception(S3Error.MALFORMED_XML);
        }
        return types.contains(CUSTOMER);
    }

    /**
     * Refuses a customer's key where the bucket blocks them.
     *
     * @throws S3Exception AccessDenied
     */
    static void requireCustomerKeys(BucketInfo bucket) {
        if (of(bucket).filter(BucketEncryption::blocksCustomerKeys).isPresent()) {
            throw new S3Exception(
                    S3Error.ACCESS_DENIED,
                    "The bucket blocks server-side encryption with customer-provided keys (SSE-C)");
        }
    }

    /** Returns the document as it is stored and answered. */
    public byte[] document() {
        XmlWriter xml =
                XmlWriter.document(ROOT)
                        .begin("Rule")
                        .begin("ApplyServerSideEncryptionByDefault")
                        .element(
                                "SSEAlgorithm",
                                isNamed ? EncryptionHeaders.NAMED : EncryptionHeaders.STORE);
        key.ifPresent(id -> xml.element("KMSMasterKeyID", id));
        xml.end().element("BucketKeyEnabled", bucketKey);
        if (blocksCustomerKeys) {
            xml.begin(BLOCKED).element(BLOCKED_TYPE, CUSTOMER).end();
        }
        return xml.end().finish();
    }

    /** Returns the name of the key, which the client may have written as the ARN of the key. */
    String keyName() {
        return key.map(id -> id.replaceFirst(KEY_ARN, "")).orElse(Keyring.DEFAULT_KEY);
    }
}
