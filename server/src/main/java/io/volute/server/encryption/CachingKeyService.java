package io.volute.server.encryption;

import io.volute.provenance.format.Bytes;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A key service that remembers decrypted texts for a time, at most {@link #MOST_ENTRIES}. The
 * erasure secrets of their objects still encrypt these texts, so a shred needs no eviction.
 * Thread-safe.
 */
public final class CachingKeyService implements KeyService {
    private static final int MOST_ENTRIES = 10_000;

    private final KeyService service;
    private final long nanosKept;
    private final LongSupplier nanos;
    private final AtomicLong hits = new AtomicLong();

    /** Entries by age, the oldest first. */
    private final Map<Key, Entry> entries = new LinkedHashMap<>();

    private record Key(String name, String ciphertext) {}

    private record Entry(Bytes plain, long end) {}

    /**
     * @param kept time after which an entry is forgotten; zero: at once
     * @param nanos a clock that only goes forward
     */
    public CachingKeyService(KeyService service, Duration kept, LongSupplier nanos) {
        this.service = service;
        this.nanosKept = kept.toNanos();
        this.nanos = nanos;
    }

    @Override
    public SortedSet<String> names() {
        return service.names();
    }

    @Override
    public Encrypted encrypt(String name, Bytes plain) throws KeyServiceException {
        Encrypted encrypted = service.encrypt(name, plain);
        keep(new Key(name, encrypted.ciphertext()), plain);
        return encrypted;
    }

    @Override
    public Bytes decrypt(String name, String ciphertext) throws KeyServiceException {
        Key key = new Key(name, ciphertext);
        Optional<Bytes> known = known(key);
        if (known.isPresent()) {
            hits.incrementAndGet();
            return known.get();
        }
        Bytes plain = service.decrypt(name, ciphertext);
        keep(key, plain);
        return plain;
    }

    private synchronized Optional<Bytes> known(Key key) {
        evict(nanos.getAsLong());
        return Optional.ofNullable(entries.get(key)).map(Entry::plain);
    }

    private synchronized void keep(Key key, Bytes plain) {
        if (nanosKept > 0) {
            long now = nanos.getAsLong();
            evict(now);
            if (entries.size() == MOST_ENTRIES) {
                entries.remove(entries.keySet().iterator().next());
            }
            entries.putIfAbsent(key, new Entry(plain, now + nanosKept));
        }
    }

    private void evict(long now) {
        Iterator<Entry> oldest = entries.values().iterator();
        while (oldest.hasNext() && oldest.next().end - now <= 0) {
            oldest.remove();
        }
    }

    @Override
    public State state() {
        State state = service.state();
        return new State(
                state.address(), state.failure(), state.calls(), state.failures(), hits.get());
    }
}
