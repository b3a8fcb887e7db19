package io.volute.server.s3.call;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Keeps documents of buckets parsed, because each request needs them. Thread-safe; a hit takes no
 * lock.
 *
 * @param <T> the parsed form, immutable
 */
public final class ParsedDocuments<T> {
    /** Documents that are kept. */
    private static final int MOST = 256;

    private final Function<String, T> parser;

    /** Begun anew when there are many. */
    private final Map<String, T> parsed = new ConcurrentHashMap<>();

    public ParsedDocuments(Function<String, T> parser) {
        this.parser = parser;
    }

    /** Returns the parsed form of a stored document. */
    public T of(String document) {
        if (parsed.size() >= MOST) {
            parsed.clear();
        }
        return parsed.computeIfAbsent(document, parser);
    }
}
