package io.volute.admin.migrate;

import io.volute.admin.s3.S3Client;
import io.volute.admin.s3.S3Request;
import io.volute.admin.s3.XmlTree;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** The keys of a bucket with all their versions, in order, page by page. Not thread-safe. */
final class VersionList {
    private final S3Client client;
    private final String bucket;
    private final String prefix;
    private final Deque<KeyVersions> ready = new ArrayDeque<>();

    /** The key that the last page ended with, whose versions may go on; newest first. */
    private Optional<String> open = Optional.empty();

    private List<StoredVersion> ofOpen = new ArrayList<>();
    private String keyMarker = "";
    private String idMarker = "";
    private boolean isAtEnd;

    VersionList(S3Client client, String bucket, String prefix) {
        this.client = client;
        this.bucket = bucket;
        this.prefix = prefix;
    }

    /** Returns the next key without consuming it; empty at the end. */
    Optional<KeyVersions> peek() throws IOException, InterruptedException {
        while (ready.isEmpty() && !isAtEnd) {
            page();
        }
        return Optional.ofNullable(ready.peek());
    }

    /** Returns the next key; empty at the end. */
    Optional<KeyVersions> next() throws IOException, InterruptedException {
        Optional<KeyVersions> next = peek();
        ready.poll();
        return next;
    }

    /** Skips to a key. Returns its versions if the bucket has it, else none. */
    KeyVersions skipTo(String key) throws IOException, InterruptedException {
        while (peek().filter(each -> KeyVersions.compare(each.key(), key) < 0).isPresent()) {
            ready.poll();
        }
        return peek().filter(each -> each.key().equals(key))
                .orElseGet(() -> new KeyVersions(key, List.of()));
    }

    private void page() throws IOException, InterruptedException {
        S3Request request =
                S3Request.of("GET", bucket)
                        .with("versions", "")
                        .with("encoding-type", "url")
                        .with("prefix", prefix);
        if (!keyMarker.isEmpty()) {
            request = request.with("key-marker", keyMarker).with("version-id-marker", idMarker);
        }
        XmlTree page = client.xml(request);
        for (XmlTree each : page.children()) {
            if (each.name().equals("Version") || each.name().equals("DeleteMarker")) {
                add(decoded(each.text("Key")), StoredVersion.of(each));
            }
        }
        keyMarker = decoded(page.text("NextKeyMarker"));
        idMarker = page.text("NextVersionIdMarker");
        isAtEnd = !page.text("IsTruncated").equals("true") || keyMarker.isEmpty();
        if (isAtEnd) {
            close();
        }
    }

    private void add(String key, StoredVersion version) {
        if (open.filter(key::equals).isEmpty()) {
            close();
            open = Optional.of(key);
        }
        ofOpen.add(version);
    }

    private void close() {
        Collections.reverse(ofOpen);
        List<StoredVersion> versions = ofOpen;
        open.ifPresent(key -> ready.add(new KeyVersions(key, versions)));
        ofOpen = new ArrayList<>();
        open = Optional.empty();
    }

    /** Decodes a name; servers write a blank as a plus. */
    private static String decoded(String name) {
        return URLDecoder.decode(name, StandardCharsets.UTF_8);
    }
}
