package io.volute.provenance.anchor;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.Samples;
import io.volute.provenance.anchor.Witness.Outcome;
import io.volute.provenance.anchor.Witness.Reason;
import io.volute.provenance.audit.Forger;
import io.volute.provenance.audit.History;
import io.volute.provenance.chain.Event;
import io.volute.provenance.chain.ExportWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SpiralShape;
import io.volute.provenance.record.SpiralShape.Construction;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The holder of the store's keys rewrites history, makes it longer, and asks the witness. */
class WitnessAncestryTest {
    private static final SigningKey NOTARY = Samples.key(SignatureAlgorithm.ED25519, "notary");
    private static final KeyList KEYS = History.keys();
    private static final long BEGIN = 2_000;

    @TempDir private Path directory;
    private final Store store = new Store();
    private final Map<Long, Checkpoint> checkpoints = new HashMap<>();
    private Optional<Checkpoint> signed = Optional.empty();

    /** A chain as the events that it is made from, so that it can be made again otherwise. */
    private static final class Chain {
        private final ChainIdentity identity;
        private final SpiralShape shape;
        private final History source;
        private final List<Event> events = new ArrayList<>();

        /** The last entry that the store removed; -1: none. */
        private int removed = -1;

        /** The number of entries at which it did. */
        private int removedAt;

        Chain(String key, Construction construction, long seed) {
            identity = Samples.identity(key);
            shape = History.shape(construction);
            source = new History(identity, shape, seed);
        }

        void grow(int entries, long commit) {
            for (int i = 0; i < entries; i++) {
                events.add(source.at(commit).event());
            }
        }

        History build() {
            History history = new History(identity, shape, 0);
            for (Event each : events) {
                history.add(each, History.STORE);
                if (removed >= 0 && history.records.size() == removedAt) {
                    history = history.at(each.commitSequence()).cut(removed);
                }
            }
            return history;
        }

        void remove(int through) {
            removed = through;
            removedAt = events.size();
        }
    }

    /** All chains of a store, and its commits. */
    private static final class Store {
        private final TreeMap<String, Chain> chains = new TreeMap<>();
        private long commit = BEGIN;

        Chain begin(String key, Construction construction, long seed) {
            Chain chain = new Chain(key, construction, seed);
            chains.put(key, chain);
            return chain;
        }

        void grow(String key, int entries) {
            chains.get(key).grow(entries, ++commit);
        }

        Map<Hash, ChainHead> heads() {
            Map<Hash, ChainHead> heads = new TreeMap<>();
            chains.values()
                    .forEach(each -> heads.put(each.identity.chainId(), each.build().head()));
            return heads;
        }
    }

    /** Makes a checkpoint of the store as it is, and its heads. */
    private Checkpoint checkpoint() throws IOException {
        return checkpoint(store.heads(), 7);
    }

    private Checkpoint checkpoint(Map<Hash, ChainHead> heads, long time) throws IOException {
        Optional<Checkpoint> before =
                Optional.ofNullable(checkpoints.get((long) checkpoints.size() - 1));
        Path file = directory.resolve("heads-" + checkpoints.size());
        MapRoot root;
        try (OutputStream out = Files.newOutputStream(file)) {
            root =
                    HeadsFile.write(
                            visitor -> {
                                for (Map.Entry<Hash, ChainHead> each : heads.entrySet()) {
                                    visitor.head(each.getKey(), each.getValue());
                                }
                            },
                            heads.size(),
                            out);
        }
        Checkpoint made =
                Checkpoint.sign(
                        before,
                        time,
                        ++store.commit,
                        root,
                        KEYS,
                        List.of(History.STORE, History.POST_QUANTUM));
        checkpoints.put(made.body().number(), made);
        return made;
    }

