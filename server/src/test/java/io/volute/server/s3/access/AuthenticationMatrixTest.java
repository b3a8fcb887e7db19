package io.volute.server.s3.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.auth.sigv4.PayloadMode;
import io.volute.server.auth.sigv4.TestChunks;
import io.volute.server.s3.S3Protocol;
import io.volute.server.s3.S3Settings;
import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestRequest;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.TestSigner;
import io.volute.server.s3.call.S3Call;
import io.volute.server.s3.request.Target.Level;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every operation with every kind of authentication and every payload mode. A new operation does
 * not compile here until its row is written in {@link #carries}.
 */
final class AuthenticationMatrixTest extends S3TestCase {
    private enum Kind {
        HEADER,
        QUERY,
        BOTH,
        NONE
    }

    private enum Carries {
        NOTHING,
        DOCUMENT,
        DATA
    }

    /** The row of each operation: what its body is. */
    private static Carries carries(S3Call call) {
        return switch (call) {
            case LIST_BUCKETS,
                    HEAD_BUCKET,
                    DELETE_BUCKET,
                    GET_BUCKET_LOCATION,
                    GET_BUCKET_VERSIONING,
                    GET_BUCKET_ACL,
                    GET_BUCKET_OWNERSHIP_CONTROLS,
                    DELETE_BUCKET_OWNERSHIP_CONTROLS,
                    GET_BUCKET_POLICY,
                    DELETE_BUCKET_POLICY,
                    GET_BUCKET_POLICY_STATUS,
                    GET_PUBLIC_ACCESS_BLOCK,
                    DELETE_PUBLIC_ACCESS_BLOCK,
                    GET_OBJECT_LOCK_CONFIGURATION,
                    LIST_OBJECTS,
                    LIST_OBJECTS_V2,
                    LIST_OBJECT_VERSIONS,
                    LIST_MULTIPART_UPLOADS,
                    COPY_OBJECT,
                    GET_OBJECT,
                    HEAD_OBJECT,
                    DELETE_OBJECT,
                    GET_OBJECT_ATTRIBUTES,
                    GET_OBJECT_ACL,
                    GET_OBJECT_TAGGING,
                    DELETE_OBJECT_TAGGING,
                    GET_OBJECT_RETENTION,
                    GET_OBJECT_LEGAL_HOLD,
                    CREATE_MULTIPART_UPLOAD,
                    UPLOAD_PART_COPY,
                    ABORT_MULTIPART_UPLOAD,
                    LIST_PARTS,
                    GET_BUCKET_CORS,
                    DELETE_BUCKET_CORS,
                    GET_BUCKET_TAGGING,
                    DELETE_BUCKET_TAGGING,
                    GET_BUCKET_LIFECYCLE_CONFIGURATION,
                    DELETE_BUCKET_LIFECYCLE,
                    GET_BUCKET_ENCRYPTION,
                    DELETE_BUCKET_ENCRYPTION,
                    GET_BUCKET_NOTIFICATION_CONFIGURATION,
                    LISTEN_NOTIFICATION,
                    LISTEN_BUCKET_NOTIFICATION,
                    GET_BUCKET_REQUEST_PAYMENT,
                    GET_BUCKET_ACCELERATE_CONFIGURATION,
                    GET_BUCKET_REPLICATION,
                    DELETE_BUCKET_REPLICATION,
                    GET_BUCKET_LOGGING,
                    GET_UNSET_CONFIGURATION,
                    DELETE_UNSET_CONFIGURATION ->
                    Carries.NOTHING;
            case CREATE_BUCKET,
                    PUT_BUCKET_CORS,
                    PUT_BUCKET_TAGGING,
                    PUT_BUCKET_LIFECYCLE_CONFIGURATION,
                    PUT_BUCKET_ENCRYPTION,
                    PUT_BUCKET_REQUEST_PAYMENT,
                    PUT_BUCKET_ACCELERATE_CONFIGURATION,
                    PUT_BUCKET_OWNERSHIP_CONTROLS,
                    PUT_BUCKET_NOTIFICATION_CONFIGURATION,
                    PUT_BUCKET_REPLICATION,
                    PUT_BUCKET_LOGGING,
                    PUT_BUCKET_VERSIONING,
                    PUT_BUCKET_ACL,
                    PUT_BUCKET_POLICY,
                    PUT_PUBLIC_ACCESS_BLOCK,
                    PUT_OBJECT_ACL,
                    DELETE_OBJECTS,
                    PUT_OBJECT_TAGGING,
                    PUT_OBJECT_LOCK_CONFIGURATION,
                    PUT_OBJECT_RETENTION,
                    PUT_OBJECT_LEGAL_HOLD,
                    COMPLETE_MULTIPART_UPLOAD ->
                    Carries.DOCUMENT;
            case PUT_OBJECT, UPLOAD_PART -> Carries.DATA;
        };
    }

    @ParameterizedTest
    @EnumSource(S3Call.class)
    void treatsEveryCellAsWritten(S3Call call) {
        String valid = outcome(call, Kind.HEADER, PayloadMode.SIGNED_SINGLE);
        assertThat(valid).isNotIn("AccessDenied", "InvalidArgument", "SignatureDoesNotMatch");
        for (Kind kind : Kind.values()) {
            for (PayloadMode mode : EnumSet.complementOf(EnumSet.of(PayloadMode.FORM))) {
                assertThat(outcome(call, kind, mode))
                        .as("%s by %s with %s", call, kind, mode)
                        .isEqualTo(expected(call, kind, mode, valid));
            }
        }
    }

    private static String expected(S3Call call, Kind kind, PayloadMode mode, String valid) {
        boolean head = call.method().equals("HEAD");
        return switch (kind) {
            case NONE -> head ? "403" : "AccessDenied";
            case BOTH -> head ? "400" : "InvalidArgument";
            case QUERY ->
                    switch (mode) {
                        case SIGNED_SINGLE, UNSIGNED_PAYLOAD, FORM -> valid;
                        case STREAMING_SIGNED,
                                STREAMING_SIGNED_TRAILER,
                                STREAMING_UNSIGNED_TRAILER ->
                                head ? "400" : "InvalidRequest";
                    };
            case HEADER ->
                    switch (mode) {
                        case SIGNED_SINGLE, UNSIGNED_PAYLOAD, FORM -> valid;
                        case STREAMING_SIGNED,
                                STREAMING_SIGNED_TRAILER,
                                STREAMING_UNSIGNED_TRAILER ->
                                switch (carries(call)) {
                                    case NOTHING -> head ? "400" : "InvalidRequest";
                                    case DOCUMENT, DATA -> valid;
                                };
                    };
        };
    }

    /** Sends a well-formed request of the operation to a bucket of its own. */
    private static String outcome(S3Call call, Kind kind, PayloadMode mode) {
        String bucket = call == S3Call.CREATE_BUCKET ? bed.freshName() : bucket(call);
        if (call != S3Call.CREATE_BUCKET && call.level() == Level.OBJECT) {
            bed.put("/" + bucket + "/k", "content");
        }
        String query = query(call, bucket);
        byte[] content = content(call);
        TestRequest request =
                bed.request(
                        call.method(),
                        switch (call.level()) {
                            case SERVICE -> "/";
                            case BUCKET -> "/" + bucket + query;
                            case OBJECT -> "/" + bucket + "/k" + query;
                        });
        if (call.isCopy()) {
            request.header("x-amz-copy-source", "/" + bucket + "/k");
            if (call == S3Call.COPY_OBJECT) {
                request.header("x-amz-metadata-directive", "REPLACE");
            }
        }
        if (call == S3Call.GET_OBJECT_ATTRIBUTES) {
            request.header("x-amz-object-attributes", "ETag");
        }
        if (call == S3Call.DELETE_OBJECTS) {
            request.header("content-md5", md5(content));
        }
        return prepared(request, mode, content, kind).code();
    }

    private static String bucket(S3Call call) {
        return switch (call.subresource()) {
            case "object-lock", "retention", "legal-hold" -> bed.lockingBucket();
            default -> bed.bucket();
        };
    }

    private static TestResponse prepared(
            TestRequest request, PayloadMode mode, byte[] content, Kind kind) {
        String hash =
                switch (mode) {
                    case SIGNED_SINGLE -> TestSigner.sha256(content);
                    case UNSIGNED_PAYLOAD, FORM -> "UNSIGNED-PAYLOAD";
                    case STREAMING_SIGNED -> "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
                    case STREAMING_SIGNED_TRAILER -> "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER";
                    case STREAMING_UNSIGNED_TRAILER -> "STREAMING-UNSIGNED-PAYLOAD-TRAILER";
                };
        request.header("x-amz-content-sha256", hash).body(content);
        if (mode.isStreaming()) {
            request.header("x-amz-decoded-content-length", Integer.toString(content.length));
            if (mode.hasTrailers()) {
                request.header("x-amz-trailer", "x-amz-checksum-crc32");
            }
            String seed = request.seed(bed.root());
            request.body(
                    TestChunks.join(
                            TestChunks.pieces(
                                    mode,
                                    bed.root(),
                                    seed,
                                    content,
                                    8,
                                    "x-amz-checksum-crc32:" + crc32(content))));
        }
        return switch (kind) {
            case NONE -> request.sendAnonymous();
            case HEADER -> request.send();
            case QUERY -> request.sendPresigned(60);
            case BOTH -> request.unsigned("authorization", "AWS4-HMAC-SHA256 x").sendPresigned(60);
        };
    }

    private static String query(S3Call call, String bucket) {
        return switch (call.subresource()) {
            case "" -> "";
            case "list-type" -> "?list-type=2";
            case "*" -> "?cors";
            case "uploadId" -> {
                String upload = bed.request("POST", "/" + bucket + "/k?uploads").send().uploadId();
                boolean part = call == S3Call.UPLOAD_PART || call == S3Call.UPLOAD_PART_COPY;
                yield "?uploadId=" + upload + (part ? "&partNumber=1" : "");
            }
            default -> "?" + call.subresource();
        };
    }

    private static byte[] content(S3Call call) {
        String text =
                switch (carries(call)) {
                    case NOTHING -> "";
                    case DATA -> "some data for the object";
                    case DOCUMENT ->
                            switch (call.subresource()) {
                                case "versioning" ->
                                        "<VersioningConfiguration><Status>Enabled</Status>"
                                                + "</VersioningConfiguration>";
                                case "delete" -> "<Delete><Object><Key>a</Key></Object></Delete>";
                                case "acl" ->
                                        "<AccessControlPolicy><AccessControlList><Grant><Grantee>"
                                                + "<ID>root</ID></Grantee><Permission>FULL_CONTROL"
                                                + "</Permission></Grant></AccessControlList>"
                                                + "</AccessControlPolicy>";
                                case "policy" -> "{\"Statement\":[]}";
                                case "publicAccessBlock" -> "<PublicAccessBlockConfiguration/>";
                                case "tagging" -> "<Tagging><TagSet/></Tagging>";
                                case "object-lock" ->
                                        "<ObjectLockConfiguration><ObjectLockEnabled>Enabled"
                                                + "</ObjectLockEnabled></ObjectLockConfiguration>";
                                case "retention" ->
                                        "<Retention><Mode>GOVERNANCE</Mode><RetainUntilDate>"
                                                + "2030-01-01T00:00:00Z</RetainUntilDate>"
                                                + "</Retention>";
                                case "legal-hold" -> "<LegalHold><Status>ON</Status></LegalHold>";
                                case "uploadId" ->
                                        "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber>"
                                                + "<ETag>x</ETag></Part></CompleteMultipartUpload>";
                                default -> "";
                            };
                };
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String crc32(byte[] content) {
        CRC32 crc = new CRC32();
        crc.update(content);
        int value = (int) crc.getValue();
        return Base64.getEncoder()
                .encodeToString(
                        new byte[] {
                            (byte) (value >>> 24),
                            (byte) (value >>> 16),
                            (byte) (value >>> 8),
                            (byte) value
                        });
    }

    private static String md5(byte[] content) {
        return Base64.getEncoder().encodeToString(TestSigner.md5(content));
    }

    @Test
    void unsignedPayloadsNeedTlsWhenTheSettingSaysSo() {
        S3Protocol strict =
                new S3Protocol(
                        bed.store(),
                        S3TestBed.credentials(),
                        new S3Settings(S3TestBed.REGION, List.of(), () -> S3TestBed.NOW, false));
        String bucket = bed.bucket();
        assertThat(
                        bed.request("PUT", "/" + bucket + "/k")
                                .over(strict)
                                .header("x-amz-content-sha256", "UNSIGNED-PAYLOAD")
                                .send()
                                .code())
                .isEqualTo("InvalidRequest");
        assertThat(
                        bed.request("PUT", "/" + bucket + "/k")
                                .over(strict)
                                .secure()
                                .header("x-amz-content-sha256", "UNSIGNED-PAYLOAD")
                                .send()
                                .status())
                .isEqualTo(200);
        assertThat(bed.request("PUT", "/" + bucket + "/k").over(strict).sendPresigned(60).status())
                .isEqualTo(200);
    }
}
