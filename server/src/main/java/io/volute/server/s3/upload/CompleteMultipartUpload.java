package io.volute.server.s3.upload;

import io.volute.server.Limits;
import io.volute.server.auth.policy.Action;
import io.volute.server.s3.acl.Acl;
import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Conditions;
import io.volute.server.s3.call.Numbers;
import io.volute.server.s3.call.Operation;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.call.SourceFacts;
import io.volute.server.s3.checksum.ChecksumFamily;
import io.volute.server.s3.checksum.MultipartChecksums;
import io.volute.server.s3.checksum.Promises;
import io.volute.server.s3.content.ChecksumTypes;
import io.volute.server.s3.content.Documents;
import io.volute.server.s3.content.ObjectHeaders;
import io.volute.server.s3.content.ReadPlan;
import io.volute.server.s3.encryption.Encryption;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.PercentCoding;
import io.volute.server.s3.request.PercentCoding.Slash;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.xml.XmlElement;
import io.volute.server.s3.xml.XmlReader;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.Listing.UploadInfo;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.ObjectStore.PartChoice;
import io.volute.versioning.StoreException;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectAttributes.Algorithm;
import io.volute.versioning.value.ObjectAttributes.Checksum;
import io.volute.versioning.value.ObjectAttributes.Type;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** CompleteMultipartUpload: the object of the chosen parts, without moving bytes. */
public final class CompleteMultipartUpload implements Operation {
    private final ObjectStore store;
    private final Encryption encryption;

    public CompleteMultipartUpload(ObjectStore store, Encryption encryption) {
        this.store = store;
        this.encryption = encryption;
    }

    @Override
    public S3Response run(S3Request request) throws IOException {
        Caller caller = requireUpload(request);
        byte[] document =
                request.body()
                        .gather(
                                Promises.ofEnvelope(request.verified()),
                                Limits.COMPLETE_XML_BYTES_MAX);
        List<PartChoice> choices = choices(document);
        // Checksums are compared in attributes(), where the upload's algorithm is known.
        List<PartChoice> plain =
                choices.stream()
                        .map(part -> new PartChoice(part.number(), part.etag(), Optional.empty()))
                        .toList();
        ObjectVersion version =
                store.completeUpload(
                        caller,
                        request.bucketInfo(),
                        request.key(),
                        request.query().text("uploadId"),
                        plain,
                        (upload, chosen) -> attributes(request, choices, upload, chosen),
                        Conditions.ofWrite(request));
        String bucket = request.bucketName().value();
        String key = request.key().value();
        XmlWriter xml = XmlWriter.document("CompleteMultipartUploadResult");
        xml.element(
                "Location",
                (request.head().secure() ? "https://" : "http://")
                        + request.header("host").orElse("")
                        + "/"
                        + bucket
                        + "/"
                        + PercentCoding.encode(key, Slash.KEPT));
        xml.element("Bucket", bucket);
        xml.element("Key", key);
        xml.element("ETag", ObjectHeaders.quoted(version.attributes().etag()));
        Documents.checksumWithType(xml, version.attributes().checksum());
        Answer answer = Answer.of(200);
        ObjectHeaders.written(answer, request, version);
        Encryption.describe(answer, request, version.attributes());
        return answer.xml(xml.finish());
    }

    /**
     * Refuses before the body is read when there is nothing to complete. A repeated completion is
     * answered like the first, so the object of an upload counts as well.
     *
     * @return the caller, whose object has the owner that the begin of the upload gave it
     */
    private Caller requireUpload(S3Request request) throws IOException {
        try {
            UploadInfo upload =
                    store.upload(
                            request.caller(),
                            request.bucketInfo(),
                            request.key(),
                            request.query().text("uploadId"));
            encryption.requireCompletable(request, upload.attributes());
            if (upload.attributes().headers().keySet().stream().anyMatch(SourceFacts::isName)) {
                // The parts need not be those of the client that stated the facts.
                request.access().require(Action.IMPORT_OBJECT, request.thing());
            }
            return request.ownership().hasAcls()
                    ? request.caller()
                            .owning(Acl.of(upload.attributes(), request.bucketInfo()).owner())
                    : request.caller();
        } catch (StoreException e) {
            boolean isCompleted =
                    e.reason() == StoreException.Reason.NO_SUCH_UPLOAD
                            && store.head(
                                            request.caller(),
                                            request.bucketInfo(),
                                            request.key(),
                                            VersionSelector.LATEST)
                                    .filter(object -> object.parts() > 0)
                                    .isPresent();
            if (!isCompleted) {
                throw e;
            }
            return request.caller();
        }
    }

    private static List<PartChoice> choices(byte[] document) {
        XmlElement root =
                XmlReader.read(
                        document, "CompleteMultipartUpload", Limits.COMPLETE_XML_ELEMENTS_MAX);
        List<XmlElement> parts = root.all("Part");
        if (parts.isEmpty() || parts.size() > Limits.PARTS_MAX) {
            throw new S3Exception(S3Error.MALFORMED_XML);
        }
        List<PartChoice> choices = new ArrayList<>(parts.size());
        for (XmlElement part : parts) {
            Optional<String> number = part.childText("PartNumber");
            Optional<String> etag = part.childText("ETag");
            if (number.isEmpty() || etag.isEmpty()) {
                throw new S3Exception(S3Error.MALFORMED_XML);
            }
            choices.add(
                    new PartChoice(
                            ReadPlan.partNumber(number.get().trim()),
                            Conditions.unquoted(etag.get()),
                            checksum(part)));
        }
        return choices;
    }

