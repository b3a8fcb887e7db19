package io.volute.server.s3.upload;

import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Numbers;
import io.volute.server.s3.call.Operation;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.checksum.BodyDigests;
import io.volute.server.s3.checksum.BodyDigests.Etag;
import io.volute.server.s3.checksum.Promises;
import io.volute.server.s3.content.BlobCopy;
import io.volute.server.s3.content.ByteRange;
import io.volute.server.s3.content.ChecksumTypes;
import io.volute.server.s3.content.CopySource;
import io.volute.server.s3.content.Documents;
import io.volute.server.s3.content.ObjectHeaders;
import io.volute.server.s3.content.ReadPlan;
import io.volute.server.s3.encryption.Encryption;
import io.volute.server.s3.encryption.Sealing;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.object.PutObject;
import io.volute.server.s3.request.HttpDates;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.Listing.UploadInfo;
import io.volute.versioning.ObjectReader.OpenObject;
import io.volute.versioning.ObjectStore;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;

/** UploadPartCopy: a part from bytes that are stored already. */
public final class UploadPartCopy implements Operation {
    private final ObjectStore store;
    private final Encryption encryption;

    public UploadPartCopy(ObjectStore store, Encryption encryption) {
        this.store = store;
        this.encryption = encryption;
    }

    @Override
    public S3Response run(S3Request request) throws IOException {
        int number = ReadPlan.partNumber(request.query().text("partNumber"));
        CopySource source = CopySource.of(request, store);
        UploadInfo upload =
                store.upload(
                        request.caller(),
                        request.bucketInfo(),
                        request.key(),
                        request.query().text("uploadId"));
        Optional<Sealing> sealing = encryption.ofPart(request, upload.attributes());
        OpenObject object = source.open(request);
        try (BlobReader stored = object.reader()) {
            BlobReader reader = encryption.sourceReader(request, source.name(), object);
            source.check(request, object.version());
            ByteRange.Slice range = range(request, object.version().bytes());
            PutObject.refuseTooLarge(range.end() - range.begin());
            PartInfo part = copy(request, number, upload, sealing, reader, range);
            XmlWriter xml = XmlWriter.document("CopyPartResult");
            xml.element("LastModified", HttpDates.document(part.modified()));
            xml.element("ETag", ObjectHeaders.quoted(part.etag()));
            Documents.checksum(xml, part.checksum());
            Answer answer = Answer.of(200);
            source.versionHeader(answer, object.version());
            Sealing.describe(answer, sealing);
            return answer.xml(xml.finish());
        }
    }

    private PartInfo copy(
            S3Request request,
            int number,
            UploadInfo upload,
            Optional<Sealing> sealing,
            BlobReader reader,
            ByteRange.Slice range)
            throws IOException {
        BodyDigests digests =
                new BodyDigests(
                        Promises.NONE, Optional.of(ChecksumTypes.algorithm(upload)), Etag.NEEDED);
        OptionalLong bytes = OptionalLong.of(range.end() - range.begin());
        try (BlobWriter writer =
                Sealing.over(
                        sealing,
                        store.newBody(request.bucketInfo(), request.key(), bytes),
                        bytes)) {
            BlobCopy.copy(reader, range.begin(), range.end(), writer, digests);
            return store.putPart(
                    request.caller(),
                    request.bucketInfo(),
                    request.key(),
                    upload.uploadId(),
                    UploadPart.part(number, digests),
                    writer.finish());
        }
    }

    /** Returns the range to copy. Only {@code bytes=first-last} within the source is valid. */
    private static ByteRange.Slice range(S3Request request, long bytes) {
        Optional<String> header = request.header("x-amz-copy-source-range");
        if (header.isEmpty()) {
            return new ByteRange.Slice(0, bytes);
        }
        String text = header.get();
        int hyphen = text.indexOf('-');
        long first = -1;
        long last = -1;
        if (text.startsWith("bytes=") && hyphen > 0) {
            first = Numbers.digits(text.substring("bytes=".length(), hyphen));
            last = Numbers.digits(text.substring(hyphen + 1));
        }
        if (first < 0 || last < first) {
            throw S3Exception.invalidArgument(
                    "x-amz-copy-source-range",
                    text,
                    "The x-amz-copy-source-range value must be of the form bytes=first-last where"
                            + " first and last are the zero-based offsets of the first and last"
                            + " bytes to copy");
        }
        if (last >= bytes) {
            throw S3Exception.invalidArgument(
                    "x-amz-copy-source-range",
                    text,
                    "Range specified is not valid for source object of size: " + bytes);
        }
        return new ByteRange.Slice(first, last + 1);
    }
}
