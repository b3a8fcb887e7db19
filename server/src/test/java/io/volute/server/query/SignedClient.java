package io.volute.server.query;

import io.volute.server.s3.TestBody;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Handler;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A client that signs requests to a handler. */
public record SignedClient(S3Handler server, Instant now) {
    private static final String FORM = "application/x-www-form-urlencoded; charset=utf-8";

    /** The keys that a caller signs with; the token is empty for a lasting key. */
    public record Keys(String accessKey, String secret, String token) {}

    /** Calls a service by a form. */
    public TestResponse call(Keys keys, String service, String version, Map<String, String> form) {
        return send(keys, service, "POST", "/", form(version, form), Map.of("content-type", FORM));
    }

    /** Calls a service by a form without a signature. */
    public TestResponse unsigned(String version, Map<String, String> form) {
        byte[] content = form(version, form).getBytes(StandardCharsets.UTF_8);
        return post("", content);
    }

    private TestResponse post(String query, byte[] content) {
        List<Header> headers =
                List.of(
                        new Header("host", "localhost"),
                        new Header("content-type", FORM),
                        new Header("content-length", Integer.toString(content.length)));
        return handle("POST", "/", query, headers, content);
    }

    private TestResponse handle(
            String method, String path, String query, List<Header> headers, byte[] content) {
        HttpHead head =
                new HttpHead(
                        method,
                        path,
                        query,
                        new HeaderList(headers),
                        false,
                        "192.0.2.1",
                        content.length,
                        "REQ1");
        return TestResponse.of(server.handle(head, new TestBody(content, 4096)));
    }

    private String date() {
        return DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'")
                .withZone(ZoneOffset.UTC)
                .format(now);
    }

    /** Returns the signature of a text in a scope. */
    private static String signature(Keys keys, String scope, String text) {
        byte[] key = ("AWS4" + keys.secret()).getBytes(StandardCharsets.UTF_8);
        for (String step : scope.split("/")) {
            key = hmac(key, step);
        }
        return HexFormat.of().formatHex(hmac(key, text));
    }

    private static String form(String version, Map<String, String> form) {
        Map<String, String> all = new TreeMap<>(form);
        all.put("Version", version);
        return String.join(
                "&",
                all.entrySet().stream()
                        .map(each -> each.getKey() + "=" + encoded(each.getValue()))
                        .toList());
    }

    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /**
     * Signs as SDKs do for services other than S3: the hash of the body is in no header.
     *
     * @param path with a sub-resource or without one
     */
    public TestResponse send(
            Keys keys,
            String service,
            String method,
            String path,
            String body,
            Map<String, String> more) {
        byte[] content = body.getBytes(StandardCharsets.UTF_8);
        String date = date();
        TreeMap<String, String> signed = new TreeMap<>(more);
        signed.put("host", "localhost");
        signed.put("x-amz-date", date);
        if (service.endsWith("s3")) {
            signed.put("x-amz-content-sha256", sha256(content));
        }
        if (!keys.token().isEmpty()) {
            signed.put("x-amz-security-token", keys.token());
        }
        String[] parts = path.split("\\?");
        String query = parts.length == 1 ? "" : parts[1] + "=";
        StringBuilder canonical = new StringBuilder(method + "\n" + parts[0] + "\n" + query + "\n");
        signed.forEach((name, value) -> canonical.append(name + ":" + value + "\n"));
        String names = String.join(";", signed.keySet());
        canonical.append("\n" + names + "\n" + sha256(content));
        String place = service.contains("/") ? service : "us-east-1/" + service;
        String scope = date.substring(0, 8) + "/" + place + "/aws4_request";
        String toSign =
                "AWS4-HMAC-SHA256\n"
                        + date
                        + "\n"
                        + scope
                        + "\n"
                        + sha256(canonical.toString().getBytes(StandardCharsets.UTF_8));
        List<Header> headers = new ArrayList<>();
        signed.forEach((name, value) -> headers.add(new Header(name, value)));
        headers.add(
                new Header(
                        "authorization",
                        "AWS4-HMAC-SHA256 Credential="
                                + keys.accessKey()
                                + "/"
                                + scope
                                + ", SignedHeaders="
                                + names
                                + ", Signature="
                                + signature(keys, scope, toSign)));
        headers.add(new Header("content-length", Integer.toString(content.length)));
        return handle(method, parts[0], query, headers, content);
    }

    /** Posts a form to a URL that is signed for a payload, in the query. */
    public TestResponse presigned(
            Keys keys, String service, String version, Map<String, String> fields, String payload) {
        byte[] form = form(version, fields).getBytes(StandardCharsets.UTF_8);
        String date = date();
        String scope = date.substring(0, 8) + "/us-east-1/" + service + "/aws4_request";
        String query =
                "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential="
                        + encoded(keys.accessKey() + "/" + scope)
                        + "&X-Amz-Date="
                        + date
                        + "&X-Amz-Expires=600&X-Amz-SignedHeaders=host";
        String signed = payload.isEmpty() ? sha256(form) : payload;
        String canonical = "POST\n/\n" + query + "\nhost:localhost\n\nhost\n" + signed;
        String toSign =
                "AWS4-HMAC-SHA256\n"
                        + date
                        + "\n"
                        + scope
                        + "\n"
                        + sha256(canonical.getBytes(StandardCharsets.UTF_8));
        return post(query + "&X-Amz-Signature=" + signature(keys, scope, toSign), form);
    }

    public static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (java.security.GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (java.security.GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }
}
