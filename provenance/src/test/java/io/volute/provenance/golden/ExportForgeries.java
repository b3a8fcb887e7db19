package io.volute.provenance.golden;

import io.volute.provenance.audit.History;
import io.volute.provenance.format.Hash;
import io.volute.provenance.golden.Forgeries.Case;
import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.Frame;
import io.volute.provenance.record.Source;
import io.volute.provenance.record.SpiralShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Whole exports, the store's own chain before others: rules that need more than one chain. */
final class ExportForgeries {
    private static final int THROUGH = 11;
    private static final Optional<String> OLD =
            Optional.of(Long.toString(History.TIME - Base.RETENTION));

    private final Base settings = Base.settings();
    private final List<Case> cases = new ArrayList<>();
    private final String name;
    private final SpiralShape shape;

    private ExportForgeries(String name, SpiralShape shape) {
        this.name = name;
        this.shape = shape;
    }

    static List<Case> all() {
        List<Case> all = new ArrayList<>();
        for (SpiralShape shape : List.of(Base.ONE, Base.TWO)) {
            ExportForgeries forgeries =
                    new ExportForgeries(shape.equals(Base.ONE) ? "one" : "two", shape);
            forgeries.removals();
            forgeries.heads();
            forgeries.places();
            forgeries.checkpoints();
            forgeries.sources();
            all.addAll(forgeries.cases);
        }
        return all;
    }

    private History history(long commit) {
        return new History("a/b", shape, 61).at(commit).grow(20);
    }

    private History removed(long commit, Optional<String> until, SigningKey key, String who) {
        History history = history(commit);
        EntryRecord summary = history.summarise(history.removal(THROUGH), who, until, key);
        assert summary.entry().kind() == EventKind.SUMMARY;
        history.records.subList(0, THROUGH + 1).clear();
        return history;
    }

    private void removals() {
        add("removed as allowed", removed(Base.SECONDS_GO, OLD, History.STORE, ""));
        add("removed while nothing goes", removed(Base.NOTHING_GOES, OLD, History.STORE, ""));
        add("removed as nothing goes again", removed(1_250, OLD, History.STORE, ""));
        Optional<String> young = Optional.of(Long.toString(History.TIME - Base.RETENTION + 1));
        add("removed too soon", removed(Base.SECONDS_GO, young, History.STORE, ""));
        add("removed, no time", removed(Base.SECONDS_GO, Optional.empty(), History.STORE, ""));
        add("removed, no number", removed(Base.SECONDS_GO, Optional.of("-"), History.STORE, ""));
        add("removed by a principal", removed(Base.SECONDS_GO, OLD, History.ALICE, "alice"));
    }

    private void heads() {
        History history = removed(Base.SECONDS_GO, OLD, History.STORE, "");
        List<EntryRecord> whole = history(Base.SECONDS_GO).records;
        for (int at : List.of(3, THROUGH, THROUGH + 1)) {
            ChainHead head = new ChainHead(at, History.link(whole.get(at)));
            add("removed, checkpoint of " + at, history, frames(history), Optional.of(head));
        }
    }

    private void places() {
        History history = removed(Base.NOTHING_GOES, OLD, History.STORE, "");
        List<Frame> chain = new Base("", history).frames;
        List<Frame> late = new ArrayList<>(chain);
        late.addAll(settings.frames);
        add("settings behind the chain", history, late, Optional.empty());
        // Without the settings, no record requires these entries to stay.
        add("settings left out", history, chain, Optional.empty());
        List<Frame> twice = frames(history(Base.SECONDS_GO));
        twice.addAll(new Base("", history(Base.SECONDS_GO)).frames);
        add("chain twice", history, twice, Optional.empty());
        History mixed = history(Base.SECONDS_GO);
        add("settings among others", mixed.set(History.settings(3, 0), mixed.commit()));
        History store = Base.settings().history;
        EntryRecord write = store.add(store.event(EventKind.WRITE), History.STORE);
        assert write.entry().sequence() == 4;
        List<Frame> own = new Base("", store).frames;
        add("a write among settings", store, own, Optional.empty());
    }

    /** Behind a checkpoint, the holder of an old key writes, and the store does. */
    private void checkpoints() {
        History old = old();
        Optional<ChainHead> head = Optional.of(old.head());
        add("appended with an old key", appended(old(), 999, History.OLD_STORE), head, 1_250);
        add("the same, no checkpoint", appended(old(), 999, History.OLD_STORE));
        add("appended by the store", appended(old(), 1_249, History.STORE), head, 1_250);
        add("appended strictly", appended(old(), 1_500, History.STORE), head, 1_500);
        add("appended before", appended(old(), 1_499, History.STORE), head, 1_500);
        add("begun with an old key", old, Optional.empty(), 1_250);
        add("begun by the store", history(1_500), Optional.empty(), 1_500);
        add("begun before", history(1_400), Optional.empty(), 1_500);
    }

    /** Copies of entries of a chain that stands behind theirs, or before it. */
    private void sources() {
        History behind = new History("z", shape, 64).at(Base.SECONDS_GO).grow(6);
        Hash chain = behind.identity.chainId();
        Hash link = History.link(behind.records.get(3));
        add("copy", copied(chain, 3, link), behind);
        add("copy of another entry", copied(chain, 3, Hash.ZERO), behind);
        add("copy of no entry", copied(chain, 6, link), behind);
        add("copy of another chain", copied(Hash.ZERO, 3, link), behind);
        History before = copied(Hash.ZERO, 3, link);
        History copy = new History("z", shape, 64).at(Base.SECONDS_GO).grow(6);
        copy(copy, before.identity.chainId(), 99, link);
        // It may have come while the export was made.
        add("copy of a later entry", before, copy);
    }

    private History copied(Hash chain, long sequence, Hash link) {
        History history = history(Base.SECONDS_GO);
        copy(history, chain, sequence, link);
        return history;
    }

    private static void copy(History history, Hash chain, long sequence, Hash link) {
        Source source = new Source(chain, new ChainHead(sequence, link));
        EntryRecord copy = history.add(history.event(EventKind.COPY).from(source), History.STORE);
        assert copy.entry().source().isPresent();
    }

    private void add(String what, History history, History other) {
        List<Frame> frames = frames(history);
        frames.addAll(new Base("", other).frames);
        add(what, history, frames, Optional.empty());
    }

    private History old() {
        return new History("a/b", shape, 62, History.OLD_STORE).at(500).grow(10);
    }

    private static History appended(History history, long commit, SigningKey key) {
        EntryRecord last = history.at(commit).add(history.event(EventKind.DELETE), key);
        assert last.entry().sequence() == 10;
        return history;
    }

    private List<Frame> frames(History history) {
        List<Frame> frames = new ArrayList<>(settings.frames);
        frames.addAll(new Base("", history).frames);
        return frames;
    }

    private void add(String what, History history) {
        add(what, history, frames(history), Optional.empty());
    }

    private void add(String what, History history, Optional<ChainHead> head, long checkpoint) {
        add(what, history, frames(history), head, OptionalLong.of(checkpoint));
    }

    private void add(String what, History history, List<Frame> frames, Optional<ChainHead> head) {
        add(what, history, frames, head, OptionalLong.empty());
    }

    private void add(
            String what,
            History history,
            List<Frame> frames,
            Optional<ChainHead> head,
            OptionalLong checkpoint) {
        cases.add(
                new Case(
                        "export of " + name + ": " + what,
                        settings,
                        history.identity,
                        frames,
                        head,
                        false,
                        true,
                        checkpoint));
    }
}
