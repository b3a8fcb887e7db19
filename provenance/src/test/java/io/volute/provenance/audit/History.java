package io.volute.provenance.audit;

import io.volute.provenance.Samples;
import io.volute.provenance.chain.BatchSigner;
import io.volute.provenance.chain.ChainBuilder;
import io.volute.provenance.chain.Event;
import io.volute.provenance.chain.PendingEntry;
import io.volute.provenance.chain.Spiral;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.keys.KeyGrant;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.KeyRole;
import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.Attestation;
import io.volute.provenance.record.BatchRecord;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.Disclosure;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.Field;
import io.volute.provenance.record.Opening;
import io.volute.provenance.record.Removal;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SignedSettings;
import io.volute.provenance.record.Source;
import io.volute.provenance.record.SpiralShape;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/** An honest chain of a store, as long as asked for, all from a seed. */
public final class History {
    public static final SigningKey STORE = Samples.key(SignatureAlgorithm.ED25519, "store");
    public static final SigningKey OLD_STORE = Samples.key(SignatureAlgorithm.ED25519, "old store");
    public static final SigningKey POST_QUANTUM =
            Samples.key(SignatureAlgorithm.ML_DSA_65, "store");
    public static final SigningKey ALICE = Samples.key(SignatureAlgorithm.ED25519, "alice");
    public static final SigningKey BOB = Samples.key(SignatureAlgorithm.ED25519, "bob");
    public static final SigningKey CAROL = Samples.key(SignatureAlgorithm.ED25519, "carol");

    /** The commit at which the old key ended; histories begin behind it. */
    public static final long ROTATED = 1_000;

    /** When all entries were made. */
    public static final long TIME = 1_800_000_000_000L;

    private static final EventKind[] KINDS = {
        EventKind.WRITE, EventKind.WRITE, EventKind.WRITE, EventKind.TAGS, EventKind.DELETE,
        EventKind.METADATA, EventKind.ACL, EventKind.RESTORE, EventKind.COPY, EventKind.PURGE
    };

    public final ChainIdentity identity;
    public final ChainBuilder builder;
    public final List<BatchRecord> batches = new ArrayList<>();
    public final List<EntryRecord> records = new ArrayList<>();
    private final Random random;
    private final BatchSigner signer;
    private long commit = ROTATED;

    public History(String key, SpiralShape shape, long seed, SigningKey... signers) {
        this(Samples.identity(key), shape, seed, signers);
    }

    public History(ChainIdentity of, SpiralShape shape, long seed, SigningKey... signers) {
        identity = of;
        builder = new ChainBuilder(identity, shape);
        random = new Random(seed);
        signer = new BatchSigner(List.of(signers.length == 0 ? new SigningKey[] {STORE} : signers));
    }

    public static SpiralShape shape(SpiralShape.Construction construction) {
        return new SpiralShape(construction, 4);
    }

    private static final KeyList KEYS = makeKeys();

    public static KeyList keys() {
        return KEYS;
    }

