package io.volute.admin.migrate;

import io.volute.admin.client.CommandContext;
import io.volute.admin.s3.S3Body;
import io.volute.admin.s3.S3Client;
import io.volute.admin.s3.S3Error;
import io.volute.admin.s3.S3Reply;
import io.volute.admin.s3.S3Request;
import io.volute.admin.s3.XmlTree;
import java.io.IOException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Copies single versions of one bucket. Thread-safe. */
final class VersionCopy {
    private static final int MOST_TRIES = 4;
    private static final long LONGEST_PUT_BYTES = 5L << 30;
    private static final String VERSION_ID = "x-amz-version-id";
    private static final String LENGTH = "content-length";

    private final S3Client source;
    private final S3Client target;
    private final BucketPair pair;
    private final SourceGrants grants;
    private final CommandContext context;

    VersionCopy(
            S3Client source,
            S3Client target,
            BucketPair pair,
            SourceGrants grants,
            CommandContext context) {
        this.source = source;
        this.target = target;
        this.pair = pair;
        this.grants = grants;
        this.context = context;
    }

    /**
     * The outcome of a copy.
     *
     * @param id of the version at the target; empty without one
     * @param lost what was not carried over, in words
     */
    record Copied(String id, List<String> lost) {}

    /**
     * Copies a version. Tries again after a passing failure: nothing of a failed write is visible.
     *
     * @throws IOException if it cannot be copied
     */
    Copied copy(String key, StoredVersion version) throws IOException, InterruptedException {
        for (int tries = 1; ; tries++) {
            try {
                return once(key, version);
            } catch (S3Error e) {
                if (tries == MOST_TRIES || e.status() < 500 && !e.code().equals("BadDigest")) {
                    throw e;
                }
            } catch (IOException e) {
                if (tries == MOST_TRIES) {
                    throw e;
                }
            }
            context.pause().pass();
        }
    }

    private Copied once(String key, StoredVersion version)
            throws IOException, InterruptedException {
        if (version.isMarker()) {
            try (S3Reply reply = target.send(S3Request.of("DELETE", pair.target(), key))) {
                return new Copied(reply.header(VERSION_ID).orElse(""), List.of());
            }
        }
        S3Request read =
                S3Request.of("GET", pair.source(), key)
                        .with("versionId", version.id())
                        .header("x-amz-checksum-mode", "ENABLED");
        if (version.parts() > 0 && hasParts(key, version)) {
            return inParts(read, key, version);
        }
        if (version.bytes() > LONGEST_PUT_BYTES) {
            throw new IOException(
                    "it has more than 5 GiB, and the source does not return its parts");
        }
        try (S3Reply found = source.send(read)) {
            VersionHeaders headers = headers(found, read);
            S3Request put =
                    S3Request.of("PUT", pair.target(), key)
                            .headers(headers.headers())
                            .headers(headers.checksums())
                            .headers(facts(version));
            Optional<String> md5 = version.parts() > 0 ? Optional.empty() : md5(found);
            S3Request sent = md5.map(value -> put.header("content-md5", value)).orElse(put);
            try (S3Reply reply = target.send(sent.body(body(found)))) {
                return copied(found.etag(), reply.etag(), reply, headers);
            }
        }
    }

    private VersionHeaders headers(S3Reply found, S3Request read)
            throws IOException, InterruptedException {
        VersionHeaders headers = VersionHeaders.of(found, context.clock().instant());
        String id = read.query().get("versionId");
        headers.addTags(
                found,
                source,
                S3Request.of("GET", read.bucket(), read.key()).with("versionId", id));
        headers.headers().putAll(grants.ofVersion(read.key(), id, headers.lost()));
        return headers;
    }

    /** The identity of the version at the source, which is not its identity here. */
    private Map<String, String> facts(StoredVersion version) {
        return Map.of(
                "x-volute-source",
                pair.place(),
                "x-volute-source-version-id",
                version.id(),
                "x-volute-source-last-modified",
                version.modified());
    }

