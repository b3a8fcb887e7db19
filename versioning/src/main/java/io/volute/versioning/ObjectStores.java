package io.volute.versioning;

import io.volute.storage.BlobReader;
import io.volute.storage.Cube;
import io.volute.storage.Family;
import io.volute.storage.PendingBlob;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.ObjectReader.OpenObject;
import io.volute.versioning.catalog.Catalog;
import io.volute.versioning.catalog.ContentCheck;
import io.volute.versioning.catalog.IdentityRows;
import io.volute.versioning.cubes.CubeRegistry;
import io.volute.versioning.event.Membership;
import io.volute.versioning.provenance.ContentHash;
import io.volute.versioning.read.ObjectReads;
import io.volute.versioning.rows.Families;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;

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
        Catalog catalog = new Catalog(options, Membership.alone());
        catalog.resume();
        return catalog;
    }

    /**
     * Opens the store in a system cube and in the other cubes that its list names. The store does
     * not own the system cube: close the cubes first, then that one.
     *
     * @param system opened with {@link #families}
     * @param options options of the store on a cube
     * @param rule the cube of a new bucket whose creator names none
     * @throws IOException when the store in the system cube cannot be opened; the message has the
     *     next step
     */
    public static StoreCubes openCubes(
            StoreCubes.Files files,
            Cube system,
            Function<Cube, StoreOptions> options,
            StoreCubes.Placement rule)
            throws IOException {
        return CubeRegistry.open(files, system, options, rule);
    }

    /**
     * Opens the store of a node of a cluster, which has no cube before {@link StoreCubes#take}. The
     * node with the system cube creates and deletes buckets. The store does not own the system
     * cube: close the cubes first, then that one.
     *
     * @param system the system cube while this node has it, and else a view of it: the list of
     *     cubes, the placements and the moves
     * @param options options of the store on a cube
     * @param rule the cube of a new bucket whose creator names none
     * @param elsewhere calls the owners of cubes of other nodes
     * @throws IOException when the list of cubes cannot be read
     */
    public static StoreCubes openNode(
            StoreCubes.Files files,
            Cube system,
            Function<Cube, StoreOptions> options,
            StoreCubes.Placement rule,
            StoreCubes.Elsewhere elsewhere)
            throws IOException {
        return CubeRegistry.ofNode(files, system, options, rule, elsewhere);
    }

    /**
     * Opens the store in a system cube that another server owns, and in the other cubes that its
     * list names, for reading. Its reads leave no trace in the history. The store does not own the
     * system cube: close the cubes first, then that one.
     *
     * @param files opens the other cubes, none of which takes commits
     * @param options options of the store on a cube, without provenance
     * @throws IOException when the store in the system cube cannot be opened
     */
    public static StoreCubes readCubes(
            StoreCubes.Files files, Cube system, Function<Cube, StoreOptions> options)
            throws IOException {
        return CubeRegistry.read(files, system, cube -> options.apply(cube).withoutTraces());
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

    /** Returns the contents of a cube, which was opened with {@link #families}. */
    public static Contents contentsOf(RecordStore cube) {
        return new ContentCheck(cube);
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
    public static List<PartInfo> partsOf(OpenObject object) throws IOException {
        return partsOf(object.reader());
    }

    /** Returns the parts of an object by the reader of its bytes. */
    public static List<PartInfo> partsOf(BlobReader reader) throws IOException {
        return ObjectReads.parts(reader);
    }
}
