package io.volute.server.s3;

import io.volute.server.s3.checksum.ChecksumFamily;
import io.volute.server.s3.checksum.RunningChecksum;
import io.volute.server.s3.request.Allowance;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.versioning.value.ObjectAttributes.Algorithm;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A request being made by a test: signed, spoilt, sent. */
public final class TestRequest {
    private final S3TestBed bed;
    private final String method;
    private final String path;
    private final Map<String, String> query = new LinkedHashMap<>();
    private final Map<String, String> headers = new LinkedHashMap<>();
    private final List<HeaderList.Header> unsigned = new ArrayList<>();
    private byte[] body = new byte[0];
    private int piece = 4096;
    private boolean secure;
    private long contentLength = -2;
    private String rawQuery = "";
    private String agent = "test";
    private String address = "192.0.2.1";
    private S3Protocol protocol;
    private Allowance allowance = Allowance.UNLIMITED;
    private Optional<RequestBody> source = Optional.empty();

    public TestRequest(S3TestBed bed, String method, String target) {
        this.bed = bed;
        this.protocol = bed.protocol();
        this.method = method;
        int question = target.indexOf('?');
        this.path = question < 0 ? target : target.substring(0, question);
        if (question >= 0) {
            for (String pair : target.substring(question + 1).split("&")) {
                int equals = pair.indexOf('=');
                String name = equals < 0 ? pair : pair.substring(0, equals);
                // MinIO's clients sign repeated parameters in the order in which they send them.
                query.merge(
                        name,
                        equals < 0 ? "" : pair.substring(equals + 1),
                        (before, value) -> before + "&" + name + "=" + value);
            }
            rawQuery = target.substring(question + 1);
        }
    }

    public TestRequest body(byte[] bytes) {
        body = bytes;
        return this;
    }

