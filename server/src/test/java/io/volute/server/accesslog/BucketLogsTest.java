package io.volute.server.accesslog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.volute.server.accesslog.BucketLogs.Gathered;
import io.volute.server.http.watch.RequestWatch;
import io.volute.server.http.watch.RequestWatch.Answered;
import io.volute.server.http.watch.RequestWatch.Bytes;
import io.volute.server.http.watch.RequestWatch.Times;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Response.About;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The lines of a bucket's access log, and the room that they have in memory. */
class BucketLogsTest {
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final BucketInfo PLAIN =
            new BucketInfo(
                    1,
                    new BucketName("source"),
                    "own er",
                    Instant.EPOCH,
                    VersioningState.UNVERSIONED,
                    HistoryPolicy.CYCLE_AVOIDANCE);
    private static final BucketInfo LOGGED = logged("one");

    private final AtomicReference<Instant> now =
            new AtomicReference<>(Instant.parse("2026-02-06T00:00:38.900Z"));
    private final AtomicReference<BucketInfo> bucket = new AtomicReference<>(LOGGED);

    private static BucketInfo logged(String document) {
        return PLAIN.with(BucketDocument.LOGGING, Optional.of(document));
    }

    private BucketLogs logs(int mostOfBucket, int most) {
        return new BucketLogs(
                RequestWatch.NONE,
                name -> Optional.of(bucket.get()).filter(each -> each.name().equals(name)),
                now::get,
                mostOfBucket,
                most);
    }

    private BucketLogs logs() {
        return logs(1 << 20, 1 << 20);
    }

    private static HttpHead head(String method, String path, String query, Header... headers) {
        return new HttpHead(
                method,
                path,
                query,
                new HeaderList(List.of(headers)),
                true,
                "192.0.2.3",
                0,
                "3E57427F3EXAMPLE",
                Optional.of("1.3"));
    }

    private static Answered how(String operation, String bucket, String key, String code) {
        return new Answered(
                new About(operation, "ann", "AK", "", bucket, key, code),
                code.isEmpty() ? 200 : 403,
                true,
                new Bytes(12, 345),
                new Times(0, 7 * MILLI, 900 * MILLI));
    }

    @Test
    void anAnswerEndsAlthoughTheCubeOfTheBucketIsNotOpen() {
        BucketLogs logs =
                new BucketLogs(
                        RequestWatch.NONE,
                        name -> {
                            throw new UncheckedIOException(new IOException("cube is not open"));
                        },
                        now::get);
        logs.answered(
                head("GET", "/source/key", "", new Header("host", "h")),
                how("GetObject", "source", "key", "ServiceUnavailable"));
        assertThat(logs.take()).isEmpty();
    }

    private static String only(BucketLogs logs) {
        List<Gathered> all = logs.take();
        assertThat(all).hasSize(1);
        return new String(all.getFirst().text(), StandardCharsets.US_ASCII);
    }

    private String line(HttpHead head, Answered how) {
        BucketLogs logs = logs();
        logs.answered(head, how);
        return only(logs);
    }

    @Test
    void aLineHasTheFieldsOfS3InTheirOrder() {
        String line =
                line(
                        head(
                                "GET",
                                "/source/a%20b/c",
                                "versionId=v7",
                                new Header("authorization", "AWS4-HMAC-SHA256 Credential=..."),
                                new Header("referer", "http://www.example.com/x"),
                                new Header("user-agent", "curl/7.15.1"),
                                new Header("host", "s3.example.com")),
                        how("GetObject", "source", "a b/c", ""));
        assertThat(line)
                .isEqualTo(
                        "own\\x20er source [06/Feb/2026:00:00:38 +0000] 192.0.2.3 ann"
                                + " 3E57427F3EXAMPLE REST.GET.OBJECT a%20b/c"
                                + " \"GET /source/a%20b/c?versionId=v7 HTTP/1.1\" 200 - 345 345"
                                + " 900 7 \"http://www.example.com/x\" \"curl/7.15.1\" v7 - SigV4"
                                + " - AuthHeader s3.example.com TLSv1.3 - - -\n");
    }

