package io.volute.versioning.rows;

import io.volute.storage.Family;
import java.util.List;

/** The record families of the object store. Ids and key layouts are on disk. */
public final class Families {
    /** Key: bucket name. */
    public static final Family BUCKETS = new Family(1, "buckets");

    /** Key: bucket id, key. The newest state of each key, delete markers included. */
    public static final Family CURRENT = new Family(2, "current");

    /** Key: bucket id, key, complement of the version number. The noncurrent versions. */
    public static final Family VERSIONS = new Family(3, "versions");

    /** Key: bucket id, key, upload number. */
    public static final Family UPLOADS = new Family(4, "uploads");

    /** Key: upload number, part number (2 bytes). */
    public static final Family PARTS = new Family(5, "parts");

    /**
     * Key: bucket id, key, complement of the sequence with which the state began. Overwritten and
     * deleted states that were kept. Listings of the past scan all of them.
     */
    public static final Family HISTORY = new Family(6, "history", true);

    /**
     * Key: bucket name, 0x00, complement of the sequence with which the state began. The past
     * states of buckets; the record's own sequence is their end.
     */
    public static final Family BUCKET_HISTORY = new Family(7, "bucket-history");

    /** Key: an ascending number. The events: reads, writes and kept states. */
    public static final Family EVENTS = new Family(8, "events");

    /** Key: actor id. The identities of the actors in the events. */
    public static final Family ACTORS = new Family(9, "actors");

    /** Key: an ascending number. Restores and their progress. */
    public static final Family RESTORES = new Family(10, "restores");

    /**
     * Key: 0, number of the last row of a run; or 1, that number, a slice (1 byte). The index from
     * a node to the events with edges from it, derived from the events.
     */
    public static final Family EVENT_INDEX = new Family(11, "event-index");

    /**
     * Key: bucket id, key. Keys without a visible version, of which states may be kept. Together
     * with {@link #CURRENT} these are all keys that exist or existed.
     */
    public static final Family REMOVED = new Family(12, "removed");

    /** Key: bucket id, key, sequence in the chain. Entries of provenance. */
    public static final Family ENTRIES = new Family(13, "entries");

    /**
     * Key: sequence of a commit. The batch of all entries after the previous batch, up to that
     * commit.
     */
    public static final Family BATCHES = new Family(14, "batches");

    /** Key: bucket id. Names of the buckets that have chains, in UTF-8, kept permanently. */
    public static final Family CHAIN_BUCKETS = new Family(15, "chain-buckets");

    /** Key: number. Records of the key list, in the detail. */
    public static final Family KEY_LIST = new Family(16, "key-list");

    /** Key: key id (32 bytes). Private keys, sealed, in the detail. */
    public static final Family SEALED_KEYS = new Family(17, "sealed-keys");

    /** Key: number. Checkpoints of all chains, in the detail. */
    public static final Family CHECKPOINTS = new Family(18, "checkpoints");

    /** Key: kind (1 byte), name. Users, keys, groups and policies: JSON in the detail. */
    public static final Family IDENTITIES = new Family(19, "identities");

    /** Key: number. Changes of users, keys, groups and policies: JSON in the detail. */
    public static final Family IDENTITY_CHANGES = new Family(20, "identity-changes");

    /** Key: id of the tree. Trees of auditors for whom entries are encrypted, in the detail. */
    public static final Family AUDITOR_TREES = new Family(21, "auditor-trees");

    /**
     * Key: bucket id, key. The first entry of chains whose beginning was removed. The key 0x00:
     * heads as of commits before that sequence may be gone.
     */
    public static final Family CHAIN_BEGINS = new Family(22, "chain-begins");

    /** Key: as in {@link #BATCHES}. The number of removed entries of a batch. */
    public static final Family BATCH_REMOVALS = new Family(23, "batch-removals");

    /** Key: number. The cubes of the store; in the system cube only. */
    public static final Family CUBES = new Family(24, "cubes");

    /** Key: bucket name. The cubes of buckets outside the system cube; in the system cube only. */
    public static final Family PLACEMENTS = new Family(25, "placements");

    /** Key: consumer in ASCII, 0x00, an ascending number. Messages about changes of keys. */
    public static final Family OUTBOX = new Family(26, "outbox");

    /** Key: bucket name. Moves of buckets to another cube; in the system cube only. */
    public static final Family MOVES = new Family(27, "moves");

    /**
     * Key: bucket id, key. Keys that changed while signatures are off; the summary is the name of
     * the bucket. Their entries replace these rows when signatures go on.
     */
    public static final Family UNSIGNED = new Family(28, "unsigned");

    private Families() {}

    /** Returns all families, for the options of the cube. */
    public static List<Family> all() {
        return List.of(
                BUCKETS,
                CURRENT,
                VERSIONS,
                UPLOADS,
                PARTS,
                HISTORY,
                BUCKET_HISTORY,
                EVENTS,
                ACTORS,
                RESTORES,
                EVENT_INDEX,
                REMOVED,
                ENTRIES,
                BATCHES,
                CHAIN_BUCKETS,
                KEY_LIST,
                SEALED_KEYS,
                CHECKPOINTS,
                IDENTITIES,
                IDENTITY_CHANGES,
                AUDITOR_TREES,
                CHAIN_BEGINS,
                BATCH_REMOVALS,
                CUBES,
                PLACEMENTS,
                OUTBOX,
                MOVES,
                UNSIGNED);
    }
}
