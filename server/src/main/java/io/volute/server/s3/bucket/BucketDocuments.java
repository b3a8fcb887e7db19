package io.volute.server.s3.bucket;

import io.volute.server.Limits;
import io.volute.server.auth.policy.Action;
import io.volute.server.config.ReplicationConfig;
import io.volute.server.credentials.Configurer;
import io.volute.server.s3.call.Access;
import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.call.Tags;
import io.volute.server.s3.checksum.Promises;
import io.volute.server.s3.encryption.BucketEncryption;
import io.volute.server.s3.encryption.Encryption;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.lifecycle.LifecycleRules;
import io.volute.server.s3.lifecycle.Transitions;
import io.volute.server.s3.logging.LoggingStatus;
import io.volute.server.s3.notification.EventMessage;
import io.volute.server.s3.notification.NotificationRules;
import io.volute.server.s3.replication.ReplicationRule;
import io.volute.server.s3.replication.ReplicationRules;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.xml.XmlElement;
import io.volute.server.s3.xml.XmlReader;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The configuration documents of a bucket: reading, setting and removing them. They are stored as
 * they are answered, in the order of elements that S3 has.
 */
public final class BucketDocuments {
    private static final String PAYMENT = "RequestPaymentConfiguration";
    private static final String ACCELERATE = "AccelerateConfiguration";
    private static final String TAGGING = "Tagging";

    private BucketDocuments() {}

    /**
     * Answers a document.
     *
     * @throws S3Exception when it is not set and S3 has no default for it
     */
    public static S3Response get(S3Request request, BucketDocument document) {
        byte[] xml =
                request.bucketInfo()
                        .document(document)
                        .map(text -> text.getBytes(StandardCharsets.UTF_8))
                        .orElseGet(() -> unset(request, document));
        return answer(document).xml(xml);
    }

    /** Returns an answer of a document, with the header that clients compare with theirs. */
    private static Answer answer(BucketDocument document) {
        Answer answer = Answer.of(200);
        return document == BucketDocument.LIFECYCLE
                ? answer.header(Transitions.SIZE_HEADER, Transitions.SIZE)
                : answer;
    }

    private static byte[] unset(S3Request request, BucketDocument document) {
        return switch (document) {
            case CORS -> throw none(request, S3Error.NO_SUCH_CORS_CONFIGURATION);
            case TAGGING -> throw none(request, S3Error.NO_SUCH_TAG_SET);
            case REQUEST_PAYMENT -> payment("BucketOwner");
            case LIFECYCLE -> throw none(request, S3Error.NO_SUCH_LIFECYCLE_CONFIGURATION);
            case ENCRYPTION -> throw none(request, S3Error.SSE_CONFIGURATION_NOT_FOUND);
            case ACCELERATE -> XmlWriter.document(ACCELERATE).finish();
            case LOGGING -> LoggingStatus.off();
            case NOTIFICATION -> NotificationRules.none();
            case REPLICATION -> throw none(request, S3Error.REPLICATION_CONFIGURATION_NOT_FOUND);
            case OWNERSHIP, ACL, REPLICATION_CONFIGURER -> throw notHere(document);
        };
    }

    /** {@code AccessControl} has these. */
    private static IllegalArgumentException notHere(BucketDocument document) {
        return new IllegalArgumentException(document + " is not stored as it is answered");
    }

    private static S3Exception none(S3Request request, S3Error error) {
        return new S3Exception(error).with("BucketName", request.target().bucket());
    }

    /**
     * Sets a document.
     *
     * @throws S3Exception MalformedXML, or what S3 has for a document that is invalid
     */
    public static S3Response put(S3Request request, VersionedStore store, BucketDocument document)
            throws IOException {
        if (document == BucketDocument.LIFECYCLE) {
            request.header(Transitions.SIZE_HEADER).ifPresent(Transitions::requireSize);
        }
        byte[] sent = gathered(request, document);
        byte[] checked =
                switch (document) {
                    case CORS -> CorsRules.read(sent).document();
                    case LIFECYCLE -> LifecycleRules.read(sent).document();
                    case ENCRYPTION -> BucketEncryption.read(sent).document();
                    case TAGGING -> tagging(Tags.ofBucketDocument(root(sent, TAGGING)));
                    case REQUEST_PAYMENT ->
                            payment(
                                    word(
                                            root(sent, PAYMENT),
                                            "Payer",
                                            Set.of("BucketOwner", "Requester")));
                    case ACCELERATE ->
                            accelerate(
                                    word(
                                            root(sent, ACCELERATE),
                                            "Status",
                                            Set.of("Enabled", "Suspended")));
                    case LOGGING,
                            NOTIFICATION,
                            REPLICATION,
                            REPLICATION_CONFIGURER,
                            OWNERSHIP,
                            ACL ->
                            throw notHere(document);
                };
        set(request, store, document, Optional.of(new String(checked, StandardCharsets.UTF_8)));
        return document == BucketDocument.TAGGING
                ? Answer.of(204).withoutBody(-1)
                : answer(document).empty();
    }

