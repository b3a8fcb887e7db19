package io.volute.server.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.call.S3Call;
import io.volute.server.s3.call.S3Call.Body;
import io.volute.server.s3.request.Target.Level;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What each operation does with each header that protects, shares or judges something. The
 * operations that honour a header are those that have it in Amazon's API Reference. A new operation
 * needs a row.
 */
final class SecurityHeadersTest extends S3TestCase {
    /** Headers, each with a value that changes the outcome of an operation that honours it. */
    private enum Column {
        SSE("x-amz-server-side-encryption", "bogus"),
        KMS("x-amz-server-side-encryption-aws-kms-key-id", "bogus"),
        CTX("x-amz-server-side-encryption-context", "bogus"),
        SSEC("x-amz-server-side-encryption-customer-algorithm", "bogus"),
        MODE("x-amz-object-lock-mode", "bogus"),
        UNTIL("x-amz-object-lock-retain-until-date", "bogus"),
        HOLD("x-amz-object-lock-legal-hold", "bogus"),
        ACL("x-amz-acl", "bogus"),
        GRANT("x-amz-grant-read", "bogus"),
        BYPASS("x-amz-bypass-governance-retention", "true"),
        OWNER("x-amz-expected-bucket-owner", "111122223333"),
        SOURCE("x-amz-source-expected-bucket-owner", "111122223333"),
        TAGS("x-amz-tagging", "a=1&a=2"),
        CLASS("x-amz-storage-class", "bogus"),
        REDIRECT("x-amz-website-redirect-location", "bogus"),
        SUM("x-amz-checksum-crc32", "AAAAAQ=="),
        OWNS("x-amz-object-ownership", "bogus"),
        LOCKS("x-amz-bucket-object-lock-enabled", "bogus"),
        TOKEN("x-amz-bucket-object-lock-token", "bogus"),
        MFA("x-amz-mfa", "serial 123456");

        private final String header;
        private final String value;

        Column(String header, String value) {
            this.header = header;
            this.value = value;
        }
    }

