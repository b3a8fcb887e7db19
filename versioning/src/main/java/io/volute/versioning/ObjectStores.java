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

/** Opens object stores. */
public final class ObjectStores {
    private ObjectStores() {}

    /** The record families that the cube must be opened with. */
    public static List<Family> families() {
        return Families.all();
    }

    /**
     * Opens the store in a cube, made with {@link #families}. Reads the list of buckets. The store
     * does not own the cube: close the store first, then the cube.
     *
     * @throws IOException when the store's signing keys cannot be used; says what to do
     */
    public static ObjectStore open(StoreOptions options) throws IOException {
        Catalog catalog = new Catalog(options);
        catalog.resume();
        return catalog;
    }

    /** Whether a cube has signing keys or users' keys, which only their master key opens. */
    public static boolean hasSealedKeys(RecordStore cube) {
        return hasRows(cube, Families.SEALED_KEYS) || hasRows(cube, Families.IDENTITIES);
    }

    private static boolean hasRows(RecordStore cube, Family family) {
        try (RecordCursor cursor = cube.scan(family, new byte[0], new byte[0])) {
            return cursor.next();
        }
    }

    /** The history of a store that was opened here. */
    public static History historyOf(ObjectStore store) {
        return catalog(store).history();
    }

    /** The provenance of a store that was opened here, if its options say that it has one. */
    public static Optional<Provenance> provenanceOf(ObjectStore store) {
        return catalog(store).provenance();
    }

    /** The users, keys, groups and policies in a cube, made with {@link #families}. */
    public static Identities identitiesOf(RecordStore cube) {
        return new IdentityRows(cube);
    }

    /** The settings of the buckets of a store that was opened here. */
    public static BucketSettings settingsOf(ObjectStore store) {
        return catalog(store).settings();
    }

    /** Restores of a store that was opened here. */
    public static Restore restoreOf(ObjectStore store) {
        return catalog(store).restore();
    }

    /**
     * Removes what the history of a store that was opened here has kept for long enough; to be
     * called now and then. Returns how many states.
     */
    public static long trimHistory(ObjectStore store) throws IOException {
        return catalog(store).retention().trim();
    }

    /** As {@link #trimHistory}, about so many of the oldest, whatever their age. */
    public static long trimOldestHistory(ObjectStore store, long states) throws IOException {
        return catalog(store).retention().trimOldest(states);
    }

    /** As {@link #trimHistory}, the oldest of about so many bytes, content and rows. */
    public static long trimOldestHistoryBytes(ObjectStore store, long bytes) throws IOException {
        return catalog(store).retention().trimOldestBytes(bytes);
    }

    /**
     * As {@link #trimHistory}, the oldest, whatever their age, until about so many bytes are kept,
     * content and rows. Walks over everything that is kept.
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

    /** The parts of an object held open; empty when it is not a multipart object. */
    public static List<PartInfo> partsOf(OpenObject object) {
        return ObjectReads.parts(object.reader());
    }
}
