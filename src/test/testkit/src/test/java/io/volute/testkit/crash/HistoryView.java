package io.volute.testkit.crash;

import static io.volute.testkit.crash.HistorySession.BUCKET;
import static io.volute.testkit.crash.HistorySession.OWNER;

import io.volute.storage.BlobReader;
import io.volute.storage.Cube;
import io.volute.storage.CubeOptions;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeOptions.OnDamage;
import io.volute.storage.Cubes;
import io.volute.storage.index.MemoryIndexFactory;
import io.volute.testkit.sim.SimFileSystem;
import io.volute.versioning.History;
import io.volute.versioning.History.KeyState;
import io.volute.versioning.History.Page;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.Provenance;
import io.volute.versioning.Restore;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.StoreOptions.HistorySettings;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionSelector;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/** The visible state of a store with signed history, in comparable words. */
final class HistoryView {
    /** Keys are k0, k1, ... below this. */
    static final int KEYS = 600;

    private HistoryView() {}

    /**
     * A bucket.
     *
     * @param states by key: what is kept of it, newest first
     * @param entries of some of these keys, as {@link SimProvenance#words} has them
     */
    record Seen(
            HistoryPolicy policy,
            TreeMap<String, List<String>> states,
            TreeMap<String, List<String>> entries) {}

    static Cube openCube(SimFileSystem disk, MemoryIndexFactory indexes, InstantSource clock)
            throws IOException {
        LogSettings settings =
                new LogSettings(256 << 10, 300, 8_000, 200_000, 1 << 20, 1 << 20, OnDamage.REFUSE);
        return Cubes.open(
                        new CubeOptions(
                                Path.of("/cube"),
                                disk,
                                clock,
                                new SplittableRandom(7),
                                ObjectStores.families(),
                                settings),
                        indexes)
                .cube();
    }

    static VersionedStore openStore(Cube cube, InstantSource clock) throws IOException {
        return ObjectStores.open(
                new StoreOptions(
                                cube,
                                clock,
                                new SplittableRandom(3),
                                StoreOptions.Limits.S3,
                                HistorySettings.DEFAULTS)
                        .with(SimProvenance.settings()));
    }

    /** Writes nothing, and has nothing written down. */
    static Seen see(VersionedStore store) throws IOException {
        Provenance provenance = store.provenance().orElseThrow();
        TreeMap<String, List<String>> all = new TreeMap<>();
        TreeMap<String, List<String>> entries = new TreeMap<>();
        for (int i = 0; i < KEYS; i++) {
            ObjectKey key = new ObjectKey("k" + i);
            List<KeyState> states = states(store, key);
            if (!states.isEmpty()) {
                all.put(key.value(), states.stream().map(HistoryView::words).toList());
            }
            // Of some: the audit reads others.
            if (!states.isEmpty() && (i < 10 || i % 25 == 0)) {
                entries.put(key.value(), SimProvenance.entries(provenance, BUCKET, key));
            }
        }
        return new Seen(store.bucket(BUCKET).orElseThrow().history(), all, entries);
    }

    static List<KeyState> states(VersionedStore store, ObjectKey key) throws IOException {
        return store.history().states(OWNER, BUCKET, key, Optional.empty(), 1000).entries();
    }

    /** Numbers are given in the commit: a restore that goes on after a crash has others. */
    private static String words(KeyState state) {
        String actor = state.actor().map(who -> who.actor().name()).orElse("nobody");
        return String.join(
                " ",
                state.etag(),
                actor.startsWith("restore-")
                        ? "put back"
                        : state.versionId() + " v" + state.causalVersion(),
                state.began() + ".." + state.written() + ".." + state.ended(),
                state.visible() ? "visible" : "hidden",
                actor);
    }

    /** The newest state of a key, as the graph knows it. */
    static String place(VersionedStore store, ObjectKey key) throws IOException {
        return place(key, states(store, key).getFirst().causalVersion());
    }

    /** Returns true if a run of this actor wrote the newest state of a key. */
    static boolean isBy(VersionedStore store, Caller caller, ObjectKey key) throws IOException {
        return states(store, key).getFirst().actor().stream()
                .anyMatch(who -> who.actor().name().equals(caller.actor().label()));
    }

    private static String place(ObjectKey key, long causalVersion) {
        return key.value() + "@" + causalVersion;
    }

    /** Has everything written down first. */
    static Set<String> edges(VersionedStore store) throws IOException {
        History.ActivityFilter everything =
                new History.ActivityFilter(
                        Optional.empty(),
                        History.ActorFilter.ALL,
                        Optional.empty(),
                        Optional.empty());
        Set<String> found = new TreeSet<>();
        Optional<String> from = Optional.empty();
        do {
            Page<History.Activity> page = store.history().activity(everything, from, 1000);
            for (History.Activity each : page.entries()) {
                found.add(words(each));
            }
            from = page.next();
        } while (from.isPresent());
        return found;
    }

    private static String words(History.Activity each) {
        return each.actor().actor().name()
                + " "
                + each.action()
                + " "
                + place(each.key(), each.causalVersion())
                + each.source()
                        .map(from -> " from " + place(from.key(), from.causalVersion()))
                        .orElse("");
    }

    /** Reads every state that is kept, in the past in which it was current. */
    static void readAll(VersionedStore store) throws IOException {
        TreeMap<Instant, ObjectReader> pasts = new TreeMap<>();
        for (int i = 0; i < KEYS; i++) {
            ObjectKey key = new ObjectKey("k" + i);
            for (KeyState state : states(store, key)) {
                ObjectReader past = store;
                if (state.ended().isPresent()) {
                    past = pasts.get(state.written());
                    if (past == null) {
                        past = store.asOf(state.written());
                        pasts.put(state.written(), past);
                    }
                }
                try (BlobReader reader =
                        past.open(OWNER, BUCKET, key, VersionSelector.LATEST).reader()) {
                    String found = md5(content(reader));
                    if (!found.equals(state.etag())) {
                        throw new AssertionError(
                                words(state) + " of " + key.value() + " reads as " + found);
                    }
                }
            }
        }
    }

    static byte[] content(BlobReader reader) throws IOException {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        while (content.size() < reader.bytes()) {
            ByteBuffer target = ByteBuffer.allocate(reader.bufferBytes(content.size()));
            reader.read(content.size(), reader.bytes(), target);
            content.write(target.array(), target.position(), target.remaining());
        }
        return content.toByteArray();
    }

    static ObjectAttributes attributes(String text) {
        return ObjectAttributes.ofEtag(md5(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static String md5(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /** Waits until a restore has ended. */
    static Restore.Run ended(Restore restore, Restore.Run begun) {
        Restore.Run run = begun;
        while (run.phase() == Restore.Phase.RUNNING) {
            Thread.onSpinWait();
            run = restore.run(begun.id());
        }
        if (run.phase() != Restore.Phase.DONE) {
            throw new AssertionError("the restore ended as " + run);
        }
        return run;
    }

    static List<Restore.Run> ended(Restore restore) {
        List<Restore.Run> runs = new ArrayList<>();
        for (Restore.Run each : restore.runs()) {
            runs.add(ended(restore, each));
        }
        return runs;
    }
}
