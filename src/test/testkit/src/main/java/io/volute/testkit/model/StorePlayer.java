package io.volute.testkit.model;

import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.PendingBlob;
import io.volute.testkit.model.StoreOperation.If;
import io.volute.testkit.model.StoreOperation.Which;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.ObjectStore.DeleteOutcome;
import io.volute.versioning.ObjectStore.DeleteResult;
import io.volute.versioning.ObjectStore.DeleteTarget;
import io.volute.versioning.ObjectStore.PartChoice;
import io.volute.versioning.StoreException;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketLock;
import io.volute.versioning.value.BucketLock.DefaultRetention;
import io.volute.versioning.value.BucketLock.Unit;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectLock.Mode;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * Plays operations on one object store and describes each outcome in words. It names versions by
 * ordinal, so the words of two stores are equal exactly when they behaved alike.
 */
final class StorePlayer implements AutoCloseable {
    private static final VersionSelector NEVER_MADE = new VersionSelector.Numbered(1L << 60);

    private record UploadRef(
            String bucket, ObjectKey key, String id, Map<Integer, String> partEtags) {}

    private final StoreUnderTest opener;
    private ObjectStore store;
    private final Map<Long, Integer> ordinals = new HashMap<>();
    private final List<VersionSelector> selectors = new ArrayList<>();
    private final List<UploadRef> uploads = new ArrayList<>();

    StorePlayer(StoreUnderTest opener) throws IOException {
        this.opener = opener;
        this.store = opener.open();
    }

    @Override
    public void close() throws IOException {
        store.close();
    }

    /** Versions made so far. */
    int versions() {
        return selectors.size();
    }

    String play(StoreOperation operation) throws IOException {
        try {
            return perform(operation);
        } catch (StoreException refusal) {
            return "refused: " + refusal.reason();
        }
    }

    private String perform(StoreOperation operation) throws IOException {
        return switch (operation) {
            case StoreOperation.CreateBucket op ->
                    words(
                            store.createBucket(
                                    caller(op.owner()), bucket(op.bucket()), op.locking()));
            case StoreOperation.DeleteBucket op -> {
                store.deleteBucket(caller(), bucket(op.bucket()));
                yield "done";
            }
            case StoreOperation.ListBuckets op ->
                    store.listBuckets(Optional.empty(), op.prefix(), op.after(), op.max()).stream()
                            .map(StorePlayer::words)
                            .collect(Collectors.joining(", "));
            case StoreOperation.SetVersioning op -> {
                store.setVersioning(caller(), bucket(op.bucket()), op.state());
                yield words(store.bucket(bucket(op.bucket())).orElseThrow());
            }
            case StoreOperation.SetObjectLock op -> {
                Optional<DefaultRetention> day =
                        Optional.of(new DefaultRetention(Mode.GOVERNANCE, 1, Unit.DAYS));
                BucketLock lock = op.byDefault() ? new BucketLock(day) : BucketLock.PLAIN;
                store.setObjectLock(caller(), bucket(op.bucket()), lock);
                yield words(store.bucket(bucket(op.bucket())).orElseThrow());
            }
            case StoreOperation.Put op -> put(op);
            case StoreOperation.Head op ->
                    words(
                            store.head(
                                    caller(),
                                    bucket(op.bucket()),
                                    key(op.key()),
                                    selector(op.which())));
            case StoreOperation.Get op -> get(op);
            case StoreOperation.Delete op ->
                    words(
                            store.delete(
                                    caller(),
                                    bucket(op.bucket()),
                                    new DeleteTarget(
                                            key(op.key()),
                                            selector(op.which()),
                                            condition(op.condition()),
                                            op.bypass())));
            case StoreOperation.DeleteAll op -> deleteAll(op);
            case StoreOperation.Copy op -> copy(op);
            case StoreOperation.SetLock op ->
                    words(
                            store.setLock(
                                    caller(),
                                    bucket(op.bucket()),
                                    key(op.key()),
                                    selector(op.which()),
                                    ModelLock.change(op.lock(), op.bypass())));
            case StoreOperation.SetTags op ->
                    words(
                            store.setTags(
                                    caller(),
                                    bucket(op.bucket()),
                                    key(op.key()),
                                    selector(op.which()),
                                    op.seed() == 0 ? Map.of() : Map.of("t", "" + op.seed())));
            case StoreOperation.ListObjects op -> lister().objects(op);
            case StoreOperation.ListVersions op -> lister().versions(op);
            case StoreOperation.CreateUpload op -> createUpload(op);
            case StoreOperation.PutPart op -> putPart(op);
            case StoreOperation.Complete op -> complete(op);
            case StoreOperation.Abort op -> {
                UploadRef upload = upload(op.upload());
                store.abortUpload(caller(), bucket(upload.bucket()), upload.key(), upload.id());
                yield "done";
            }
            case StoreOperation.ListParts op -> {
                UploadRef upload = upload(op.upload());
                yield lister().parts(bucket(upload.bucket()), upload.key(), upload.id(), op.max());
            }
            case StoreOperation.ListUploads op -> lister().uploads(op);
            case StoreOperation.Reopen op -> {
                store.close();
                store = opener.open();
                yield "done";
            }
        };
    }

