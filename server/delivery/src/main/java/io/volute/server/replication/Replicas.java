package io.volute.server.replication;

import io.volute.server.auth.policy.Action;
import io.volute.server.config.ReplicationConfig;
import io.volute.server.outbound.Content;
import io.volute.server.outbound.S3Client.Answer;
import io.volute.server.replication.ConfigurerRights.RefusedException;
import io.volute.server.s3.encryption.StoredEncryption;
import io.volute.server.s3.replication.ReplicaLookup;
import io.volute.server.s3.replication.ReplicaTarget;
import io.volute.server.s3.replication.ReplicationMessage;
import io.volute.server.s3.replication.ReplicationRouter;
import io.volute.server.s3.replication.ReplicationRules;
import io.volute.storage.BlobReader;
import io.volute.storage.Transaction;
import io.volute.versioning.Damages;
import io.volute.versioning.StoreException;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/**
 * The replicas of versions at the destinations of their buckets. A replica in this store is read
 * with the rights that the configurer of the replication has now; a target of the settings judges
 * its own credential. A replica may be anything: the receiver verifies its bytes. Thread-safe.
 *
 * @param elsewhere the targets of the settings by name
 */
record Replicas(Sources sources, ConfigurerRights rights, Map<String, Elsewhere> elsewhere)
        implements Damages.Source.OfReplica {

    /** A target of the settings. */
    record Elsewhere(ReplicationConfig.Type type, S3Requests requests) {}

    @Override
    public BlobReader open(Damages.State state) throws IOException {
        if (state.use() == Damages.Use.ROW || state.use() == Damages.Use.UPLOAD_PART) {
            throw new IOException("a replica does not have it: repair it from a backup");
        }
        BucketInfo bucket =
                sources.store()
                        .bucket(new BucketName(state.bucket()))
                        .orElseThrow(() -> new IOException("the bucket is gone"));
        Set<ReplicaTarget> destinations = destinations(bucket, state.key());
        if (destinations.isEmpty()) {
            throw new IOException("no enabled replication rule of the bucket has this key");
        }
        Optional<ObjectVersion> version = version(bucket, state);
        requirePlain(version);
        List<String> refusals = new ArrayList<>();
        for (ReplicaTarget each : destinations) {
            try {
                return open(bucket, state, version, each);
            } catch (RefusedException | StoreException | IOException e) {
                refusals.add(each.target() + ": " + e.getMessage());
            }
        }
        throw new IOException(String.join("; ", refusals));
    }

    private static Set<ReplicaTarget> destinations(BucketInfo bucket, String key) {
        Set<ReplicaTarget> found = new LinkedHashSet<>();
        bucket.document(BucketDocument.REPLICATION)
                .ifPresent(
                        document ->
                                ReplicationRules.ofDocument(document).rules().stream()
                                        .filter(
                                                rule ->
                                                        rule.isEnabled()
                                                                && key.startsWith(rule.prefix()))
                                        .forEach(rule -> found.add(rule.destination())));
        return found;
    }

    /**
     * Returns the damaged version; empty if its attributes are damaged, or only the past has it.
     */
    private Optional<ObjectVersion> version(BucketInfo bucket, Damages.State state) {
        try {
            return sources.store()
                    .head(
                            ReplicationRouter.caller(""),
                            bucket,
                            new ObjectKey(state.key()),
                            new VersionSelector.Numbered(state.number()));
        } catch (IOException | StoreException e) {
            return Optional.empty();
        }
    }

    /** Refuses encrypted content. If unknown here, its length and hash fail later. */
    private static void requirePlain(Optional<ObjectVersion> version) throws IOException {
        Optional<StoredEncryption> encryption =
                version.flatMap(each -> StoredEncryption.of(each.attributes()));
        if (encryption.isPresent()) {
            throw new IOException(
                    encryption.get().mode() == StoredEncryption.Mode.CUSTOMER
                            ? "a version encrypted with a client's key (SSE-C) has no replica:"
                                    + " repair it from a backup"
                            : "a replica is encrypted with a key of its own, which does not give"
                                    + " the bytes that are stored here: repair it from a backup");
        }
    }

    private BlobReader open(
            BucketInfo bucket,
            Damages.State state,
            Optional<ObjectVersion> version,
            ReplicaTarget destination)
            throws IOException, RefusedException {
        ReplicationMessage change =
                new ReplicationMessage(
                        ReplicationMessage.Kind.VERSION,
                        state.number(),
                        OptionalLong.of(bucket.id()),
                        state.bucket(),
                        state.key(),
                        destination.bucket(),
                        "",
                        "");
        ConfigurerRights.Rights configurer = rights.of(change, Optional.empty());
        Optional<String> etag = version.map(each -> each.attributes().etag());
        if (destination.target().equals(ReplicationConfig.LOCAL)) {
            return here(change, state, etag, configurer);
        }
        Elsewhere target = elsewhere.get(destination.target());
        if (target == null) {
            throw new IOException("the settings do not have this target");
        }
        return new Remote(target.requests(), change, find(target, change, state, etag));
    }

    private BlobReader here(
            ReplicationMessage change,
            Damages.State state,
            Optional<String> etag,
            ConfigurerRights.Rights configurer)
            throws IOException, RefusedException {
        VersionedStore store = sources.store();
        BucketName name = new BucketName(change.destination());
        BucketInfo bucket =
                store.bucket(name).orElseThrow(() -> new IOException("no bucket " + name.value()));
        ObjectKey key = new ObjectKey(change.key());
        Caller caller = ReplicationRouter.caller(bucket.owner());
        ObjectVersion replica =
                ReplicaLookup.find(store, caller, bucket, key, sources.origin(change))
                        .orElseThrow(Replicas::missing);
        configurer.require(
                List.of(Action.GET_OBJECT_VERSION),
                bucket,
                change.key(),
                Optional.of(replica.versionId()));
        boolean isSame =
                !replica.deleteMarker()
                        && replica.bytes() == state.bytes()
                        && etag.orElse(replica.attributes().etag())
                                .equals(replica.attributes().etag());
        if (!isSame) {
            throw other();
        }
        if (StoredEncryption.of(replica.attributes()).isPresent()) {
            throw new IOException("the replica is encrypted, the version is not");
        }
        return store.open(caller, bucket, key, new VersionSelector.Numbered(replica.number()))
                .reader();
    }

    private static IOException missing() {
        return new IOException("it has no replica of this version");
    }

    private static IOException other() {
        return new IOException("the object there has another length or ETag");
    }

    /** A version of the replica and its length, as the target shows them. */
    private record Found(Map<String, String> query, Map<String, String> headers, long bytes) {}

    private Found find(
            Elsewhere target, ReplicationMessage change, Damages.State state, Optional<String> etag)
            throws IOException {
        boolean isVolute = target.type() == ReplicationConfig.Type.VOLUTE;
        Map<String, String> selection =
                isVolute ? Map.of(ReplicaLookup.HEADER, sources.origin(change).text()) : Map.of();
        Answer head = target.requests().answer(change, "HEAD", Map.of(), selection, Content.NONE);
        if (head.status() == 404 || head.status() == 405) {
            throw missing();
        }
        if (head.status() != 200) {
            throw new IOException("HEAD answered with " + head.status());
        }
        String tag = head.headers().getOrDefault("etag", "");
        String bytes = head.headers().getOrDefault("content-length", "");
        boolean isSame =
                bytes.equals(Long.toString(state.bytes()))
                        && (etag.isEmpty() || tag.equals('"' + etag.get() + '"'));
        if (!isSame) {
            throw other();
        }
        Optional<String> id = Optional.ofNullable(head.headers().get("x-amz-version-id"));
        return new Found(
                id.map(each -> Map.of("versionId", each)).orElse(Map.of()),
                Map.of("if-match", tag),
                state.bytes());
    }

    /** Reads ranges of an object at a target. Each range is one request. */
    private record Remote(S3Requests requests, ReplicationMessage change, Found found)
            implements BlobReader {
        /** Bytes of one answer, fewer than the most that it may have. */
        private static final int RANGE_BYTES = 128 << 10;

        @Override
        public long bytes() {
            return found.bytes();
        }

        @Override
        public List<Transaction.Part> parts() {
            return List.of();
        }

        @Override
        public int bufferBytes(long offset) {
            return RANGE_BYTES;
        }

        @Override
        public void read(long offset, long endOffset, ByteBuffer target) throws IOException {
            long end = Math.min(endOffset, offset + RANGE_BYTES);
            Map<String, String> headers = new TreeMap<>(found.headers());
            headers.put("range", "bytes=" + offset + "-" + (end - 1));
            Answer answer = requests.answer(change, "GET", found.query(), headers, Content.NONE);
            if (answer.status() / 100 != 2 || answer.body().length != end - offset) {
                throw new IOException(
                        "GET answered with "
                                + answer.status()
                                + " and "
                                + answer.body().length
                                + " bytes");
            }
            target.clear().put(answer.body()).flip();
        }

        @Override
        public void close() {
            // The client stays for other deliveries.
        }
    }
}
