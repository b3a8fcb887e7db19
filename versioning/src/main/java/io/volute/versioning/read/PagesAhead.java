package io.volute.versioning.read;

import io.volute.versioning.Listing.ObjectPage;
import io.volute.versioning.Listing.ObjectQuery;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Makes the next page of a listing of the past while the client reads the one before, because past
 * states take longer to list than present ones. A prepared page stays valid until history is
 * removed. A client that requests a second page is expected to continue. Thread-safe.
 */
public final class PagesAhead implements AutoCloseable {
    /** Prepared pages; each takes some hundred kB. */
    private static final int PAGES_MAX = 8;

    private static final Duration AGE_MAX = Duration.ofSeconds(10);

    private final LongSupplier removals;
    private final InstantSource clock;
    private final ExecutorService threads =
            Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("page-ahead-", 0).factory());
    private final SequencedMap<Asked, Ahead> pages = new LinkedHashMap<>();
    private boolean closed;

    /**
     * Creates an empty cache.
     *
     * @param removals supplies the number of removals from the history so far
     */
    public PagesAhead(LongSupplier removals, InstantSource clock) {
        this.removals = removals;
        this.clock = clock;
    }

    /** A page of a bucket as of a sequence. */
    public record Asked(long bucketId, long sequence, ObjectQuery query) {
        Asked behind(String last) {
            ObjectQuery next =
                    new ObjectQuery(query.prefix(), query.delimiter(), last, query.max());
            return new Asked(bucketId, sequence, next);
        }
    }

    private record Ahead(long removals, Instant begun, CompletableFuture<ObjectPage> page) {}

    /**
     * Returns the page, and starts to make the next one.
     *
     * @param maker makes a page; called in any thread
     */
    public ObjectPage page(Asked asked, Function<ObjectQuery, ObjectPage> maker) {
        ObjectPage page = taken(asked).orElseGet(() -> maker.apply(asked.query()));
        boolean goesOn = !asked.query().after().isEmpty();
        if (goesOn && page.next().isPresent()) {
            begin(asked.behind(page.next().get()), maker);
        }
        return page;
    }

    private Optional<ObjectPage> taken(Asked asked) {
        Ahead ahead;
        synchronized (pages) {
            ahead = pages.remove(asked);
        }
        if (ahead == null || ahead.begun().plus(AGE_MAX).isBefore(clock.instant())) {
            return Optional.empty();
        }
        // After a failure ahead of time the page is made again, and a new failure reaches the
        // caller.
        Optional<ObjectPage> page =
                ahead.page().handle((made, failure) -> Optional.ofNullable(made)).join();
        return page.filter(made -> ahead.removals() == removals.getAsLong());
    }

    private void begin(Asked next, Function<ObjectQuery, ObjectPage> maker) {
        synchronized (pages) {
            if (closed || pages.containsKey(next)) {
                return;
            }
            if (pages.size() == PAGES_MAX) {
                pages.pollFirstEntry();
            }
            // In this order, so that a removal while the page is made counts as later.
            long seen = removals.getAsLong();
            pages.put(next, new Ahead(seen, clock.instant(), made(next, maker)));
        }
    }

    private CompletableFuture<ObjectPage> made(
            Asked asked, Function<ObjectQuery, ObjectPage> maker) {
        return CompletableFuture.supplyAsync(() -> maker.apply(asked.query()), threads);
    }

    /** Closes the cache. Returns when no page is being made any more. */
    @Override
    public void close() {
        synchronized (pages) {
            closed = true;
        }
        threads.close();
    }
}
