package io.volute.versioning;

import io.volute.storage.BlobReader;
import io.volute.versioning.Listing.ObjectPage;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.Listing.PartPage;
import io.volute.versioning.Listing.UploadInfo;
import io.volute.versioning.Listing.UploadPage;
import io.volute.versioning.Listing.UploadQuery;
import io.volute.versioning.Listing.VersionPage;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The buckets, versions and uploads of a store, as they are or as they were at an instant ({@link
 * ObjectStore#asOf}). Thread-safe. Methods block and throw as those of {@link ObjectStore}.
 */
public interface ObjectReader {

    Optional<BucketInfo> bucket(BucketName name);

    /**
     * Returns the name of the cube of a present bucket; empty for the system cube, and in the past.
     */
    default Optional<String> cubeOf(BucketName bucket) {
        return Optional.empty();
    }

    /**
     * Returns the first buckets by name.
     *
     * @param owner owner of the buckets; empty for all
     * @param after exclusive; empty for the beginning
     */
    List<BucketInfo> listBuckets(Optional<String> owner, String prefix, String after, int max);

    /** Returns the selected version, which may be a delete marker; empty when there is none. */
    Optional<ObjectVersion> head(
            Caller caller, BucketRef bucket, ObjectKey key, VersionSelector selector)
            throws IOException;

    /**
     * Returns a version of this store with its last known attributes: the present ones, or those of
     * its newest kept state when S3 clients no longer see it.
     *
     * @param version a version that was found in this store
     */
    default ObjectVersion lastKnown(BucketRef bucket, ObjectVersion version) throws IOException {
        return version;
    }

    /**
     * An object that is open for reading; delete markers cannot be opened.
     *
     * @param reader reads the content; the caller closes it. Its first read is recorded in the
     *     history, because later writes of the caller depend on that content
     */
    record OpenObject(ObjectVersion version, BlobReader reader) {}

    /**
     * Opens the version that {@link #head} returns, and pins its bytes.
     *
     * @throws StoreException NO_SUCH_KEY, NO_SUCH_VERSION or IS_DELETE_MARKER
     */
    OpenObject open(Caller caller, BucketRef bucket, ObjectKey key, VersionSelector selector)
            throws IOException;

    /**
     * Returns the parts of a multipart object in order, with their upload numbers; empty for other
     * objects. For an open object use {@link ObjectStores#partsOf}.
     */
    List<PartInfo> parts(Caller caller, BucketRef bucket, ObjectVersion version) throws IOException;

    ObjectPage listObjects(Caller caller, BucketRef bucket, ObjectQuery query) throws IOException;

    VersionPage listVersions(Caller caller, BucketRef bucket, VersionQuery query)
            throws IOException;

    /**
     * Returns an upload in progress.
     *
     * @throws StoreException NO_SUCH_UPLOAD when the id is unknown or belongs to another key
     */
    UploadInfo upload(Caller caller, BucketRef bucket, ObjectKey key, String uploadId);

    PartPage listParts(
            Caller caller,
            BucketRef bucket,
            ObjectKey key,
            String uploadId,
            OptionalInt afterPart,
            int max)
            throws IOException;

    UploadPage listUploads(Caller caller, BucketRef bucket, UploadQuery query) throws IOException;
}
