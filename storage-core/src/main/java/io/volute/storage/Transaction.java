package io.volute.storage;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A set of changes that becomes durable and visible wholly or not at all. Built by one thread, then
 * given to {@link Cube#commit}. Changes apply in the order in which they were added.
 *
 * <p>The caller serialises writers of the same record key (it holds its own lock from its read to
 * the completion of the commit); the cube keeps blob reference counts right by itself.
 */
public final class Transaction {

    /** One change. */
    public sealed interface Change {}

    /**
     * Adds or replaces a record.
     *
     * @param summary kept in the index as well as in the log: keep it small (budget 160 bytes)
     * @param detail kept in the log only
     * @param references blobs that must live as long as this record; each counts once per record
     * @param isNew there is no record of this key
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

    /** Removes a record; removing one that is not there changes nothing. */
    public record Delete(Family family, byte[] key) implements Change {}

    /** Makes a finished blob part of the log. A record of the same transaction must refer to it. */
    public record AddBlob(PendingBlob blob) implements Change {}

    /**
     * Adds a blob that is the concatenation of others; each part's blob lives as long as this one.
     *
     * @param attributes opaque bytes of the layer above, stored beside each part
     */
    public record Compose(BlobId blob, List<Part> parts) implements Change {
        public Compose {
            parts = List.copyOf(parts);
        }
    }

    /** A part of a composed blob. */
    public record Part(BlobId blob, long bytes, byte[] attributes) {}

    private final List<Change> changes = new ArrayList<>();
    private final List<byte[]> notes = new ArrayList<>(0);
    private boolean addsNothing = true;
    private boolean makesRoom;

    public Transaction put(
            Family family, byte[] key, byte[] summary, byte[] detail, List<BlobId> references) {
        return adding(new Put(family, key, summary, detail, references, false));
    }

    /**
     * Adds a record where there is none, which the caller knows: he has looked since he serialises
     * its writers, or the key is one that nobody was ever given. So the cube does not look.
     */
    public Transaction putNew(
            Family family, byte[] key, byte[] summary, byte[] detail, List<BlobId> references) {
        return adding(new Put(family, key, summary, detail, references, true));
    }

    public Transaction delete(Family family, byte[] key) {
        changes.add(new Delete(family, key));
        return this;
    }

    public Transaction add(PendingBlob blob) {
        return adding(new AddBlob(blob));
    }

    public Transaction compose(BlobId blob, List<Part> parts) {
        return adding(new Compose(blob, parts));
    }

    private Transaction adding(Change change) {
        addsNothing = false;
        changes.add(change);
        return this;
    }

    /** Adds a note for the {@link BatchSeal}; a cube without one refuses it. */
    public Transaction note(byte[] note) {
        notes.add(note);
        return this;
    }

    /**
     * Says that this deletes, whatever it writes to do so, or that it is little and cannot wait: it
     * is accepted when nothing else is, from a reserve.
     */
    public Transaction makingRoom() {
        makesRoom = true;
        return this;
    }

    public boolean makesRoom() {
        return makesRoom || addsNothing;
    }

    public List<byte[]> notes() {
        return Collections.unmodifiableList(notes);
    }

    public List<Change> changes() {
        return Collections.unmodifiableList(changes);
    }
}