    private static KeyList makeKeys() {
        try {
            KeyList list = KeyList.begin(Samples.STORE, List.of(OLD_STORE), 0);
            list = list.with(grant(STORE, KeyRole.STORE, ""), 0, List.of(OLD_STORE, STORE));
            list =
                    list.with(
                            grant(POST_QUANTUM, KeyRole.STORE, ""),
                            0,
                            List.of(OLD_STORE, POST_QUANTUM));
            KeyGrant ended = list.find(OLD_STORE.id()).orElseThrow().until(ROTATED);
            list = list.with(ended, 0, List.of(OLD_STORE, POST_QUANTUM));
            list =
                    list.with(
                            grant(ALICE, KeyRole.PRINCIPAL, "alice"),
                            1,
                            List.of(STORE, POST_QUANTUM));
            list = list.with(grant(BOB, KeyRole.PRINCIPAL, "bob"), 1, List.of(STORE, POST_QUANTUM));
            return list.with(
                    grant(CAROL, KeyRole.PRINCIPAL, "carol"), 1, List.of(STORE, POST_QUANTUM));
        } catch (RefusedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static KeyGrant grant(SigningKey key, KeyRole role, String owner) {
        return new KeyGrant(key.publicKey(), role, owner, 0, KeyGrant.OPEN);
    }

    /** Adds entries in batches of 1 to 8, among entries of other chains. */
    public History grow(int entries) {
        int left = entries;
        while (left > 0) {
            commit += 1 + random.nextInt(3);
            int ours = Math.min(left, 1 + random.nextInt(4));
            List<PendingEntry> batch = new ArrayList<>();
            ChainBuilder other =
                    new ChainBuilder(Samples.identity("other-" + left), shapeOfOthers());
            for (int i = random.nextInt(5); i > 0; i--) {
                batch.add(append(other, event(), signer));
            }
            int from = batch.size();
            for (int i = 0; i < ours; i++) {
                batch.add(append(builder, event(), signer));
            }
            BatchSigner.Signed signed = signer.sign(batch);
            batches.add(signed.batch());
            records.addAll(signed.records().subList(from, batch.size()));
            left -= ours;
        }
        return this;
    }

    private static PendingEntry append(ChainBuilder chain, Event event, BatchSigner by) {
        try {
            return chain.append(event, by.ids());
        } catch (IOException e) {
            throw new UncheckedIOException("everything is in memory", e);
        }
    }

    private static SpiralShape shapeOfOthers() {
        return new SpiralShape(SpiralShape.Construction.ONE_LINK, 2);
    }

    /** One entry in a batch of its own, signed with these keys. */
    public EntryRecord add(Event event, SigningKey... keys) {
        BatchSigner own = new BatchSigner(List.of(keys));
        BatchSigner.Signed signed = own.sign(List.of(append(builder, event, own)));
        batches.add(signed.batch());
        records.addAll(signed.records());
        return signed.records().getFirst();
    }

    /** Returns the link of an entry that its batch signature covers. */
    public static Hash link(EntryRecord record) {
        SpiralShape shape = record.entry().placement().shape();
        return Spiral.signedLink(shape, Entry.hash(record.encoded()), record.links());
    }

    /** Returns the removal of all entries up to a sequence, as a summary records it. */
    public Removal removal(int through) {
        EntryRecord last = records.get(through);
        SpiralShape shape = last.entry().placement().shape();
        boolean isOne = shape.construction() == SpiralShape.Construction.ONE_LINK;
        TreeMap<EventKind, Removal.Last> ofKind = new TreeMap<>();
        for (EntryRecord each : records.subList(0, through + 1)) {
            Hash link = isOne ? link(each) : each.links().get(shape.kindDimension());
            ofKind.put(each.entry().kind(), new Removal.Last(each.entry().sequence(), link));
        }
        return new Removal(through, isOne ? List.of(link(last)) : last.links(), ofKind);
    }

    /** Adds a summary as stores wrote it before rules 3. */
    public EntryRecord summarise(Removal removal, SigningKey key) {
        return summarise(removal, "", Optional.empty(), key);
    }

    /** Adds a summary. */
    public EntryRecord summarise(
            Removal removal, String principal, Optional<String> until, SigningKey key) {
        TreeMap<Bytes, Field> details = new TreeMap<>();
        details.put(Removal.DETAIL, new Field(Field.Form.PLAIN, removal.encode()));
        until.ifPresent(each -> details.put(Removal.UNTIL, Field.plain(each)));
        Event event =
                Event.of(EventKind.SUMMARY, commit, TIME, Bytes.EMPTY, Optional.empty(), principal);
        Field name = principal.isEmpty() ? Field.ABSENT : event.principal();
        return add(event.with(name, details, List.of(), Disclosure.NOTHING), key);
    }

    /** Later entries claim this commit, or those behind it. */
    public History at(long sequence) {
        commit = sequence;
        return this;
    }

    /** Adds settings to a store's own chain, which hold behind a commit. */
    public History set(SignedSettings settings, long behind) {
        commit = behind;
        Event event = Event.of(EventKind.SETTINGS, commit, TIME, Bytes.EMPTY, Optional.empty(), "");
        EntryRecord unused =
                add(
                        event.with(Field.ABSENT, settings.details(), List.of(), Disclosure.NOTHING),
                        STORE);
        return this;
    }

    /** Settings of a store; nothing else in them matters to audits. */
    public static SignedSettings settings(int rules, long retentionMillis) {
        return new SignedSettings(
                rules,
                Set.of(SignatureAlgorithm.ED25519),
                shapeOfOthers(),
                retentionMillis,
                Set.of(),
                Set.of(),
                1,
                SignedSettings.Before.ANYTHING,
                Optional.empty());
    }

    /** Takes the first entries out as a store does. */
    public History cut(int through) {
        EntryRecord summary = summarise(removal(through), STORE);
        records.subList(0, through + 1).clear();
        assert records.contains(summary);
        return this;
    }

    public Event event() {
        return event(KINDS[random.nextInt(KINDS.length)]);
    }

    public Event event(EventKind kind) {
        Optional<Hash> content =
                kind == EventKind.DELETE || kind == EventKind.PURGE
                        ? Optional.empty()
                        : Optional.of(Samples.hash(random));
        Bytes version = Samples.bytes(random, 8);
        Event event = Event.of(kind, commit, TIME, version, content, "alice");
        if (random.nextInt(3) == 0) {
            event = attested(event, ALICE, Samples.bytes(random, 16));
        }
        if (random.nextInt(4) == 0) {
            Opening opening = new Opening(Samples.bytes(random, 32), Bytes.of("moved by request"));
            TreeMap<Bytes, Field> details = new TreeMap<>();
            details.put(Bytes.of("reason"), opening.field());
            details.put(Bytes.of("request"), Field.plain("r-" + random.nextInt(1000)));
            TreeMap<Integer, Opening> openings = new TreeMap<>();
            openings.put(1, opening);
            TreeMap<Integer, Bytes> slots = new TreeMap<>();
            Bytes slot = Samples.bytes(random, 40);
            slots.put(0, slot);
            event =
                    event.with(
                            event.principal(),
                            details,
                            List.of(Domain.SLOT.hash(slot)),
                            new Disclosure(openings, slots));
        }
        if (kind == EventKind.COPY) {
            ChainHead head = new ChainHead(random.nextInt(50), Samples.hash(random));
            event = event.from(new Source(Samples.hash(random), head));
        }
        return event;
    }

    public Event attested(Event event, SigningKey by, Bytes nonce) {
        long time = event.timeMillis() - 40;
        Bytes statement =
                Attestation.statement(
                        identity, event.kind(), event.content(), by.id(), time, nonce);
        return event.with(
                new Attestation(
                        Attestation.By.CLIENT,
                        by.id(),
                        time,
                        nonce,
                        by.sign(Domain.STATEMENT_SIGNATURE, statement)));
    }

    public long commit() {
        return commit;
    }

    public ChainHead head() {
        return builder.head().orElseThrow();
    }

    public AuditReport audit(AuditTerms terms) {
        return audit(terms, records);
    }

    /** An audit of these records instead; all batches are known. */
    public AuditReport audit(AuditTerms terms, List<EntryRecord> others) {
        ChainAudit audit = begin(terms);
        others.forEach(each -> audit.entry(each.encode()));
        return audit.finish();
    }

    ChainAudit begin(AuditTerms terms) {
        ChainAudit audit = new ChainAudit(identity, terms);
        batches.forEach(each -> audit.batch(each.encode()));
        return audit;
    }
}
