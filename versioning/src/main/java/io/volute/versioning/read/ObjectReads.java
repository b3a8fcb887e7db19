package io.volute.versioning.read;

import io.volute.storage.BlobReader;
import io.volute.storage.RecordStore;
import io.volute.storage.Transaction;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.ObjectReader.OpenObject;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.body.Body;
import io.volute.versioning.body.RecordDetails;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.PartRow;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.state.PastStates.State;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.write.Causality;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Reads of single versions, of the present or the past. They take no locks. When a row or blob
 * vanishes between two lookups because of a concurrent write, the read starts again: even the rows
 * of an unchanged version move between families. Thread-safe.
 */
public final class ObjectReads {
    private final RecordStore cube;
    private final Causality causality;
    private final Finder finder;
    private final DetailCache details;

    /** The lookup of versions, in the present or at some past sequence. */
    interface Finder {
        Optional<State> find(BucketEntry bucket, ObjectKey key, VersionSelector selector);
    }

    /** Creates reads of the past. */
    public ObjectReads(RecordStore cube, Causality causality, Finder finder) {
        this(cube, causality, finder, DetailCache.none());
    }

    private ObjectReads(RecordStore cube, Causality causality, Finder finder, DetailCache details) {
        this.cube = cube;
        this.causality = causality;
        this.finder = finder;
        this.details = details;
    }

    /** Creates reads of the present, which keep attributes in memory. */
    public static ObjectReads ofPresent(RecordStore cube, Causality causality) {
        return new ObjectReads(cube, causality, new PresentVersions(cube), DetailCache.create());
    }

    public Optional<ObjectVersion> head(BucketEntry bucket, ObjectKey key, VersionSelector selector)
            throws IOException {
        for (int attempt = 1; ; attempt++) {
            Optional<State> found = finder.find(bucket, key, selector);
            if (found.isEmpty()) {
                return Optional.empty();
            }
            try {
                return Optional.of(version(bucket, key, found.get(), detail(found.get(), false)));
            } catch (IOException e) {
                retry(attempt, found.get(), e);
            }
        }
    }

    /** Returns the same reads as of a sequence. */
    public ObjectReads asOf(long sequence) {
        return new ObjectReads(cube, causality, new PastVersions(cube, sequence));
    }

    public OpenObject open(
            Caller caller, BucketEntry bucket, ObjectKey key, VersionSelector selector)
            throws IOException {
        Unrecorded opened = openUnrecorded(bucket, key, selector);
        return new OpenObject(
                opened.version(),
                new RecordedReader(
                        opened.reader(), () -> causality.read(caller, bucket, key, opened.row())));
    }

    /** An open version whose reads are no events. The caller closes the reader. */
    public record Unrecorded(ObjectVersion version, ObjectRow row, BlobReader reader) {}

    /** Opens a version as {@link #open} does, for a copy, which records its own event. */
    public Unrecorded openUnrecorded(BucketEntry bucket, ObjectKey key, VersionSelector selector)
            throws IOException {
        for (int attempt = 1; ; attempt++) {
            State found =
                    finder.find(bucket, key, selector).orElseThrow(() -> missing(key, selector));
            if (found.row().deleteMarker()) {
                throw new StoreException(
                        Reason.IS_DELETE_MARKER, "this version is a delete marker");
            }
            try {
                byte[] detail = detail(found, found.row().holdsBody());
                Body body = Body.of(found.row(), found.record().references(), detail);
                return new Unrecorded(
                        version(bucket, key, found, detail), found.row(), body.open(cube));
            } catch (IOException e) {
                retry(attempt, found, e);
            }
        }
    }

    /** Returns the parts of a version; empty when it is not a multipart object. */
    public List<PartInfo> parts(Caller caller, BucketEntry bucket, ObjectVersion version)
            throws IOException {
        if (version.parts() == 0 || version.deleteMarker()) {
            return List.of();
        }
        VersionSelector selector = new VersionSelector.Numbered(version.number());
        try (BlobReader reader = open(caller, bucket, version.key(), selector).reader()) {
            return parts(reader);
        }
    }

    public static List<PartInfo> parts(BlobReader reader) throws IOException {
        return reader.parts().stream()
                .map(Transaction.Part::attributes)
                .map(PartRow::decode)
                .toList();
    }

    public static StoreException missing(ObjectKey key, VersionSelector selector) {
        return switch (selector) {
            case VersionSelector.Latest latest ->
                    new StoreException(Reason.NO_SUCH_KEY, "no key " + key.value());
            case VersionSelector.NullVersion nullVersion ->
                    new StoreException(
                            Reason.NO_SUCH_VERSION, "no null version of key " + key.value());
            case VersionSelector.Numbered numbered ->
                    new StoreException(
                            Reason.NO_SUCH_VERSION, "no such version of key " + key.value());
        };
    }

    /**
     * Returns the detail of a row.
     *
     * @param isWanted whether the caller needs it beyond the attributes
     */
    private byte[] detail(State found, boolean isWanted) throws IOException {
        DetailCache.Source log =
                () -> cube.readDetail(found.family(), found.rowKey(), found.record());
        if (isWanted) {
            return log.read();
        }
        return found.row().needsDetail() ? details.detail(found.record(), log) : new byte[0];
    }

    private static ObjectVersion version(
            BucketEntry bucket, ObjectKey key, State found, byte[] detail) {
        return found.row()
                .version(key, found.latest(), bucket.owner(), detail)
                .writtenLater(found.writtenLater());
    }

    private void retry(int attempt, State found, IOException failure) throws IOException {
        boolean isUnchanged =
                cube.get(found.family(), found.rowKey())
                        .filter(now -> RecordDetails.isSame(now, found.record()))
                        .isPresent();
        if (attempt == RecordDetails.ATTEMPTS_MAX || isUnchanged) {
            throw failure;
        }
    }
}
