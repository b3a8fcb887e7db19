package io.volute.benchmarks.micro;

import io.volute.benchmarks.http.ServerProcess;
import io.volute.benchmarks.http.SignedConnection;
import io.volute.versioning.Listing.ObjectPage;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.ObjectStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;

/** The bucket of {@link OpenStore} as it is listed, page by page. */
interface BucketPages extends AutoCloseable {
    int PAGE_KEYS = 1000;

    /**
     * A page.
     *
     * @param next behind which the next one begins; empty on the last
     */
    record Page(int keys, Optional<String> next) {}

    /**
     * @param at instant as of which it is listed, a whole second; empty: as it is
     * @param after empty: from the beginning
     */
    Page page(Optional<Instant> at, String after) throws IOException;

    @Override
    void close() throws IOException;

    /** Listings in this process. */
    record OfStore(OpenStore opened) implements BucketPages {
        @Override
        public Page page(Optional<Instant> at, String after) throws IOException {
            ObjectStore store = opened.store();
            ObjectPage page =
                    (at.isPresent() ? store.asOf(at.get()) : store)
                            .listObjects(
                                    OpenStore.CALLER,
                                    OpenStore.BUCKET,
                                    new ObjectQuery("", "", after, PAGE_KEYS));
            return new Page(page.objects().size(), page.next());
        }

        @Override
        public void close() throws IOException {
            opened.close();
        }
    }

    /** Listings of a server as a client sees them. */
    record OfServer(ServerProcess server, SignedConnection connection) implements BucketPages {
        private static final DateTimeFormatter ALIAS =
                DateTimeFormatter.ofPattern("uuuuMMdd't'HHmmss'z'", Locale.ROOT)
                        .withZone(ZoneOffset.UTC);
        private static final String KEY = "<Key>";

        static OfServer of(ServerProcess server) {
            return new OfServer(
                    server, new SignedConnection(server.address(), ServerProcess.ACCOUNT));
        }

        @Override
        public Page page(Optional<Instant> at, String after) throws IOException {
            String alias = at.map(instant -> "--at-" + ALIAS.format(instant)).orElse("");
            connection.path().clear().put("/").put(OpenStore.BUCKET.value()).put(alias);
            connection
                    .query()
                    .clear()
                    .put("list-type=2&max-keys=" + PAGE_KEYS + "&start-after=")
                    .put(after.replace("/", "%2F"));
            int status = connection.send("GET", ByteBuffer.allocate(0));
            String text = connection.contentText();
            if (status != 200) {
                throw new IOException("a listing: status " + status + ", " + text);
            }
            int keys = 0;
            int last = 0;
            for (int key = text.indexOf(KEY); key >= 0; key = text.indexOf(KEY, key + 1)) {
                last = key + KEY.length();
                keys++;
            }
            boolean more = text.contains("<IsTruncated>true</IsTruncated>");
            return new Page(
                    keys,
                    more
                            ? Optional.of(text.substring(last, text.indexOf('<', last)))
                            : Optional.empty());
        }

        @Override
        public void close() throws IOException {
            try (server) {
                connection.close();
            }
        }
    }
}