    /** Writes an export of these chains. */
    private void export(long from, long to, List<History> chains) throws IOException {
        Path file = directory.resolve("entries-" + from + "-" + to);
        try (OutputStream out = Files.newOutputStream(file)) {
            ExportWriter writer = new ExportWriter(out);
            for (History chain : chains) {
                writer.chain(chain.identity);
                int batch = 0;
                for (EntryRecord record : chain.records) {
                    // Each entry has a batch of its own.
                    int behind = chain.records.size() - batch++;
                    writer.batch(chain.batches.get(chain.batches.size() - behind));
                    writer.entry(record);
                }
                writer.end();
            }
        }
    }

    private void exportAll(long from, long to) throws IOException {
        export(from, to, built());
    }

    private List<History> built() {
        return store.chains.values().stream().map(Chain::build).toList();
    }

    private Outcome look(Checkpoint next) throws IOException {
        Outcome outcome =
                new Witness(KEYS, NOTARY, signed)
                        .look(
                                next,
                                new Witness.Between() {
                                    @Override
                                    public Optional<Checkpoint> checkpoint(long number) {
                                        return Optional.ofNullable(checkpoints.get(number));
                                    }

                                    @Override
                                    public Optional<Path> heads(long number) {
                                        return there("heads-" + number);
                                    }

                                    @Override
                                    public Optional<Witness.Entries> entries(long from, long goal) {
                                        for (long to = goal; to > from; to--) {
                                            Optional<Path> file =
                                                    there("entries-" + from + "-" + to);
                                            if (file.isPresent()) {
                                                return Optional.of(
                                                        new Witness.Entries(to, file.get()));
                                            }
                                        }
                                        return Optional.empty();
                                    }
                                });
        if (outcome instanceof Outcome.Signed each) {
            signed = Optional.of(each.last());
        }
        return outcome;
    }

    private Optional<Path> there(String name) {
        return Optional.of(directory.resolve(name)).filter(Files::exists);
    }

    private void signs(Checkpoint next) throws IOException {
        Outcome outcome = look(next);
        assertThat(outcome).as(outcome.toString()).isInstanceOf(Outcome.Signed.class);
    }

    private void refuses(Checkpoint next, Reason reason, String... texts) throws IOException {
        Outcome outcome = look(next);
        assertThat(outcome).isInstanceOf(Outcome.Refused.class);
        Outcome.Refused refused = (Outcome.Refused) outcome;
        assertThat(refused.reason()).as(refused.text()).isEqualTo(reason);
        assertThat(refused.text()).contains(texts);
    }

    /** Replaces an event by another one, in the same commit. */
    private static void rewrite(Chain chain, int position) {
        Event old = chain.events.get(position);
        Event other = chain.source.at(old.commitSequence()).event(EventKind.WRITE);
        chain.events.set(position, other);
    }

    @ParameterizedTest
    @EnumSource
    void aRewrittenLongerHistoryIsRefusedWhereverItChanges(Construction construction)
            throws IOException {
        int length = 18;
        store.begin("a", construction, 1).grow(3, ++store.commit);
        Chain chain = store.begin("b", construction, 2);
        store.grow("b", length);
        Checkpoint first = checkpoint();
        signs(first);
        History honest = chain.build();
        List<Event> events = List.copyOf(chain.events);
        for (int position = 0; position < length; position++) {
            chain.events.clear();
            chain.events.addAll(events);
            rewrite(chain, position);
            store.grow("b", 1 + position % 5);
            Checkpoint longer = checkpoint();
            long to = longer.body().number();
            History rewritten = chain.build();
            String where = "chain photos/b, entry " + (length - 1) + ": I4 broken";
            exportAll(0, to);
            refuses(longer, Reason.REWRITTEN, where);
            Hash chainId = chain.identity.chainId();
            export(0, to, List.of(rewritten));
            refuses(longer, Reason.REWRITTEN, where);
            // The old entries are shown, and those behind are linked to others.
            History mixed = chain.build();
            for (int i = 0; i < length; i++) {
                mixed.records.set(i, honest.records.get(i));
                mixed.batches.set(i, honest.batches.get(i));
            }
            export(0, to, List.of(mixed));
            refuses(longer, Reason.REWRITTEN, "chain photos/b, entry ", " broken");
            // The honest continuation is shown, and the checkpoint has another head.
            Chain other = new Chain("b", construction, 3);
            other.events.addAll(events);
            other.grow(chain.events.size() - length, store.commit);
            export(0, to, List.of(other.build()));
            refuses(longer, Reason.REWRITTEN, "a checkpoint has another entry there");
            // Nothing of it is shown, or less than there is.
            export(0, to, List.of());
            refuses(longer, Reason.INCOMPLETE, "it lacks chain " + chainId, "--since-checkpoint 0");
            honest.records.removeLast();
            export(0, to, List.of(honest));
            refuses(longer, Reason.REWRITTEN, "a checkpoint has entries up to");
            honest = rebuilt(chain, events);
        }
        assertThat(signed.orElseThrow().hash()).isEqualTo(first.hash());
    }

