package io.volute.versioning.provenance;

import io.volute.provenance.chain.ChainBuilder;
import io.volute.provenance.chain.Event;
import io.volute.provenance.chain.PendingEntry;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.Disclosure;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.Field;
import io.volute.provenance.record.Removal;
import io.volute.provenance.record.SignedSettings;
import io.volute.provenance.record.Source;
import io.volute.provenance.secrecy.Place;
import io.volute.provenance.secrecy.SharedTree;
import io.volute.storage.Transaction;
import io.volute.versioning.body.Origin;
import io.volute.versioning.commit.ChangeListener;
import io.volute.versioning.commit.StateChange;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.HiddenFields;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectLock;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionId;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * Records the changes of one commit as entries in the chains of the keys, in that commit. While
 * signatures are off, it marks the changed keys instead. Not thread-safe. The caller holds the
 * locks of the keys.
 */
public final class ProvenanceRecorder implements ChangeListener {
    /** Estimated bytes of an entry: its row, the links of its predecessors, its bucket's name. */
    static final int ENTRY_BYTES = 1024;

    private static final Bytes ACCESS_KEY = Bytes.of("access-key");
    private static final Bytes ACTOR = Bytes.of("actor");
    public static final Bytes ATTRIBUTES = Bytes.of("attributes");
    public static final Bytes DELETED = Bytes.of("deleted");
    public static final Bytes LOCK = Bytes.of("lock");
    public static final Bytes METADATA = Bytes.of("metadata");
    public static final Bytes VERSIONED = Bytes.of("versioned");
    static final Bytes PARTS = Bytes.of("parts");
    private static final Bytes STATES = Bytes.of("states");
    static final Bytes SHREDDED = Bytes.of("shredded");
    private static final Bytes UNTIL = Bytes.of("until");

    /** Detail of the entry of a key that changed while signatures were off. */
    public static final Bytes UNSIGNED = Bytes.of("unsigned");

    private final ProvenanceLog log;
    private final Caller caller;
    private final InstantSource clock;
    private final List<Change> changes = new ArrayList<>(1);
    private final Map<Chain, ChainBuilder> builders = new LinkedHashMap<>(2);
    private final Set<Long> named = new HashSet<>(2);
    private Optional<Runnable> shared = Optional.empty();
    private Optional<Runnable> unused = Optional.empty();
    private Optional<SharedTree> tree = Optional.empty();
    private boolean restores;
    private boolean isShred;
    private long bytes;

    private record Chain(long bucketId, ObjectKey key) {}

    /**
     * A change of a key.
     *
     * @param version number of the version, 0 for none
     * @param content hash of the content, or of the new tags or lock
     */
    private record Change(
            BucketInfo bucket,
            ObjectKey key,
            EventKind kind,
            long version,
            Optional<Hash> content,
            SortedMap<Bytes, Field> details,
            Optional<Source> source) {}

    ProvenanceRecorder(ProvenanceLog log, Caller caller, InstantSource clock) {
        this.log = log;
        this.caller = caller;
        this.clock = clock;
    }

    /** Marks the changes as those of a restore. */
    public ProvenanceRecorder restoring() {
        restores = true;
        return this;
    }

    @Override
    public ObjectVersion changed(StateChange change, ObjectVersion row) {
        switch (change) {
            case StateChange.Put put -> wrote(put.bucket(), put.version(), put.origin());
            case StateChange.Mark mark -> marked(mark.bucket(), mark.version());
            case StateChange.Remove remove -> removed(remove.bucket(), remove.version());
            case StateChange.Rewrite rewrite ->
                    rewrote(
                            rewrite.bucket(),
                            rewrite.version(),
                            switch (rewrite.kind()) {
                                case TAG -> EventKind.TAGS;
                                case ACL -> EventKind.ACL;
                                default -> EventKind.LOCK;
                            });
        }
        return row;
    }

    /** Records a new version. */
    public void wrote(BucketInfo bucket, ObjectVersion version, Origin origin) {
        SortedMap<Bytes, Field> details = metadata(version);
        origin.parts().ifPresent(sizes -> details.put(PARTS, Field.plain(sizes)));
        details.put(ATTRIBUTES, hash(MetadataHash.ofAttributes(version)));
        putVersioned(details, version);
        ObjectLock lock = version.attributes().lock();
        if (!lock.equals(ObjectLock.NONE)) {
            details.put(LOCK, hash(MetadataHash.ofLock(lock)));
        }
        add(
                new Change(
                        bucket,
                        version.key(),
                        origin.kind(),
                        version.number(),
                        origin.content(),
                        details,
                        origin.source()));
    }

    private static void putVersioned(SortedMap<Bytes, Field> details, ObjectVersion version) {
        if (!version.nullVersion()) {
            details.put(VERSIONED, Field.plain(""));
        }
    }

