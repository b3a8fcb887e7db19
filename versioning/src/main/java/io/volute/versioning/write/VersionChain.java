package io.volute.versioning.write;

import static io.volute.versioning.rows.Families.CURRENT;
import static io.volute.versioning.rows.Families.VERSIONS;

import io.volute.storage.Family;
import io.volute.versioning.body.Body;
import io.volute.versioning.body.Origin;
import io.volute.versioning.commit.StateChange;
import io.volute.versioning.rows.CausalStamp;
import io.volute.versioning.rows.EncodedRow;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.rows.UploadStamp;
import io.volute.versioning.state.LockRules;
import io.volute.versioning.state.RecordContent;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.ChangeKind;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.ReplicaOrigin;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The versions of one key and S3's rules for changing them (S3 User Guide, "How S3 Versioning
 * works"). The newest state is the row in {@code current}, the others are in {@code versions}. The
 * current row has the number of the null version if that is noncurrent. Not thread-safe. The caller
 * holds the key's lock.
 */
public final class VersionChain {
    private static final ObjectAttributes NO_ATTRIBUTES = ObjectAttributes.ofEtag("");

    private final WriteBatch batch;
    private final BucketInfo bucket;
    private final ObjectKey key;
    private final KeyHistory history;
    private final byte[] currentKey;

    /** The version that the next one is a replica of. */
    private Optional<ReplicaOrigin> origin = Optional.empty();

    public VersionChain(WriteBatch batch, BucketInfo bucket, ObjectKey key) throws IOException {
        this(batch, bucket, key, Optional.empty());
    }

    /**
     * Creates the chain of one key.
     *
     * @param source the state that a new version is copied from
     */
    public VersionChain(
            WriteBatch batch,
            BucketInfo bucket,
            ObjectKey key,
            Optional<CausalityRecorder.Source> source)
            throws IOException {
        this.batch = batch;
        this.bucket = bucket;
        this.key = key;
        this.history = new KeyHistory(batch, bucket, key, batch.writer(bucket, key, source));
        this.currentKey = RowKeys.current(bucket.id(), key);
    }

    /** A version in the chain. */
    public record Link(Family family, byte[] rowKey, RecordContent row, ObjectRow decoded) {
        boolean latest() {
            return family.equals(CURRENT);
        }
    }

    /**
     * The content of a new version.
     *
     * @param upload the upload that it comes from
     * @param origin its origin in the signed history of the key
     */
    public record Content(
            Body body,
            long bytes,
            int parts,
            ObjectAttributes attributes,
            Optional<UploadStamp> upload,
            Origin origin) {
        public Content from(Origin other) {
            return new Content(body, bytes, parts, attributes, upload, other);
        }
    }

    /**
     * Records that a restore made the last change. Call it behind the change.
     *
     * @param origin a sequence at which the restored state, or absence, was the current one
     */
    public void restored(long origin) {
        history.restored(origin);
    }

    Optional<Link> current() {
        return link(CURRENT, currentKey);
    }

    public Optional<Link> find(VersionSelector selector) {
        Optional<Link> current = current();
        if (current.isEmpty()) {
            return current;
        }
        ObjectRow newest = current.get().decoded();
        return switch (selector) {
            case VersionSelector.Latest latest -> current;
            case VersionSelector.NullVersion nullVersion ->
                    newest.nullVersion() ? current : noncurrent(newest.nullBehind());
            case VersionSelector.Numbered numbered ->
                    newest.number() == numbered.number() ? current : noncurrent(numbered.number());
        };
    }

    /** Refuses if the condition does not hold for the current version. */
    public void require(WriteCondition condition) throws IOException {
        if (condition instanceof WriteCondition.IfNoReplica replica) {
            KeyConditions.requireNoReplica(this, bucket, replica.origin());
            origin = Optional.of(replica.origin());
        } else if (!(condition instanceof WriteCondition.None)) {
            KeyConditions.check(condition, current());
        }
    }