    /**
     * H honours the header, R refuses it, and a point ignores it. An ignored header protects
     * nothing there: reads store nothing; a write without bypass, or without a second factor where
     * none is demanded, does less; a storage class or redirect is no protection. HEAD refuses
     * without a word, so its refusals are among H. The letters of the columns are those of {@link
     * Column} in their order.
     */
    private static final String TABLE =
            """
            -                                     a b c d e f g h i j k l m n o p q r s t
            LIST_BUCKETS                          . . . . . . . . . . . . . . . . . . . .
            LISTEN_NOTIFICATION                   . . . . . . . . . . . . . . . . . . . .
            CREATE_BUCKET                         R R R R R R R H H . R R R . . H H H R .
            HEAD_BUCKET                           . . . . . . . . . . H . . . . . . . . .
            DELETE_BUCKET                         R R R R R R R R R . H R R . . H R R R .
            GET_BUCKET_LOCATION                   . . . . . . . . . . H . . . . . . . . .
            GET_BUCKET_VERSIONING                 . . . . . . . . . . H . . . . . . . . .
            PUT_BUCKET_VERSIONING                 R R R R R R R R R . H R R . . H R R R .
            GET_BUCKET_ACL                        . . . . . . . . . . H . . . . . . . . .
            PUT_BUCKET_ACL                        R R R R R R R H H . H R R . . H R R R .
            GET_BUCKET_OWNERSHIP_CONTROLS         . . . . . . . . . . H . . . . . . . . .
            GET_BUCKET_POLICY                     . . . . . . . . . . H . . . . . . . . .
            PUT_BUCKET_POLICY                     R R R R R R R R R . H R R . . H R R R .
            DELETE_BUCKET_POLICY                  R R R R R R R R R . H R R . . H R R R .
            GET_BUCKET_POLICY_STATUS              . . . . . . . . . . H . . . . . . . . .
            GET_PUBLIC_ACCESS_BLOCK               . . . . . . . . . . H . . . . . . . . .
            PUT_PUBLIC_ACCESS_BLOCK               R R R R R R R R R . H R R . . H R R R .
            DELETE_PUBLIC_ACCESS_BLOCK            R R R R R R R R R . H R R . . H R R R .
            GET_OBJECT_LOCK_CONFIGURATION         . . . . . . . . . . H . . . . . . . . .
            PUT_OBJECT_LOCK_CONFIGURATION         R R R R R R R R R . H R R . . H R R R .
            GET_BUCKET_CORS                       . . . . . . . . . . H . . . . . . . . .
            PUT_BUCKET_CORS                       R R R R R R R R R . H R R . . H R R R .
            DELETE_BUCKET_CORS                    R R R R R R R R R . H R R . . H R R R .
            GET_BUCKET_TAGGING                    . . . . . . . . . . H . . . . . . . . .
            PUT_BUCKET_TAGGING                    R R R R R R R R R . H R R . . H R R R .
            DELETE_BUCKET_TAGGING                 R R R R R R R R R . H R R . . H R R R .
            GET_BUCKET_LIFECYCLE_CONFIGURATION    . . . . . . . . . . H . . . . . . . . .
            PUT_BUCKET_LIFECYCLE_CONFIGURATION    R R R R R R R R R . H R R . . H R R R .
            DELETE_BUCKET_LIFECYCLE               R R R R R R R R R . H R R . . H R R R .
            GET_BUCKET_ENCRYPTION                 . . . . . . . . . . H . . . . . . . . .
            PUT_BUCKET_ENCRYPTION                 R R R R R R R R R . H R R . . H R R R .
            DELETE_BUCKET_ENCRYPTION              R R R R R R R R R . H R R . . H R R R .
            GET_BUCKET_REQUEST_PAYMENT            . . . . . . . . . . H . . . . . . . . .
            PUT_BUCKET_REQUEST_PAYMENT            R R R R R R R R R . H R R . . H R R R .
            GET_BUCKET_ACCELERATE_CONFIGURATION   . . . . . . . . . . H . . . . . . . . .
            PUT_BUCKET_ACCELERATE_CONFIGURATION   R R R R R R R R R . H R R . . H R R R .
            PUT_BUCKET_OWNERSHIP_CONTROLS         R R R R R R R R R . H R R . . H R R R .
            DELETE_BUCKET_OWNERSHIP_CONTROLS      R R R R R R R R R . H R R . . H R R R .
            GET_BUCKET_NOTIFICATION_CONFIGURATION . . . . . . . . . . H . . . . . . . . .
            PUT_BUCKET_NOTIFICATION_CONFIGURATION R R R R R R R R R . H R R . . H R R R .
            LISTEN_BUCKET_NOTIFICATION            . . . . . . . . . . H . . . . . . . . .
            GET_BUCKET_REPLICATION                . . . . . . . . . . H . . . . . . . . .
            PUT_BUCKET_REPLICATION                R R R R R R R R R . H R R . . H R R R .
            DELETE_BUCKET_REPLICATION             R R R R R R R R R . H R R . . H R R R .
            GET_BUCKET_LOGGING                    . . . . . . . . . . H . . . . . . . . .
            PUT_BUCKET_LOGGING                    R R R R R R R R R . H R R . . H R R R .
            LIST_OBJECTS                          . . . . . . . . . . H . . . . . . . . .
            LIST_OBJECTS_V2                       . . . . . . . . . . H . . . . . . . . .
            LIST_OBJECT_VERSIONS                  . . . . . . . . . . H . . . . . . . . .
            LIST_MULTIPART_UPLOADS                . . . . . . . . . . H . . . . . . . . .
            DELETE_OBJECTS                        R R R R R R R R R H H R R . . H R R R .
            PUT_OBJECT                            H H H H H H H H H . H R H H H H R R R .
            COPY_OBJECT                           H H H H H H H H H . H H H H H H R R R .
            GET_OBJECT                            R R R H . . . . . . H . . . . . . . . .
            HEAD_OBJECT                           H H H H . . . . . . H . . . . . . . . .
            DELETE_OBJECT                         R R R R R R R R R H H R R . . H R R R .
            GET_OBJECT_ATTRIBUTES                 R R R H . . . . . . H . . . . . . . . .
            GET_OBJECT_ACL                        . . . . . . . . . . H . . . . . . . . .
            PUT_OBJECT_ACL                        R R R R R R R H H . H R R . . H R R R .
            GET_OBJECT_TAGGING                    . . . . . . . . . . H . . . . . . . . .
            PUT_OBJECT_TAGGING                    R R R R R R R R R . H R R . . H R R R .
            DELETE_OBJECT_TAGGING                 R R R R R R R R R . H R R . . H R R R .
            GET_OBJECT_RETENTION                  . . . . . . . . . . H . . . . . . . . .
            PUT_OBJECT_RETENTION                  R R R R R R R R R H H R R . . H R R R .
            GET_OBJECT_LEGAL_HOLD                 . . . . . . . . . . H . . . . . . . . .
            PUT_OBJECT_LEGAL_HOLD                 R R R R R R R R R . H R R . . H R R R .
            CREATE_MULTIPART_UPLOAD               H H H H H H H H H . H R H H H H R R R .
            UPLOAD_PART                           R R R H R R R R R . H R R . . H R R R .
            UPLOAD_PART_COPY                      R R R H R R R R R . H H R . . H R R R .
            COMPLETE_MULTIPART_UPLOAD             H H H H R R R R R . H R R . . H R R R .
            ABORT_MULTIPART_UPLOAD                R R R R R R R R R . H R R . . H R R R .
            LIST_PARTS                            . . . . . . . . . . H . . . . . . . . .
            GET_UNSET_CONFIGURATION               . . . . . . . . . . H . . . . . . . . .
            DELETE_UNSET_CONFIGURATION            R R R R R R R R R . H R R . . H R R R .
            """;

