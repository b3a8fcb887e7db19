package io.volute.admin.migrate;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The part of S3 that an import needs, in memory. It fails requests that a test names. */
final class FakeStore implements AutoCloseable {
    private static final String NO_VERSION = "<Error><Code>NoSuchVersion</Code></Error>";

    /** Buckets by name, their keys in order, and versions of each, the oldest first. */
    final Map<String, TreeMap<String, List<Version>>> buckets = new TreeMap<>();

    /** Settings of buckets, by {@code BUCKET?NAME}. */
    final Map<String, String> settings = new TreeMap<>();

    /** Requests so far: method, path and query. */
    final List<String> requests = new ArrayList<>();

    /** True if it returns single parts of objects. */
    boolean hasParts = true;

    private final Map<String, Integer> failing = new HashMap<>();
    private final Map<String, String> errors = new HashMap<>();
    private final Map<String, TreeMap<Integer, byte[]>> uploads = new HashMap<>();
    private final HttpServer http;
    private int ids;

    /**
     * A version.
     *
     * @param parts lengths of the parts; empty for an object that was put at once
     */
    record Version(
            String id,
            boolean isMarker,
            byte[] content,
            String etag,
            String modified,
            Map<String, String> headers,
            List<byte[]> parts) {
        String text() {
            return new String(content, StandardCharsets.UTF_8);
        }
    }

    FakeStore() throws IOException {
        http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.createContext("/", this::handle);
        http.start();
    }

    String endpoint() {
        return "http://127.0.0.1:" + http.getAddress().getPort();
    }

    /** Adds a version as it is. */
    synchronized Version add(String key, String content, Map<String, String> headers) {
        return add("photos", key, content.getBytes(StandardCharsets.UTF_8), headers, List.of());
    }

    synchronized Version add(String key, String content) {
        return add(key, content, Map.of());
    }

    synchronized Version addParts(String key, String... parts) {
        List<byte[]> all = new ArrayList<>();
        for (String part : parts) {
            all.add(part.getBytes(StandardCharsets.UTF_8));
        }
        return add("photos", key, joined(all), Map.of(), all);
    }

    synchronized void addMarker(String key) {
        add("photos", key, null, Map.of(), List.of());
    }

    private Version add(
            String bucket,
            String key,
            byte[] content,
            Map<String, String> headers,
            List<byte[]> parts) {
        boolean isMarker = content == null;
        byte[] bytes = isMarker ? new byte[0] : content;
        String etag = isMarker ? "" : parts.isEmpty() ? hex(md5(bytes)) : etag(parts);
        int number = ++ids;
        Version made =
                new Version(
                        "v" + number,
                        isMarker,
                        bytes,
                        etag,
                        Instant.parse("2026-11-21T10:00:00Z").plusSeconds(number).toString(),
                        Map.copyOf(headers),
                        List.copyOf(parts));
        buckets.computeIfAbsent(bucket, each -> new TreeMap<>())
                .computeIfAbsent(key, each -> new ArrayList<>())
                .add(made);
        return made;
    }

    /** Returns the versions of a key: content, or {@code -} for a delete marker. */
    synchronized List<String> contents(String bucket, String key) {
        return versions(bucket, key).stream()
                .map(each -> each.isMarker() ? "-" : each.text())
                .toList();
    }

    synchronized List<Version> versions(String bucket, String key) {
        return List.copyOf(
                buckets.getOrDefault(bucket, new TreeMap<>()).getOrDefault(key, List.of()));
    }

    /** Answers requests that begin so with an error, so many times. */
    synchronized void fail(String request, int times, int status, String code) {
        failing.put(request, times);
        errors.put(request, status + " " + code);
    }

    /** Returns the requests so far that begin so. */
    synchronized List<String> asked(String begin) {
        return requests.stream().filter(each -> each.startsWith(begin)).toList();
    }

    private static byte[] joined(Iterable<byte[]> parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        parts.forEach(all::writeBytes);
        return all.toByteArray();
    }

    private static String etag(List<byte[]> parts) {
        List<byte[]> hashes = parts.stream().map(FakeStore::md5).toList();
        return hex(md5(joined(hashes))) + "-" + parts.size();
    }

