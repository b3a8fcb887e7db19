package io.volute.server.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.Limits;
import io.volute.server.auth.sigv4.AuthResult;
import io.volute.server.auth.sigv4.AuthSettings;
import io.volute.server.auth.sigv4.Authenticator;
import io.volute.server.credentials.Credential;
import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.TestAllowance;
import io.volute.server.s3.TestBody;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.QueryParameters;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Forms are read for known callers only, and as those of unknown ones. */
class QueryFormTest {
    private static Credential caller(String accessKey) {
        return new Credential(accessKey, "secret", "alice", "Alice", false);
    }

    private static HttpHead head(String address, Header... headers) {
        return new HttpHead(
                "POST", "/", "", new HeaderList(List.of(headers)), false, address, 4, "REQ1");
    }

    /** A form counts as that of an unknown caller while it is read. */
    @Test
    void aFormIsReadWithTheAllowanceOfUnknownCallers() {
        TestAllowance allowance = new TestAllowance(1 << 20);
        HttpHead head = head("192.0.2.1").with(allowance);
        try (QueryForm form = new QueryForm(head, new TestBody(new byte[4], 4))) {
            assertThat(form.read(caller("KEY"))).hasSize(4);
            assertThat(form.bytes()).hasSize(4);
            assertThat(allowance.events()).containsExactly("form", "end");
            assertThat(allowance.held()).isPositive();
        }
        assertThat(allowance.held()).isZero();
    }

    @Test
    void aFormWithoutHeapIsRefused() {
        HttpHead head = head("192.0.2.1").with(new TestAllowance(0));
        try (QueryForm form = new QueryForm(head, new TestBody(new byte[4], 4))) {
            assertThatThrownBy(() -> form.read(caller("KEY")))
                    .isInstanceOfSatisfying(
                            S3Exception.class,
                            e -> assertThat(e.error()).isEqualTo(S3Error.SLOW_DOWN));
        }
    }

    @Test
    void aFormHasABound() {
        byte[] bytes = new byte[Limits.QUERY_FORM_BYTES_MAX + 1];
        try (QueryForm form = new QueryForm(head("192.0.2.1"), new TestBody(bytes, 4096))) {
            assertThatThrownBy(() -> form.read(caller("KEY")))
                    .isInstanceOf(QueryException.class)
                    .hasMessageContaining("65536");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "|20261121T100000Z",
                "AWS4-HMAC-SHA256 Credential=NOBODY/20261121/us-east-1/sts/aws4_request,"
                        + "|20261121T100000Z",
                "AWS4-HMAC-SHA256 Credential=ALICE/20261121/us-east-1/s3/aws4_request,"
                        + "|20261121T100000Z",
                "AWS4-HMAC-SHA256 Credential=ALICE/20261121/us-east-2/sts/aws4_request,"
                        + "|20261121T100000Z",
                "AWS4-HMAC-SHA256 Credential=ALICE/20261120/us-east-1/sts/aws4_request,"
                        + "|20261120T100000Z",
                "AWS4-HMAC-SHA256 Credential=ALICE/20261121/us-east-1/sts/aws4_request," + "|none",
            })
    void aFormIsNotReadForWhoCannotHaveSignedIt(String authorization, String date) {
        Authenticator authenticator =
                new Authenticator(
                        S3TestBed.credentials(),
                        new AuthSettings("us-east-1", () -> S3TestBed.NOW, true),
                        "sts");
        HttpHead head =
                authorization == null
                        ? head("192.0.2.1", new Header("host", "localhost"))
                        : head(
                                "192.0.2.1",
                                new Header("host", "localhost"),
                                new Header("x-amz-date", date),
                                new Header(
                                        "authorization",
                                        authorization
                                                + "SignedHeaders=host;x-amz-date,Signature="
                                                + "0".repeat(64)));
        AuthResult result =
                authenticator.authenticate(
                        head,
                        new QueryParameters(List.of()),
                        claimed -> {
                            throw new AssertionError("the form was read");
                        });
        assertThat(result).isNotInstanceOf(AuthResult.Verified.class);
    }
}
