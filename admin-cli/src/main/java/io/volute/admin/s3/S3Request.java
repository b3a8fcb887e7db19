package io.volute.admin.s3;

import io.volute.adminapi.signing.RequestSigner;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * A request to an S3 server. Immutable.
 *
 * @param bucket empty for requests about all buckets
 * @param key empty for requests about a bucket
 * @param query parameters, not encoded
 * @param headers by lower-case name
 */
public record S3Request(
        String method,
        String bucket,
        String key,
        Map<String, String> query,
        Map<String, String> headers,
        S3Body body) {

    /** Creates a request about a bucket. */
    public static S3Request of(String method, String bucket) {
        return of(method, bucket, "");
    }

    /** Creates a request about an object. */
    public static S3Request of(String method, String bucket, String key) {
        return new S3Request(method, bucket, key, Map.of(), Map.of(), S3Body.NOTHING);
    }

    /** Returns the same request with a parameter of the query. */
    public S3Request with(String name, String value) {
        return new S3Request(method, bucket, key, added(query, name, value), headers, body);
    }

    /** Returns the same request with a header. */
    public S3Request header(String name, String value) {
        return new S3Request(method, bucket, key, query, added(headers, name, value), body);
    }

    /** Returns the same request with further headers. */
    public S3Request headers(Map<String, String> more) {
        Map<String, String> all = new TreeMap<>(headers);
        all.putAll(more);
        return new S3Request(method, bucket, key, query, all, body);
    }

    /** Returns the same request with a body. */
    public S3Request body(S3Body other) {
        return new S3Request(method, bucket, key, query, headers, other);
    }

    /** Returns the same request with a text as its body. */
    public S3Request body(String text) {
        return body(S3Body.of(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static Map<String, String> added(Map<String, String> map, String name, String value) {
        Map<String, String> all = new TreeMap<>(map);
        all.put(name, value);
        return all;
    }

    String path() {
        return RequestSigner.path(bucket, key);
    }
}