    private static Map<S3Call, List<String>> rows() {
        Map<S3Call, List<String>> rows = new EnumMap<>(S3Call.class);
        for (String line : TABLE.strip().lines().skip(1).toList()) {
            List<String> cells = new ArrayList<>(List.of(line.strip().split(" +")));
            rows.put(S3Call.valueOf(cells.removeFirst()), cells);
        }
        return rows;
    }

    /** A bucket with locks and ACLs that has a locked object and an upload of one part. */
    private final class Fixture {
        private final String bucket = bed.freshName();
        private final String version;
        private final String upload;
        private final String etag;

        Fixture() {
            bed.request("PUT", "/" + bucket)
                    .header("x-amz-bucket-object-lock-enabled", "true")
                    .header("x-amz-object-ownership", "ObjectWriter")
                    .send();
            String content = "content";
            version =
                    bed.request("PUT", "/" + bucket + "/k")
                            .header("x-amz-object-lock-mode", "GOVERNANCE")
                            .header("x-amz-object-lock-retain-until-date", "2030-01-01T00:00:00Z")
                            .header("content-md5", md5(content))
                            .body(content)
                            .send()
                            .header("x-amz-version-id");
            upload = bed.request("POST", "/" + bucket + "/k?uploads").send().uploadId();
            etag =
                    bed.request("PUT", "/" + bucket + "/k?partNumber=1&uploadId=" + upload)
                            .body(content)
                            .send()
                            .header("etag");
        }

        private String query(S3Call call, boolean isLocked) {
            return switch (call.subresource()) {
                case "" -> call == S3Call.DELETE_OBJECT && isLocked ? "?versionId=" + version : "";
                case "*" -> "?website";
                case "uploadId" ->
                        (call.method().equals("PUT") ? "?partNumber=1&" : "?")
                                + "uploadId="
                                + upload;
                default -> "?" + call.subresource();
            };
        }

