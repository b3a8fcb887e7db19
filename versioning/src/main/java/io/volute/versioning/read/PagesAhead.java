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
 * Makes the next page of a listing of the past while its client reads the one before: to look up
 * what was takes longer than to list what is. Of the past a page that was made a moment ago is as
 * good as one made now, unless something has been taken from the history since. Who asks for a
 * second page is taken to go on. Thread-safe.
 */
public final class PagesAhead implements AutoCloseable {
    /** Some hundred kB each. */
    private static final int PAGES_MAX = 8;

    private static final Duration AGE_MAX = Duration.ofSeconds(10);

    private final LongSupplier removals;
    private final InstantSource clock;
    private final ExecutorService threads =
            Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("page-ahead-", 0).factory());
    private final SequencedMap<Asked, Ahead> pages = new LinkedHashMap<>();
    private boolean closed;

    /**
     * @param removals how often something has been taken from the history
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
     * The page, and begins with the next.
     *
     * @param maker lists; by any thread
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
        // Who fails ahead may succeed now, or fails again and is heard.
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
            // In this order: what is removed while the page is made counts as later.
            long seen = removals.getAsLong();
            pages.put(next, new Ahead(seen, clock.instant(), made(next, maker)));
        }
    }

    private CompletableFuture<ObjectPage> made(
            Asked asked, Function<ObjectQuery, ObjectPage> maker) {
        return CompletableFuture.supplyAsync(() -> maker.apply(asked.query()), threads);
    }

    /** Returns when nothing is made ahead any more. */
    @Override
    public void close() {
        synchronized (pages) {
            closed = true;
        }
        threads.close();
    }
}