    private PageLister lister() {
        return new PageLister(store, this);
    }

    private String put(StoreOperation.Put op) throws IOException {
        PendingBlob body = body(op.bucket(), op.size(), op.seed());
        return words(
                made(
                        store.put(
                                caller(),
                                bucket(op.bucket()),
                                key(op.key()),
                                body,
                                Contents.attributes(op.size(), op.seed()),
                                condition(op.condition()))));
    }

    private PendingBlob body(String bucket, int size, int seed) throws IOException {
        try (BlobWriter writer = store.newBody(bucket(bucket), key("any"), OptionalLong.of(size))) {
            writer.write(ByteBuffer.wrap(Contents.bytes(size, seed)));
            return writer.finish();
        }
    }

    private String get(StoreOperation.Get op) throws IOException {
        ObjectReader.OpenObject open =
                store.open(caller(), bucket(op.bucket()), key(op.key()), selector(op.which()));
        try (BlobReader reader = open.reader()) {
            byte[] content = Contents.read(reader);
            List<PartInfo> parts =
                    open.version().parts() == 0
                            ? List.of()
                            : store.parts(caller(), bucket(op.bucket()), open.version());
            return words(open.version())
                    + " content "
                    + content.length
                    + ":"
                    + Arrays.hashCode(content)
                    + " parts "
                    + parts.stream().map(part -> part.bytes() + ":" + part.etag()).toList();
        }
    }

    private String deleteAll(StoreOperation.DeleteAll op) throws IOException {
        List<DeleteTarget> targets =
                op.targets().stream()
                        .map(
                                target ->
                                        new DeleteTarget(
                                                key(target.key()),
                                                selector(target.which()),
                                                WriteCondition.NONE,
                                                op.bypass()))
                        .toList();
        List<String> words = new ArrayList<>();
        for (DeleteOutcome outcome : store.deleteAll(caller(), bucket(op.bucket()), targets)) {
            words.add(
                    switch (outcome) {
                        case DeleteOutcome.Deleted deleted -> words(deleted.result());
                        case DeleteOutcome.Refused refused ->
                                "refused: " + refused.reason().reason();
                    });
        }
        return words.toString();
    }

    private String copy(StoreOperation.Copy op) throws IOException {
        ObjectStore.CopyResult result =
                store.copy(
                        caller(),
                        new ObjectStore.Source(
                                bucket(op.from()), key(op.fromKey()), selector(op.which())),
                        bucket(op.to()),
                        key(op.toKey()),
                        source -> {},
                        ObjectVersion::attributes,
                        condition(op.condition()));
        return words(result.source()) + " -> " + words(made(result.target()));
    }

    private String createUpload(StoreOperation.CreateUpload op) throws IOException {
        ObjectAttributes attributes = Contents.uploadAttributes(op.seed());
        String id =
                store.createUpload(caller(), bucket(op.bucket()), key(op.key()), attributes)
                        .uploadId();
        uploads.add(new UploadRef(op.bucket(), key(op.key()), id, new HashMap<>()));
        return "upload " + uploads.size();
    }

    private UploadRef upload(int ordinal) {
        if (ordinal > uploads.size()) {
            throw new StoreException(StoreException.Reason.NO_SUCH_UPLOAD, "not made");
        }
        return uploads.get(ordinal - 1);
    }