    /**
     * Sets the default encryption.
     *
     * @throws S3Exception as {@link #put} does, and for a named key that does not exist
     */
    public static S3Response putEncryption(
            S3Request request, VersionedStore store, Encryption encryption) throws IOException {
        encryption.requireKey(BucketEncryption.read(gathered(request, BucketDocument.ENCRYPTION)));
        return put(request, store, BucketDocument.ENCRYPTION);
    }

    /**
     * Sets or ends server access logging.
     *
     * @throws S3Exception MalformedXML, and for a target that takes no logs
     */
    public static S3Response putLogging(S3Request request, VersionedStore store)
            throws IOException {
        Optional<LoggingStatus> status =
                LoggingStatus.read(gathered(request, BucketDocument.LOGGING));
        if (status.isPresent()) {
            status.get().requireTarget(request.bucketInfo(), store, request.region());
        }
        set(
                request,
                store,
                BucketDocument.LOGGING,
                status.map(LoggingStatus::document)
                        .map(xml -> new String(xml, StandardCharsets.UTF_8)));
        return Answer.of(200).empty();
    }

    /**
     * Sets or ends the event notifications. Each target gets a test event, unless the client skips
     * that. A target that the settings do not have is refused in any case.
     *
     * @param targets types of the targets, by their names
     * @throws S3Exception as {@link NotificationRules#read}, and for an unknown target
     */
    public static S3Response putNotification(
            S3Request request, VersionedStore store, Map<String, String> targets)
            throws IOException {
        NotificationRules rules =
                NotificationRules.read(gathered(request, BucketDocument.NOTIFICATION));
        rules.requireTargets(targets);
        set(
                request,
                store,
                BucketDocument.NOTIFICATION,
                rules.rules().isEmpty()
                        ? Optional.empty()
                        : Optional.of(new String(rules.document(), StandardCharsets.UTF_8)));
        boolean isTested =
                !request.header("x-amz-skip-destination-validation")
                        .filter("true"::equalsIgnoreCase)
                        .isPresent();
        if (isTested) {
            for (String target : rules.targets()) {
                store.outbox()
                        .add(
                                target,
                                now ->
                                        EventMessage.ofTest(
                                                        request.bucketInfo(),
                                                        now,
                                                        request.head().requestId())
                                                .encode());
            }
        }
        return Answer.of(200).empty();
    }

