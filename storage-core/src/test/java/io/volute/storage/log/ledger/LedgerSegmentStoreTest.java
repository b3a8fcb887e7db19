package io.volute.storage.log.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import io.volute.storage.log.LogOptions;
import io.volute.storage.log.SegmentFileName;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.log.SegmentLog.SpacePriority;
import io.volute.storage.log.file.LogWorkbench;
import io.volute.storage.log.file.SegmentLogs;
import io.volute.storage.log.space.SegmentStore;
import io.volute.storage.log.space.SegmentStoreContract;
import io.volute.storage.report.SpaceReport.Kind;
import io.volute.storage.report.UnderReplication;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class LedgerSegmentStoreTest extends SegmentStoreContract {
    private static final SegmentFileName FIRST = SegmentFileName.of(1, Kind.HEAD);
    private static final SegmentFileName SECOND = SegmentFileName.of(2, Kind.HEAD);

    private SimFileSystem files = new SimFileSystem();
    private SimBookies bookies = new SimBookies(5);

    @Override
    protected LedgerSegmentStore store() {
        return bookies.store(LogWorkbench.options(files));
    }

    /** The machine is lost with its mirrors. */
    @Override
    protected void kill() {
        files = new SimFileSystem();
        bookies = bookies.afterKill();
    }

    private LedgerSegmentStore opened() throws IOException {
        return opened(store());
    }

    private static LedgerSegmentStore opened(LedgerSegmentStore store) throws IOException {
        store.open();
        store.list();
        store.startWriting();
        return store;
    }

    private static StoredFile publish(SegmentStore store, SegmentFileName name) throws IOException {
        SegmentStore.Draft draft =
                store.create(
                        new SegmentStore.Claim(Kind.HEAD, SpacePriority.CLIENT, SEGMENT_BYTES));
        try (StoredFile file = draft.open()) {
            write(file, 0, (byte) 1);
        }
        return draft.publish(name);
    }

    private static void write(StoredFile file, long offset, byte value) throws IOException {
        byte[] page = new byte[4096];
        Arrays.fill(page, value);
        file.write(ByteBuffer.wrap(page), offset, WriteCause.CLIENT_DATA);
        file.force();
    }

    private static byte valueAt(SegmentStore store, SegmentFileName name, long offset)
            throws IOException {
        ByteBuffer target = ByteBuffer.allocate(1);
        try (StoredFile file = store.open(name, Access.READ)) {
            file.read(target, offset);
        }
        return target.get(0);
    }

    @Test
    void anOwnerThatLostTheLogWritesNothingMore() throws IOException {
        LedgerSegmentStore old = opened();
        StoredFile head = publish(old, FIRST);
        LedgerSegmentStore next = opened();
        assertThatThrownBy(() -> write(head, 4096, (byte) 9)).isInstanceOf(FencedException.class);
        assertThatThrownBy(() -> publish(old, SECOND)).isInstanceOf(FencedException.class);
        assertThatThrownBy(() -> old.retire(FIRST)).isInstanceOf(FencedException.class);
        assertThat(old.remedy()).contains("Another server has taken the log over");
        assertThat(bookies.names()).containsExactly(FIRST);
        assertThat(valueAt(next, FIRST, 4096)).isZero();
    }

    @Test
    void readsAreRefusedOnceAnotherOwnerHasClaimed() throws IOException {
        LedgerSegmentStore old = opened();
        publish(old, FIRST);
        old.requireOwned();
        LedgerSegmentStore next = opened();
        assertThatThrownBy(old::requireOwned).isInstanceOf(FencedException.class);
        assertThat(old.remedy()).contains("Another server has taken the log over");
        bookies.loseList();
        assertThatThrownBy(old::requireOwned).isInstanceOf(FencedException.class);
        publish(next, SECOND);
        next.requireOwned();
    }

    @Test
    void anEntryWithoutBytesDecidesWhileTheListIsSilent() throws IOException {
        LedgerSegmentStore old = opened();
        StoredFile head = publish(old, FIRST);
        bookies.loseList();
        old.requireOwned();
        write(head, 4096, (byte) 5);
        old.requireOwned();
        kill();
        LedgerSegmentStore next = opened();
        assertThat(valueAt(next, FIRST, 0)).isEqualTo((byte) 1);
        assertThat(valueAt(next, FIRST, 4096)).isEqualTo((byte) 5);
    }

    @Test
    void aFencedHeadIsNoticedWhileTheListIsSilent() throws IOException {
        LedgerSegmentStore old = opened();
        publish(old, FIRST);
        opened();
        bookies.loseList();
        assertThatThrownBy(old::requireOwned).isInstanceOf(FencedException.class);
    }

    @Test
    void withoutAnAnswerAndWithoutAHeadNothingIsKnown() throws IOException {
        LedgerSegmentStore store = opened();
        bookies.loseList();
        assertThatThrownBy(store::requireOwned)
                .isNotInstanceOf(FencedException.class)
                .hasMessageContaining("the list does not answer");
    }

    @Test
    void aHeadWhoseWriteFailedIsRecoveredOnceBookiesReturn() throws IOException {
        LedgerSegmentStore store = opened();
        StoredFile head = publish(store, FIRST);
        write(head, 4096, (byte) 7);
        bookies.stop(0);
        bookies.stop(1);
        IOException failure =
                catchThrowableOfType(IOException.class, () -> write(head, 8192, (byte) 8));
        List<Integer> waited = new ArrayList<>();
        bookies.whileAwaited(
                attempts -> {
                    waited.add(attempts);
                    if (attempts == 2) {
                        bookies.start(0);
                    }
                    return true;
                });
        long end = store.recoverHead(FIRST, failure).orElseThrow();
        assertThat(waited).containsExactly(1, 2);
        // The entry may be on the bookie that was left.
        assertThat(end).isIn(8192L, 12_288L);
        assertThat(valueAt(store, FIRST, 4096)).isEqualTo((byte) 7);
        assertThat(valueAt(store, FIRST, 8192)).isEqualTo((byte) (end == 8192 ? 0 : 8));
        assertThatThrownBy(() -> write(head, 12_288, (byte) 9)).isInstanceOf(IOException.class);
    }

    @Test
    void aHeadIsGivenUpWhenBookiesStayAway() throws IOException {
        LedgerSegmentStore store = opened();
        publish(store, FIRST);
        bookies.stop(0);
        bookies.stop(1);
        bookies.whileAwaited(attempts -> attempts < 5);
        assertThat(store.recoverHead(FIRST, new IOException("too few"))).isEmpty();
    }

    @Test
    void aFencedHeadIsNotRecovered() throws IOException {
        LedgerSegmentStore store = opened();
        publish(store, FIRST);
        assertThat(store.recoverHead(FIRST, new FencedException("fenced"))).isEmpty();
        assertThat(store.concernsOneSegment(new FencedException("fenced"))).isFalse();
        assertThat(store.concernsOneSegment(new IOException("too few"))).isTrue();
    }

    @Test
    void writesGoOnWithOneBookieLess() throws IOException {
        LedgerSegmentStore store = opened();
        StoredFile head = publish(store, FIRST);
        bookies.stop(1);
        write(head, 4096, (byte) 7);
        publish(store, SECOND).close();
        kill();
        LedgerSegmentStore after = opened();
        assertThat(valueAt(after, FIRST, 4096)).isEqualTo((byte) 7);
        bookies.start(1);
        bookies.stop(2);
        files = new SimFileSystem();
        assertThat(valueAt(opened(), FIRST, 4096)).isEqualTo((byte) 7);
    }

    @Test
    void segmentsWithTwoCopiesAreMarkedInTheList() throws IOException {
        LedgerSegmentStore store = opened();
        publish(store, FIRST).close();
        assertThat(store.underReplication()).isEqualTo(UnderReplication.NONE);
        bookies.stop(1);
        publish(store, SECOND);
        assertThat(store.underReplication()).isEqualTo(new UnderReplication(1, 4096));
        kill();
        LedgerSegmentStore next = opened();
        assertThat(next.underReplication()).isEqualTo(new UnderReplication(1, 4096));
        next.retire(SECOND);
        assertThat(next.underReplication()).isEqualTo(UnderReplication.NONE);
    }

    @Test
    void aSegmentThatIsSealedLateDoesNotComeBack() throws IOException {
        List<Runnable> later = new ArrayList<>();
        LedgerSegmentStore store =
                opened(bookies.store(LogWorkbench.options(files).withSpareMaker(later::add)));
        publish(store, FIRST).close();
        store.retire(FIRST);
        List.copyOf(later).forEach(Runnable::run);
        publish(store, SECOND);
        assertThat(bookies.names()).containsExactly(SECOND);
    }

    @Test
    void withoutAQuorumACreationIsRefusedAndLaterTriedAgain() throws IOException {
        LedgerSegmentStore store = opened();
        bookies.stop(0);
        bookies.stop(1);
        assertThatThrownBy(() -> publish(store, FIRST))
                .isInstanceOfSatisfying(
                        CubeUnavailableException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.BUSY))
                .hasMessageContaining("2 bookies are needed, 1 answer");
        bookies.start(0);
        publish(store, FIRST).close();
        assertThat(bookies.names()).containsExactly(FIRST);
    }

    @Test
    void aClientWaitsForItsLedgerAndTheCleanerDoesNot() throws IOException {
        LedgerSegmentStore store = opened();
        bookies.stop(0);
        bookies.stop(1);
        bookies.whileAwaited(
                attempts -> {
                    if (attempts == 2) {
                        bookies.start(0);
                    }
                    return true;
                });
        assertThatThrownBy(
                        () ->
                                store.create(
                                        new SegmentStore.Claim(
                                                Kind.SURVIVOR,
                                                SpacePriority.CLEANER,
                                                SEGMENT_BYTES)))
                .isInstanceOf(CubeUnavailableException.class);
        publish(store, FIRST).close();
        assertThat(bookies.names()).containsExactly(FIRST);
    }

    @Test
    void aStartWaitsForThePlaceOfItsHead() throws IOException {
        LogOptions options = LogWorkbench.options(files);
        SegmentLog log = SegmentLogs.open(options, bookies.store(options));
        LogWorkbench.start(log);
        log.append(List.of(LogWorkbench.record(7, 100)), 7);
        kill();
        List<Integer> waited = new ArrayList<>();
        bookies.stopAfterChanges(1, 0, 1);
        bookies.whileAwaited(
                attempts -> {
                    waited.add(attempts);
                    if (attempts == 2) {
                        bookies.start(0);
                    }
                    return true;
                });
        LogOptions again = LogWorkbench.options(files);
        SegmentLog next = SegmentLogs.open(again, bookies.store(again));
        assertThat(LogWorkbench.start(next).sequences()).containsExactly(7L);
        assertThat(waited).containsExactly(1, 2);
    }

    @Test
    void anUnknownOutcomeLosesNoLedger() throws IOException {
        LedgerSegmentStore store = opened();
        bookies.failChange(SimBookies.Fault.ANSWER_LOST);
        assertThatThrownBy(() -> publish(store, FIRST)).hasMessageContaining("lost");
        kill();
        assertThat(valueAt(opened(), FIRST, 0)).isEqualTo((byte) 1);
    }

    @Test
    void unlistedLedgersOfEarlierOwnersAreDeleted() throws IOException {
        LedgerSegmentStore store = opened();
        publish(store, FIRST).close();
        bookies.failChange(SimBookies.Fault.REFUSED);
        assertThatThrownBy(() -> publish(store, SECOND)).isInstanceOf(IOException.class);
        assertThat(bookies.ledgerCount()).isEqualTo(2);
        kill();
        opened();
        assertThat(bookies.ledgerCount()).isEqualTo(1);
        assertThat(bookies.names()).containsExactly(FIRST);
    }

    @Test
    void aRetiredSegmentLeavesTheListBeforeItsLedgerIsDeleted() throws IOException {
        LedgerSegmentStore store = opened();
        publish(store, FIRST).close();
        bookies.failChange(SimBookies.Fault.REFUSED);
        assertThatThrownBy(() -> store.retire(FIRST)).isInstanceOf(IOException.class);
        assertThat(bookies.ledgerCount()).isEqualTo(1);
        store.retire(FIRST);
        assertThat(bookies.ledgerCount()).isZero();
        assertThat(bookies.names()).isEmpty();
    }

    @Test
    void mirrorsStayWithinTheirLimitAndAreMadeAgain() throws IOException {
        LedgerSegmentStore store =
                opened(bookies.store(LogWorkbench.options(files), new LedgerSettings(4096, 5000)));
        publish(store, FIRST).close();
        publish(store, SECOND).close();
        assertThat(files.list(LogWorkbench.DIRECTORY)).containsExactly("2.whole", "epoch");
        assertThat(valueAt(store, FIRST, 0)).isEqualTo((byte) 1);
        // The first bytes need no mirror, others do.
        assertThat(files.list(LogWorkbench.DIRECTORY)).containsExactly("2.whole", "epoch");
        assertThat(valueAt(store, FIRST, 5000)).isZero();
        assertThat(files.list(LogWorkbench.DIRECTORY)).containsExactly("1.whole", "epoch");
    }

    @Test
    void wholeMirrorsOutliveARestartAndHalfOnesDoNot() throws IOException {
        LedgerSegmentStore store = opened();
        publish(store, FIRST).close();
        publish(store, SECOND);
        assertThat(files.list(LogWorkbench.DIRECTORY))
                .containsExactly("1.whole", "2.part", "epoch");
        store.retire(FIRST);
        bookies = bookies.afterKill();
        files = files.afterKill();
        opened();
        // The start has rewritten the recovered ledger.
        assertThat(files.list(LogWorkbench.DIRECTORY)).containsExactly("3.whole", "epoch");
    }

    @Test
    void aMachineContinuesOnlyItsOwnEpoch() throws IOException {
        SimFileSystem other = new SimFileSystem();
        assertThat(isContinued(files)).isFalse();
        assertThat(isContinued(files)).isTrue();
        assertThat(isContinued(other)).isFalse();
        assertThat(isContinued(files)).isFalse();
        assertThat(isContinued(files)).isTrue();
    }

    @Test
    void aStartThatEndsBeforeItsFirstChangeContinuesNothing() throws IOException {
        assertThat(isContinued(files)).isFalse();
        try (LedgerSegmentStore unfinished = store()) {
            unfinished.open();
            unfinished.list();
            assertThat(unfinished.isContinued()).isTrue();
        }
        assertThat(isContinued(files)).isFalse();
    }

    @Test
    void theFileOfTheEpochHasOneLine() throws IOException {
        opened().close();
        Path file = LogWorkbench.DIRECTORY.resolve(Epoch.FILE);
        ByteBuffer bytes = ByteBuffer.allocate(64);
        try (StoredFile epoch = files.open(file, Access.READ)) {
            epoch.read(bytes, 0);
        }
        assertThat(StandardCharsets.US_ASCII.decode(bytes.flip()).toString())
                .isEqualTo("volute-epoch 1 1\n");
    }

    private boolean isContinued(SimFileSystem machine) throws IOException {
        try (LedgerSegmentStore store = opened(bookies.store(LogWorkbench.options(machine)))) {
            return store.isContinued();
        }
    }

    @Test
    void refusesADirectoryWithALocalLog() throws IOException {
        files.createDirectories(LogWorkbench.DIRECTORY);
        files.create(LogWorkbench.DIRECTORY.resolve(FIRST.toString())).close();
        assertThatThrownBy(() -> store().open()).hasMessageContaining("Set log.store to local");
    }

    @Test
    void entriesFitIntoTheFrame() throws IOException {
        LogOptions options = LogWorkbench.options(files);
        bookies.entryBytesMax = 5000;
        LedgerSegmentStore store = opened(bookies.store(options));
        StoredFile head = publish(store, FIRST);
        byte[] large = new byte[20_000];
        Arrays.fill(large, (byte) 3);
        head.write(ByteBuffer.wrap(large), 4096, WriteCause.CLIENT_DATA);
        head.force();
        kill();
        assertThat(valueAt(opened(), FIRST, 4096 + 19_999)).isEqualTo((byte) 3);
    }

    private long confirmed(LedgerSegment segment) throws IOException {
        return bookies.ledgers().readConfirmed(segment.ledgerId(), 0, entry -> {}).end();
    }

    /** A follower sees the last entry before a pause, and no entry is added for nothing. */
    @Test
    void theLastEntryIsConfirmedOnce() throws IOException {
        try (LedgerSegmentStore store = opened()) {
            LogOptions options = LogWorkbench.options(files);
            Mirrors mirrors = new Mirrors(files, options.directory(), 0);
            LedgerSegment segment =
                    new NewLedgers(
                                    bookies.ledgers(),
                                    mirrors,
                                    LedgerSettings.defaults(),
                                    options.cubeId())
                            .create(1, SEGMENT_BYTES, false);
            IdleConfirmation idle = new IdleConfirmation();
            idle.run();
            idle.opened(SECOND, segment);
            idle.run();
            segment.write(ByteBuffer.wrap(new byte[9]), 0, WriteCause.CLIENT_DATA);
            idle.run();
            assertThat(confirmed(segment)).as("on its way").isZero();
            segment.force();
            assertThat(confirmed(segment)).isZero();
            idle.run();
            idle.run();
            assertThat(confirmed(segment)).isEqualTo(1);
            segment.write(ByteBuffer.wrap(new byte[9]), 9, WriteCause.CLIENT_DATA);
            segment.force();
            assertThat(confirmed(segment)).as("an empty entry at most").isEqualTo(2);
            store.list();
        }
    }
}
