package io.volute.versioning.rows;

import io.volute.versioning.History.Direction;
import java.util.OptionalLong;

/**
 * Hashes of graph nodes, the keys of {@code event-index}: FNV-1a over the octets of (kind, number
 * as 8 bytes), for objects (kind, bucket id, version, key), then mixed as MurmurHash3 ends. They
 * are on disk. Kinds: 1 object and 2 actor on the way forward, 3 object and 4 actor on the way
 * back.
 */
public final class NodeHash {
    private static final long FNV_OFFSET = 0xCBF29CE484222325L;
    private static final long FNV_PRIME = 0x100000001B3L;
    private static final int MIX_SHIFT = 33;

    private NodeHash() {}

    public static long object(Direction direction, KeyVersion object) {
        long hash = octet(FNV_OFFSET, direction == Direction.FORWARD ? 1 : 3);
        hash = number(number(hash, object.bucketId()), object.version());
        for (byte each : object.key().utf8()) {
            hash = octet(hash, each);
        }
        return mixed(hash);
    }

    public static long actor(Direction direction, long id) {
        return mixed(number(octet(FNV_OFFSET, direction == Direction.FORWARD ? 2 : 4), id));
    }

    /** Returns the node that the edge of an event begins at; empty when the event is no edge. */
    public static OptionalLong from(Direction direction, Event event) {
        boolean isForward = direction == Direction.FORWARD;
        return switch (event) {
            case Event.Read read ->
                    OptionalLong.of(
                            isForward
                                    ? object(direction, read.object())
                                    : actor(direction, read.actor()));
            case Event.Wrote wrote ->
                    OptionalLong.of(
                            isForward
                                    ? actor(direction, wrote.actor())
                                    : object(direction, wrote.object()));
            case Event.Copied copied ->
                    OptionalLong.of(
                            object(direction, isForward ? copied.source() : copied.object()));
            case Event.Kept kept -> OptionalLong.empty();
            case Event.Restored restored -> OptionalLong.empty();
        };
    }

    private static long number(long hash, long value) {
        long next = hash;
        for (int shift = Long.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
            next = octet(next, (byte) (value >>> shift));
        }
        return next;
    }

    private static long octet(long hash, int value) {
        return (hash ^ value & 0xFF) * FNV_PRIME;
    }

    private static long mixed(long hash) {
        long mixed = (hash ^ hash >>> MIX_SHIFT) * 0xFF51AFD7ED558CCDL;
        mixed = (mixed ^ mixed >>> MIX_SHIFT) * 0xC4CEB9FE1A85EC53L;
        return mixed ^ mixed >>> MIX_SHIFT;
    }
}