    private String putPart(StoreOperation.PutPart op) throws IOException {
        UploadRef upload = upload(op.upload());
        String etag = Contents.etag(op.size(), op.seed());
        PartInfo part = new PartInfo(op.number(), op.size(), etag, Instant.EPOCH, Optional.empty());
        PendingBlob body = body(upload.bucket(), op.size(), op.seed());
        PartInfo stored =
                store.putPart(
                        caller(), bucket(upload.bucket()), upload.key(), upload.id(), part, body);
        upload.partEtags().put(op.number(), etag);
        return words(stored);
    }

    private String complete(StoreOperation.Complete op) throws IOException {
        UploadRef upload = upload(op.upload());
        List<PartChoice> choices =
                op.numbers().stream()
                        .map(
                                number ->
                                        new PartChoice(
                                                number,
                                                upload.partEtags()
                                                        .getOrDefault(number, Contents.etag(0, -1)),
                                                Optional.empty()))
                        .toList();
        return words(
                made(
                        store.completeUpload(
                                caller(),
                                bucket(upload.bucket()),
                                upload.key(),
                                upload.id(),
                                choices,
                                Contents::completed,
                                condition(op.condition()))));
    }

    // ---- words

    private ObjectVersion made(ObjectVersion version) {
        // A client knows a null version only by that name.
        selectors.add(
                version.nullVersion()
                        ? VersionSelector.NULL
                        : new VersionSelector.Numbered(version.number()));
        ordinals.put(version.number(), selectors.size());
        return version;
    }

    private String words(DeleteResult result) {
        if (result.markerCreated()) {
            result.version().ifPresent(this::made);
        }
        return result.version().map(this::listed).orElse("nothing")
                + (result.markerCreated() ? " marker created" : "")
                + (result.markerRemoved() ? " marker removed" : "");
    }

    private String words(Optional<ObjectVersion> version) {
        return version.map(this::words).orElse("nothing");
    }

    private String words(ObjectVersion version) {
        return listed(version) + words(version.attributes());
    }

    /** Describes a version as in listings and deletes: no headers, metadata and tags. */
    String listed(ObjectVersion version) {
        return "#"
                + ordinals.getOrDefault(version.number(), -1)
                + (version.nullVersion() ? " null" : "")
                + (version.latest() ? " latest" : "")
                + (version.deleteMarker() ? " marker" : "")
                + (" " + version.key().value() + " of " + version.owner())
                + (" " + version.bytes() + " bytes, " + version.parts() + " parts, ")
                + version.attributes().etag();
    }

    private static String words(ObjectAttributes attributes) {
        return " "
                + attributes.headers()
                + attributes.userMetadata()
                + attributes.tags()
                + attributes.checksum()
                + attributes.lock();
    }

    private static String words(BucketInfo info) {
        return info.name().value() + " of " + info.owner() + " " + info.versioning() + info.lock();
    }

    static String words(PartInfo part) {
        return part.number() + ":" + part.bytes() + ":" + part.etag() + part.checksum();
    }

    /** Returns the ordinal of an upload, from 1, or -1 if it is unknown. */
    int uploadOrdinal(String uploadId) {
        for (int i = 0; i < uploads.size(); i++) {
            if (uploads.get(i).id().equals(uploadId)) {
                return i + 1;
            }
        }
        return -1;
    }

    private VersionSelector selector(Which which) {
        return switch (which) {
            case Which.Latest latest -> VersionSelector.LATEST;
            case Which.Null none -> VersionSelector.NULL;
            case Which.Ordinal ordinal ->
                    ordinal.ordinal() <= selectors.size()
                            ? selectors.get(ordinal.ordinal() - 1)
                            : NEVER_MADE;
        };
    }

    private static WriteCondition condition(If condition) {
        return switch (condition) {
            case If.Always always -> WriteCondition.NONE;
            case If.Absent absent -> new WriteCondition.IfAbsent();
            case If.Present present -> new WriteCondition.IfMatch("*");
            case If.Holds holds ->
                    new WriteCondition.IfMatch(Contents.etag(holds.size(), holds.seed()));
        };
    }

    static BucketName bucket(String name) {
        return new BucketName(name);
    }

    static ObjectKey key(String key) {
        return new ObjectKey(key);
    }

    static Caller caller() {
        return caller("owner");
    }

    private static Caller caller(String owner) {
        return new Caller(owner, owner, owner + "/test");
    }
}
