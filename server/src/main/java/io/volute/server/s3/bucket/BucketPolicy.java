package io.volute.server.s3.bucket;

import io.volute.server.Limits;
import io.volute.server.auth.policy.MalformedPolicyException;
import io.volute.server.auth.policy.Policy;
import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.checksum.Promises;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.xml.XmlElement;
import io.volute.server.s3.xml.XmlReader;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.versioning.BucketSettings;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketAccess;
import io.volute.versioning.value.BucketAccess.PublicAccessRule;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** The policy of a bucket and its public access block: reading, setting and removing them. */
public final class BucketPolicy {
    private static final String ROOT = "PublicAccessBlockConfiguration";

    private static final List<HeaderList.Header> JSON =
            List.of(new HeaderList.Header("content-type", "application/json"));

    private BucketPolicy() {}

    /** GetBucketPolicy: the document as it was sent. */
    public static S3Response get(S3Request request) {
        String document = request.bucketInfo().access().policy().orElseThrow(() -> none(request));
        return new S3Response(
                200, JSON, new S3Response.Content.Bytes(document.getBytes(StandardCharsets.UTF_8)));
    }

    /** GetBucketPolicyStatus: whether S3 would call the policy public. */
    public static S3Response status(S3Request request) {
        String document = request.bucketInfo().access().policy().orElseThrow(() -> none(request));
        Policy policy = Policy.ofBucket(document, request.bucketName().value());
        XmlWriter xml = XmlWriter.document("PolicyStatus");
        xml.element("IsPublic", policy.isPublic());
        return Answer.of(200).xml(xml.finish());
    }

    private static S3Exception none(S3Request request) {
        return new S3Exception(S3Error.NO_SUCH_BUCKET_POLICY)
                .with("BucketName", request.target().bucket());
    }

    /**
     * PutBucketPolicy.
     *
     * @throws S3Exception MalformedPolicy for an invalid policy, AccessDenied for a public one
     *     where that is blocked
     */
    public static S3Response put(S3Request request, VersionedStore store) throws IOException {
        byte[] bytes =
                request.body().gather(Promises.of(request.verified()), Limits.POLICY_BYTES_MAX + 1);
        if (bytes.length > Limits.POLICY_BYTES_MAX) {
            throw malformed(
                    "Policies must not be longer than " + Limits.POLICY_BYTES_MAX + " bytes");
        }
        String document = text(bytes);
        Policy policy;
        try {
            policy = Policy.ofNewBucket(document, request.bucketName().value());
        } catch (MalformedPolicyException e) {
            throw malformed(e.getMessage());
        }
        change(
                request,
                store,
                access -> {
                    if (policy.isPublic() && access.has(PublicAccessRule.BLOCK_PUBLIC_POLICY)) {
                        throw new S3Exception(
                                S3Error.ACCESS_DENIED,
                                "The policy is public, and this bucket's public access block has"
                                        + " BlockPublicPolicy.");
                    }
                    return access.withPolicy(Optional.of(document));
                });
        return Answer.of(204).withoutBody(-1);
    }

    private static String text(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            throw malformed("This policy contains invalid Json: it is no UTF-8");
        }
    }

    private static S3Exception malformed(String message) {
        return new S3Exception(S3Error.MALFORMED_POLICY, message);
    }

    /** DeleteBucketPolicy. */
    public static S3Response delete(S3Request request, VersionedStore store) throws IOException {
        change(request, store, access -> access.withPolicy(Optional.empty()));
        return Answer.of(204).withoutBody(-1);
    }

    /** GetPublicAccessBlock. */
    public static S3Response getBlock(S3Request request) {
        Optional<Set<PublicAccessRule>> block = request.bucketInfo().access().block();
        Set<PublicAccessRule> rules = block.orElseThrow(() -> noBlock(request));
        XmlWriter xml = XmlWriter.document(ROOT);
        for (PublicAccessRule rule : PublicAccessRule.values()) {
            xml.element(element(rule), rules.contains(rule));
        }
        return Answer.of(200).xml(xml.finish());
    }

    private static S3Exception noBlock(S3Request request) {
        return new S3Exception(S3Error.NO_SUCH_PUBLIC_ACCESS_BLOCK_CONFIGURATION)
                .with("BucketName", request.target().bucket());
    }

    /** PutPublicAccessBlock. */
    public static S3Response putBlock(S3Request request, VersionedStore store) throws IOException {
        byte[] document =
                request.body().gather(Promises.of(request.verified()), Limits.XML_BYTES_MAX);
        XmlElement root = XmlReader.read(document, ROOT, Limits.XML_ELEMENTS_MAX);
        root.only(
                Arrays.stream(PublicAccessRule.values())
                        .map(BucketPolicy::element)
                        .collect(Collectors.toSet()));
        Set<PublicAccessRule> rules = EnumSet.noneOf(PublicAccessRule.class);
        for (PublicAccessRule rule : PublicAccessRule.values()) {
            switch (root.childText(element(rule)).orElse("false").strip()) {
                case "true", "TRUE" -> rules.add(rule);
                case "false", "FALSE" -> {}
                default -> throw new S3Exception(S3Error.MALFORMED_XML);
            }
        }
        change(request, store, access -> access.withBlock(Optional.of(rules)));
        return Answer.of(200).empty();
    }

    /** DeletePublicAccessBlock. */
    public static S3Response deleteBlock(S3Request request, VersionedStore store)
            throws IOException {
        change(request, store, access -> access.withBlock(Optional.empty()));
        return Answer.of(204).withoutBody(-1);
    }

    private static String element(PublicAccessRule rule) {
        return switch (rule) {
            case BLOCK_PUBLIC_ACLS -> "BlockPublicAcls";
            case IGNORE_PUBLIC_ACLS -> "IgnorePublicAcls";
            case BLOCK_PUBLIC_POLICY -> "BlockPublicPolicy";
            case RESTRICT_PUBLIC_BUCKETS -> "RestrictPublicBuckets";
        };
    }

    private static void change(
            S3Request request, VersionedStore store, UnaryOperator<BucketAccess> change)
            throws IOException {
        BucketSettings settings = store.settings();
        settings.setAccess(request.bucketInfo(), change);
    }
}