    public TestRequest body(String text) {
        return body(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Sends this body in the place of bytes. */
    public TestRequest body(RequestBody other) {
        source = Optional.of(other);
        return this;
    }

    public TestRequest piece(int bytes) {
        piece = bytes;
        return this;
    }

    public TestRequest within(Allowance other) {
        allowance = other;
        return this;
    }

    public TestRequest over(S3Protocol other) {
        protocol = other;
        return this;
    }

    public TestRequest secure() {
        secure = true;
        return this;
    }

    public TestRequest agent(String text) {
        agent = text;
        return this;
    }

    public TestRequest from(String other) {
        address = other;
        return this;
    }

    /** Announces another length than the body has. */
    public TestRequest contentLength(long bytes) {
        contentLength = bytes;
        return this;
    }

    /** A header that is signed. */
    public TestRequest header(String name, String value) {
        headers.put(name, value);
        return this;
    }

    /** Promises the checksum of the body, which is set already. */
    public TestRequest checksum(String algorithm) {
        Algorithm named = ChecksumFamily.named(algorithm);
        RunningChecksum running = RunningChecksum.of(named);
        running.update(body, body.length);
        return header(
                ChecksumFamily.header(named), Base64.getEncoder().encodeToString(running.finish()));
    }

    /** A header that is added after signing. */
    public TestRequest unsigned(String name, String value) {
        unsigned.add(new HeaderList.Header(name, value));
        return this;
    }

    /** Sends without any signature. */
    public TestResponse sendAnonymous() {
        List<HeaderList.Header> all = new ArrayList<>();
        all.add(new HeaderList.Header("host", "localhost"));
        headers.forEach((name, value) -> all.add(new HeaderList.Header(name, value)));
        all.addAll(unsigned);
        return send(all, rawQuery);
    }

    /** Signs the header as root and sends. */
    public TestResponse send() {
        return sendAs(bed.root());
    }

    public TestResponse sendAs(TestSigner signer) {
        headers.putIfAbsent("x-amz-content-sha256", TestSigner.sha256(body));
        return sendHeader(signer, headers.get("x-amz-content-sha256"));
    }

    /** Signs with this payload hash in the canonical request. */
    public TestResponse sendHeader(TestSigner signer, String payloadHash) {
        Map<String, String> signed = new LinkedHashMap<>(headers);
        signed.putIfAbsent("host", "localhost");
        signed.putIfAbsent("x-amz-date", signer.date());
        String authorization = authorization(signer, signed, payloadHash);
        List<HeaderList.Header> all = new ArrayList<>();
        signed.forEach((name, value) -> all.add(new HeaderList.Header(name, value)));
        all.add(new HeaderList.Header("authorization", authorization));
        all.add(new HeaderList.Header("user-agent", agent));
        all.addAll(unsigned);
        return send(all, rawQuery);
    }

    private String authorization(
            TestSigner signer, Map<String, String> signed, String payloadHash) {
        return "AWS4-HMAC-SHA256 Credential="
                + signer.credential()
                + ", SignedHeaders="
                + String.join(";", signed.keySet().stream().sorted().toList())
                + ", Signature="
                + signer.signature(method, path, query, signed, payloadHash);
    }

    /** The signature that {@link #send} would make: the seed of chunk signatures. */
    public String seed(TestSigner signer) {
        Map<String, String> signed = new LinkedHashMap<>(headers);
        signed.putIfAbsent("host", "localhost");
        signed.putIfAbsent("x-amz-date", signer.date());
        return signer.signature(method, path, query, signed, headers.get("x-amz-content-sha256"));
    }

    /** Presigns the query as root, with the headers given so far signed, and sends. */
    public TestResponse sendPresigned(long expires) {
        return sendPresigned(bed.root(), expires, Map.of());
    }

    /**
     * @param spoilt query parameters to replace after signing; an empty value removes one
     */
    public TestResponse sendPresigned(TestSigner signer, long expires, Map<String, String> spoilt) {
        Map<String, String> signed = new LinkedHashMap<>(headers);
        signed.putIfAbsent("host", "localhost");
        String payloadHash = headers.getOrDefault("x-amz-content-sha256", "UNSIGNED-PAYLOAD");
        Map<String, String> full = new LinkedHashMap<>(query);
        full.put("X-Amz-Algorithm", "AWS4-HMAC-SHA256");
        full.put("X-Amz-Credential", signer.credential().replace("/", "%2F"));
        full.put("X-Amz-Date", signer.date());
        full.put("X-Amz-Expires", Long.toString(expires));
        full.put(
                "X-Amz-SignedHeaders",
                String.join("%3B", signed.keySet().stream().sorted().toList()));
        full.put("X-Amz-Signature", signer.signature(method, path, full, signed, payloadHash));
        spoilt.forEach(
                (name, value) -> {
                    if (value.isEmpty()) {
                        full.remove(name);
                    } else {
                        full.put(name, value);
                    }
                });
        String raw =
                String.join(
                        "&",
                        full.entrySet().stream()
                                .map(e -> e.getKey() + "=" + e.getValue())
                                .toList());
        List<HeaderList.Header> all = new ArrayList<>();
        signed.forEach((name, value) -> all.add(new HeaderList.Header(name, value)));
        all.addAll(unsigned);
        return send(all, raw);
    }

    /** Sends these headers, the length of the body and this query. */
    public TestResponse send(List<HeaderList.Header> given, String raw) {
        long announced = contentLength == -2 ? body.length : contentLength;
        List<HeaderList.Header> all = new ArrayList<>(given);
        if (announced >= 0) {
            all.add(new HeaderList.Header("content-length", Long.toString(announced)));
        }
        HttpHead head =
                new HttpHead(
                                method,
                                path,
                                raw,
                                new HeaderList(all),
                                secure,
                                address,
                                announced,
                                "REQ1")
                        .with(allowance);
        return TestResponse.of(protocol.handle(head, source.orElse(new TestBody(body, piece))));
    }

    /** Returns the headers that {@link #sendHeader} would send, for tests that corrupt them. */
    public List<HeaderList.Header> signedHeaders(TestSigner signer) {
        headers.putIfAbsent("x-amz-content-sha256", TestSigner.sha256(body));
        Map<String, String> signed = new LinkedHashMap<>(headers);
        signed.putIfAbsent("host", "localhost");
        signed.putIfAbsent("x-amz-date", signer.date());
        List<HeaderList.Header> all = new ArrayList<>();
        signed.forEach((name, value) -> all.add(new HeaderList.Header(name, value)));
        all.add(
                new HeaderList.Header(
                        "authorization",
                        authorization(signer, signed, headers.get("x-amz-content-sha256"))));
        return all;
    }

    public String rawQuery() {
        return rawQuery;
    }
}
