package io.volute.server.s3.object;

import io.volute.server.Limits;
import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Conditions;
import io.volute.server.s3.call.Operation;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.call.SourceFacts;
import io.volute.server.s3.call.StoreErrors;
import io.volute.server.s3.checksum.BodyDigests;
import io.volute.server.s3.checksum.BodyDigests.Etag;
import io.volute.server.s3.checksum.ChecksumFamily;
import io.volute.server.s3.checksum.Promises;
import io.volute.server.s3.content.BlobCopy;
import io.volute.server.s3.content.CopySource;
import io.volute.server.s3.content.Documents;
import io.volute.server.s3.content.IncomingAttributes;
import io.volute.server.s3.content.ObjectHeaders;
import io.volute.server.s3.encryption.Encryption;
import io.volute.server.s3.encryption.Sealing;
import io.volute.server.s3.encryption.StoredEncryption;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HttpDates;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.versioning.ObjectReader.OpenObject;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.ObjectStore.CopyResult;
import io.volute.versioning.ObjectStore.Source;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectAttributes.Algorithm;
import io.volute.versioning.value.ObjectAttributes.Checksum;
import io.volute.versioning.value.ObjectAttributes.Type;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * CopyObject: a new version that shares the bytes of the source, which may be of the past. The copy
 * of a multipart object reads them once, because it is a plain object with an ETag of its own.
 */
public final class CopyObject implements Operation {
    /** Headers that describe the place, not the object. */
    private static final List<String> NEVER_COPIED =
            Stream.concat(
                            Stream.of(
                                    "x-amz-website-redirect-location",
                                    ObjectAttributes.STORAGE_CLASS,
                                    ObjectAttributes.ACL),
                            SourceFacts.NAMES.stream())
                    .toList();

    private final ObjectStore store;
    private final Encryption encryption;

    public CopyObject(ObjectStore store, Encryption encryption) {
        this.store = store;
        this.encryption = encryption;
    }

    private enum Directive {
        COPY,
        REPLACE
    }

    @Override
    public S3Response run(S3Request request) throws IOException {
        CopySource source = CopySource.of(request, store);
        Directive metadata = directive(request, "x-amz-metadata-directive");
        Directive tagging = directive(request, "x-amz-tagging-directive");
        Optional<Algorithm> wanted = algorithm(request);
        refuseNoChange(request, source, metadata, wanted);
        IncomingAttributes sent = IncomingAttributes.of(request);
        Optional<Sealing> sealing = encryption.ofWrite(request);
        Replacement replacement = new Replacement(sent, metadata, tagging, sealing);
        return answer(request, source, copied(request, source, replacement, wanted));
    }

    private CopyResult copied(
            S3Request request,
            CopySource source,
            Replacement replacement,
            Optional<Algorithm> wanted)
            throws IOException {
        try {
            // A key service may need seconds: not while the key of the target is locked.
            boolean isReadFirst = wanted.isPresent() || replacement.sealing().isPresent();
            return share(request, source, replacement, wanted, isReadFirst);
        } catch (NeedsMore e) {
            if (e.digests) {
                try {
                    return share(request, source, replacement, wanted, true);
                } catch (NeedsMore again) {
                    return move(request, source, replacement, wanted);
                }
            }
            return move(request, source, replacement, wanted);
        }
    }

    /** Thrown when the target cannot share the source's bytes just like that. */
    private static final class NeedsMore extends RuntimeException {
        private static final long serialVersionUID = 1L;

        /** Digests of the bytes are enough; else the bytes themselves are needed. */
        private final boolean digests;

        NeedsMore(boolean digests) {
            super("", null, false, false);
            this.digests = digests;
        }
    }