    static byte[] md5(byte[] bytes) {
        try {
            return MessageDigest.getInstance("MD5").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    /** An answer. */
    private record Reply(int status, Map<String, String> headers, byte[] body) {
        static Reply of(int status, String body) {
            return new Reply(status, Map.of(), body.getBytes(StandardCharsets.UTF_8));
        }
    }

    private void handle(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        Reply reply = reply(exchange, body);
        reply.headers().forEach(exchange.getResponseHeaders()::set);
        boolean isHead = exchange.getRequestMethod().equals("HEAD");
        if (isHead) {
            exchange.getResponseHeaders()
                    .set("Content-length", Integer.toString(reply.body().length));
        }
        boolean isEmpty = isHead || reply.body().length == 0;
        exchange.sendResponseHeaders(reply.status(), isEmpty ? -1 : reply.body().length);
        if (!isEmpty) {
            exchange.getResponseBody().write(reply.body());
        }
        exchange.close();
    }

    private synchronized Reply reply(HttpExchange exchange, byte[] body) {
        String method = exchange.getRequestMethod();
        String path = exchange.getRequestURI().getPath();
        String raw = Optional.ofNullable(exchange.getRequestURI().getRawQuery()).orElse("");
        String request = method + " " + path + (raw.isEmpty() ? "" : "?" + raw);
        requests.add(request);
        for (Map.Entry<String, Integer> each : failing.entrySet()) {
            if (request.startsWith(each.getKey()) && each.getValue() > 0) {
                each.setValue(each.getValue() - 1);
                String[] error = errors.get(each.getKey()).split(" ");
                return Reply.of(
                        Integer.parseInt(error[0]),
                        "<Error><Code>" + error[1] + "</Code><Message>told</Message></Error>");
            }
        }
        Map<String, String> query = new TreeMap<>();
        for (String pair : raw.isEmpty() ? new String[0] : raw.split("&")) {
            String[] words = pair.split("=", 2);
            query.put(words[0], URLDecoder.decode(words[1], StandardCharsets.UTF_8));
        }
        Map<String, String> headers = new TreeMap<>();
        exchange.getRequestHeaders()
                .forEach((name, all) -> headers.put(name.toLowerCase(Locale.ROOT), all.getFirst()));
        int slash = path.indexOf('/', 1);
        String bucket = slash < 0 ? path.substring(1) : path.substring(1, slash);
        return slash < 0
                ? ofBucket(method, bucket, query, body)
                : ofObject(method, bucket, path.substring(slash + 1), query, headers, body);
    }

    private Reply ofBucket(String method, String bucket, Map<String, String> query, byte[] body) {
        if (bucket.isEmpty()) {
            StringBuilder all = new StringBuilder("<R><Buckets>");
            buckets.keySet()
                    .forEach(
                            each ->
                                    all.append("<Bucket><Name>")
                                            .append(each)
                                            .append("</Name></Bucket>"));
            return Reply.of(200, all + "</Buckets></R>");
        }
        if (method.equals("PUT")) {
            if (query.isEmpty()) {
                buckets.putIfAbsent(bucket, new TreeMap<>());
            } else {
                settings.put(
                        bucket + "?" + query.keySet().iterator().next(),
                        new String(body, StandardCharsets.UTF_8));
            }
            return Reply.of(200, "");
        }
        if (!buckets.containsKey(bucket)) {
            return Reply.of(404, "<Error><Code>NoSuchBucket</Code></Error>");
        }
        if (query.containsKey("versions")) {
            return Reply.of(200, list(buckets.get(bucket), query.getOrDefault("prefix", "")));
        }
        if (query.isEmpty()) {
            return Reply.of(200, "");
        }
        String setting = settings.get(bucket + "?" + query.keySet().iterator().next());
        return setting == null
                ? Reply.of(404, "<Error><Code>NoSuchConfiguration</Code></Error>")
                : Reply.of(200, setting);
    }

    private static String list(TreeMap<String, List<Version>> keys, String prefix) {
        StringBuilder all = new StringBuilder("<ListVersionsResult>");
        keys.forEach(
                (key, versions) -> {
                    if (key.startsWith(prefix)) {
                        versions.reversed().forEach(each -> all.append(listed(key, each)));
                    }
                });
        return all + "</ListVersionsResult>";
    }

    private static String listed(String key, Version version) {
        String name = version.isMarker() ? "DeleteMarker" : "Version";
        String facts =
                version.isMarker()
                        ? ""
                        : element("Size", Integer.toString(version.content().length))
                                + element("ETag", '"' + version.etag() + '"');
        return element(
                name,
                element("Key", URLEncoder.encode(key, StandardCharsets.UTF_8))
                        + element("VersionId", version.id())
                        + facts
                        + element("LastModified", version.modified()));
    }

    private static String element(String name, String content) {
        return "<" + name + ">" + content + "</" + name + ">";
    }

    private Reply ofObject(
            String method,
            String bucket,
            String key,
            Map<String, String> query,
            Map<String, String> headers,
            byte[] body) {
        String upload = query.getOrDefault("uploadId", "");
        return switch (method) {
            case "PUT" -> {
                String md5 = Base64.getEncoder().encodeToString(md5(body));
                if (!headers.getOrDefault("content-md5", md5).equals(md5)) {
                    yield Reply.of(400, "<Error><Code>BadDigest</Code></Error>");
                }
                if (!upload.isEmpty()) {
                    uploads.get(upload).put(Integer.parseInt(query.get("partNumber")), body);
                    yield new Reply(200, Map.of("ETag", hex(md5(body))), new byte[0]);
                }
                yield made(add(bucket, key, body, stored(headers), List.of()));
            }
            case "POST" -> {
                if (query.containsKey("uploads")) {
                    String id = "u" + ++ids;
                    uploads.put(id, new TreeMap<>());
                    yield Reply.of(200, "<R><UploadId>" + id + "</UploadId></R>");
                }
                List<byte[]> parts = List.copyOf(uploads.remove(upload).values());
                Version made = add(bucket, key, joined(parts), Map.of(), parts);
                yield Reply.of(200, "<R><ETag>\"" + made.etag() + "\"</ETag></R>");
            }
            case "DELETE" -> {
                if (!upload.isEmpty()) {
                    uploads.remove(upload);
                    yield Reply.of(204, "");
                }
                yield made(add(bucket, key, null, Map.of(), List.of()));
            }
            default -> read(bucket, key, query);
        };
    }

    /** Returns the number of uploads that were neither completed nor aborted. */
    synchronized int uploads() {
        return uploads.size();
    }

    private static Map<String, String> stored(Map<String, String> headers) {
        Map<String, String> stored = new TreeMap<>(headers);
        stored.keySet()
                .removeIf(
                        name ->
                                !name.matches("content-type|x-amz-.*|x-volute-source.*")
                                        || name.matches("x-amz-(date|content-sha256)"));
        return stored;
    }

    private static Reply made(Version version) {
        return new Reply(
                200, Map.of("x-amz-version-id", version.id(), "ETag", version.etag()), new byte[0]);
    }

    private Reply read(String bucket, String key, Map<String, String> query) {
        Optional<Version> found =
                versions(bucket, key).stream()
                        .filter(each -> each.id().equals(query.get("versionId")))
                        .findFirst();
        if (found.isEmpty() || query.containsKey("acl")) {
            return Reply.of(404, NO_VERSION);
        }
        Version version = found.get();
        if (query.containsKey("tagging")) {
            return Reply.of(
                    200,
                    "<Tagging><TagSet><Tag><Key>k</Key><Value>a"
                            + " b</Value></Tag></TagSet></Tagging>");
        }
        Map<String, String> headers = new TreeMap<>(version.headers());
        headers.put("ETag", '"' + version.etag() + '"');
        byte[] content = version.content();
        if (query.containsKey("partNumber") && hasParts) {
            headers.put("x-amz-mp-parts-count", Integer.toString(version.parts().size()));
            content = version.parts().get(Integer.parseInt(query.get("partNumber")) - 1);
        }
        return new Reply(200, headers, content);
    }

    @Override
    public void close() {
        http.stop(0);
    }
}