    /** Returns the next older version. */
    Optional<Link> behind(Link link) {
        long number = link.decoded().number();
        return batch.first(VERSIONS, versionKey(number - 1), RowKeys.behindPrefix(currentKey))
                .map(
                        each ->
                                new Link(
                                        VERSIONS,
                                        each.key(),
                                        each.row(),
                                        ObjectRow.decode(each.row().summary())));
    }

    /** Adds a new current version. The bucket supplies the default of its lock. */
    public ObjectVersion append(Content content, String owner, Instant now) {
        // A copy of a replica is none.
        ObjectAttributes asked = replica(content.attributes());
        ObjectVersion version =
                new ObjectVersion(
                        key,
                        batch.cube().allocateId(),
                        bucket.versioning() != VersioningState.ENABLED,
                        true,
                        false,
                        now,
                        owner,
                        content.bytes(),
                        content.parts(),
                        asked.with(LockRules.ofNew(bucket, asked.lock(), now)));
        return become(version, Optional.of(content));
    }

    /** Returns attributes that say what the next version is a replica of. */
    private ObjectAttributes replica(ObjectAttributes attributes) {
        return attributes
                .withHeader(ObjectAttributes.REPLICA, origin.map(ReplicaOrigin::text))
                .withHeader(ObjectAttributes.REPLICATION, Optional.empty());
    }

    /** Adds a delete marker as the current version, whether or not the key had a version. */
    public ObjectVersion appendMarker(String owner, Instant now) {
        ObjectVersion marker =
                new ObjectVersion(
                        key,
                        batch.cube().allocateId(),
                        bucket.versioning() != VersioningState.ENABLED,
                        true,
                        true,
                        now,
                        owner,
                        0,
                        0,
                        replica(NO_ATTRIBUTES));
        return become(marker, Optional.empty());
    }

    /**
     * Removes a version. If it is the current one, the next newest takes its place.
     *
     * @param bypassGovernance as in {@link LockRules#requireRemovable}
     */
    public ObjectVersion remove(Link link, Instant now, boolean bypassGovernance) {
        LockRules.requireRemovable(link.decoded().lock(), now, bypassGovernance);
        ObjectRow row = link.decoded();
        ObjectVersion removed =
                batch.changed(
                        new StateChange.Remove(
                                bucket,
                                row.listed(key, link.latest(), bucket.owner()),
                                history.effect(ChangeKind.REMOVE, row.causal(), row.number())));
        if (link.latest()) {
            removeCurrent(link);
        } else {
            history.removes(link);
            batch.delete(VERSIONS, link.rowKey());
            if (link.decoded().nullVersion()) {
                Link current = current().orElseThrow(() -> broken(link));
                batch.put(CURRENT, currentKey, history.stays(current));
            }
        }
        return removed;
    }

    /**
     * Replaces the attributes of a version in place.
     *
     * @param change TAG, LOCK or ACL
     */
    public ObjectVersion rewrite(Link link, ObjectVersion changed, ChangeKind change)
            throws IOException {
        ObjectRow row = link.decoded();
        CausalStamp stamp = link.latest() ? history.replaces(link) : row.causal();
        Body body = body(link);
        ObjectVersion marked =
                batch.changed(
                        new StateChange.Rewrite(
                                change,
                                bucket,
                                changed,
                                history.effect(change, stamp, row.number())));
        EncodedRow encoded =
                ObjectRow.encode(marked, bucket.owner(), row.nullBehind(), stamp, row.upload());
        if (!link.latest()) {
            encoded = history.stillRetired(link, encoded);
        }
        batch.put(link.family(), link.rowKey(), RecordContent.of(encoded, body));
        return marked;
    }

    /** Returns the version with all its attributes. */
    public ObjectVersion version(Link link) throws IOException {
        byte[] detail = link.decoded().needsDetail() ? link.row().detail().read() : new byte[0];
        return link.decoded().version(key, link.latest(), bucket.owner(), detail);
    }