    /**
     * Sets the replication.
     *
     * @param targets names of the targets in the settings
     * @throws S3Exception as {@link ReplicationRules#read}, and for a destination that cannot take
     *     replicas
     */
    public static S3Response putReplication(
            S3Request request, VersionedStore store, Set<String> targets) throws IOException {
        ReplicationRules rules =
                ReplicationRules.read(gathered(request, BucketDocument.REPLICATION));
        rules.requireTargets(targets);
        if (request.bucketInfo().versioning() != VersioningState.ENABLED) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    "Versioning must be 'Enabled' on the bucket to apply a replication"
                            + " configuration");
        }
        for (ReplicationRule rule : rules.rules()) {
            if (rule.destination().target().equals(ReplicationConfig.LOCAL)) {
                requireHere(request, store, rule.destination().bucket());
            }
        }
        Configurer configurer =
                request.access()
                        .configurer()
                        .orElseThrow(() -> new S3Exception(S3Error.ACCESS_DENIED));
        store.settings()
                .setDocuments(
                        request.bucketInfo(),
                        Map.of(
                                BucketDocument.REPLICATION,
                                Optional.of(new String(rules.document(), StandardCharsets.UTF_8)),
                                BucketDocument.REPLICATION_CONFIGURER,
                                Optional.of(configurer.text())));
        return Answer.of(200).empty();
    }

    /** Refuses a configuration whose replicas would be refused for want of rights. */
    private static void requireHere(S3Request request, VersionedStore store, String name) {
        Optional<BucketInfo> bucket = store.bucket(S3Request.nameOf(name));
        if (bucket.isEmpty() || bucket.get().versioning() != VersioningState.ENABLED) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST, "Destination bucket must exist and be versioned.");
        }
        if (bucket.get().id() == request.bucketInfo().id()) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST, "Destination bucket cannot be the source bucket.");
        }
        Access.Thing replicas =
                new Access.Thing(request.view(), bucket, name, "*", Optional.empty());
        List.of(
                        Action.PUT_OBJECT,
                        Action.DELETE_OBJECT,
                        Action.REPLICATE_OBJECT,
                        Action.REPLICATE_DELETE)
                .forEach(action -> request.access().require(action, replicas));
    }

    private static byte[] gathered(S3Request request, BucketDocument document) throws IOException {
        byte[] sent = request.body().gather(Promises.of(request.verified()), bytesMax(document));
        if (sent.length == 0) {
            throw new S3Exception(S3Error.MISSING_REQUEST_BODY);
        }
        return sent;
    }

    private static int bytesMax(BucketDocument document) {
        return switch (document) {
            case LIFECYCLE, REPLICATION -> Limits.RULES_DOCUMENT_BYTES_MAX;
            case CORS, TAGGING, REQUEST_PAYMENT, ACCELERATE -> Limits.BUCKET_DOCUMENT_BYTES_MAX;
            case ENCRYPTION, OWNERSHIP, ACL, LOGGING -> Limits.BUCKET_DOCUMENT_BYTES_MAX;
            case REPLICATION_CONFIGURER -> throw notHere(document);
            case NOTIFICATION -> Limits.BUCKET_DOCUMENT_BYTES_MAX;
        };
    }

    /** Removes a document. */
    public static S3Response delete(
            S3Request request, VersionedStore store, BucketDocument document) throws IOException {
        if (document == BucketDocument.REPLICATION) {
            store.settings()
                    .setDocuments(
                            request.bucketInfo(),
                            Map.of(
                                    document,
                                    Optional.empty(),
                                    BucketDocument.REPLICATION_CONFIGURER,
                                    Optional.empty()));
        } else {
            set(request, store, document, Optional.empty());
        }
        return Answer.of(204).withoutBody(-1);
    }

    private static void set(
            S3Request request,
            VersionedStore store,
            BucketDocument document,
            Optional<String> content)
            throws IOException {
        content.ifPresent(text -> requireShort(document, text));
        store.settings().setDocument(request.bucketInfo(), document, content);
    }

    /** Characters that XML escapes take more bytes than they had in the request. */
    private static void requireShort(BucketDocument document, String text) {
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > bytesMax(document)) {
            throw new S3Exception(
                    S3Error.MAX_MESSAGE_LENGTH_EXCEEDED,
                    "Your request was too large. The configuration has "
                            + bytes
                            + " bytes as it is stored, with escaped characters; "
                            + bytesMax(document)
                            + " are possible.");
        }
    }

    private static XmlElement root(byte[] document, String name) {
        return XmlReader.read(document, name, Limits.XML_ELEMENTS_MAX);
    }

    private static String word(XmlElement root, String name, Set<String> allowed) {
        return root.childText(name)
                .map(String::strip)
                .filter(allowed::contains)
                .orElseThrow(() -> new S3Exception(S3Error.MALFORMED_XML));
    }

    private static byte[] payment(String payer) {
        return XmlWriter.document(PAYMENT).element("Payer", payer).finish();
    }

    private static byte[] accelerate(String status) {
        return XmlWriter.document(ACCELERATE).element("Status", status).finish();
    }

    /** Returns the document of tags. */
    public static byte[] tagging(Map<String, String> tags) {
        XmlWriter xml = XmlWriter.document(TAGGING).begin("TagSet");
        tags.forEach(
                (key, value) -> xml.begin("Tag").element("Key", key).element("Value", value).end());
        return xml.finish();
    }
}
