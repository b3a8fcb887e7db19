package io.volute.server.s3.call;

import io.volute.storage.heap.WeighedCache;
import java.util.function.Function;

/**
 * Keeps documents of buckets parsed, because each request needs them, within a bound in bytes.
 * Thread-safe; a hit takes no lock.
 *
 * @param <T> the parsed form, immutable
 */
public final class ParsedDocuments<T> {
    private static final long CACHE_BYTES = 8 << 20;

    /** Heap bytes of the parsed form for each character of a document, at most. */
    private static final int PARSED_WEIGHT = 6;

    private final Function<String, T> parser;
    private final WeighedCache<String, T> parsed =
            new WeighedCache<>(CACHE_BYTES, ParsedDocuments::heapBytes);

    public ParsedDocuments(Function<String, T> parser) {
        this.parser = parser;
    }

    private static long heapBytes(String document, Object form) {
        return WeighedCache.heapBytes(document) + (long) PARSED_WEIGHT * document.length();
    }

    /** Returns the parsed form of a stored document. */
    public T of(String document) {
        return parsed.get(document, parser::apply);
    }
}