    /** Returns the location of the object's bytes. */
    public Body body(Link link) throws IOException {
        byte[] detail = link.decoded().holdsBody() ? link.row().detail().read() : new byte[0];
        return Body.of(link.decoded(), link.row().references(), detail);
    }

    /** Adds the current version, or a delete marker, which has no content. */
    private ObjectVersion become(ObjectVersion version, Optional<Content> content) {
        Retired retired =
                current()
                        .map(link -> retire(link, version.nullVersion()))
                        .orElseGet(() -> new Retired(0, history.first(version.number())));
        ChangeKind kind = content.isPresent() ? ChangeKind.PUT : ChangeKind.MARK;
        Optional<StateChange.Effect> effect =
                history.effect(kind, retired.stamp(), version.number());
        ObjectVersion marked =
                batch.changed(
                        content.isPresent()
                                ? new StateChange.Put(
                                        bucket, version, content.get().origin(), effect)
                                : new StateChange.Mark(bucket, version, effect));
        EncodedRow row =
                ObjectRow.encode(
                        marked,
                        bucket.owner(),
                        retired.nullBehind(),
                        retired.stamp(),
                        content.flatMap(Content::upload));
        batch.put(
                CURRENT,
                currentKey,
                content.map(each -> RecordContent.of(row, each.body()))
                        .orElseGet(() -> RecordContent.of(row, List.of())));
        return marked;
    }

    /**
     * The state that a new current version takes over from the one before.
     *
     * @param nullBehind number of the null version behind the new one, 0 for none
     */
    private record Retired(long nullBehind, CausalStamp stamp) {}

    /**
     * Moves the current version behind the new one. A null version is replaced if the new one is
     * null, too.
     */
    private Retired retire(Link current, boolean forNullVersion) {
        ObjectRow row = current.decoded();
        if (row.nullVersion() && forNullVersion) {
            return new Retired(0, history.replaces(current));
        }
        batch.putNew(
                VERSIONS,
                versionKey(row.number()),
                current.row().withSummary(history.retired(current)));
        if (!forNullVersion) {
            return new Retired(
                    row.nullVersion() ? row.number() : row.nullBehind(), history.follows(current));
        }
        noncurrent(row.nullBehind())
                .ifPresent(
                        link -> {
                            history.removes(link);
                            batch.delete(VERSIONS, link.rowKey());
                        });
        return new Retired(0, history.follows(current));
    }

    private void removeCurrent(Link current) {
        history.removes(current);
        long number = current.decoded().number();
        // Before versioning was first enabled the key has no noncurrent version. That saves the
        // scan.
        Optional<WriteBatch.Entry> next =
                bucket.versioning() == VersioningState.UNVERSIONED
                        ? Optional.empty()
                        : batch.first(
                                VERSIONS, versionKey(number - 1), RowKeys.behindPrefix(currentKey));
        if (next.isEmpty()) {
            batch.delete(CURRENT, currentKey);
            history.vanishes(current);
            return;
        }
        RecordContent row = next.get().row();
        ObjectRow promoted = ObjectRow.decode(row.summary());
        long nullBehind = current.decoded().nullBehind();
        long remaining = promoted.number() == nullBehind ? 0 : nullBehind;
        batch.delete(VERSIONS, next.get().key());
        CausalStamp stamp = history.returns(next.get(), promoted, current);
        // Its period as the current version begins with the record.
        batch.put(CURRENT, currentKey, row.withSummary(promoted.with(remaining, stamp)));
    }

    private Optional<Link> noncurrent(long number) {
        return number <= 0 ? Optional.empty() : link(VERSIONS, versionKey(number));
    }

    private Optional<Link> link(Family family, byte[] rowKey) {
        return batch.get(family, rowKey)
                .map(row -> new Link(family, rowKey, row, ObjectRow.decode(row.summary())));
    }

    private byte[] versionKey(long number) {
        return RowKeys.version(bucket.id(), key, number);
    }

    private static IllegalStateException broken(Link link) {
        return new IllegalStateException(
                "version " + link.decoded().number() + " has no current row before it");
    }
}
