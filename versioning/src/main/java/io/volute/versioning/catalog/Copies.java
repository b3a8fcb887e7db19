package io.volute.versioning.catalog;

import io.volute.storage.BlobId;
import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.Cube;
import io.volute.storage.PendingBlob;
import io.volute.storage.Transaction;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.ObjectStore.CopyResult;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.body.Body;
import io.volute.versioning.bucket.BucketDirectory;
import io.volute.versioning.catalog.ObjectWrites.CopyTarget;
import io.volute.versioning.provenance.Origin;
import io.volute.versioning.provenance.ProvenanceLog;
import io.volute.versioning.read.ObjectReads;
import io.volute.versioning.read.PastInstants;
import io.volute.versioning.rows.KeyVersion;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.state.KeyLocks;
import io.volute.versioning.state.LockRules;
import io.volute.versioning.state.ScopedHold;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import io.volute.versioning.write.CausalityRecorder;
import io.volute.versioning.write.VersionChain;
import io.volute.versioning.write.WriteBatch;
import io.volute.versioning.write.WriteBatchFactory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Copies from and to another cube. They move bytes, as they are stored, and keep the parts of a
 * multipart object. The target has the causal edge and the claim of a copy within one cube.
 * Thread-safe.
 */
public final class Copies {
    private static final int BUFFER_BYTES = 256 << 10;

    private final StoreOptions options;
    private final Cube cube;
    private final BucketDirectory buckets;
    private final PastInstants instants;
    private final ObjectReads reads;
    private final KeyLocks locks;
    private final WriteBatchFactory batches;

    Copies(
            StoreOptions options,
            BucketDirectory buckets,
            PastInstants instants,
            ObjectReads reads,
            KeyLocks locks,
            WriteBatchFactory batches) {
        this.options = options;
        this.cube = options.cube();
        this.buckets = buckets;
        this.instants = instants;
        this.reads = reads;
        this.locks = locks;
        this.batches = batches;
    }

    /**
     * A version that is open for a copy into another cube.
     *
     * @param causal the version in the causal history; empty when copies of the key create no
     *     dependency
     * @param origin origin of the copy in the signed history
     */
    public record Opened(
            ObjectVersion version,
            BlobReader reader,
            Optional<CausalityRecorder.Source> causal,
            Origin origin)
            implements AutoCloseable {
        @Override
        public void close() {
            reader.close();
        }
    }

    /**
     * Opens the source of a copy in this cube.
     *
     * @throws StoreException as {@link ObjectStore#copy} does
     */
    public Opened open(Caller caller, ObjectStore.Source source) throws IOException {
        boolean isPast = source.at().isPresent();
        long sequence = isPast ? instants.lastAt(source.at().get()) : 0;
        BucketEntry bucket =
                isPast
                        ? buckets.requirePast(source.bucket(), sequence)
                        : buckets.require(source.bucket());
        ObjectReads from = isPast ? reads.asOf(sequence) : reads;
        ObjectReads.Unrecorded found;
        try {
            found = from.openUnrecorded(bucket, source.key(), source.selector());
        } catch (StoreException e) {
            throw e.reason() == Reason.IS_DELETE_MARKER
                            && source.selector() instanceof VersionSelector.Latest
                    ? ObjectReads.missing(source.key(), source.selector())
                    : e;
        }
        boolean opened = false;
        try {
            boolean isIgnored = batches.causality().isIgnored(bucket, source.key());
            KeyVersion object =
                    new KeyVersion(bucket.id(), source.key(), found.row().causalVersion());
            Opened result =
                    new Opened(
                            found.version(),
                            found.reader(),
                            isIgnored
                                    ? Optional.empty()
                                    : Optional.of(
                                            new CausalityRecorder.Source(
                                                    object, found.row().causal())),
                            origin(caller, bucket, found.version()));
            opened = true;
            return result;
        } finally {
            if (!opened) {
                found.reader().close();
            }
        }
    }

    private Origin origin(Caller caller, BucketEntry bucket, ObjectVersion version)
            throws IOException {
        Optional<ProvenanceLog> log = batches.provenance();
        return log.isPresent()
                ? log.get().recorder(caller).copied(bucket.info(), version.key(), version.number())
                : Origin.UNKNOWN;
    }