    private static History rebuilt(Chain chain, List<Event> events) {
        Chain copy = new Chain("b", chain.shape.construction(), 4);
        copy.events.addAll(events);
        return copy.build();
    }

    /** Entries behind the old head are linked to it, and in other dimensions to rewritten ones. */
    @ParameterizedTest
    @EnumSource
    void linksThatLeadOverTheOldHeadAreCompared(Construction construction) throws IOException {
        int length = 18;
        Chain chain = store.begin("b", construction, 2);
        store.grow("b", length);
        History honest = chain.build();
        signs(checkpoint());
        rewrite(chain, length - 2);
        History rewritten = chain.build();
        store.grow("b", 3);
        List<EntryRecord> before = new ArrayList<>(rewritten.records);
        before.set(length - 1, honest.records.getLast());
        Forger forger = new Forger(honest, History.STORE);
        for (EntryRecord each : chain.build().records.subList(length, length + 3)) {
            EntryRecord forged = forger.signed(each.entry(), before);
            before.add(forged);
            honest.records.add(forged);
        }
        honest.batches.addAll(forger.batches);
        ChainHead head = new ChainHead(length + 2, History.link(before.getLast()));
        Checkpoint next = checkpoint(Map.of(chain.identity.chainId(), head), 7);
        export(0, 1, List.of(honest));
        refuses(next, Reason.REWRITTEN, "chain photos/b, entry 16: I4 broken");
    }

    @Test
    void honestHistoriesAreCoSignedHoweverTheyGrow() throws IOException {
        // Each message has its seed.
        for (long seed = 4_711; seed < 4_721; seed++) {
            honest(new SplittableRandom(seed), seed);
        }
    }

    private void honest(SplittableRandom random, long seed) throws IOException {
        store.chains.clear();
        checkpoints.clear();
        signed = Optional.empty();
        Construction[] all = Construction.values();
        int steps = 2 + random.nextInt(4);
        long last = 0;
        for (int step = 0; step < steps; step++) {
            for (int i = 1 + random.nextInt(3); i > 0; i--) {
                String key = "k" + random.nextInt(6);
                if (!store.chains.containsKey(key)) {
                    store.begin(key, all[random.nextInt(2)], random.nextLong());
                }
                store.grow(key, 1 + random.nextInt(40));
            }
            Map<Hash, ChainHead> before = headsOf(last);
            Checkpoint next = checkpoint();
            long number = next.body().number();
            // Writes go on before the export is made.
            List<String> keys = List.copyOf(store.chains.keySet());
            store.grow(keys.get(random.nextInt(keys.size())), 1 + random.nextInt(5));
            if (signed.isPresent()) {
                boolean isWhole = random.nextBoolean();
                export(
                        last,
                        number,
                        built().stream().filter(each -> isWhole || !isIn(before, each)).toList());
            }
            // A witness may leave out checkpoints, if the exports still lead from one to the next.
            if (step == 0 || random.nextBoolean() || step == steps - 1) {
                Outcome outcome = look(next);
                assertThat(outcome)
                        .as("seed %d, step %d: %s", seed, step, outcome)
                        .isInstanceOf(Outcome.Signed.class);
            }
            last = number;
        }
    }

    private static boolean isIn(Map<Hash, ChainHead> heads, History chain) {
        return chain.head().equals(heads.get(chain.identity.chainId()));
    }

