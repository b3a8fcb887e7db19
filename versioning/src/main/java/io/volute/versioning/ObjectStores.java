package io.volute.versioning;

import io.volute.storage.Family;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.ObjectStore.OpenObject;
import io.volute.versioning.catalog.Catalog;
import io.volute.versioning.catalog.IdentityRows;
import io.volute.versioning.read.ObjectReads;
import io.volute.versioning.rows.Families;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Opens object stores, and gives access to their parts. Thread-safe. */
public final class ObjectStores {
    private ObjectStores() {}

    /** Returns the record families that the cube must be opened with. */
    public static List<Family> families() {
        return Families.all();
    }

    /**
     * Opens the store in a cube, which was opened with {@link #families}. Reads the list of
     * buckets. The store does not own the cube: close the store first, then the cube.
     *
     * @throws IOException when the store's signing keys cannot be used; the message has the next
     *     step
     */
    public static ObjectStore open(StoreOptions options) throws IOException {
        Catalog catalog = new Catalog(options);
        catalog.resume();
        return catalog;
    }

    /**
     * Returns whether a cube has signing keys or users' keys, which only their master key opens.
     */
    public static boolean hasSealedKeys(RecordStore cube) {
        return hasRows(cube, Families.SEALED_KEYS) || hasRows(cube, Families.IDENTITIES);
    }

    private static boolean hasRows(RecordStore cube, Family family) {
        try (RecordCursor cursor = cube.scan(family, new byte[0], new byte[0])) {
            return cursor.next();
        }
    }

    /** Returns the history of a store that was opened here. */
    public static History historyOf(ObjectStore store) {
        return catalog(store).history();
    }

    /** Returns the provenance of a store that was opened here; empty if its options have none. */
    public static Optional<Provenance> provenanceOf(ObjectStore store) {
        return catalog(store).provenance();
    }

    /**
     * Returns the users, keys, groups and policies in a cube, which was opened with {@link
     * #families}.
     */
    public static Identities identitiesOf(RecordStore cube) {
        return new IdentityRows(cube);
    }

    /** Returns the settings of the buckets of a store that was opened here. */
    public static BucketSettings settingsOf(ObjectStore store) {
        return catalog(store).settings();
    }

    /** Returns the restores of a store that was opened here. */
    public static Restore restoreOf(ObjectStore store) {
        return catalog(store).restore();
    }

    /**
     * Removes expired history of a store that was opened here. Call it regularly.
     *
     * @return the number of states removed
     */
    public static long trimHistory(ObjectStore store) throws IOException {
        return catalog(store).retention().trim();
    }

    /**
     * Removes about this many of the oldest kept states, regardless of their age.
     *
     * @return the number of states removed
     */
    public static long trimOldestHistory(ObjectStore store, long states) throws IOException {
        return catalog(store).retention().trimOldest(states);
    }

    /**
     * Removes the oldest kept states of about this many bytes, content and rows.
     *
     * @return the number of states removed
     */
    public static long trimOldestHistoryBytes(ObjectStore store, long bytes) throws IOException {
        return catalog(store).retention().trimOldestBytes(bytes);
    }

    /**
     * Removes the oldest kept states, regardless of their age, until about this many bytes are
     * kept, content and rows. Scans all kept states.
     *
     * @return the number of states removed
     */
    public static long trimHistoryTo(ObjectStore store, long bytes) throws IOException {
        return catalog(store).retention().trimTo(bytes);
    }

    private static Catalog catalog(ObjectStore store) {
        if (store instanceof Catalog catalog) {
            return catalog;
        }
        throw new IllegalArgumentException("the store was not opened by ObjectStores.open");
    }

    /** Returns the parts of an open object; empty when it is not a multipart object. */
    public static List<PartInfo> partsOf(OpenObject object) {
        return ObjectReads.parts(object.reader());
    }
}