        private String body(S3Call call, boolean isLocked) {
            return switch (call) {
                case DELETE_OBJECTS ->
                        "<Delete><Object><Key>k</Key><VersionId>"
                                + version
                                + "</VersionId></Object></Delete>";
                case COMPLETE_MULTIPART_UPLOAD ->
                        "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"
                                + etag
                                + "</ETag></Part></CompleteMultipartUpload>";
                case PUT_OBJECT_RETENTION ->
                        "<Retention><Mode>GOVERNANCE</Mode><RetainUntilDate>"
                                + (isLocked ? "2029" : "2031")
                                + "-01-01T00:00:00Z</RetainUntilDate></Retention>";
                case CREATE_BUCKET -> "";
                default -> call.body() == Body.NONE ? "" : "bogus";
            };
        }

        /**
         * @param isLocked whether the lock of the object is in the way of the operation
         */
        TestRequest request(S3Call call, boolean isLocked) {
            String target =
                    switch (call.level()) {
                        case SERVICE -> "/";
                        case BUCKET -> call == S3Call.CREATE_BUCKET ? bed.freshName() : bucket;
                        case OBJECT -> bucket + (call == S3Call.COPY_OBJECT ? "/copy" : "/k");
                    };
            String path = target.equals("/") ? target : "/" + target;
            String body = body(call, isLocked);
            TestRequest request =
                    bed.request(call.method(), path + query(call, isLocked))
                            .header("content-md5", md5(body))
                            .body(body);
            if (call == S3Call.GET_OBJECT_ATTRIBUTES) {
                request.header("x-amz-object-attributes", "ETag");
            }
            return call.isCopy()
                    ? request.header("x-amz-copy-source", "/" + bucket + "/k")
                    : request;
        }
    }

    private static String md5(String text) {
        return Base64.getEncoder()
                .encodeToString(TestSigner.md5(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static String outcome(TestResponse answer) {
        Matcher code = Pattern.compile("<Code>([^<]+)</Code>").matcher(answer.text());
        return answer.status() + (code.find() ? " " + code.group(1) : "");
    }

    private static String effect(Column column, TestResponse answer, String usual) {
        boolean isRefused =
                answer.text().contains(column.header + " header is not supported")
                        || answer.text().contains("<Header>" + column.header + "</Header>");
        return isRefused ? "R" : outcome(answer).equals(usual) ? "." : "H";
    }

    private static boolean isListening(S3Call call) {
        return call == S3Call.LISTEN_NOTIFICATION || call == S3Call.LISTEN_BUCKET_NOTIFICATION;
    }

    @Test
    void everyOperationHasARow() {
        assertThat(rows()).containsOnlyKeys(S3Call.values());
    }

    @ParameterizedTest
    @EnumSource(S3Call.class)
    void eachHeaderHasTheEffectOfTheTable(S3Call call) {
        List<String> effects = new ArrayList<>();
        String usual = isListening(call) ? "" : outcome(new Fixture().request(call, false).send());
        String locked = isListening(call) ? "" : outcome(new Fixture().request(call, true).send());
        Fixture fixture = new Fixture();
        for (Column column : Column.values()) {
            boolean isJudged = column == Column.OWNER && call.level() == Level.BUCKET;
            if (isListening(call) && !isJudged) {
                // The answer would have no end.
                effects.add(".");
                continue;
            }
            boolean isLocked = column == Column.BYPASS;
            TestResponse answer =
                    fixture.request(call, isLocked).header(column.header, column.value).send();
            effects.add(effect(column, answer, isLocked ? locked : usual));
            if (!call.isRead() && answer.status() < 300) {
                fixture = new Fixture();
            }
        }
        assertThat(String.join(" ", effects))
                .as(call.name())
                .isEqualTo(String.join(" ", rows().getOrDefault(call, List.of())));
    }
}