    private CopyResult share(
            S3Request request,
            CopySource source,
            Replacement replacement,
            Optional<Algorithm> wanted,
            boolean isReadFirst)
            throws IOException {
        VersionSelector selector = source.selector();
        try {
            Optional<Digests> read = Optional.empty();
            Optional<StoredEncryption> wrapped = Optional.empty();
            if (isReadFirst) {
                OpenObject object = source.open(request);
                try (BlobReader reader = object.reader()) {
                    ObjectVersion version = object.version();
                    checkSource(request, source, version);
                    selector = new VersionSelector.Numbered(version.number());
                    wrapped = shared(request, source, version, replacement);
                    read = Optional.of(digests(request, source, object, wanted));
                }
            }
            Optional<Digests> known = read;
            Optional<StoredEncryption> sealed = wrapped;
            return store.copy(
                    request.caller(),
                    new Source(source.bucket(), source.key(), selector, source.at()),
                    request.bucketInfo(),
                    request.key(),
                    version -> {
                        checkSource(request, source, version);
                        requireTagging(request, source, replacement, version);
                    },
                    version -> {
                        requireSameKind(version, replacement);
                        if (version.parts() > 0 && known.isEmpty()) {
                            throw new NeedsMore(true);
                        }
                        Digests digests = known.orElseGet(() -> Digests.of(version));
                        return StoredEncryption.in(
                                replacement.of(version, digests.etag(), digests.checksum()),
                                sealed);
                    },
                    Conditions.ofWrite(request));
        } catch (StoreException e) {
            boolean isPinned = !selector.equals(source.selector());
            if (isPinned && e.reason() == Reason.NO_SUCH_VERSION) {
                // Replaced since it was read. Bytes that are open can be copied in any case.
                throw new NeedsMore(false);
            }
            throw refusal(request, source, e);
        }
    }

    /** Returns the encryption of a target that shares the source's bytes. */
    private Optional<StoredEncryption> shared(
            S3Request request, CopySource source, ObjectVersion version, Replacement replacement)
            throws IOException {
        requireSameKind(version, replacement);
        return replacement.sealing().isEmpty()
                ? Optional.empty()
                : Optional.of(
                        encryption.shared(
                                request,
                                source.name(),
                                version.attributes(),
                                replacement.sealing().get()));
    }

    private static void requireSameKind(ObjectVersion version, Replacement replacement) {
        boolean isEncrypted = StoredEncryption.of(version.attributes()).isPresent();
        if (isEncrypted != replacement.sealing().isPresent()) {
            throw new NeedsMore(false);
        }
    }

    /** Copies the bytes, because they are stored otherwise at the target. */
    private CopyResult move(
            S3Request request,
            CopySource source,
            Replacement replacement,
            Optional<Algorithm> wanted)
            throws IOException {
        OpenObject object = source.open(request);
        ObjectVersion version = object.version();
        try (BlobReader stored = object.reader()) {
            checkSource(request, source, version);
            requireTagging(request, source, replacement, version);
            BlobReader reader = encryption.sourceReader(request, source.name(), object);
            Algorithm kept =
                    wanted.or(() -> version.attributes().checksum().map(Checksum::algorithm))
                            .orElse(Algorithm.CRC64NVME);
            BodyDigests digests = new BodyDigests(Promises.NONE, Optional.of(kept), Etag.NEEDED);
            OptionalLong bytes = OptionalLong.of(version.bytes());
            try (BlobWriter writer =
                    Sealing.over(
                            replacement.sealing(),
                            store.newBody(request.bucketInfo(), request.key(), bytes),
                            bytes)) {
                BlobCopy.copy(reader, 0, version.bytes(), writer, digests);
                ObjectAttributes attributes =
                        replacement.of(version, digests.etag(), digests.checksum());
                ObjectVersion target =
                        store.put(
                                request.caller(),
                                request.bucketInfo(),
                                request.key(),
                                writer.finish(),
                                Sealing.in(attributes, replacement.sealing()),
                                Conditions.ofWrite(request));
                return new CopyResult(version, target);
            }
        } catch (StoreException e) {
            throw refusal(request, source, e);
        }
    }

    private static S3Exception refusal(S3Request request, CopySource source, StoreException e) {
        return e.reason() == Reason.IS_DELETE_MARKER
                ? CopySource.deleteMarker()
                : told(request, source, StoreErrors.of(e));
    }

    private static void requireTagging(
            S3Request request, CopySource source, Replacement replacement, ObjectVersion version) {
        if (replacement.tagging() == Directive.COPY && !version.attributes().tags().isEmpty()) {
            source.requireTagging(request, version);
        }
    }

    /** Hides the absence of the source, or, with a condition, perhaps of the target. */
    private static S3Exception told(S3Request request, CopySource source, S3Exception e) {
        S3Exception told = request.access().told(e, source.thing());
        return request.header("if-match").isPresent()
                ? request.access().told(told, request.thing())
                : told;
    }

    private static S3Response answer(S3Request request, CopySource source, CopyResult result) {
        ObjectVersion target = result.target();
        XmlWriter xml = XmlWriter.document("CopyObjectResult");
        xml.element("LastModified", HttpDates.document(target.modified()));
        xml.element("ETag", ObjectHeaders.quoted(target.attributes().etag()));
        Documents.checksumWithType(xml, target.attributes().checksum());
        Answer answer = Answer.of(200);
        source.versionHeader(answer, result.source());
        ObjectHeaders.written(answer, request, target);
        Encryption.describe(answer, request, target.attributes());
        Encryption.repeatContext(answer, request);
        return answer.xml(xml.finish());
    }

