package io.volute.server.s3.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestRequest;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.request.HeaderList.Header;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Conditions on reads, copies, writes and deletes. */
final class ConditionsTest extends S3TestCase {
    private static final String EARLIER = "Sat, 21 Nov 2026 09:59:59 GMT";
    private static final String SAME = "Sat, 21 Nov 2026 10:00:00 GMT";
    private static final String LATER = "Sat, 21 Nov 2026 10:00:01 GMT";

    private static String bucket;
    private static String etag;

    @BeforeAll
    static void open() {
        bucket = bed.bucket();
        etag = bed.put("/" + bucket + "/k", "content").header("etag");
    }

    /** Columns: If-Match, If-Unmodified-Since, If-None-Match, If-Modified-Since, status. */
    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            textBlock =
                    """
                    same,  -,       -,     -,       200
                    other, -,       -,     -,       412
                    star,  -,       -,     -,       200
                    both,  -,       -,     -,       200
                    -,     same,    -,     -,       200
                    -,     later,   -,     -,       200
                    -,     earlier, -,     -,       412
                    -,     broken,  -,     -,       200
                    same,  earlier, -,     -,       200
                    other, later,   -,     -,       412
                    -,     -,       same,  -,       304
                    -,     -,       other, -,       200
                    -,     -,       star,  -,       304
                    -,     -,       both,  -,       304
                    -,     -,       -,     same,    304
                    -,     -,       -,     later,   304
                    -,     -,       -,     earlier, 200
                    -,     -,       -,     broken,  200
                    -,     -,       same,  earlier, 304
                    -,     -,       other, later,   200
                    same,  -,       same,  -,       304
                    other, -,       other, -,       412
                    same,  earlier, other, later,   200
                    """)
    void readsFollowTheTable(
            String match, String unmodified, String none, String modified, int status) {
        for (String method : new String[] {"GET", "HEAD"}) {
            TestRequest request = bed.request(method, "/" + bucket + "/k");
            add(request, "", match, unmodified, none, modified);
            TestResponse response = request.send();
            assertThat(response.status()).as(method).isEqualTo(status);
            if (status == 304) {
                assertThat(response.body()).isEmpty();
                assertThat(response.header("etag")).isEqualTo(etag);
            }
        }
        TestRequest copy =
                bed.request("PUT", "/" + bucket + "/copy")
                        .header("x-amz-copy-source", bucket + "/k");
        add(copy, "x-amz-copy-source-", match, unmodified, none, modified);
        assertThat(copy.send().status()).isEqualTo(status == 304 ? 412 : status);
    }

    private static void add(
            TestRequest request,
            String prefix,
            String match,
            String unmodified,
            String none,
            String modified) {
        if (match != null) {
            request.header(prefix + "if-match", tag(match));
        }
        if (unmodified != null) {
            request.header(prefix + "if-unmodified-since", date(unmodified));
        }
        if (none != null) {
            request.header(prefix + "if-none-match", tag(none));
        }
        if (modified != null) {
            request.header(prefix + "if-modified-since", date(modified));
        }
    }

    private static String tag(String name) {
        return switch (name) {
            case "same" -> etag;
            case "star" -> "*";
            case "both" -> "\"x\", " + etag;
            default -> "\"00000000000000000000000000000000\"";
        };
    }

    private static String date(String name) {
        return switch (name) {
            case "earlier" -> EARLIER;
            case "same" -> SAME;
            case "later" -> LATER;
            default -> "yesterday";
        };
    }

    @Test
    void writesHaveConditions() {
        String target = "/" + bucket + "/w";
        assertThat(put(target, "if-match", "\"x\"").code()).isEqualTo("NoSuchKey");
        TestResponse first = put(target, "if-none-match", "*");
        assertThat(first.status()).isEqualTo(200);
        assertThat(put(target, "if-none-match", "*").code()).isEqualTo("PreconditionFailed");
        assertThat(put(target, "if-match", "\"x\"").code()).isEqualTo("PreconditionFailed");
        assertThat(put(target, "if-match", first.header("etag")).status()).isEqualTo(200);
        assertThat(put(target, "if-none-match", "\"x\"").code()).isEqualTo("NotImplemented");
        assertThat(put(target, "if-modified-since", SAME).code()).isEqualTo("NotImplemented");
        assertThat(put(target, "if-unmodified-since", SAME).code()).isEqualTo("NotImplemented");
    }

    private static TestResponse put(String target, String header, String value) {
        return bed.request("PUT", target).header(header, value).body("w").send();
    }

    @Test
    void deletesHaveConditions() {
        String target = "/" + bucket + "/d";
        String tag = bed.put(target, "d").header("etag");
        assertThat(bed.request("DELETE", target).header("if-match", "\"x\"").send().code())
                .isEqualTo("PreconditionFailed");
        for (String header :
                new String[] {
                    "x-amz-if-match-size",
                    "x-amz-if-match-last-modified-time",
                    "if-none-match",
                    "if-modified-since",
                    "if-unmodified-since"
                }) {
            assertThat(bed.request("DELETE", target).header(header, "1").send().code())
                    .as(header)
                    .isEqualTo("NotImplemented");
        }
        assertThat(bed.get(target).status()).isEqualTo(200);
        assertThat(bed.request("DELETE", target).header("if-match", tag).send().status())
                .isEqualTo(204);
    }

    /** Measured on S3: a missing object matches no tag, and a delete marker counts as missing. */
    @Test
    void conditionalDeletesOfNothingFindNothing() {
        String versioned = bed.versionedBucket();
        String marked = "/" + versioned + "/marked";
        String tag = bed.put(marked, "x").header("etag");
        assertThat(bed.request("DELETE", marked).send().status()).isEqualTo(204);
        for (String target :
                new String[] {"/" + bucket + "/never", "/" + versioned + "/never", marked}) {
            for (String condition : new String[] {"*", "\"x\"", tag}) {
                assertThat(
                                bed.request("DELETE", target)
                                        .header("if-match", condition)
                                        .send()
                                        .code())
                        .as(target + " " + condition)
                        .isEqualTo("NoSuchKey");
            }
        }
        String present = "/" + versioned + "/present";
        bed.put(present, "x");
        assertThat(bed.request("DELETE", present).header("if-match", "*").send().status())
                .isEqualTo(204);
    }

    /** The three forms of RFC 9110 and those of libs3 and of offsets; times are of 10:00:00. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    Sat, 21 Nov 2026 09:59:59 GMT      | 412 | 200
                    Sat, 21 Nov 2026 09:59:59 UTC      | 412 | 200
                    Sat, 21 Nov 2026 10:59:59 +0100    | 412 | 200
                    Fri, 21 Nov 2026 09:59:59 GMT      | 412 | 200
                    21 Nov 2026 09:59:59 GMT           | 412 | 200
                    Saturday, 21-Nov-26 09:59:59 GMT   | 412 | 200
                    Sat Nov 21 09:59:59 2026           | 412 | 200
                    Fri Nov  6 09:59:59 2026           | 412 | 200
                    Sunday, 06-Nov-94 08:49:37 GMT     | 412 | 200
                    2026-11-21T09:59:59Z               | 412 | 200
                    Sat, 21 Nov 2026 09:59:60 GMT      | 412 | 200
                    Sat, 21 Nov 2026 10:00:00 GMT      | 200 | 304
                    Saturday, 21-Nov-26 10:00:00 GMT   | 200 | 304
                    Sat Nov 21 10:00:00 2026           | 200 | 304
                    Sat, 31 Nov 2026 09:59:59 GMT      | 200 | 200
                    Sat, 21 Foo 2026 09:59:59 GMT      | 200 | 200
                    Sat, 21 Nov 2026 25:59:59 GMT      | 200 | 200
                    Sat, 21 Nov 2026 09:59:59 XYZ      | 200 | 200
                    1795254399                         | 200 | 200
                    """)
    void datesHoldInAllTheirForms(String date, int unmodified, int modified) {
        String target = "/" + bucket + "/k";
        assertThat(bed.request("GET", target).header("if-unmodified-since", date).send().status())
                .isEqualTo(unmodified);
        assertThat(bed.request("GET", target).header("if-modified-since", date).send().status())
                .isEqualTo(modified);
        assertThat(
                        bed.request("PUT", "/" + bucket + "/dated")
                                .header("x-amz-copy-source", bucket + "/k")
                                .header("x-amz-copy-source-if-unmodified-since", date)
                                .send()
                                .status())
                .isEqualTo(unmodified);
    }

    @Test
    void linesOfAListAreOneCondition() {
        String target = "/" + bucket + "/k";
        for (String[] tags : new String[][] {{"\"0\"", etag}, {etag, "\"0\""}}) {
            assertThat(
                            bed.request("GET", target)
                                    .unsigned("if-none-match", tags[0])
                                    .unsigned("if-none-match", tags[1])
                                    .send()
                                    .status())
                    .isEqualTo(304);
            assertThat(
                            bed.request("GET", target)
                                    .unsigned("if-match", tags[0])
                                    .unsigned("if-match", tags[1])
                                    .send()
                                    .status())
                    .isEqualTo(200);
            assertThat(
                            bed.request("PUT", target)
                                    .unsigned("if-match", tags[0])
                                    .unsigned("if-match", tags[1])
                                    .body("other")
                                    .send()
                                    .code())
                    .isEqualTo("NotImplemented");
        }
        bed.request("PUT", "/" + bucket + "/lines")
                .unsigned("cache-control", "no-cache")
                .unsigned("cache-control", "max-age=0")
                .unsigned("content-language", "de")
                .unsigned("content-language", "en")
                .unsigned("content-encoding", "aws-chunked")
                .unsigned("content-encoding", "gzip")
                .send();
        TestResponse lines = bed.get("/" + bucket + "/lines");
        assertThat(lines.header("cache-control")).isEqualTo("no-cache,max-age=0");
        assertThat(lines.header("content-language")).isEqualTo("de,en");
        assertThat(lines.header("content-encoding")).isEqualTo("gzip");
    }

    @Test
    void linesOfMetadataAreJoined() {
        TestRequest put =
                bed.request("PUT", "/" + bucket + "/meta").header("x-amz-meta-a", "one,two");
        List<Header> sent = new ArrayList<>(put.signedHeaders(bed.root()));
        sent.removeIf(header -> header.name().equals("x-amz-meta-a"));
        sent.add(new Header("x-amz-meta-a", "one"));
        sent.add(new Header("x-amz-meta-a", "two"));
        assertThat(put.send(sent, "").status()).isEqualTo(200);
        assertThat(bed.get("/" + bucket + "/meta").header("x-amz-meta-a")).isEqualTo("one,two");
    }

    @ParameterizedTest
    @CsvSource({
        "range,bytes=0-1",
        "if-modified-since," + EARLIER,
        "if-unmodified-since," + EARLIER,
        "content-type,text/plain"
    })
    void aHeaderWithOneValueComesOnce(String name, String value) {
        assertThat(
                        bed.request("GET", "/" + bucket + "/k")
                                .unsigned(name, value)
                                .unsigned(name, value)
                                .send()
                                .code())
                .isEqualTo("InvalidArgument");
    }

    @Test
    void aRangeIsOfTheVersionThatIfRangeNames() {
        for (String[] row :
                new String[][] {
                    {etag, "206"}, {"\"0\"", "200"}, {SAME, "206"}, {EARLIER, "200"}, {LATER, "200"}
                }) {
            assertThat(
                            bed.request("GET", "/" + bucket + "/k")
                                    .header("range", "bytes=0-1")
                                    .header("if-range", row[0])
                                    .send()
                                    .code())
                    .as(row[0])
                    .isEqualTo(row[1]);
        }
    }

    /** An operation that evaluates no condition must not run as if it had held. */
    @ParameterizedTest
    @CsvSource({
        "PUT,'/k?tagging',if-match",
        "DELETE,'/k?tagging',if-match",
        "POST,'/k?uploads',if-none-match",
        "PUT,'/k?uploadId=x&partNumber=1',if-none-match",
        "DELETE,'/k?uploadId=x',if-match",
        "DELETE,'/k?uploadId=x',x-amz-if-match-initiated-time",
        "POST,'?delete',if-match",
        "DELETE,'',if-unmodified-since",
        "PUT,'?policy',if-none-match"
    })
    void aConditionThatAWriteDoesNotEvaluateIsRefused(String method, String rest, String header) {
        assertThat(bed.request(method, "/" + bucket + rest).header(header, "*").send().code())
                .isEqualTo("NotImplemented");
    }
}
