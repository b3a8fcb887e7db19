package io.volute.versioning;

import io.volute.storage.Family;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.ObjectStore.OpenObject;
import io.volute.versioning.catalog.Catalog;
import io.volute.versioning.rows.Families;
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
        return new Catalog(options);
    }

    /** The parts of an object held open; empty when it is not a multipart object. */
    public static List<PartInfo> partsOf(OpenObject object) {
        return Catalog.partsOf(object);
    }
}
