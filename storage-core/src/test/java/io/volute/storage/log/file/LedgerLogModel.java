package io.volute.storage.log.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.DamagedException;
import io.volute.storage.Place;
import io.volute.storage.log.LogOptions;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.log.ledger.SimBookies;
import io.volute.storage.report.SpaceReport.Kind;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random appends, uploads and frees on ledgers, with take-overs by machines that have the log or do
 * not, live old owners, and bookies that stop. Everything acknowledged is there after each, and an
 * old owner acknowledges nothing.
 */
class LedgerLogModel {
    private static final int STEPS = 150;

    private record Blob(List<Place> extents, ByteBuffer content) {}

    private final TreeSet<Long> acknowledged = new TreeSet<>();
    private final Map<Long, Blob> blobs = new TreeMap<>();
    private SplittableRandom random = new SplittableRandom(0);
    private SimBookies bookies = new SimBookies(0);
    private SimFileSystem files = new SimFileSystem();
    private SegmentLog log;
    private long next = 1;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void everythingAcknowledgedIsThereAfterATakeOver(long seed) throws IOException {
        run(seed, new SimBookies(seed));
    }

    @Test
    void findsOwnersThatAreNotFenced() {
        assertThatThrownBy(() -> runAll(SimBookies::withoutFencing))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void findsAcknowledgementsBeforeTheQuorum() {
        assertThatThrownBy(() -> runAll(SimBookies::acknowledgingAtOnce))
                .isInstanceOfAny(AssertionError.class, DamagedException.class);
    }

    @Test
    void findsLedgersThatAreDeletedBeforeTheListHasOthers() {
        assertThatThrownBy(() -> runAll(SimBookies::withoutExchanges))
                .hasMessageContaining("no ledger");
    }

    @Test
    void findsMissingCopiesThatNobodyNoticed() {
        assertThatThrownBy(() -> runAll(SimBookies::withoutChanges))
                .isInstanceOf(AssertionError.class);
    }

    private interface Planted {
        SimBookies in(SimBookies bookies);
    }

    private static void runAll(Planted mistake) throws IOException {
        for (long seed = 1; seed <= 20; seed++) {
            new LedgerLogModel().run(seed, mistake.in(new SimBookies(seed)));
        }
    }

    private void run(long seed, SimBookies services) throws IOException {
        random = new SplittableRandom(seed);
        bookies = services;
        takeOver("seed " + seed);
        for (int step = 0; step < STEPS; step++) {
            String where = "seed " + seed + " step " + step;
            switch (random.nextInt(12)) {
                case 0 -> upload();
                case 1 -> free();
                case 2 -> {
                    bookies.start(0);
                    bookies.start(1);
                    bookies.start(2);
                    bookies.stop(random.nextInt(3));
                }
                case 3 -> {
                    SegmentLog old = log;
                    takeOver(where);
                    requireFenced(old, where);
                }
                case 4 -> {
                    bookies = bookies.afterKill();
                    files = random.nextBoolean() ? files.afterKill() : new SimFileSystem();
                    takeOver(where);
                }
                case 5 -> {
                    log.close();
                    takeOver(where);
                }
                case 6 -> appendWithTooFewBookies();
                default -> append();
            }
        }
        requireAllCopies("seed " + seed);
    }

    /** All segments but the head get three copies once all bookies are there. */
    private void requireAllCopies(String where) throws IOException {
        bookies.start(0);
        bookies.start(1);
        bookies.start(2);
        log.close();
        takeOver(where);
        assertThat(bookies.underReplicated()).as(where).isZero();
        assertThat(bookies.missingCopies()).as(where).isZero();
    }

    private void append() throws IOException {
        log.append(List.of(LogWorkbench.record(next, 1 + random.nextInt(6000))), next);
        acknowledged.add(next);
        next++;
    }

    /** Two bookies stop in the middle of a batch, which was on its way, and one returns. */
    private void appendWithTooFewBookies() throws IOException {
        int back = random.nextInt(3);
        bookies.whileAwaited(
                attempts -> {
                    bookies.start(back);
                    bookies.start((back + 1) % 3);
                    return attempts < 3;
                });
        bookies.stop(0);
        bookies.stop(1 + random.nextInt(2));
        append();
    }

    private void upload() throws IOException {
        ByteBuffer content = LogWorkbench.bytes(next, 1 + random.nextInt(150_000));
        blobs.put(next, new Blob(LogWorkbench.upload(log, next, content, 7000), content));
        next++;
    }

    /** Frees the stream segments of one blob: it has them alone. */
    private void free() throws IOException {
        if (!blobs.isEmpty()) {
            Blob gone = blobs.remove(blobs.keySet().iterator().next());
            log.free(gone.extents().stream().map(Place::segmentId).toList());
        }
    }

    /** The old owner lives on with mirrors of its own. */
    private void requireFenced(SegmentLog old, String where) {
        assertThatThrownBy(
                        () -> {
                            old.append(List.of(LogWorkbench.record(next, 10)), next);
                            acknowledged.add(next);
                        })
                .as(where)
                .isInstanceOf(IOException.class);
    }

    private void takeOver(String where) throws IOException {
        if (log != null) {
            files = random.nextBoolean() ? files.afterKill() : new SimFileSystem();
        }
        LogOptions options = LogWorkbench.options(files);
        log = SegmentLogs.open(options, bookies.store(options));
        LogWorkbench.Seen seen = LogWorkbench.start(log);
        List<Long> sequences = new ArrayList<>(seen.sequences());
        assertThat(sequences).as(where).doesNotHaveDuplicates().isSorted();
        assertThat(sequences).as(where).containsAll(acknowledged);
        // Entries on their way may be there.
        acknowledged.addAll(sequences);
        next = Math.max(next, seen.lastSequence() + 1);
        for (Map.Entry<Long, Blob> blob : blobs.entrySet()) {
            ByteBuffer content = blob.getValue().content();
            assertThat(
                            LogWorkbench.download(
                                    log,
                                    blob.getKey(),
                                    blob.getValue().extents(),
                                    content.remaining()))
                    .as(where)
                    .isEqualTo(content);
        }
        assertThat(log.segments())
                .as("one open head")
                .filteredOn(each -> !each.sealed() && each.kind() == Kind.HEAD)
                .hasSize(1);
    }
}
