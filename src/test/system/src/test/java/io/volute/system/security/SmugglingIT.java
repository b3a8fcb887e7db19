package io.volute.system.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Bytes;
import io.volute.system.RawConnection;
import io.volute.system.RawConnection.Answer;
import io.volute.system.RawRequest;
import io.volute.system.ServerProcess;
import io.volute.system.SharedServer;
import io.volute.system.Store;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * One request in is one answer out, or the connection ends (reliability: CVE-2025-58056,
 * CVE-2026-42581 and CVE-2026-50020 of Netty, and their older kin). Every case carries a second,
 * validly signed request where a lenient parser would see one; its effect must never be seen.
 */
@ExtendWith(SharedServer.class)
class SmugglingIT {
    private final Store store;
    private final S3Client s3;

    SmugglingIT(Store store) {
        this.store = store;
        this.s3 = store.s3();
    }

    /** A signed PUT whose framing headers are the case's own. */
    private String head(String bucket, String framing) {
        String head =
                RawRequest.of("PUT", "/" + bucket + "/front")
                        .payloadHash("UNSIGNED-PAYLOAD")
                        .signedHead(store.endpoint());
        return head.substring(0, head.length() - 2) + framing + "\r\n";
    }

    private String smuggled(String bucket) {
        return new String(
                RawRequest.of("PUT", "/" + bucket + "/smuggled").signed(store.endpoint()),
                StandardCharsets.ISO_8859_1);
    }

    private record Case(String name, String message) {}