    private static void checkSource(S3Request request, CopySource source, ObjectVersion version) {
        source.check(request, version);
        if (version.bytes() > Limits.PUT_BYTES_MAX) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    "The specified copy source is larger than the maximum allowable size for a copy"
                            + " source: 5368709120");
        }
    }

    /**
     * The attributes that the target takes from the source, and their replacements from the client.
     */
    private record Replacement(
            IncomingAttributes sent,
            Directive metadata,
            Directive tagging,
            Optional<Sealing> sealing) {

        ObjectAttributes of(ObjectVersion source, String etag, Optional<Checksum> checksum) {
            ObjectAttributes from = source.attributes();
            SortedMap<String, String> headers = new TreeMap<>();
            headers.putAll(metadata == Directive.COPY ? from.headers() : sent.headers());
            for (String own : NEVER_COPIED) {
                headers.remove(own);
                if (sent.headers().containsKey(own)) {
                    headers.put(own, sent.headers().get(own));
                }
            }
            return new ObjectAttributes(
                    etag,
                    headers,
                    metadata == Directive.COPY
                            ? new TreeMap<>(from.userMetadata())
                            : sent.userMetadata(),
                    tagging == Directive.COPY ? new TreeMap<>(from.tags()) : sent.tags(),
                    checksum,
                    sent.lock());
        }
    }

    private static Directive directive(S3Request request, String header) {
        return switch (request.header(header).orElse("COPY")) {
            case "COPY" -> Directive.COPY;
            case "REPLACE" -> Directive.REPLACE;
            default ->
                    throw S3Exception.invalidArgument(
                            header, request.header(header).orElse(""), "Unknown directive.");
        };
    }

    private static Optional<Algorithm> algorithm(S3Request request) {
        return request.header("x-amz-checksum-algorithm").map(ChecksumFamily::named);
    }

    private void refuseNoChange(
            S3Request request, CopySource source, Directive metadata, Optional<Algorithm> wanted) {
        boolean self =
                !source.view().isPast()
                        && source.bucket().means(request.bucketInfo().id())
                        && source.key().equals(request.key())
                        && source.selector() instanceof VersionSelector.Latest;
        if (self
                && metadata == Directive.COPY
                && wanted.isEmpty()
                && request.header(ObjectAttributes.STORAGE_CLASS).isEmpty()
                && request.header("x-amz-website-redirect-location").isEmpty()
                && !encryption.isAsked(request)) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    "This copy request is illegal because it is trying to copy an object to itself"
                            + " without changing the object's metadata, storage class, website"
                            + " redirect location or encryption attributes.");
        }
    }

    /** The ETag and the checksum of a copy. */
    private record Digests(String etag, Optional<Checksum> checksum) {
        static Digests of(ObjectVersion version) {
            return new Digests(version.attributes().etag(), version.attributes().checksum());
        }
    }

    /**
     * Returns the digests of a copy that shares its bytes. As in S3 it is a plain object, also of a
     * multipart object: with the MD5 of all bytes and a checksum of the whole. Reads the bytes
     * where these are not known.
     */
    private Digests digests(
            S3Request request, CopySource source, OpenObject object, Optional<Algorithm> wanted)
            throws IOException {
        ObjectVersion version = object.version();
        boolean isComposed = version.parts() > 0;
        Optional<Checksum> known = version.attributes().checksum();
        Algorithm algorithm =
                wanted.or(() -> known.map(Checksum::algorithm)).orElse(Algorithm.CRC64NVME);
        boolean isKnown =
                known.filter(each -> each.algorithm() == algorithm)
                        .filter(each -> each.type() == Type.FULL_OBJECT)
                        .isPresent();
        if (!isComposed && (isKnown || wanted.isEmpty())) {
            return Digests.of(version);
        }
        BodyDigests digests =
                new BodyDigests(
                        Promises.NONE,
                        isKnown ? Optional.empty() : Optional.of(algorithm),
                        isComposed ? Etag.NEEDED : Etag.NOT_NEEDED);
        BlobCopy.read(encryption.sourceReader(request, source.name(), object), digests);
        return new Digests(
                isComposed ? digests.etag() : version.attributes().etag(),
                isKnown ? known : digests.checksum());
    }
}