    @Test
    void eachKeyOfDeleteObjectsHasALine() {
        Answered how = how("DeleteObjects", "source", "", "");
        Answered deleted =
                new Answered(
                        how.about()
                                .having(
                                        List.of(
                                                new About.Entry("a b", "", 204, ""),
                                                new About.Entry("c", "v7", 403, "AccessDenied"))),
                        how.status(),
                        how.complete(),
                        how.bytes(),
                        how.times());
        BucketLogs logs = logs();
        logs.answered(head("POST", "/source", "delete"), deleted);
        List<Gathered> all = logs.take();
        assertThat(all).singleElement().extracting(Gathered::lines).isEqualTo(3);
        String caller =
                "own\\x20er source [06/Feb/2026:00:00:38 +0000] 192.0.2.3 ann"
                        + " 3E57427F3EXAMPLE ";
        String connection = " - SigV4 - QueryString - TLSv1.3 - - -";
        assertThat(new String(all.getFirst().text(), StandardCharsets.US_ASCII).lines().skip(1))
                .containsExactly(
                        caller + "BATCH.DELETE.OBJECT a%20b - 204 - - - - - - - -" + connection,
                        caller
                                + "BATCH.DELETE.OBJECT c - 403 AccessDenied - - - - - - v7"
                                + connection);
    }

    @Test
    void whatIsUnknownIsADash() {
        String line =
                line(
                        new HttpHead(
                                "GET", "/source", "", new HeaderList(List.of()), false, "", 0, "r"),
                        new Answered(
                                new About("", "", "", "", "source", "", "AccessDenied"),
                                403,
                                true,
                                new Bytes(0, 0),
                                new Times(0, 0, 0)));
        assertThat(line)
                .isEqualTo(
                        "own\\x20er source [06/Feb/2026:00:00:38 +0000] - - r REST.GET.BUCKET -"
                                + " \"GET /source HTTP/1.1\" 403 AccessDenied - - 0 0 \"-\" \"-\" -"
                                + " - - - - - - - - -\n");
    }

    @ParameterizedTest
    @CsvSource({
        "PutObject,REST.PUT.OBJECT",
        "CopyObject,REST.COPY.OBJECT",
        "UploadPartCopy,REST.COPY.PART",
        "UploadPart,REST.PUT.PART",
        "CreateMultipartUpload,REST.POST.UPLOADS",
        "CompleteMultipartUpload,REST.POST.UPLOAD",
        "ListParts,REST.GET.UPLOAD",
        "DeleteObjects,REST.POST.MULTI_OBJECT_DELETE",
        "ListObjectVersions,REST.GET.BUCKETVERSIONS",
        "ListObjectsV2,REST.GET.BUCKET",
        "GetBucketVersioning,REST.GET.VERSIONING",
        "GetBucketPolicy,REST.GET.BUCKETPOLICY",
        "GetBucketLogging,REST.GET.LOGGING_STATUS",
        "GetBucketRequestPayment,REST.GET.REQUEST_PAYMENT",
        "GetObjectTagging,REST.GET.OBJECT_TAGGING",
        "GetObjectLegalHold,REST.GET.LEGAL_HOLD",
    })
    void operationsHaveTheNamesOfS3(String operation, String inLog) {
        assertThat(line(head("GET", "/source", ""), how(operation, "source", "k", "")))
                .contains(" " + inLog + " ");
    }

