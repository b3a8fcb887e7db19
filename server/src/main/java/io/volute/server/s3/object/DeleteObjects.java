package io.volute.server.s3.object;

import io.volute.server.Limits;
import io.volute.server.auth.policy.Action;
import io.volute.server.s3.call.Access;
import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Conditions;
import io.volute.server.s3.call.Locks;
import io.volute.server.s3.call.Operation;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.call.StoreErrors;
import io.volute.server.s3.checksum.Promises;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.S3Response.About;
import io.volute.server.s3.xml.XmlElement;
import io.volute.server.s3.xml.XmlReader;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.ObjectStore.DeleteOutcome;
import io.volute.versioning.ObjectStore.DeleteResult;
import io.volute.versioning.ObjectStore.DeleteTarget;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** DeleteObjects: up to 1,000 keys or versions, each with an outcome of its own. */
public final class DeleteObjects implements Operation {
    private static final int NO_CONTENT = 204;
    private static final Set<String> ELEMENTS =
            Set.of(
                    "Quiet",
                    "Object",
                    "Object/Key",
                    "Object/VersionId",
                    "Object/ETag",
                    "Object/LastModifiedTime",
                    "Object/Size");

    private final ObjectStore store;

    public DeleteObjects(ObjectStore store) {
        this.store = store;
    }

    /** One entry of the request: the version to delete, or the reason for a refusal. */
    private record Entry(
            String key,
            Optional<String> versionId,
            Optional<DeleteTarget> target,
            Optional<S3Exception> refusal) {
        About.Entry about(int status, String code) {
            return new About.Entry(key, versionId.orElse(""), status, code);
        }
    }

    @Override
    public S3Response run(S3Request request) throws IOException {
        Promises promises = Promises.of(request.verified());
        if (promises.md5().isEmpty() && promises.algorithm().isEmpty()) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    "Missing required header for this request: Content-MD5 OR x-amz-checksum-*");
        }
        byte[] document = request.body().gather(promises, Limits.DELETE_XML_BYTES_MAX);
        // An unknown element could be a condition.
        XmlElement root =
                XmlReader.read(document, "Delete", Limits.XML_ELEMENTS_MAX).only(ELEMENTS);
        boolean quiet = isQuiet(root.childText("Quiet").orElse("false").trim());
        List<XmlElement> objects = root.all("Object");
        if (objects.isEmpty() || objects.size() > Limits.DELETE_KEYS_MAX) {
            throw new S3Exception(S3Error.MALFORMED_XML);
        }
        List<Entry> entries = objects.stream().map(object -> entry(request, object)).toList();
        List<DeleteTarget> targets = new ArrayList<>(entries.size());
        entries.forEach(entry -> entry.target().ifPresent(targets::add));
        List<DeleteOutcome> outcomes =
                targets.isEmpty()
                        ? List.of()
                        : store.deleteAll(request.caller(), request.bucketInfo(), targets);
        List<About.Entry> about = new ArrayList<>(entries.size());
        byte[] result = result(entries, outcomes, quiet, about);
        return Answer.of(200).xml(result).having(about);
    }

    private static boolean isQuiet(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new S3Exception(S3Error.MALFORMED_XML);
        };
    }

    private Entry entry(S3Request request, XmlElement object) {
        String key =
                object.childText("Key").orElseThrow(() -> new S3Exception(S3Error.MALFORMED_XML));
        for (String ofDirectoryBuckets : new String[] {"LastModifiedTime", "Size"}) {
            if (object.child(ofDirectoryBuckets).isPresent()) {
                throw new S3Exception(
                        S3Error.MALFORMED_XML,
                        "Objects of general purpose buckets have no condition "
                                + ofDirectoryBuckets
                                + ".");
            }
        }
        // As in S3, an empty id names no version. Without it, the key itself would be deleted.
        Optional<String> versionId = object.childText("VersionId");
        try {
            if (key.isEmpty()) {
                throw new S3Exception(S3Error.MALFORMED_XML);
            }
            Access.Thing thing = request.thing().with(key, versionId);
            request.access().require(Action.DELETE_OBJECT, thing);
            if (object.child("ETag").isPresent()) {
                request.access().require(Action.GET_OBJECT, thing);
            }
            WriteCondition condition =
                    object.childText("ETag")
                            .<WriteCondition>map(
                                    tag -> new WriteCondition.IfMatch(Conditions.unquoted(tag)))
                            .orElse(WriteCondition.NONE);
            return new Entry(
                    key,
                    versionId,
                    Optional.of(
                            new DeleteTarget(
                                    S3Request.keyOf(key),
                                    S3Request.selectorOf(versionId),
                                    condition,
                                    Locks.bypassesGovernance(request, thing))),
                    Optional.empty());
        } catch (S3Exception e) {
            S3Exception shown =
                    e.error() == S3Error.INVALID_ARGUMENT
                            ? new S3Exception(S3Error.NO_SUCH_VERSION)
                            : e;
            return new Entry(key, versionId, Optional.empty(), Optional.of(shown));
        }
    }

    /**
     * Returns the answer.
     *
     * @param about receives the outcome of each entry
     */
    private static byte[] result(
            List<Entry> entries,
            List<DeleteOutcome> outcomes,
            boolean quiet,
            List<About.Entry> about) {
        XmlWriter xml = XmlWriter.document("DeleteResult");
        int next = 0;
        for (Entry entry : entries) {
            if (entry.refusal().isPresent()) {
                error(xml, entry, entry.refusal().get(), about);
                continue;
            }
            switch (outcomes.get(next++)) {
                case DeleteOutcome.Deleted deleted -> {
                    about.add(entry.about(NO_CONTENT, ""));
                    if (!quiet) {
                        deleted(xml, entry, deleted.result());
                    }
                }
                case DeleteOutcome.Refused refused ->
                        error(xml, entry, StoreErrors.of(refused.reason()), about);
            }
        }
        return xml.finish();
    }

    private static void deleted(XmlWriter xml, Entry entry, DeleteResult result) {
        xml.begin("Deleted").element("Key", entry.key());
        entry.versionId().ifPresent(id -> xml.element("VersionId", id));
        if ((result.markerCreated() || result.markerRemoved()) && result.version().isPresent()) {
            xml.element("DeleteMarker", true);
            xml.element("DeleteMarkerVersionId", result.version().get().versionId());
        }
        xml.end();
    }

    private static void error(
            XmlWriter xml, Entry entry, S3Exception error, List<About.Entry> about) {
        about.add(entry.about(error.error().status(), error.error().code()));
        xml.begin("Error").element("Key", entry.key());
        entry.versionId().ifPresent(id -> xml.element("VersionId", id));
        xml.element("Code", error.error().code());
        xml.element("Message", error.getMessage()).end();
    }
}