    /** Returns the MD5 of the content, if the ETag is one. Encryption makes it something else. */
    private static Optional<String> md5(S3Reply found) {
        boolean isPlain =
                found.header("x-amz-server-side-encryption")
                        .filter(how -> !how.equals("AES256"))
                        .isEmpty();
        return isPlain && found.etag().matches("[0-9a-f]{32}")
                ? Optional.of(
                        Base64.getEncoder().encodeToString(HexFormat.of().parseHex(found.etag())))
                : Optional.empty();
    }

    private static S3Body body(S3Reply found) throws IOException {
        String length =
                found.header(LENGTH)
                        .filter(each -> each.matches("[0-9]{1,18}"))
                        .orElseThrow(() -> new IOException("the source sends no length"));
        return S3Body.of(found.body(), Long.parseLong(length));
    }

    private static Copied copied(
            String expected, String etag, S3Reply reply, VersionHeaders headers) {
        if (!etag.equals(expected)) {
            headers.lost().add("ETag " + expected + ": it is " + etag + " here");
        }
        return new Copied(reply.header(VERSION_ID).orElse(""), headers.lost());
    }

    /** Returns whether the source returns single parts of an object. */
    private boolean hasParts(String key, StoredVersion version)
            throws IOException, InterruptedException {
        S3Request head =
                S3Request.of("HEAD", pair.source(), key)
                        .with("versionId", version.id())
                        .with("partNumber", "1");
        try (S3Reply reply = source.send(head)) {
            String parts = Integer.toString(version.parts());
            return reply.header("x-amz-mp-parts-count").filter(parts::equals).isPresent();
        } catch (S3Error e) {
            return false;
        }
    }

    /** Copies an object part by part, so that it has the same ETag. */
    private Copied inParts(S3Request read, String key, StoredVersion version)
            throws IOException, InterruptedException {
        S3Request head = S3Request.of("HEAD", pair.source(), key).with("versionId", version.id());
        VersionHeaders headers;
        try (S3Reply found = source.send(head)) {
            headers = headers(found, head);
        }
        S3Request begin =
                S3Request.of("POST", pair.target(), key)
                        .with("uploads", "")
                        .headers(headers.headers())
                        .headers(facts(version));
        String upload = target.xml(begin).text("UploadId");
        try {
            StringBuilder parts = new StringBuilder("<CompleteMultipartUpload>");
            for (int number = 1; number <= version.parts(); number++) {
                String etag = part(read, key, upload, Integer.toString(number));
                parts.append("<Part><PartNumber>").append(number).append("</PartNumber><ETag>");
                parts.append(etag).append("</ETag></Part>");
            }
            parts.append("</CompleteMultipartUpload>");
            return complete(key, upload, parts.toString(), version, headers);
        } catch (IOException e) {
            abort(key, upload);
            throw e;
        }
    }

    private String part(S3Request read, String key, String upload, String number)
            throws IOException, InterruptedException {
        try (S3Reply found = source.send(read.with("partNumber", number))) {
            S3Request put =
                    S3Request.of("PUT", pair.target(), key)
                            .with("uploadId", upload)
                            .with("partNumber", number)
                            .body(body(found));
            try (S3Reply reply = target.send(put)) {
                return reply.etag();
            }
        }
    }

    private Copied complete(
            String key, String upload, String parts, StoredVersion version, VersionHeaders headers)
            throws IOException, InterruptedException {
        S3Request end =
                S3Request.of("POST", pair.target(), key).with("uploadId", upload).body(parts);
        try (S3Reply reply = target.send(end)) {
            XmlTree result = XmlTree.parse(reply.document());
            if (result.name().equals("Error")) {
                throw new IOException(result.text("Code") + ": " + result.text("Message"));
            }
            String etag = result.text("ETag").replace("\"", "");
            return copied(version.etag(), etag, reply, headers);
        }
    }

    private void abort(String key, String upload) throws InterruptedException {
        try {
            target.send(S3Request.of("DELETE", pair.target(), key).with("uploadId", upload))
                    .close();
        } catch (IOException e) {
            // The upload has not become an object. Its failure is the one to report.
            return;
        }
    }
}