    /** Records a delete marker. */
    public void marked(BucketInfo bucket, ObjectVersion marker) {
        SortedMap<Bytes, Field> details = metadata(marker);
        details.put(ATTRIBUTES, hash(MetadataHash.ofAttributes(marker)));
        details.put(DELETED, Field.plain("marker"));
        putVersioned(details, marker);
        add(about(bucket, marker, EventKind.DELETE, Optional.empty(), details));
    }

    /** Records the removal of a version. */
    public void removed(BucketInfo bucket, ObjectVersion version) {
        boolean isAll = bucket.versioning() == VersioningState.UNVERSIONED;
        SortedMap<Bytes, Field> details = details();
        details.put(DELETED, Field.plain("version"));
        EventKind kind = isAll ? EventKind.DELETE : EventKind.PURGE;
        add(about(bucket, version, kind, Optional.empty(), details));
    }

    /** Records the permanent removal of kept states that clients no longer saw. */
    public void purged(BucketInfo bucket, ObjectKey key, int states, Instant until) {
        SortedMap<Bytes, Field> details = details();
        details.put(STATES, Field.plain(Integer.toString(states)));
        details.put(UNTIL, Field.plain(Long.toString(until.toEpochMilli())));
        add(bucket, key, EventKind.PURGE, details);
    }

    /** Records that erasure secrets of a key were destroyed; of no state if the key moved here. */
    public void shredded(BucketInfo bucket, ObjectKey key, int states, SortedSet<Long> erased) {
        SortedMap<Bytes, Field> details = details();
        details.put(SHREDDED, Field.plain(Integer.toString(states)));
        details.put(ErasedSecrets.DETAIL, ErasedSecrets.field(erased));
        add(bucket, key, EventKind.PURGE, details);
        isShred = true;
    }

    /**
     * Records in the target of a move that a shred of an older program destroyed secrets of the
     * versions recorded before, which its entry does not name.
     */
    public void shreddedUnnamed(BucketInfo bucket, ObjectKey key) {
        SortedMap<Bytes, Field> details = details();
        details.put(SHREDDED, Field.plain("0"));
        add(bucket, key, EventKind.PURGE, details);
        isShred = true;
    }

    /**
     * Records a change of a version in place.
     *
     * @param kind TAGS, ACL or LOCK
     */
    public void rewrote(BucketInfo bucket, ObjectVersion version, EventKind kind) {
        Hash content = MetadataHash.of(kind, version.attributes());
        SortedMap<Bytes, Field> details = kind == EventKind.LOCK ? details() : metadata(version);
        add(about(bucket, version, kind, Optional.of(content), details));
    }

    private SortedMap<Bytes, Field> metadata(ObjectVersion version) {
        SortedMap<Bytes, Field> details = details();
        MetadataHash.of(version.attributes()).ifPresent(hash -> details.put(METADATA, hash(hash)));
        return details;
    }

    /**
     * Records that the store removes the first entries of a chain.
     *
     * @param untilMillis time of the last of them, milliseconds since 1970
     */
    void summarised(BucketInfo bucket, ObjectKey key, Removal removal, long untilMillis) {
        SortedMap<Bytes, Field> details = new TreeMap<>();
        details.put(Removal.DETAIL, new Field(Field.Form.PLAIN, removal.encode()));
        details.put(Removal.UNTIL, Field.plain(Long.toString(untilMillis)));
        add(bucket, key, EventKind.SUMMARY, details);
    }

    /** Records that a key changed while signatures were off. */
    void changedUnsigned(BucketInfo bucket, ObjectKey key) {
        SortedMap<Bytes, Field> details = new TreeMap<>();
        details.put(UNSIGNED, Field.plain("changed"));
        add(bucket, key, EventKind.METADATA, details);
    }

    /** Records settings of provenance that hold from here on. */
    void set(SignedSettings settings) {
        add(StoreSettings.BUCKET, StoreSettings.KEY, EventKind.SETTINGS, settings.details());
    }

    private Change about(
            BucketInfo bucket,
            ObjectVersion version,
            EventKind kind,
            Optional<Hash> content,
            SortedMap<Bytes, Field> details) {
        EventKind recorded = restores ? EventKind.RESTORE : kind;
        return new Change(
                bucket,
                version.key(),
                recorded,
                version.number(),
                content,
                details,
                Optional.empty());
    }

    /** Adds a change that is about no version. */
    private void add(
            BucketInfo bucket, ObjectKey key, EventKind kind, SortedMap<Bytes, Field> details) {
        add(new Change(bucket, key, kind, 0, Optional.empty(), details, Optional.empty()));
    }

    private void add(Change change) {
        changes.add(change);
        if (!log.isSigning()) {
            bytes += ENTRY_BYTES + change.key().utf8().length;
            return;
        }
        Concealment concealment = log.concealment();
        bytes += ENTRY_BYTES + concealment.bytesMax(concealment.fields(change.bucket()));
        bytes += change.key().utf8().length;
        for (Field field : change.details().values()) {
            bytes += field.value().length();
        }
    }