    /**
     * Adds a version with the content of a version in another cube.
     *
     * @param attributes as for {@link ObjectStore#copy}
     */
    public CopyResult add(
            Caller caller,
            Opened source,
            BucketName bucket,
            ObjectKey key,
            Consumer<ObjectVersion> sourceCheck,
            Function<ObjectVersion, ObjectAttributes> attributes,
            WriteCondition condition)
            throws IOException {
        sourceCheck.accept(source.version());
        CopyTarget target =
                new CopyTarget(buckets.require(bucket), key, version -> {}, attributes, condition);
        ObjectAttributes wanted = attributes.apply(source.version());
        try (Moved moved = new Moved()) {
            moved.take(source.reader());
            return new CopyResult(source.version(), commit(caller, source, target, wanted, moved));
        }
    }

    private ObjectVersion commit(
            Caller caller,
            Opened source,
            CopyTarget target,
            ObjectAttributes attributes,
            Moved moved)
            throws IOException {
        BucketEntry bucket = target.bucket();
        try (ScopedHold shared = bucket.share();
                ScopedHold held = locks.hold(bucket.id(), target.key())) {
            Instant now = options.clock().instant().truncatedTo(ChronoUnit.MILLIS);
            LockRules.requireAskable(bucket.info(), attributes.lock(), now);
            return batches.commit(
                    caller,
                    bucket,
                    batch -> {
                        VersionChain chain =
                                new VersionChain(
                                        batch, bucket.info(), target.key(), source.causal());
                        chain.require(target.condition());
                        ObjectVersion version = source.version();
                        boolean isSame = attributes.etag().equals(version.attributes().etag());
                        VersionChain.Content content =
                                new VersionChain.Content(
                                        moved.addTo(batch),
                                        version.bytes(),
                                        isSame ? version.parts() : 0,
                                        attributes,
                                        Optional.empty(),
                                        source.origin());
                        return chain.append(content, caller.owner(), now);
                    });
        }
    }

    /** The moved bytes: one blob, or one for each part. */
    private final class Moved implements AutoCloseable {
        private final List<PendingBlob> blobs = new ArrayList<>();
        private List<Transaction.Part> parts = List.of();

        void take(BlobReader reader) throws IOException {
            parts = reader.parts();
            if (parts.isEmpty()) {
                blobs.add(move(reader, 0, reader.bytes()));
                return;
            }
            long from = 0;
            for (Transaction.Part part : parts) {
                blobs.add(move(reader, from, from + part.bytes()));
                from += part.bytes();
            }
        }

        private PendingBlob move(BlobReader reader, long from, long to) throws IOException {
            ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
            try (BlobWriter writer = cube.newBlob(OptionalLong.of(to - from))) {
                long place = from;
                while (place < to) {
                    buffer.clear();
                    if (reader.bufferBytes(place) > buffer.capacity()) {
                        buffer = ByteBuffer.allocateDirect(reader.bufferBytes(place));
                    }
                    reader.read(place, to, buffer);
                    place += buffer.remaining();
                    writer.write(buffer);
                }
                return writer.finish();
            }
        }

        /** Adds the blobs to a commit; returns where the body is. */
        Body addTo(WriteBatch batch) {
            if (parts.isEmpty()) {
                Body body = Body.of(blobs.getFirst(), options.limits().recordBodyBytesMax());
                if (body instanceof Body.InBlob) {
                    batch.add(blobs.getFirst());
                }
                return body;
            }
            List<Transaction.Part> own = new ArrayList<>();
            for (int i = 0; i < parts.size(); i++) {
                PendingBlob blob = blobs.get(i);
                batch.add(blob);
                own.add(new Transaction.Part(blob.id(), blob.bytes(), parts.get(i).attributes()));
            }
            BlobId whole = new BlobId(cube.allocateId());
            batch.compose(whole, own);
            return new Body.InBlob(whole);
        }

        @Override
        public void close() {
            blobs.forEach(PendingBlob::close);
        }
    }
}
