package io.volute.server.s3.operation;

import io.volute.server.Limits;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.operation.Documents.Encoding;
import io.volute.server.s3.request.HttpDates;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.versioning.Listing.VersionPage;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.ObjectVersion;
import io.volute.versioning.VersionId;
import io.volute.versioning.VersionSelector;
import java.io.IOException;
import java.util.Optional;

/** ListObjectVersions: versions and delete markers, newest first for each key. */
public final class ListObjectVersions implements Operation {
    private final ObjectStore store;

    public ListObjectVersions(ObjectStore store) {
        this.store = store;
    }

    @Override
    public S3Response run(S3Request request) throws IOException {
        String prefix = request.query().text("prefix");
        String delimiter = request.query().text("delimiter");
        String keyMarker = request.query().text("key-marker");
        String versionMarker = request.query().text("version-id-marker");
        Encoding encoding = Documents.encoding(request);
        int max = Numbers.page("max-keys", request, Limits.PAGE_ENTRIES_MAX);
        VersionPage page =
                store.listVersions(
                        request.caller(),
                        request.bucketName(),
                        new VersionQuery(
                                prefix,
                                delimiter,
                                keyMarker,
                                marker(keyMarker, versionMarker),
                                max));
        boolean truncated = max > 0 && page.nextKey().isPresent();
        XmlWriter xml = XmlWriter.document("ListVersionsResult");
        xml.element("Name", request.bucketName().value());
        xml.element("Prefix", Documents.encode(prefix, encoding));
        xml.element("KeyMarker", Documents.encode(keyMarker, encoding));
        xml.element("VersionIdMarker", versionMarker);
        if (truncated) {
            xml.element("NextKeyMarker", Documents.encode(page.nextKey().get(), encoding));
            page.nextVersionId().ifPresent(id -> xml.element("NextVersionIdMarker", id));
        }
        xml.element("MaxKeys", max);
        if (!delimiter.isEmpty()) {
            xml.element("Delimiter", Documents.encode(delimiter, encoding));
        }
        if (encoding == Encoding.URL) {
            xml.element("EncodingType", "url");
        }
        xml.element("IsTruncated", truncated);
        for (ObjectVersion version : page.versions()) {
            version(xml, request, version, encoding);
        }
        Documents.prefixes(xml, page.prefixes(), encoding);
        return Answer.of(200).xml(xml.finish());
    }

    private static Optional<VersionSelector> marker(String keyMarker, String versionMarker) {
        if (versionMarker.isEmpty()) {
            return Optional.empty();
        }
        if (keyMarker.isEmpty()) {
            throw S3Exception.invalidArgument(
                    "version-id-marker",
                    versionMarker,
                    "A version-id marker cannot be specified without a key marker.");
        }
        S3Request.keyOf(keyMarker);
        Optional<VersionSelector> parsed = VersionId.parse(versionMarker);
        if (parsed.isEmpty()) {
            throw S3Exception.invalidArgument(
                    "version-id-marker", versionMarker, "Invalid version id specified");
        }
        return parsed;
    }

    private static void version(
            XmlWriter xml, S3Request request, ObjectVersion version, Encoding encoding) {
        xml.begin(version.deleteMarker() ? "DeleteMarker" : "Version");
        xml.element("Key", Documents.encode(version.key().value(), encoding));
        xml.element("VersionId", version.versionId());
        xml.element("IsLatest", version.latest());
        xml.element("LastModified", HttpDates.document(version.modified()));
        if (!version.deleteMarker()) {
            xml.element("ETag", ObjectHeaders.quoted(version.attributes().etag()));
            Documents.checksumAlgorithm(xml, version);
            xml.element("Size", version.bytes());
            Documents.storageClass(xml, version);
        }
        Documents.owner(xml, request, version.owner());
        xml.end();
    }
}
