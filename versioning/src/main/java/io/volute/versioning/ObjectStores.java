package io.volute.versioning;

import io.volute.storage.Family;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.ObjectStore.OpenObject;
import io.volute.versioning.catalog.Catalog;
import io.volute.versioning.rows.Families;
import java.io.IOException;
import java.util.List;

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
     */
    public static ObjectStore open(StoreOptions options) {
        Catalog catalog = new Catalog(options);
        catalog.resume();
        return catalog;
    }

    /** The history of a store that was opened here. */
    public static History historyOf(ObjectStore store) {
        return catalog(store).history();
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
        return catalog(store).trimHistory();
    }

    /** As {@link #trimHistory}, about so many of the oldest, whatever their age. */
    public static long trimOldestHistory(ObjectStore store, long states) throws IOException {
        return catalog(store).trimOldestHistory(states);
    }

    /**
     * As {@link #trimHistory}, the oldest, whatever their age, until about so many bytes are kept,
     * content and rows. Walks over everything that is kept.
     */
    public static long trimHistoryTo(ObjectStore store, long bytes) throws IOException {
        return catalog(store).trimHistoryTo(bytes);
    }

    private static Catalog catalog(ObjectStore store) {
        if (store instanceof Catalog catalog) {
            return catalog;
        }
        throw new IllegalArgumentException("the store was not opened by ObjectStores.open");
    }

    /** The parts of an object held open; empty when it is not a multipart object. */
    public static List<PartInfo> partsOf(OpenObject object) {
        return Catalog.partsOf(object);
    }
}
