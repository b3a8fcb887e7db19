package io.volute.provenance.golden;

import io.volute.provenance.Samples;
import io.volute.provenance.audit.Forger;
import io.volute.provenance.audit.History;
import io.volute.provenance.chain.Summary;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.BatchRecord;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.Disclosure;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.Frame;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.Signatures;
import io.volute.provenance.record.SpiralShape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;

/** Exports that a forger made, for verifiers to agree on; some of them are honest. */
final class Forgeries {
    /**
     * One export and how to audit it.
     *
     * @param expected the chain whose history the auditor requested
     * @param head of a checkpoint that the auditor has
     * @param isWhole whether all chains of the export are audited under the identity they claim
     * @param checkpoint commit of the checkpoint, when all its heads are known
     */
    record Case(
            String name,
            Base base,
            ChainIdentity expected,
            List<Frame> frames,
            Optional<ChainHead> head,
            boolean acceptsSummaries,
            boolean isWhole,
            OptionalLong checkpoint) {
        Case(
                String name,
                Base base,
                ChainIdentity expected,
                List<Frame> frames,
                boolean knowsHead,
                boolean acceptsSummaries) {
            this(
                    name,
                    base,
                    expected,
                    frames,
                    Optional.of(base.history.head()).filter(head -> knowsHead),
                    acceptsSummaries,
                    false,
                    OptionalLong.empty());
        }

        /** Returns this case with a checkpoint whose head is this entry. */
        Case as(EntryRecord last) {
            ChainHead head = new ChainHead(last.entry().sequence(), History.link(last));
            return new Case(
                    name,
                    base,
                    expected,
                    frames,
                    Optional.of(head),
                    acceptsSummaries,
                    isWhole,
                    checkpoint);
        }
    }

    private final Base base;
    private final History history;
    private final List<EntryRecord> records;
    private final List<Case> cases = new ArrayList<>();
    private final Random random = new Random(51);

    private Forgeries(Base base) {
        this.base = base;
        history = base.history;
        records = history.records;
    }

    static List<Case> of(Base base) {
        Forgeries forgeries = new Forgeries(base);
        forgeries.honest();
        forgeries.flips();
        if (base.name.startsWith("cut") || base.history.identity.isOfStore()) {
            forgeries.places();
            return forgeries.cases;
        }
        if (records(base) > 10) {
            forgeries.places();
            forgeries.keys();
            forgeries.evidence();
            forgeries.transplants();
        }
        forgeries.disclosures();
        forgeries.summaries();
        return forgeries.cases;
    }

    private static int records(Base base) {
        return base.history.records.size();
    }

    private void add(String name, List<Frame> frames, boolean knowsHead, boolean accepts) {
        cases.add(
                new Case(
                        base.name + ": " + name,
                        base,
                        history.identity,
                        frames,
                        knowsHead,
                        accepts));
    }

    private void add(String name, List<EntryRecord> changed) {
        add(name, base.frames(changed, history.batches), true, false);
    }

    private void honest() {
        add("honest", base.frames, true, false);
        add("honest, no head known", base.frames, false, true);
        add("cut, no head known", shortened(), false, false);
    }

    private List<Frame> shortened() {
        return base.frames(records.subList(0, records.size() - 1), history.batches);
    }

    private void flips() {
        for (int i = 0; i < base.frames.size(); i++) {
            for (int time = 0; time < (records.size() > 10 ? 6 : 3); time++) {
                Frame frame = base.frames.get(i);
                byte[] bytes = frame.payload().toArray();
                int bit = random.nextInt(bytes.length * 8);
                bytes[bit >> 3] ^= (byte) (1 << (bit & 7));
                List<Frame> frames = new ArrayList<>(base.frames);
                frames.set(i, new Frame(frame.type(), Bytes.of(bytes)));
                add("frame " + i + " bit " + bit, frames, true, false);
            }
        }
    }

    private void places() {
        for (int at = 0; at < records.size(); at++) {
            List<EntryRecord> without = new ArrayList<>(records);
            without.remove(at);
            add("dropped " + at, without);
            List<EntryRecord> twice = new ArrayList<>(records);
            twice.add(at, records.get(at));
            add("twice " + at, twice);
            List<EntryRecord> swapped = new ArrayList<>(records);
            Collections.swap(swapped, at, (at + 1) % records.size());
            add("swapped " + at, swapped);
        }
        add("cut", shortened(), true, false);
        add("emptied", base.frames(List.of(), List.of()), true, false);
        List<Frame> open = new ArrayList<>(base.frames.subList(0, base.frames.size() - 1));
        add("without end", open, true, false);
        List<Frame> miscounted = new ArrayList<>(open);
        miscounted.add(Base.end(5));
        add("miscounted", miscounted, true, false);
        List<Frame> unknown = new ArrayList<>(open);
        unknown.add(new Frame(9, Bytes.EMPTY));
        add("unknown frame", unknown, true, false);
    }

