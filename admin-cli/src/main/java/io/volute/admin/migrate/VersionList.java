package io.volute.admin.migrate;

import io.volute.admin.output.AnswerFormat;
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
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The keys of a bucket with all their versions, in order, page by page. The server is not trusted:
 * each page is bounded and must go on behind the last one, so a listing ends when its keys do. Not
 * thread-safe.
 */
final class VersionList {
    private static final int PAGE_ENTRIES = 1000;
    private static final int EMPTY_PAGES_MAX = 1000;

    /** More than half a million versions of usual servers. */
    private static final long KEY_HEAP_BYTES_MAX = 128L << 20;

    private final S3Client client;
    private final String bucket;
    private final String prefix;
    private final Deque<KeyVersions> ready = new ArrayDeque<>();

    /** The key that the last page ended with, whose versions may go on; newest first. */
    private Optional<String> open = Optional.empty();

    private List<StoredVersion> ofOpen = new ArrayList<>();
    private final Set<String> idsOfOpen = new HashSet<>();
    private long heapOfOpen;
    private Optional<String> last = Optional.empty();
    private int emptyPages;
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
                        .with("max-keys", Integer.toString(PAGE_ENTRIES))
                        .with("prefix", prefix);
        if (!keyMarker.isEmpty()) {
            request = request.with("key-marker", keyMarker).with("version-id-marker", idMarker);
        }
        XmlTree page = client.xml(request);
        int entries = 0;
        for (XmlTree each : page.children()) {
            if (each.name().equals("Version") || each.name().equals("DeleteMarker")) {
                entries++;
                check(
                        entries <= PAGE_ENTRIES,
                        "a page has more than " + PAGE_ENTRIES + " versions");
                add(decoded(each.text("Key")), StoredVersion.of(each));
            }
        }
        // A page with entries goes on behind the last one, because each of them does.
        emptyPages = entries == 0 ? emptyPages + 1 : 0;
        check(emptyPages <= EMPTY_PAGES_MAX, EMPTY_PAGES_MAX + " pages in a row are empty");
        keyMarker = decoded(page.text("NextKeyMarker"));
        idMarker = page.text("NextVersionIdMarker");
        isAtEnd = !page.text("IsTruncated").equals("true") || keyMarker.isEmpty();
        if (isAtEnd) {
            close();
        }
    }

    private void add(String key, StoredVersion version) throws IOException {
        check(!key.isEmpty() && key.startsWith(prefix), "a key lacks the prefix");
        if (open.filter(key::equals).isEmpty()) {
            check(
                    last.isEmpty() || KeyVersions.compare(last.get(), key) < 0,
                    "keys are not in order");
            close();
            open = Optional.of(key);
            last = open;
        }
        check(idsOfOpen.add(version.id()), "a version is there twice");
        heapOfOpen += version.heapBytes();
        check(heapOfOpen <= KEY_HEAP_BYTES_MAX, "a key has too many versions");
        ofOpen.add(version);
    }

    private void check(boolean isFine, String what) throws IOException {
        if (!isFine) {
            throw new IOException(
                    "the listing of bucket "
                            + bucket
                            + " cannot be right: "
                            + what
                            + (last.isEmpty()
                                    ? ""
                                    : " after key " + AnswerFormat.visible(last.get()))
                            + ": see whether the server works, and run the same command again");
        }
    }

    private void close() {
        Collections.reverse(ofOpen);
        List<StoredVersion> versions = ofOpen;
        open.ifPresent(key -> ready.add(new KeyVersions(key, versions)));
        ofOpen = new ArrayList<>();
        idsOfOpen.clear();
        heapOfOpen = 0;
        open = Optional.empty();
    }

    /** Decodes a name; servers write a blank as a plus. */
    private static String decoded(String name) throws IOException {
        try {
            return URLDecoder.decode(name, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new IOException("a key in the listing is not encoded as a URL", e);
        }
    }
}