    /** The attack: a client that writes lines of its own into the log. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a\" - - -\nroot source [06/Feb/2026:00:00:38 +0000] 192.0.2.9 root",
                "a\r\nb",
                "a\\\" b",
                "a\\",
                "\u0085\u2028\u2029\u00e9",
                "\0\u001b[2J\u007f",
            })
    void noClientForgesALine(String text) {
        String line =
                line(
                        head(
                                text,
                                "/source/" + text,
                                "versionId=" + text,
                                new Header("user-agent", text),
                                new Header("referer", text),
                                new Header("host", text)),
                        how(text, "source", text, text));
        assertThat(line).matches("[ -~]*\n").doesNotContain("\\\"");
        assertThat(line.chars().filter(c -> c == '"').count()).isEqualTo(6);
        // Without what stands in quotes and brackets, the number of fields is always the same.
        assertThat(line.strip().replaceAll("\"[^\"]*\"|\\[[^]]*]", "x").split(" ")).hasSize(27);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-Amz-Signature=s3cret&a=b",
                "a=b&X%2DAmz-Security-Token=s3cret",
                "AWSAccessKeyId=AK&Signature=s3cret"
            })
    void aLineHasNothingThatSignsARequest(String query) {
        assertThat(line(head("GET", "/source/k", query), how("GetObject", "source", "k", "")))
                .doesNotContain("s3cret")
                .contains("=-");
    }

    @Test
    void longTextsAreCut() {
        String line =
                line(
                        head("GET", "/source/k", "", new Header("user-agent", "x".repeat(50_000))),
                        how("GetObject", "source", "k", ""));
        assertThat(line.length()).isBetween(4096, 5000);
    }

    @Test
    void onlyRequestsToBucketsWithLoggingMakeLines() {
        BucketLogs logs = logs();
        logs.answered(head("GET", "/other/k", ""), how("GetObject", "other", "k", ""));
        logs.answered(head("GET", "/", ""), how("ListBuckets", "", "", ""));
        logs.answered(head("GET", "/NO", ""), how("GetObject", "No Bucket\n", "k", ""));
        bucket.set(PLAIN);
        logs.answered(head("GET", "/source/k", ""), how("GetObject", "source", "k", ""));
        assertThat(logs.take()).isEmpty();
        bucket.set(LOGGED);
        logs.answered(
                head("GET", "/source--at-20260101t000000z/k", ""),
                how("GetObject", "source--at-20260101t000000z", "k", ""));
        assertThat(only(logs)).contains(" source [");
        assertThat(logs.take()).isEmpty();
    }

    @Test
    void whatDoesNotFitIsCounted() {
        BucketLogs measure = logs();
        HttpHead head = head("GET", "/source/k", "");
        Answered how = how("GetObject", "source", "k", "");
        measure.answered(head, how);
        int one = only(measure).length();
        int few = BucketLogs.heapBytes("one") + 2 * one;
        for (BucketLogs logs : List.of(logs(few, 9 * few), logs(9 * few, few + 1))) {
            for (int i = 0; i < 5; i++) {
                logs.answered(head, how);
            }
            assertThat(logs.lost()).isEqualTo(3);
            assertThat(only(logs).length()).isEqualTo(2 * one);
            logs.answered(head, how);
            assertThat(only(logs).length()).isEqualTo(one);
        }
    }

    @Test
    void configurationsThatWaitAreWeighed() {
        BucketLogs logs = logs(1 << 20, 1 << 20);
        HttpHead head = head("GET", "/source/k", "");
        for (int i = 0; i < 10; i++) {
            bucket.set(logged("c".repeat(100_000) + i));
            logs.answered(head, how("GetObject", "source", "k", ""));
        }
        assertThat(logs.take()).hasSize(5);
        assertThat(logs.lost()).isEqualTo(5);
    }

    @Test
    void eachDayAndEachConfigurationIsAnObjectOfItsOwn() {
        BucketLogs logs = logs();
        HttpHead head = head("GET", "/source/k", "");
        Answered how = how("GetObject", "source", "k", "");
        logs.answered(head, how);
        bucket.set(logged("two"));
        logs.answered(head, how);
        now.set(Instant.parse("2026-02-07T00:00:00.900Z"));
        logs.answered(head, how);
        // It began on the day before.
        now.set(Instant.parse("2026-02-07T00:00:00.899Z"));
        logs.answered(head, how);
        assertThat(logs.take())
                .extracting(Gathered::document, Gathered::day, Gathered::lines)
                .containsExactly(
                        tuple("one", LocalDate.of(2026, 2, 6), 1),
                        tuple("two", LocalDate.of(2026, 2, 6), 2),
                        tuple("two", LocalDate.of(2026, 2, 7), 1));
    }
}
