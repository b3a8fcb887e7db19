package io.volute.versioning.event;

import io.volute.versioning.causality.ActorKey;
import io.volute.versioning.rows.CausalStamp;
import io.volute.versioning.rows.KeyVersion;
import io.volute.versioning.value.Caller;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The versions that clients read, for their later writes in other cubes than the read one. Bounded:
 * of a client the oldest reads are dropped, and of the clients those idle longest. Thread-safe.
 */
public final class ForeignReads {
    private static final int READS_OF_CLIENT = 1024;
    private static final long MOST_CHARS = 8L << 20;

    /** Heap of a read besides the characters of its key, in characters of two bytes. */
    private static final int READ_CHARS = 80;

    private static final float LOAD = 0.75f;

    /** Clients, those idle longest first. */
    private final LinkedHashMap<ActorKey, Client> clients = new LinkedHashMap<>(16, LOAD, true);

    private long chars;
    private long dropped;

    /**
     * A read.
     *
     * @param cube number of the cube
     * @param stamp stamp of the state that was read
     */
    public record Read(int cube, KeyVersion object, CausalStamp stamp, Instant at) {
        private long chars() {
            return (long) READ_CHARS + object.key().value().length();
        }
    }

    /** A read with its number among those of its client. */
    private record Numbered(long number, Read read) {}

    private static final class Client {
        /** The newest read of each version, oldest first. */
        private final LinkedHashMap<KeyVersion, Numbered> reads = new LinkedHashMap<>();

        /** The number of the last read that each cube has taken, by the number of the cube. */
        private final Map<Integer, Long> taken = new HashMap<>();

        private long last;
    }

    synchronized void add(Caller caller, Read read) {
        Client client = clients.computeIfAbsent(key(caller), same -> new Client());
        Numbered again = client.reads.remove(read.object());
        if (again == null) {
            chars += read.chars();
        }
        client.last++;
        client.reads.put(read.object(), new Numbered(client.last, read));
        if (client.reads.size() > READS_OF_CLIENT) {
            dropped++;
            chars -= client.reads.pollFirstEntry().getValue().read().chars();
        }
        while (chars > MOST_CHARS) {
            Client eldest = clients.pollFirstEntry().getValue();
            dropped += eldest.reads.size();
            eldest.reads.values().forEach(each -> chars -= each.read().chars());
        }
    }

    synchronized List<Read> take(Caller caller, int cube) {
        Client client = clients.get(key(caller));
        if (client == null) {
            return List.of();
        }
        long from = client.taken.getOrDefault(cube, 0L);
        if (from == client.last) {
            return List.of();
        }
        client.taken.put(cube, client.last);
        List<Read> reads = new ArrayList<>();
        for (Numbered each : client.reads.sequencedValues().reversed()) {
            if (each.number() <= from) {
                break;
            }
            if (each.read().cube() != cube) {
                reads.add(each.read());
            }
        }
        return reads.reversed();
    }

    synchronized long dropped() {
        return dropped;
    }

    private static ActorKey key(Caller caller) {
        return new ActorKey(caller.accessKey(), caller.actor().text());
    }
}
