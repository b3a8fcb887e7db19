package io.volute.versioning.catalog;

import io.volute.storage.BlobId;
import io.volute.storage.BlobReader;
import io.volute.storage.Cube;
import io.volute.storage.PendingBlob;
import io.volute.storage.Transaction;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.ObjectStore.CopyResult;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.body.Body;
import io.volute.versioning.body.MovedBlob;
import io.volute.versioning.body.Origin;
import io.volute.versioning.bucket.BucketDirectory;
import io.volute.versioning.catalog.ObjectWrites.CopyTarget;
import io.volute.versioning.move.MoveSide;
import io.volute.versioning.provenance.ProvenanceLog;
import io.volute.versioning.provenance.audit.StoreAudit;
import io.volute.versioning.read.ObjectReads;
import io.volute.versioning.read.PastInstants;
import io.volute.versioning.rows.KeyVersion;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.state.KeyLocks;
import io.volute.versioning.state.LockRules;
import io.volute.versioning.state.ScopedHold;
import io.volute.versioning.value.BucketRef;
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
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Copies from and to another cube. They move bytes, as they are stored, and keep the parts of a
 * multipart object. The target has the causal edge and the claim of a copy within one cube.
 * Thread-safe.
 */
public final class Copies {
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
                        : buckets.require(source.bucket(), source.key());
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
            BucketRef bucket,
            ObjectKey key,
            Consumer<ObjectVersion> sourceCheck,
            Function<ObjectVersion, ObjectAttributes> attributes,
            WriteCondition condition)
            throws IOException {
        sourceCheck.accept(source.version());
        CopyTarget target =
                new CopyTarget(
                        buckets.require(bucket, key), key, version -> {}, attributes, condition);
        ObjectAttributes wanted = attributes.apply(source.version());
        try (MovedBlob moved = new MovedBlob(cube)) {
            moved.take(source.reader());
            return new CopyResult(source.version(), commit(caller, source, target, wanted, moved));
        }
    }

    private ObjectVersion commit(
            Caller caller,
            Opened source,
            CopyTarget target,
            ObjectAttributes attributes,
            MovedBlob moved)
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
                                        add(moved, batch),
                                        version.bytes(),
                                        isSame ? version.parts() : 0,
                                        attributes,
                                        Optional.empty(),
                                        source.origin());
                        return chain.append(content, caller.owner(), now);
                    });
        }
    }

    /** Returns where the moved bytes are, which are added to the commit. */
    private Body add(MovedBlob moved, WriteBatch batch) {
        if (moved.isPlain()) {
            Body body = Body.of(moved.first(), options.limits().recordBodyBytesMax());
            if (body instanceof Body.InRecord) {
                return body;
            }
        }
        return new Body.InBlob(
                moved.addTo(
                        new MovedBlob.Adding() {
                            @Override
                            public void add(PendingBlob blob) {
                                batch.add(blob);
                            }

                            @Override
                            public void compose(BlobId blob, List<Transaction.Part> parts) {
                                batch.compose(blob, parts);
                            }
                        }));
    }

    /** Returns this cube as one that a bucket moves from or to. */
    public MoveSide side() {
        return new MoveSide(
                cube,
                buckets,
                locks,
                batches.causality().events(),
                batches.outbox(),
                batches.provenance(),
                batches.provenance()
                        .filter(ProvenanceLog::isSigning)
                        .map(log -> StoreAudit.of(cube, log, options.clock(), locks::holding)),
                options.clock(),
                instants.watch());
    }
}
