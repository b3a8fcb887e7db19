package io.volute.storage;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A set of changes that becomes durable and visible together or not at all. Built by one thread,
 * then passed to {@link RecordStore#commit}. Changes apply in the order in which they were added.
 *
 * <p>The caller serializes writers of the same record key: it holds its own lock from its read to
 * the completion of the commit. The cube maintains the reference counts of blobs.
 */
public final class Transaction {

    /** One change of a transaction. */
    public sealed interface Change {}

    /**
     * A change that adds or replaces a record.
     *
     * @param summary bytes kept in the index as well as in the log; keep it small (budget 160
     *     bytes)
     * @param detail bytes kept in the log only
     * @param references blobs that must live as long as this record; each counts once per record
     * @param isNew whether there is no record with this key
     */
    public record Put(
            Family family,
            byte[] key,
            byte[] summary,
            byte[] detail,
            List<BlobId> references,
            boolean isNew)
            implements Change {
        public Put {
            references = List.copyOf(references);
        }
    }

    /** A change that removes a record. Without such a record it has no effect. */
    public record Delete(Family family, byte[] key) implements Change {}

    /**
     * A change that adds a finished blob to the log. A record of the same transaction must refer to
     * it.
     */
    public record AddBlob(PendingBlob blob) implements Change {}

    /**
     * A change that adds the concatenation of other blobs. Each part's blob lives as long as this
     * one.
     */
    public record Compose(BlobId blob, List<Part> parts) implements Change {
        public Compose {
            parts = List.copyOf(parts);
        }
    }

    /**
     * A part of a composed blob.
     *
     * @param attributes opaque bytes of the layer above, stored beside the part
     */
    public record Part(BlobId blob, long bytes, byte[] attributes) {}

    private final List<Change> changes = new ArrayList<>();
    private final List<byte[]> notes = new ArrayList<>(0);
    private boolean addsNothing = true;
    private boolean makesRoom;
    private long latest = Long.MAX_VALUE;

    /** Adds or replaces a record; see {@link Put}. */
    public Transaction put(
            Family family, byte[] key, byte[] summary, byte[] detail, List<BlobId> references) {
        return adding(new Put(family, key, summary, detail, references, false));
    }

    /**
     * Adds a record whose key is known to have none. The caller has looked and serializes the
     * writers of the key, or the key was never used. The cube then skips its own look.
     */
    public Transaction putNew(
            Family family, byte[] key, byte[] summary, byte[] detail, List<BlobId> references) {
        return adding(new Put(family, key, summary, detail, references, true));
    }

    /** Removes a record; see {@link Delete}. */
    public Transaction delete(Family family, byte[] key) {
        changes.add(new Delete(family, key));
        return this;
    }

    /** Adds a finished blob; see {@link AddBlob}. */
    public Transaction add(PendingBlob blob) {
        return adding(new AddBlob(blob));
    }

    /** Adds a composed blob; see {@link Compose}. */
    public Transaction compose(BlobId blob, List<Part> parts) {
        return adding(new Compose(blob, parts));
    }

    private Transaction adding(Change change) {
        addsNothing = false;
        changes.add(change);
        return this;
    }

    /** Adds a note for the {@link BatchSeal}. A cube without a seal refuses the transaction. */
    public Transaction note(byte[] note) {
        notes.add(note);
        return this;
    }

    /**
     * Marks this transaction as one that deletes, whatever it writes to do so, or as a small one
     * that cannot wait. When the cube is full, it is accepted from a reserve.
     */
    public Transaction makingRoom() {
        makesRoom = true;
        return this;
    }

    /** Returns whether this transaction frees space: it only deletes, or was marked so. */
    public boolean makesRoom() {
        return makesRoom || addsNothing;
    }

    /**
     * Has the commit refused with {@link LateCommitException} if one of its records would get a
     * greater sequence than this. Of several bounds the least counts. So a caller can decide by the
     * time of a commit before that is known.
     */
    public Transaction notAfter(long sequence) {
        latest = Math.min(latest, sequence);
        return this;
    }

    /** Greatest sequence that a record of this may get. */
    public long latest() {
        return latest;
    }

    /** Returns the notes in the order in which they were added, unmodifiable. */
    public List<byte[]> notes() {
        return Collections.unmodifiableList(notes);
    }

    /** Returns the changes in the order in which they were added, unmodifiable. */
    public List<Change> changes() {
        return Collections.unmodifiableList(changes);
    }
}
