package io.volute.provenance.golden;

import io.volute.provenance.Samples;
import io.volute.provenance.audit.History;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.record.BatchRecord;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.Frame;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SpiralShape;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** An honest chain as an export: what forgeries begin with. */
final class Base {
    static final SpiralShape ONE = new SpiralShape(SpiralShape.Construction.ONE_LINK, 3);
    static final SpiralShape TWO = new SpiralShape(SpiralShape.Construction.LINK_PER_DIMENSION, 3);

    /** Commits behind which the settings of {@link #settings} hold. */
    static final long NOTHING_GOES = 1_000;

    static final long SECONDS_GO = 1_100;
    static final long NOTHING_GOES_AGAIN = 1_200;
    static final long STRICT = 1_300;

    /** Milliseconds. */
    static final long RETENTION = 1_000;

    final String name;
    final History history;
    final List<Frame> frames;

    Base(String name, History history) {
        this.name = name;
        this.history = history;
        frames = frames(history.records, history.batches);
    }

    static List<Base> all() {
        return List.of(
                new Base("one", new History("a/b", ONE, 41).grow(14)),
                new Base("two", new History("é", TWO, 42).grow(14)),
                new Base(
                        "both",
                        new History("k", ONE, 43, History.STORE, History.POST_QUANTUM).grow(3)),
                new Base("cut one", new History("a", ONE, 44).grow(20).cut(11).grow(3)),
                new Base("cut two", new History("b", TWO, 45).grow(20).cut(11).grow(3)),
                settings());
    }

    /**
     * The store's own chain: nothing may go, then what is a second old, then nothing again; then
     * checkpoints are strict.
     */
    static Base settings() {
        return new Base(
                "settings",
                new History(ChainIdentity.ofStore(Samples.STORE), ONE, 46)
                        .set(History.settings(2, 0), NOTHING_GOES)
                        .set(History.settings(3, RETENTION), SECONDS_GO)
                        .set(History.settings(3, 0), NOTHING_GOES_AGAIN)
                        .set(History.settings(4, 0), STRICT));
    }

    /** The frames of an export, each batch before the first record that needs it. */
    List<Frame> frames(List<EntryRecord> records, List<BatchRecord> batches) {
        List<Frame> out = new ArrayList<>();
        out.add(frame(Frame.Type.CHAIN, history.identity.encode()));
        Set<BatchRecord> written = new HashSet<>();
        for (EntryRecord record : records) {
            for (BatchRecord batch : batches) {
                if (needs(record, batch) && written.add(batch)) {
                    out.add(frame(Frame.Type.BATCH, batch.encode()));
                }
            }
            out.add(frame(Frame.Type.ENTRY, record.encode()));
        }
        out.add(end(records.size()));
        return out;
    }

    static boolean needs(EntryRecord record, BatchRecord batch) {
        var link =
                io.volute.provenance.chain.Spiral.signedLink(
                        record.entry().placement().shape(),
                        io.volute.provenance.record.Entry.hash(record.encoded()),
                        record.links());
        return record.path().root(link).filter(batch.root()::equals).isPresent();
    }

    static Frame end(long records) {
        return frame(Frame.Type.END, new ByteWriter().u64(records).toBytes());
    }

    static Frame frame(Frame.Type type, Bytes payload) {
        return new Frame(type.code(), payload);
    }

    Map<String, Object> json() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", name);
        map.put("identity", history.identity.encode());
        map.put("headSequence", history.head().sequence());
        map.put("headLink", history.head().link());
        map.put("frames", frames.stream().map(Frame::encode).toList());
        return map;
    }

    static Map<String, Object> keysJson() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("rootAlgorithm", SignatureAlgorithm.ED25519.code());
        map.put("rootKeyId", History.OLD_STORE.id().keyId());
        map.put("list", History.keys().encode());
        return map;
    }
}
