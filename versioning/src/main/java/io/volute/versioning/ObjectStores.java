package io.volute.versioning;

import io.volute.storage.Family;
import io.volute.storage.PendingBlob;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.ObjectReader.OpenObject;
import io.volute.versioning.catalog.Catalog;
import io.volute.versioning.catalog.IdentityRows;
import io.volute.versioning.provenance.ContentHash;
import io.volute.versioning.read.ObjectReads;
import io.volute.versioning.rows.Families;
import java.io.IOException;
import java.util.List;

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
    public static VersionedStore open(StoreOptions options) throws IOException {
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

    /**
     * Returns the users, keys, groups and policies in a cube, which was opened with {@link
     * #families}.
     */
    public static Identities identitiesOf(RecordStore cube) {
        return new IdentityRows(cube);
    }

    /**
     * Returns the same finished body for a put, whose content has another length than its bytes.
     *
     * @param contentBytes length that clients see
     */
    public static PendingBlob encoded(PendingBlob body, long contentBytes) {
        return ContentHash.encoded(body, contentBytes);
    }

    /** Returns the parts of an open object; empty when it is not a multipart object. */
    public static List<PartInfo> partsOf(OpenObject object) {
        return ObjectReads.parts(object.reader());
    }
}
