package io.volute.server.s3.request;

import java.util.function.Supplier;

/**
 * The values parsed from the head of one request: the first handler that needs a value parses it,
 * and the others get the same one. All memos are equal, because two equal heads have equal values.
 * Thread-safe: threads that parse at the same time may get values of their own.
 */
final class HeadMemo {
    private record Entry(Class<?> type, Object by, Object value, Entry next) {}

    // Published without a lock: an entry is immutable, and a lost one is parsed again.
    private Entry last;

    /** Returns the value, as {@link HttpHead#parsed}. */
    <T> T get(Class<T> type, Object by, Supplier<T> parser) {
        Entry known = last;
        for (Entry each = known; each != null; each = each.next) {
            if (each.type == type && each.by.equals(by)) {
                return type.cast(each.value);
            }
        }
        T parsed = parser.get();
        last = new Entry(type, by, parsed, last);
        return parsed;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof HeadMemo;
    }

    @Override
    public int hashCode() {
        return 0;
    }
}
