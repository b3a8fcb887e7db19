package io.volute.benchmarks.micro;

import io.volute.benchmarks.http.KeyPage;
import io.volute.benchmarks.http.ServerProcess;
import io.volute.benchmarks.http.SignedConnection;
import io.volute.versioning.Listing.ObjectPage;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.value.BucketAlias;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;

/** The bucket of {@link OpenStore} as it is listed, page by page. */
interface BucketPages extends AutoCloseable {
    /**
     * @param at instant as of which it is listed, a whole second; empty: as it is
     * @param after empty: from the beginning
     */
    KeyPage page(Optional<Instant> at, String after) throws IOException;

    @Override
    void close() throws IOException;

    /** Listings in this process. */
    record OfStore(OpenStore opened) implements BucketPages {
        @Override
        public KeyPage page(Optional<Instant> at, String after) throws IOException {
            ObjectStore store = opened.store();
            ObjectPage page =
                    (at.isPresent() ? store.asOf(at.get()) : store)
                            .listObjects(
                                    OpenStore.CALLER,
                                    OpenStore.BUCKET,
                                    new ObjectQuery("", "", after, KeyPage.KEYS_MAX));
            return new KeyPage(page.objects().size(), page.next());
        }

        @Override
        public void close() throws IOException {
            opened.close();
        }
    }

    /** Listings of a server as a client sees them. */
    record OfServer(ServerProcess server, SignedConnection connection) implements BucketPages {
        static OfServer of(ServerProcess server) {
            return new OfServer(
                    server, new SignedConnection(server.address(), ServerProcess.ACCOUNT));
        }

        @Override
        public KeyPage page(Optional<Instant> at, String after) throws IOException {
            String bucket = OpenStore.BUCKET.value();
            return KeyPage.list(
                    connection,
                    at.map(instant -> new BucketAlias(bucket, instant).name()).orElse(bucket),
                    after);
        }

        @Override
        public void close() throws IOException {
            try (server) {
                connection.close();
            }
        }
    }
}
