package io.volute.benchmarks.micro;

import io.volute.benchmarks.http.AsciiBuffer;
import io.volute.benchmarks.http.RequestSigner;
import io.volute.benchmarks.http.RequestSigner.Account;
import io.volute.server.auth.sigv4.AuthResult;
import io.volute.server.auth.sigv4.AuthSettings;
import io.volute.server.auth.sigv4.Authenticator;
import io.volute.server.credentials.Credential;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.QueryParameters;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Setup;

/** Time to verify the header signature of a GET as the SDKs send it. */
public class SignatureCheck extends Suite {
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
    private static final String PATH = "/bucket/some/folder/object-0000000001";
    private static final String HOST = "localhost:9000";

    private Authenticator authenticator;
    private HttpHead head;
    private QueryParameters query;

    /** Signs the request. */
    @Setup
    public void sign() {
        Credential credential = new Credential("AKID", "secret-key", "user", "user", false);
        authenticator =
                new Authenticator(
                        accessKey ->
                                accessKey.equals("AKID")
                                        ? Optional.of(credential)
                                        : Optional.empty(),
                        new AuthSettings("us-east-1", InstantSource.fixed(NOW), false));
        AsciiBuffer signed = new AsciiBuffer().put("user-agent: bench\r\n");
        new RequestSigner(new Account("AKID", "secret-key", "us-east-1"), HOST)
                .sign(
                        signed,
                        "GET",
                        new AsciiBuffer().put(PATH),
                        new AsciiBuffer(),
                        RequestSigner.payloadHash(new byte[0]),
                        NOW);
        List<Header> headers = signed.toString().lines().map(SignatureCheck::header).toList();
        head = new HttpHead("GET", PATH, "", new HeaderList(headers), false, "127.0.0.1", 0, "0");
        query = QueryParameters.parse("");
        if (!(verify() instanceof AuthResult.Verified)) {
            throw new IllegalStateException("the signature made here must hold");
        }
    }

    /** Verifies it. */
    @Benchmark
    public AuthResult verify() {
        return authenticator.authenticate(head, query);
    }

    private static Header header(String line) {
        int colon = line.indexOf(':');
        return new Header(
                line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 2));
    }
}
