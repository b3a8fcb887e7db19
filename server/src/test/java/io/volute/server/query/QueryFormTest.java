package io.volute.server.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.Limits;
import io.volute.server.auth.sigv4.AuthResult;
import io.volute.server.auth.sigv4.AuthSettings;
import io.volute.server.auth.sigv4.Authenticator;
import io.volute.server.credentials.Credential;
import io.volute.server.s3.S3Settings;
import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.TestBody;
import io.volute.server.s3.body.SharedBudget;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.QueryParameters;
import io.volute.server.s3.request.RequestBody;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Forms are read for known callers only, and for few at once. */
class QueryFormTest {
    private final QueryForm.Places places = new QueryForm.Places();
    private final SharedBudget documents = S3Settings.documentBudget();

    private static Credential caller(String accessKey) {
        return new Credential(accessKey, "secret", "alice", "Alice", false);
    }

    private static HttpHead head(String address, Header... headers) {
        return new HttpHead(
                "POST", "/", "", new HeaderList(List.of(headers)), false, address, 4, "REQ1");
    }

    private byte[] read(String address, String accessKey, RequestBody body) {
        try (QueryForm form = new QueryForm(head(address), body, places, documents)) {
            return form.read(caller(accessKey));
        }
    }

    private byte[] read(String address, String accessKey) {
        return read(address, accessKey, new TestBody(new byte[4], 4));
    }

    /** Runs something while so many forms are on their way, each of which waits for the next. */
    private void whileReading(int forms, Numbered address, Numbered accessKey, Runnable inner) {
        if (forms == 0) {
            inner.run();
            return;
        }
        RequestBody body =
                new RequestBody() {
                    @Override
                    public boolean next() {
                        whileReading(forms - 1, address, accessKey, inner);
                        return false;
                    }

                    @Override
                    public ByteBuffer buffer() {
                        return ByteBuffer.allocate(0);
                    }
                };
        assertThat(read(address.of(forms), accessKey.of(forms), body)).isEmpty();
    }

    private interface Numbered {
        String of(int number);
    }

    private void assertSlowDown(String address, String accessKey) {
        assertThatThrownBy(() -> read(address, accessKey))
                .isInstanceOfSatisfying(
                        QueryException.class, e -> assertThat(e.code()).isEqualTo("SlowDown"));
    }

    @Test
    void oneAddressTakesFewPlaces() {
        whileReading(
                Limits.QUERY_FORMS_OF_ADDRESS_MAX,
                each -> "2001:db8:0:1:0:0:0:" + each,
                each -> "KEY" + each,
                () -> {
                    assertSlowDown("2001:db8:0:1:9:9:9:9", "OTHER");
                    assertThat(read("2001:db8:0:2:0:0:0:1", "KEY1")).hasSize(4);
                });
        assertThat(read("2001:db8:0:1:0:0:0:1", "KEY1")).hasSize(4);
        assertThat(documents.held()).isZero();
    }

    @Test
    void oneAccessKeyTakesFewPlaces() {
        whileReading(
                Limits.QUERY_FORMS_OF_KEY_MAX,
                each -> "192.0.2." + each,
                each -> "LEAKED",
                () -> {
                    assertSlowDown("198.51.100.1", "LEAKED");
                    assertThat(read("192.0.2.1", "KEY")).hasSize(4);
                });
    }

    @Test
    void allTogetherTakeFewPlaces() {
        whileReading(
                Limits.QUERY_FORMS_MAX,
                each -> "192.0.2." + each,
                each -> "KEY" + each,
                () -> assertSlowDown("198.51.100.1", "OTHER"));
        assertThat(read("198.51.100.1", "OTHER")).hasSize(4);
    }

    @Test
    void aFormHasABound() {
        byte[] bytes = new byte[Limits.QUERY_FORM_BYTES_MAX + 1];
        assertThatThrownBy(() -> read("192.0.2.1", "KEY", new TestBody(bytes, 4096)))
                .isInstanceOf(QueryException.class)
                .hasMessageContaining("65536");
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