    private void keys() {
        SigningKey mallory = Samples.key(SignatureAlgorithm.ED25519, "mallory");
        List<SigningKey> keys = List.of(mallory, History.OLD_STORE, History.BOB, History.STORE);
        List<String> names = List.of("an unknown", "an old", "another's", "the store's");
        for (int i = 0; i < keys.size(); i++) {
            for (int at : List.of(0, 6, records.size() - 1)) {
                Forger forger = new Forger(history, keys.get(i));
                Entry entry = Forger.withContent(records.get(at).entry(), Hash.ZERO);
                List<EntryRecord> changed = new ArrayList<>(records);
                changed.set(at, forger.signed(entry, records));
                List<BatchRecord> batches = new ArrayList<>(history.batches);
                batches.addAll(forger.batches);
                add(
                        "with " + names.get(i) + " key, " + at,
                        base.frames(changed, batches),
                        true,
                        false);
            }
        }
    }

    private void evidence() {
        for (int at = 0; at < records.size() - 1; at += 3) {
            EntryRecord here = records.get(at);
            EntryRecord next = records.get(at + 1);
            List<EntryRecord> changed = new ArrayList<>(records);
            changed.set(at, Forger.exchanged(here, next.entry()));
            add("entry of the next " + at, changed);
            changed = new ArrayList<>(records);
            changed.set(at, Forger.exchanged(here, Forger.withPrincipal(here.entry(), "bob")));
            add("another principal " + at, changed);
            changed = new ArrayList<>(records);
            changed.set(
                    at,
                    new EntryRecord(
                            here.encoded(),
                            here.entry(),
                            next.links(),
                            here.path(),
                            here.disclosure()));
            add("links of the next " + at, changed);
        }
        List<Frame> unsigned = new ArrayList<>();
        for (Frame frame : base.frames) {
            boolean isBatch = frame.type() == Frame.Type.BATCH.code();
            unsigned.add(isBatch ? Base.frame(Frame.Type.BATCH, stripped(frame)) : frame);
        }
        add("without signatures", unsigned, true, false);
    }

    private static Bytes stripped(Frame frame) {
        try {
            BatchRecord batch = BatchRecord.decode(frame.payload());
            return new BatchRecord(batch.storeId(), batch.leaves(), batch.root(), Signatures.NONE)
                    .encode();
        } catch (io.volute.provenance.format.RefusedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void transplants() {
        ChainIdentity other = Samples.identity("other");
        cases.add(new Case(base.name + ": of another key", base, other, base.frames, true, false));
        List<Frame> renamed = new ArrayList<>(base.frames);
        renamed.set(0, Base.frame(Frame.Type.CHAIN, other.encode()));
        cases.add(new Case(base.name + ": renamed", base, other, renamed, true, false));
    }

    private void disclosures() {
        for (int at = 0; at < records.size(); at++) {
            EntryRecord record = records.get(at);
            Disclosure disclosure = record.disclosure();
            if (disclosure.openings().isEmpty()) {
                continue;
            }
            List<EntryRecord> changed = new ArrayList<>(records);
            changed.set(at, record.with(Disclosure.NOTHING));
            add("withheld " + at, changed);
            TreeMap<Integer, Bytes> slots = new TreeMap<>();
            slots.put(0, Bytes.of("another slot"));
            changed = new ArrayList<>(records);
            changed.set(at, record.with(new Disclosure(disclosure.openings(), slots)));
            add("another slot " + at, changed);
            TreeMap<Integer, io.volute.provenance.record.Opening> openings = new TreeMap<>();
            disclosure
                    .openings()
                    .forEach(
                            (field, opening) ->
                                    openings.put(
                                            field,
                                            new io.volute.provenance.record.Opening(
                                                    opening.r(), Bytes.of("another text"))));
            changed = new ArrayList<>(records);
            changed.set(at, record.with(new Disclosure(openings, disclosure.slots())));
            add("another text " + at, changed);
        }
    }

    private void summaries() {
        boolean isPossible =
                records.getFirst().entry().placement().shape().construction()
                        == SpiralShape.Construction.LINK_PER_DIMENSION;
        if (!isPossible) {
            return;
        }
        List<EntryRecord> kept = Summary.of(records, it -> it.entry().sequence() == 5);
        List<Frame> frames = base.frames(kept, history.batches);
        add("summary, accepted", frames, true, true);
        add("summary, not accepted", frames, true, false);
        List<EntryRecord> broken = new ArrayList<>(kept);
        broken.remove(2);
        add("summary, too much gone", base.frames(broken, history.batches), true, true);
        for (EntryRecord last : List.of(kept.get(1), records.get(6))) {
            String name = base.name + ": summary, checkpoint of " + last.entry().sequence();
            cases.add(new Case(name, base, history.identity, frames, true, true).as(last));
        }
    }
}