    private SortedMap<Bytes, Field> details() {
        SortedMap<Bytes, Field> details = new TreeMap<>();
        if (!caller.accessKey().isEmpty()) {
            details.put(ACCESS_KEY, Field.plain(caller.accessKey()));
        }
        String actor = caller.actor().text();
        if (!actor.isEmpty()) {
            details.put(ACTOR, Field.plain(actor));
        }
        return details;
    }

    private static Field hash(Hash hash) {
        return new Field(Field.Form.PLAIN, Bytes.of(hash.toArray()));
    }

    @Override
    public long bytes() {
        return bytes;
    }

    /**
     * Returns the origin of a version that is made from another one.
     *
     * @param version number of the other one
     */
    public Origin copied(BucketInfo bucket, ObjectKey key, long version) throws IOException {
        if (!log.isSigning()) {
            return Origin.UNKNOWN;
        }
        Optional<EntryRows.Found> last = log.rows().last(bucket.id(), key);
        Optional<EntryRows.Found> made =
                last.flatMap(end -> log.rows().ofVersion(bucket.id(), key, version, end));
        if (made.isEmpty()) {
            return new Origin(
                    restores ? EventKind.RESTORE : EventKind.WRITE,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty());
        }
        Entry entry = log.rows().read(made.get()).entry();
        EntryRows.Found named = restores ? made.get() : last.get();
        Source source =
                new Source(
                        log.identity(bucket, key).chainId(),
                        named.row().tip(named.sequence(), 0).head());
        return new Origin(
                restores ? EventKind.RESTORE : EventKind.COPY,
                entry.content(),
                Optional.ofNullable(entry.details().get(PARTS)).map(field -> field.value().text()),
                Optional.of(source));
    }

    /**
     * Adds the entries to the commit, with their links as notes to be signed.
     *
     * @throws IOException when the end of a chain cannot be read
     * @throws io.volute.versioning.StoreException BAD_STATEMENT for an invalid signature of the
     *     caller
     */
    @Override
    public void addTo(Transaction transaction) throws IOException {
        if (changes.isEmpty()) {
            return;
        }
        if (!log.isSigning()) {
            changes.forEach(each -> log.mark(transaction, each.bucket(), each.key()));
            return;
        }
        if (caller.statement().isPresent() && changes.size() > 1) {
            throw Statements.bad("the request changes more than one key");
        }
        shared = Optional.of(log.keys().share());
        long now = clock.millis();
        for (Change change : changes) {
            Chain chain = new Chain(change.bucket().id(), change.key());
            ChainBuilder builder = builders.get(chain);
            if (builder == null) {
                name(transaction, change.bucket());
                builder = log.take(change.bucket(), change.key());
                builders.put(chain, builder);
            }
            Event event = event(change, now);
            ChainIdentity identity = builder.identity();
            unused =
                    caller.statement()
                            .map(each -> log.statements().accept(caller, each, identity, event));
            Event concealed = conceal(event, change.bucket(), builder, transaction);
            PendingEntry entry = builder.append(concealed, log.keys().signer().ids());
            EntryRows.put(
                    transaction,
                    change.bucket().id(),
                    change.key(),
                    change.version(),
                    builder,
                    entry);
        }
    }

    private Event conceal(
            Event event, BucketInfo bucket, ChainBuilder builder, Transaction transaction) {
        HiddenFields fields = log.concealment().fields(bucket);
        if (fields.isEmpty()) {
            return event;
        }
        Place place = new Place(builder.identity().chainId(), builder.nextSequence());
        Concealment.Concealed concealed =
                log.concealment().conceal(event, fields, place, log.keys().list());
        concealed.tree().ifPresent(tree -> log.concealment().addTo(transaction, tree));
        tree = concealed.tree().or(() -> tree);
        return concealed.event();
    }

    private void name(Transaction transaction, BucketInfo bucket) {
        if (!log.isNamed(bucket.id()) && named.add(bucket.id())) {
            ProvenanceLog.name(bucket, transaction);
        }
    }

    private Event event(Change change, long now) {
        String id = change.version() == 0 ? "" : VersionId.format(change.version(), false);
        return new Event(
                change.kind(),
                log.lastSequence(),
                now,
                Bytes.of(id),
                change.content(),
                caller.principal().isEmpty() ? Field.ABSENT : Field.plain(caller.principal()),
                change.details(),
                caller.statement(),
                change.source(),
                List.of(),
                Disclosure.NOTHING);
    }

    /** Updates the caches. */
    @Override
    public void committed() {
        if (!log.isSigning()) {
            return;
        }
        unused = Optional.empty();
        log.named(named);
        tree.ifPresent(log.concealment()::committed);
        log.recorded(changes.size());
        builders.values().forEach(log::keep);
        if (isShred) {
            log.shredded();
        }
    }

    /** Releases the lock on the keys, and the caller's signature if it stands in no entry. */
    @Override
    public void release() {
        unused.ifPresent(Runnable::run);
        shared.ifPresent(Runnable::run);
        shared = Optional.empty();
    }
}