    private List<Case> bodyCases(String bucket) {
        String second = smuggled(bucket);
        String chunkedEnd = "0\r\n\r\n" + second;
        List<Case> cases = new ArrayList<>();
        String[][] framings = {
            {"CL and TE", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"},
            {"TE and CL", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"},
            {"TE twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n"},
            {"TE chunked twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"},
            {"TE identity", "Content-Length: 5\r\nTransfer-Encoding: identity\r\n"},
            {"TE gzip, chunked", "Transfer-Encoding: gzip, chunked\r\n"},
            {"TE chunked, identity", "Transfer-Encoding: chunked, identity\r\n"},
            {"TE xchunked", "Transfer-Encoding: xchunked\r\n"},
            {"TE with vertical tab", "Transfer-Encoding: \u000bchunked\r\n"},
            {"TE with NUL", "Transfer-Encoding: chunked\u0000\r\n"},
            {"TE quoted", "Transfer-Encoding: \"chunked\"\r\n"},
            {"TE empty", "Content-Length: 5\r\nTransfer-Encoding: \r\n"},
            {"space before the colon of TE", "Transfer-Encoding : chunked\r\n"},
            {"TE folded", "Transfer-Encoding:\r\n chunked\r\n"},
            {"TE behind a bare CR", "X-Any: y\rTransfer-Encoding: chunked\r\n"},
            {"TE behind a bare LF", "X-Any: y\nTransfer-Encoding: chunked\r\n"},
            {"CL twice", "Content-Length: 5\r\nContent-Length: 5\r\n"},
            {"CL twice, unlike", "Content-Length: 0\r\nContent-Length: 5\r\n"},
            {"CL list", "Content-Length: 5, 5\r\n"},
            {"CL list, unlike", "Content-Length: 0, 5\r\n"},
            {"CL with plus", "Content-Length: +5\r\n"},
            {"CL negative", "Content-Length: -5\r\n"},
            {"CL hexadecimal", "Content-Length: 0x5\r\n"},
            {"CL with a space inside", "Content-Length: 1 5\r\n"},
            {"CL empty", "Content-Length: \r\n"},
            {"CL beyond a long", "Content-Length: 99999999999999999999999\r\n"},
            {"CL in other digits", "Content-Length: \u0665\r\n"},
            {"space before the colon of CL", "Content-Length : 5\r\n"},
            {"a folded header", "Content-Length: 5\r\nX-Any: a\r\n b\r\n"},
            {"a line without a colon", "Content-Length: 5\r\nnonsense\r\n"},
            {"a header without a name", "Content-Length: 5\r\n: value\r\n"},
            {"a header name with a space", "Content-Length: 5\r\nX Any: value\r\n"},
            {"a header name with NUL", "Content-Length: 5\r\nX\u0000Any: value\r\n"},
            {"a header value with NUL", "Content-Length: 5\r\nX-Any: va\u0000lue\r\n"},
            {"two Hosts", "Content-Length: 5\r\nHost: elsewhere\r\n"},
        };
        for (String[] framing : framings) {
            cases.add(new Case(framing[0], head(bucket, framing[1]) + chunkedEnd));
        }
        return cases;
    }

    private List<Case> lineCases(String bucket) {
        String second = smuggled(bucket);
        String good = head(bucket, "Content-Length: 5\r\n");
        String rest = good.substring(good.indexOf("\r\n") + 2);
        String path = "/" + bucket + "/front";
        String body = "0\r\n\r\n" + second;
        String chunked = head(bucket, "Transfer-Encoding: chunked\r\n");
        return List.of(
                new Case("lines end in LF", good.replace("\r\n", "\n") + body),
                new Case(
                        "the request line ends in LF", "PUT " + path + " HTTP/1.1\n" + rest + body),
                new Case(
                        "the head ends in LF LF",
                        good.substring(0, good.length() - 2) + "\n" + body),
                new Case("no Host", withoutHost(good) + body),
                new Case("HTTP/1.0 with TE", chunked.replace("HTTP/1.1", "HTTP/1.0") + body),
                new Case("HTTP/9.9", good.replace("HTTP/1.1", "HTTP/9.9") + body),
                new Case("HTTP/1.1 in other letters", good.replace("HTTP/1.1", "hTTP/1.1") + body),
                new Case("no version", good.replace(" HTTP/1.1", "") + body),
                new Case("a tab in the request line", good.replaceFirst("PUT ", "PUT\t") + body),
                new Case("a word too many", good.replace(" HTTP/1.1", " x HTTP/1.1") + body),
                new Case("NUL before the request line", "\u0000" + good + body),
                new Case("control bytes before the request line", "\u0001\u0002" + good + body),
                new Case("NUL in the target", good.replaceFirst("/front", "/fr\u0000ont") + body),
                new Case(
                        "8-bit bytes in the target",
                        good.replaceFirst("/front", "/fr\u00ffont") + body),
                new Case(
                        "the prior knowledge preface of HTTP/2",
                        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + second),
                new Case(
                        "a chunk size line that ends in LF",
                        chunked + "5\n01234\r\n0\r\n\r\n" + second),
                new Case(
                        "an LF in a chunk extension", chunked + "5;a\n01234\r\n0\r\n\r\n" + second),
                new Case("a negative chunk size", chunked + "-5\r\n01234\r\n0\r\n\r\n" + second),
                new Case(
                        "a huge chunk size",
                        chunked + "fffffffffffffffff5\r\n01234\r\n0\r\n\r\n" + second),
                new Case(
                        "a chunk longer than it says",
                        chunked + "2\r\n01234\r\n0\r\n\r\n" + second),
                new Case("a chunk size of 0x5", chunked + "0x5\r\n01234\r\n0\r\n\r\n" + second));
    }

    private static String withoutHost(String head) {
        return head.replaceFirst("Host: [^\r]*\r\n", "");
    }

    @TestFactory
    Stream<DynamicTest> cve202642581MalformedFramingIsAnsweredOnceAndCloses() {
        List<DynamicTest> tests = new ArrayList<>();
        int cases = bodyCases("any").size();
        int lines = lineCases("any").size();
        for (int i = 0; i < cases + lines; i++) {
            // A bucket for each, so that one that fails does not fail the others.
            String bucket = store.bucket();
            Case each = i < cases ? bodyCases(bucket).get(i) : lineCases(bucket).get(i - cases);
            tests.add(DynamicTest.dynamicTest(each.name(), () -> refuses(bucket, each)));
        }
        return tests.stream();
    }

    private void refuses(String bucket, Case each) throws IOException {
        List<Answer> answers;
        try (RawConnection connection = RawConnection.open(store.endpoint())) {
            connection.send(each.message());
            answers = connection.readUntilClosed("PUT");
        }
        // A reset may overtake the answer; more than one answer may not be.
        assertThat(answers).hasSizeLessThanOrEqualTo(1);
        for (Answer answer : answers) {
            assertThat(answer.status()).as(answer.body()).isIn(400, 411, 501, 505);
        }
        assertThat(s3.listObjectsV2(list -> list.bucket(bucket)).contents())
                .as("neither request may have had an effect")
                .isEmpty();
    }

    @Test
    void requestsOneAfterTheOtherShareAConnection() throws IOException {
        String bucket = store.bucket();
        try (RawConnection connection = RawConnection.open(store.endpoint())) {
            for (int i = 0; i < 20; i++) {
                connection.send(
                        RawRequest.of("PUT", "/" + bucket + "/key-" + i)
                                .body("body " + i)
                                .signed(store.endpoint()));
                assertThat(connection.read("PUT").orElseThrow().status()).isEqualTo(200);
            }
            connection.send(RawRequest.of("GET", "/" + bucket + "/key-7").signed(store.endpoint()));
            assertThat(connection.read("GET").orElseThrow().body()).isEqualTo("body 7");
        }
    }

    @Test
    void pipelinedRequestsAreAnsweredInOrderOrRefused() throws IOException {
        String bucket = store.bucket();
        store.put(bucket, "a", "answer a");
        store.put(bucket, "b", "answer b");
        byte[] first = RawRequest.of("GET", "/" + bucket + "/a").signed(store.endpoint());
        byte[] second =
                RawRequest.of("GET", "/" + bucket + "/b")
                        .unsigned("Connection", "close")
                        .signed(store.endpoint());
        byte[] both = new byte[first.length + second.length];
        System.arraycopy(first, 0, both, 0, first.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        try (RawConnection connection = RawConnection.open(store.endpoint())) {
            connection.send(both);
            List<Answer> answers = connection.readUntilClosed("GET");
            assertThat(answers).hasSizeBetween(1, 2);
            assertThat(answers.getFirst().body()).isEqualTo("answer a");
            if (answers.size() == 2 && answers.get(1).status() == 200) {
                assertThat(answers.get(1).body()).isEqualTo("answer b");
            }
        }
    }

    @Test
    void aRefusedRequestWithABodyDoesNotBecomeTwo() throws IOException {
        String bucket = store.bucket();
        String body = smuggled(bucket);
        byte[] refused =
                RawRequest.of("PUT", "/" + bucket + "/front")
                        .credentials(ServerProcess.ACCESS_KEY, "wrong")
                        .body(body)
                        .signed(store.endpoint());
        try (RawConnection connection = RawConnection.open(store.endpoint())) {
            connection.send(refused);
            connection.send("GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
            List<Answer> answers = connection.readUntilClosed("PUT");
            assertThat(answers).hasSizeLessThanOrEqualTo(2);
            if (!answers.isEmpty()) {
                assertThat(answers.getFirst().status()).isEqualTo(403);
            }
            if (answers.size() == 2) {
                // The health request, served or refused for having come too early.
                assertThat(answers.get(1).status()).isIn(200, 400);
            }
        }
        assertThat(s3.listObjectsV2(list -> list.bucket(bucket)).contents()).isEmpty();
    }

    @Test
    void resetsInAnyStateLeaveTheServerServing() throws IOException {
        String bucket = store.bucket();
        byte[] whole =
                RawRequest.of("PUT", "/" + bucket + "/key")
                        .body(Bytes.random(1, 100_000))
                        .signed(store.endpoint());
        for (int sent : new int[] {0, 1, 20, 200, 500, 1_000, 50_000, whole.length - 1}) {
            RawConnection connection = RawConnection.open(store.endpoint());
            connection.send(java.util.Arrays.copyOf(whole, sent));
            connection.reset();
        }
        store.put(bucket, "other", "served");
        assertThat(store.text(bucket, "other")).isEqualTo("served");
        assertThat(s3.listObjectsV2(list -> list.bucket(bucket)).contents()).hasSize(1);
    }

    @Test
    void oversizedHeadsAreRefused() throws IOException {
        String bucket = store.bucket();
        record Big(String name, String message) {}
        String head = head(bucket, "Content-Length: 0\r\n");
        String start = head.substring(0, head.length() - 2);
        StringBuilder many = new StringBuilder(start);
        for (int i = 0; i < 2_000; i++) {
            many.append("X-H").append(i).append(": v\r\n");
        }
        List<Big> cases =
                List.of(
                        new Big(
                                "a long value",
                                start + "X-Any: " + "v".repeat(1 << 20) + "\r\n\r\n"),
                        new Big("many headers", many + "\r\n"),
                        new Big(
                                "a long target",
                                "GET /" + "a".repeat(1 << 20) + " HTTP/1.1\r\n\r\n"));
        for (Big each : cases) {
            try (RawConnection connection = RawConnection.open(store.endpoint())) {
                try {
                    connection.send(each.message());
                } catch (java.net.SocketException e) {
                    // Closed while we were still sending: refused as well.
                    continue;
                }
                connection
                        .readUntilClosed("GET")
                        .forEach(
                                answer ->
                                        assertThat(answer.status())
                                                .as(each.name())
                                                .isIn(400, 413, 414, 431));
            }
        }
        assertThat(s3.listObjectsV2(list -> list.bucket(bucket)).contents()).isEmpty();
    }
}
