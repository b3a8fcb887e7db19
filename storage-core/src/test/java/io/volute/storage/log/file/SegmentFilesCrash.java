package io.volute.storage.log.file;

import static io.volute.storage.log.file.LogWorkbench.record;
import static io.volute.storage.log.file.LogWorkbench.replay;
import static io.volute.storage.log.file.LogWorkbench.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.Place;
import io.volute.storage.format.LogEntry;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentLog;
import io.volute.testkit.sim.Fault;
import io.volute.testkit.sim.Fault.Effect;
import io.volute.testkit.sim.PersistencePolicy;
import io.volute.testkit.sim.SimEvent;
import io.volute.testkit.sim.SimFileSystem;
import io.volute.testkit.sim.SimulatedCrash;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Kills a workload before each event of its file system and looks at what several kinds of crash
 * leave: everything acknowledged, in order, and at most the one batch that was in flight besides.
 */
class SegmentFilesCrash {
    private static final int STEPS = 60;

    /** The acknowledgements of a workload, kept outside of the crashed state. */
    private static final class Ledger {
        private final TreeMap<Long, Long> segmentBySequence = new TreeMap<>();
        private final Map<Long, List<Place>> uploads = new HashMap<>();
        private final Map<Long, Integer> uploadBytes = new HashMap<>();
        private final Set<Long> maybeFreed = new HashSet<>();
        private Set<Long> inFlight = Set.of();
        private long next = 1;
        private long idHighWater;
    }

    private static void work(SimFileSystem files, Ledger ledger, SplittableRandom random)
            throws IOException {
        SegmentLog log = LogWorkbench.open(files);
        start(log);
        for (int step = 0; step < STEPS; step++) {
            int choice = random.nextInt(20);
            if (choice < 15) {
                append(log, ledger, random);
            } else if (choice < 17) {
                upload(log, ledger, random);
            } else if (choice < 19) {
                free(log, ledger, random);
            } else {
                if (random.nextBoolean()) {
                    log.close();
                }
                log = LogWorkbench.open(files);
                start(log);
            }
        }
        log.close();
    }

    private static void append(SegmentLog log, Ledger ledger, SplittableRandom random)
            throws IOException {
        List<LogEntry> entries = new ArrayList<>();
        Set<Long> sequences = new HashSet<>();
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            entries.add(record(ledger.next, random.nextInt(4000)));
            sequences.add(ledger.next++);
        }
        ledger.inFlight = sequences;
        long highWater = ledger.next * 10;
        SegmentLog.Appended appended = log.append(entries, highWater);
        ledger.idHighWater = highWater;
        for (LogEntry entry : entries) {
            ledger.segmentBySequence.put(entry.sequence(), appended.end().segmentId());
        }
        ledger.inFlight = Set.of();
    }

    private static void upload(SegmentLog log, Ledger ledger, SplittableRandom random)
            throws IOException {
        long blob = ledger.next * 1000;
        int bytes = random.nextInt(90_000);
        List<Place> extents =
                LogWorkbench.upload(log, blob, LogWorkbench.bytes(blob, bytes), 10_000);
        ledger.uploads.put(blob, extents);
        ledger.uploadBytes.put(blob, bytes);
    }

    private static void free(SegmentLog log, Ledger ledger, SplittableRandom random)
            throws IOException {
        Set<Long> ids = new HashSet<>();
        for (SegmentLog.SegmentState segment : log.segments()) {
            if (segment.sealed() && random.nextBoolean()) {
                ids.add(segment.segmentId());
            }
        }
        ledger.maybeFreed.addAll(ids);
        log.free(ids);
    }

    private static void check(SimFileSystem image, Ledger ledger, String what) throws IOException {
        SegmentLog log = LogWorkbench.open(image);
        LogWorkbench.Seen seen;
        long[] highWater = {0};
        try {
            log.scanAll(batch -> highWater[0] = Math.max(highWater[0], batch.idHighWater()));
            seen = replay(log, LogPosition.START);
        } catch (IOException e) {
            throw new AssertionError(what, e);
        }
        List<Long> expected = new ArrayList<>();
        ledger.segmentBySequence.forEach(
                (sequence, segment) -> {
                    if (!ledger.maybeFreed.contains(segment)) {
                        expected.add(sequence);
                    }
                });
        List<Long> found = new ArrayList<>(seen.sequences());
        assertThat(found).as(what).isSorted();
        Set<Long> extra = new HashSet<>(found);
        expected.forEach(extra::remove);
        extra.removeIf(ledger.segmentBySequence::containsKey);
        assertThat(found).as(what).containsAll(expected);
        assertThat(extra).as(what).matches(e -> e.isEmpty() || e.equals(ledger.inFlight));
        assertThat(highWater[0]).as(what).isGreaterThanOrEqualTo(ledger.idHighWater);
        for (Map.Entry<Long, List<Place>> upload : ledger.uploads.entrySet()) {
            if (upload.getValue().stream()
                    .noneMatch(place -> ledger.maybeFreed.contains(place.segmentId()))) {
                int bytes = ledger.uploadBytes.get(upload.getKey());
                ByteBuffer content = LogWorkbench.bytes(upload.getKey(), bytes);
                assertThat(LogWorkbench.download(log, upload.getKey(), upload.getValue(), bytes))
                        .as(what)
                        .isEqualTo(content);
            }
        }
        log.startAppending(seen.result().end(), seen.lastSequence() + 1);
        log.append(List.of(record(1_000_000, 10)), 1);
        assertThat(replay(LogWorkbench.open(image.afterPowerCut()), LogPosition.START).sequences())
                .as(what)
                .containsExactlyElementsOf(
                        java.util.stream.Stream.concat(
                                        found.stream(), java.util.stream.Stream.of(1_000_000L))
                                .toList());
    }

    /** Returns the events that the workload makes when nothing happens to it. */
    private static List<SimEvent> events(long seed) throws IOException {
        SimFileSystem files = new SimFileSystem();
        List<SimEvent> events = files.record();
        work(files, new Ledger(), new SplittableRandom(seed));
        return events;
    }

    @Test
    void nothingAcknowledgedIsLostWhereverItIsKilled() throws IOException {
        int every = Integer.getInteger("crash.every", 9);
        for (long seed = 1; seed <= Integer.getInteger("crash.seeds", 3); seed++) {
            List<SimEvent> events = events(seed);
            for (int at = (int) (seed % every); at < events.size(); at += every) {
                SimFileSystem files = new SimFileSystem();
                Ledger ledger = new Ledger();
                kill(files, ledger, seed, events.get(at));
                for (PersistencePolicy policy : PersistencePolicy.values()) {
                    String what = "seed " + seed + ", before " + events.get(at) + ", " + policy;
                    check(files.crashImage(policy, seed * 1_000_003 + at), ledger, what);
                }
            }
        }
    }

    private static void kill(SimFileSystem files, Ledger ledger, long seed, SimEvent event) {
        files.plan(Fault.once(Effect.CRASH_BEFORE, event.number()));
        assertThatThrownBy(() -> work(files, ledger, new SplittableRandom(seed)))
                .isInstanceOf(SimulatedCrash.class);
    }
}
