package io.volute.benchmarks.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** The examples of the S3 API Reference, "Authenticating Requests: Authorization Header". */
class RequestSignerTest {
    private static final RequestSigner.Account ACCOUNT =
            new RequestSigner.Account(
                    "AKIAIOSFODNN7EXAMPLE",
                    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                    "us-east-1");
    private static final Instant TIME = Instant.parse("2013-05-24T00:00:00Z");

    private final RequestSigner signer =
            new RequestSigner(ACCOUNT, "examplebucket.s3.amazonaws.com");
    private final AsciiBuffer head = new AsciiBuffer();

    @Test
    void signsAQueryWithoutValue() {
        sign("lifecycle=", TIME);

        assertThat(head.toString())
                .contains("x-amz-date: 20130524T000000Z\r\n")
                .endsWith(
                        ",Signature=fea454ca298b7da1c68078a5d1bdbfbb"
                                + "e0d65c699e0f91ac7a200a0136783543\r\n");
    }

    @Test
    void signsAListingOnAnotherDayAndComesBack() {
        sign("list-type=2", TIME.plusSeconds(86_400));
        assertThat(head.toString()).contains("/20130525/us-east-1/s3/aws4_request,");

        sign("max-keys=2&prefix=J", TIME);
        assertThat(head.toString())
                .contains("Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,")
                .endsWith(
                        ",Signature=34b48302e7b5fa45bde8084f4b7868a8"
                                + "6f0a534bc59db6670ed5711ef69dc6f7\r\n");
    }

    private void sign(String query, Instant time) {
        head.clear();
        signer.sign(
                head,
                "GET",
                new AsciiBuffer().put("/"),
                new AsciiBuffer().put(query),
                RequestSigner.payloadHash("".getBytes(StandardCharsets.US_ASCII)),
                time);
    }
}