    private static Optional<Checksum> checksum(XmlElement part) {
        for (Algorithm algorithm : Algorithm.values()) {
            Optional<String> value = part.childText(ChecksumFamily.element(algorithm));
            if (value.isPresent()) {
                return Optional.of(new Checksum(algorithm, Type.FULL_OBJECT, value.get().trim()));
            }
        }
        return Optional.empty();
    }

    private static ObjectAttributes attributes(
            S3Request request, List<PartChoice> choices, UploadInfo upload, List<PartInfo> chosen) {
        requireChecksums(choices, upload);
        checkParts(choices, upload, chosen);
        checkSize(request, chosen);
        Optional<Checksum> checksum =
                MultipartChecksums.checksum(
                        ChecksumTypes.algorithm(upload), ChecksumTypes.type(upload), chosen);
        checkPromise(request, upload, checksum);
        // Where ACLs are disabled meanwhile the object belongs to the bucket's owner.
        ObjectAttributes planned =
                request.ownership().hasAcls()
                        ? upload.attributes()
                        : upload.attributes().withHeader(ObjectAttributes.ACL, Optional.empty());
        return new ObjectAttributes(
                MultipartChecksums.etag(chosen),
                planned.headers(),
                planned.userMetadata(),
                planned.tags(),
                checksum,
                planned.lock());
    }

    /** Requires the checksum of each part where the client chose a composite one. */
    private static void requireChecksums(List<PartChoice> choices, UploadInfo upload) {
        boolean areNeeded = ChecksumTypes.type(upload) == Type.COMPOSITE;
        for (PartChoice choice : choices) {
            if (areNeeded && choice.checksum().isEmpty()) {
                throw new S3Exception(
                        S3Error.INVALID_REQUEST,
                        "The upload was created using a "
                                + ChecksumTypes.algorithm(upload).name().toLowerCase(Locale.ROOT)
                                + " checksum. The complete request must include the checksum for"
                                + " each part. It was missing for part "
                                + choice.number()
                                + " in the request.");
            }
        }
    }

    private static void checkParts(
            List<PartChoice> choices, UploadInfo upload, List<PartInfo> chosen) {
        for (int i = 0; i < chosen.size(); i++) {
            Optional<Checksum> named = choices.get(i).checksum();
            if (named.isEmpty()) {
                continue;
            }
            ChecksumTypes.requireSame(upload, named.map(Checksum::algorithm));
            Optional<Checksum> stored = chosen.get(i).checksum();
            if (stored.isPresent()
                    && stored.get().algorithm() == named.get().algorithm()
                    && !stored.get().value().equals(named.get().value())) {
                throw new S3Exception(S3Error.INVALID_PART)
                        .with("PartNumber", Integer.toString(chosen.get(i).number()))
                        .with("UploadId", upload.uploadId());
            }
        }
    }

    private static void checkSize(S3Request request, List<PartInfo> chosen) {
        Optional<String> promised = request.header("x-amz-mp-object-size");
        if (promised.isEmpty()) {
            return;
        }
        long bytes = chosen.stream().mapToLong(PartInfo::bytes).sum();
        if (Numbers.digits(promised.get()) != bytes) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    "The provided 'x-amz-mp-object-size' header value "
                            + promised.get()
                            + " does not match what was computed: "
                            + bytes);
        }
    }

    /** The checksum headers of this request promise the object's checksum. */
    private static void checkPromise(
            S3Request request, UploadInfo upload, Optional<Checksum> computed) {
        Optional<Type> type = request.header("x-amz-checksum-type").map(ChecksumTypes::parse);
        if (type.isPresent() && type.get() != ChecksumTypes.type(upload)) {
            throw new S3Exception(
                    S3Error.BAD_DIGEST,
                    "The upload was created with checksum type "
                            + ChecksumTypes.type(upload)
                            + ", not "
                            + type.get());
        }
        boolean isPromised = false;
        for (HeaderList.Header header : request.verified().headers().headers()) {
            Optional<Algorithm> algorithm = ChecksumFamily.byHeader(header.name());
            if (algorithm.isEmpty()) {
                continue;
            }
            if (isPromised) {
                throw Promises.several();
            }
            isPromised = true;
            ChecksumTypes.requireSame(upload, algorithm);
            boolean sameAlgorithm =
                    computed.isPresent() && computed.get().algorithm() == algorithm.get();
            if (!sameAlgorithm) {
                throw new S3Exception(
                        S3Error.INVALID_REQUEST,
                        "The upload has no checksum of type " + algorithm.get());
            }
            if (!isKept(computed.get(), header.value())) {
                throw new S3Exception(
                        S3Error.BAD_DIGEST,
                        "The "
                                + algorithm.get()
                                + " you specified did not match the calculated checksum.");
            }
        }
    }

    /** S3 takes a composite checksum with the number of parts behind it, and without. */
    private static boolean isKept(Checksum computed, String promised) {
        return computed.value().equals(promised)
                || MultipartChecksums.withoutCount(computed).value().equals(promised);
    }
}
