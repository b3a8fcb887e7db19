package io.volute.versioning.event;

import io.volute.versioning.SharedReads;
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
import java.util.TreeMap;
import java.util.UUID;

/**
 * The versions that clients read, for their later writes in other cubes than the read one, of this
 * process and of other owners. Bounded: of a client the oldest reads are dropped, and of the
 * clients those idle longest. Thread-safe.
 */
public final class ForeignReads implements SharedReads {
    private static final int READS_OF_CLIENT = 1024;
    private static final long MOST_CHARS = 8L << 20;

    /** Heap of a read besides the characters of its key, in characters of two bytes. */
    private static final int READ_CHARS = 120;

    /** Maximum number of runs of other owners whose reads are known. */
    private static final int RUNS_MAX = 256;

    private static final float LOAD = 0.75f;

    private final UUID run;

    /** Clients, those idle longest first. */
    private final LinkedHashMap<ActorKey, Client> clients = new LinkedHashMap<>(16, LOAD, true);

    /** The kept reads that this process recorded itself, by number. */
    private final TreeMap<Long, KeptRead> recorded = new TreeMap<>();

    /** The number of the last added read of each run of another owner; the oldest entry first. */
    private final LinkedHashMap<UUID, Long> added = new LinkedHashMap<>();

    private long last;
    private long chars;
    private long dropped;
    private volatile boolean isShared;

    /**
     * Creates an empty one.
     *
     * @param run identifies this process among all owners of the store, now and later
     */
    ForeignReads(UUID run) {
        this.run = run;
    }

    UUID run() {
        return run;
    }

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

    /**
     * A read with its number among those of the process that recorded it, or that keeps it.
     *
     * @param isOwn whether this process recorded it
     */
    record KeptRead(long number, ActorKey client, Read read, boolean isOwn) {}

    private static final class Client {
        /** The newest read of each version, oldest first. */
        private final LinkedHashMap<KeyVersion, KeptRead> reads = new LinkedHashMap<>();

        /** The number of the last read that each cube has taken, by the number of the cube. */
        private final Map<Integer, Long> taken = new HashMap<>();
    }

    synchronized void add(Caller caller, Read read) {
        keep(key(caller), read, true);
    }

    private void keep(ActorKey key, Read read, boolean isOwn) {
        Client client = clients.computeIfAbsent(key, same -> new Client());
        KeptRead again = client.reads.remove(read.object());
        if (again != null) {
            forget(again);
        }
        last++;
        KeptRead kept = new KeptRead(last, key, read, isOwn);
        client.reads.put(read.object(), kept);
        chars += read.chars();
        if (isOwn) {
            recorded.put(last, kept);
        }
        if (client.reads.size() > READS_OF_CLIENT) {
            drop(client.reads.pollFirstEntry().getValue());
        }
        while (chars > MOST_CHARS) {
            clients.pollFirstEntry().getValue().reads.values().forEach(this::drop);
        }
    }

    private void drop(KeptRead kept) {
        dropped++;
        forget(kept);
    }

    private void forget(KeptRead kept) {
        chars -= kept.read().chars();
        if (kept.isOwn()) {
            recorded.remove(kept.number());
        }
    }

    /**
     * Returns the reads of a client in other cubes since this was called for the cube, oldest
     * first. A read in this cube under its owner before is among them, as only that owner's actor
     * has it.
     */
    synchronized List<Read> take(Caller caller, int cube) {
        Client client = clients.get(key(caller));
        if (client == null) {
            return List.of();
        }
        long from = client.taken.getOrDefault(cube, 0L);
        client.taken.put(cube, last);
        List<Read> reads = new ArrayList<>();
        for (KeptRead each : client.reads.sequencedValues().reversed()) {
            if (each.number() <= from) {
                break;
            }
            if (each.read().cube() != cube || !each.isOwn()) {
                reads.add(each.read());
            }
        }
        return reads.reversed();
    }

    @Override
    public synchronized byte[] since(Position from) {
        long after = from.run().equals(run) ? from.number() : 0;
        return ReadBatchFormat.encode(run, last, recorded.tailMap(after, false).values());
    }

    @Override
    public Progress add(byte[] batch) {
        ReadBatchFormat.Batch decoded = ReadBatchFormat.decode(batch);
        return new Progress(new Position(decoded.run(), add(decoded)), decoded.hasMore());
    }

    /** Adds the reads that are new; returns the number of the last one that is known. */
    private synchronized long add(ReadBatchFormat.Batch batch) {
        Long before = added.remove(batch.run());
        long known = before == null ? 0 : before;
        for (KeptRead each : batch.reads()) {
            if (each.number() > known) {
                keep(each.client(), each.read(), false);
            }
        }
        long next = Math.max(known, batch.last());
        added.put(batch.run(), next);
        if (added.size() > RUNS_MAX) {
            Map.Entry<UUID, Long> unused = added.pollFirstEntry();
        }
        return next;
    }

    @Override
    public void setShared(boolean hasOtherOwners) {
        isShared = hasOtherOwners;
    }

    boolean isShared() {
        return isShared;
    }

    @Override
    public synchronized long dropped() {
        return dropped;
    }

    private static ActorKey key(Caller caller) {
        return new ActorKey(caller.accessKey(), caller.actor().text());
    }
}