    private Map<Hash, ChainHead> headsOf(long number) throws IOException {
        Map<Hash, ChainHead> heads = new HashMap<>();
        Optional<Path> file = there("heads-" + number);
        if (checkpoints.containsKey(number) && file.isPresent()) {
            try (var in = Files.newInputStream(file.get())) {
                assertThat(HeadsFile.read(in, heads::put).heads()).isEqualTo(heads.size());
            }
        }
        return heads;
    }

    @ParameterizedTest
    @EnumSource
    void aChainMayNotVanishBetweenTwoCheckpointsAndComeBack(Construction construction)
            throws IOException {
        store.begin("a", construction, 1).grow(3, ++store.commit);
        Chain chain = store.begin("b", construction, 2);
        store.grow("b", 5);
        signs(checkpoint());
        store.chains.remove("b");
        store.grow("a", 1);
        Checkpoint without = checkpoint();
        exportAll(0, without.body().number());
        store.chains.put("b", chain);
        rewrite(chain, 2);
        store.grow("b", 3);
        Checkpoint again = checkpoint();
        exportAll(without.body().number(), again.body().number());
        refuses(without, Reason.CUT, "is missing");
        refuses(again, Reason.CUT, "is missing");
    }

    @ParameterizedTest
    @EnumSource
    void removedBeginningsDoNotMatterButARemovedHeadDoes(Construction construction)
            throws IOException {
        Chain chain = store.begin("b", construction, 2);
        store.grow("b", 20);
        signs(checkpoint());
        store.grow("b", 4);
        chain.remove(10);
        store.grow("b", 4);
        Checkpoint next = checkpoint();
        exportAll(0, 1);
        signs(next);
        // The store removes what another checkpoint covers; this witness came too late.
        Chain late = store.begin("c", construction, 3);
        store.grow("c", 3);
        Checkpoint third = checkpoint();
        exportAll(1, 2);
        signs(third);
        store.grow("c", 20);
        late.remove(5);
        store.grow("c", 1);
        Checkpoint last = checkpoint();
        exportAll(2, 3);
        refuses(last, Reason.REWRITTEN, "a checkpoint has this entry, and it was taken out later");
    }

    @Test
    void aChainThatIsNewIsVerifiedToo() throws IOException {
        store.begin("a", Construction.ONE_LINK, 1).grow(3, ++store.commit);
        signs(checkpoint());
        Chain begun = store.begin("b", Construction.ONE_LINK, 2);
        store.grow("b", 3);
        Checkpoint next = checkpoint();
        History broken = begun.build();
        broken.records.remove(1);
        export(0, 1, List.of(broken));
        refuses(next, Reason.REWRITTEN, "photos/b, entry 1: I1 broken");
        exportAll(0, 1);
        signs(next);
    }

    @Test
    void timesDoNotGoBack() throws IOException {
        store.begin("a", Construction.ONE_LINK, 1).grow(3, ++store.commit);
        signs(checkpoint(store.heads(), 5_000));
        refuses(checkpoint(store.heads(), 4_999), Reason.BACKDATED, "the clock of the store");
        signs(checkpoint(store.heads(), 5_000));
    }

    @Test
    void anExportThatIsCutOffOrNoneIsIncomplete() throws IOException {
        store.begin("a", Construction.ONE_LINK, 1).grow(3, ++store.commit);
        signs(checkpoint());
        store.grow("a", 3);
        Checkpoint next = checkpoint();
        exportAll(0, 1);
        Path file = directory.resolve("entries-0-1");
        byte[] whole = Files.readAllBytes(file);
        for (int length = 0; length < whole.length; length += 97) {
            Files.write(file, Arrays.copyOf(whole, length));
            assertThat(look(next)).isInstanceOf(Outcome.Refused.class);
        }
        Files.write(file, Bytes.of("no export at all").toArray());
        refuses(next, Reason.INCOMPLETE, "no export", "--since-checkpoint 0");
        Files.write(file, whole);
        signs(next);
    }
}
