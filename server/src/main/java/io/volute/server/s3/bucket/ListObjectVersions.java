package io.volute.server.s3.bucket;

import io.volute.server.s3.call.Answer;
import io.volute.server.s3.call.Operation;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.content.Documents;
import io.volute.server.s3.content.ListingArguments;
import io.volute.server.s3.content.ObjectHeaders;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HttpDates;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.versioning.Listing.VersionPage;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionId;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.util.Optional;

/** ListObjectVersions: versions and delete markers, newest first for each key. */
public final class ListObjectVersions implements Operation {
    private final ObjectReader store;

    public ListObjectVersions(ObjectReader store) {
        this.store = store;
    }

    @Override
    public S3Response run(S3Request request) throws IOException {
        ListingArguments asked = ListingArguments.of(request, "max-keys");
        String keyMarker = request.query().text("key-marker");
        String versionMarker = request.query().text("version-id-marker");
        VersionPage page =
                store.listVersions(
                        request.caller(),
                        request.bucketInfo(),
                        new VersionQuery(
                                asked.prefix(),
                                asked.delimiter(),
                                keyMarker,
                                marker(keyMarker, versionMarker),
                                asked.max()));
        boolean truncated = asked.truncated(page.nextKey().isPresent());
        XmlWriter xml = XmlWriter.document("ListVersionsResult", request.head().allowance());
        xml.element("Name", request.target().bucket());
        asked.writePrefix(xml);
        xml.element("KeyMarker", asked.encode(keyMarker));
        xml.element("VersionIdMarker", versionMarker);
        if (truncated) {
            xml.element("NextKeyMarker", asked.encode(page.nextKey().get()));
            page.nextVersionId().ifPresent(id -> xml.element("NextVersionIdMarker", id));
        }
        xml.element("MaxKeys", asked.max());
        asked.writeDelimiter(xml);
        asked.writeEncoding(xml);
        xml.element("IsTruncated", truncated);
        for (ObjectVersion version : page.versions()) {
            version(xml, request, version, asked);
        }
        asked.writePrefixes(xml, page.prefixes());
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
            XmlWriter xml, S3Request request, ObjectVersion version, ListingArguments asked) {
        xml.begin(version.deleteMarker() ? "DeleteMarker" : "Version");
        xml.element("Key", asked.encode(version.key().value()));
        xml.element("VersionId", version.versionId());
        xml.element("IsLatest", version.latest());
        xml.element("LastModified", HttpDates.document(version.modified()));
        if (!version.deleteMarker()) {
            xml.element("ETag", ObjectHeaders.quoted(version.attributes().etag()));
            Documents.checksumAlgorithm(xml, version);
            xml.element("Size", version.bytes());
            Documents.storageClass(xml, version);
        }
        Documents.ownerOf(xml, request, version);
        xml.end();
    }
}
