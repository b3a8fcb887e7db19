package io.volute.storage.log.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import io.volute.storage.log.LogOptions;
import io.volute.storage.log.SegmentFileName;
import io.volute.storage.log.SegmentLog.SpacePriority;
import io.volute.storage.log.file.LogWorkbench;
import io.volute.storage.log.space.SegmentStore;
import io.volute.storage.report.SpaceReport.Kind;
import io.volute.storage.report.UnderReplication;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Segments with two copies that get three. */
class LedgerReplicatorTest {
    private static final int BYTES = 20_000;
    private static final int GAP = 4096;
    private static final SegmentFileName FIRST = SegmentFileName.of(1, Kind.HEAD);
    private static final SegmentFileName SECOND = SegmentFileName.of(2, Kind.STREAM);
    private static final SegmentFileName THIRD = SegmentFileName.of(3, Kind.SURVIVOR);

    private SimFileSystem files = new SimFileSystem();
    private SimBookies bookies = new SimBookies(5);

    private LedgerSegmentStore opened() throws IOException {
        return opened(LogWorkbench.options(files));
    }

    private LedgerSegmentStore opened(LogOptions options) throws IOException {
        LedgerSegmentStore store = bookies.store(options);
        store.open();
        store.list();
        store.startWriting();
        return store;
    }

    private static StoredFile publish(SegmentStore store, SegmentFileName name) throws IOException {
        Kind kind = name.state().kind().orElseThrow();
        SegmentStore.Draft draft =
                store.create(new SegmentStore.Claim(kind, SpacePriority.CLIENT, 64 << 10));
        try (StoredFile file = draft.open()) {
            write(file, 0, 1, name);
        }
        StoredFile file = draft.publish(name);
        write(file, GAP, BYTES, name);
        return file;
    }

    private static void write(StoredFile file, long offset, int bytes, SegmentFileName name)
            throws IOException {
        byte[] content = new byte[bytes];
        Arrays.fill(content, (byte) name.number());
        file.write(ByteBuffer.wrap(content), offset, WriteCause.CLIENT_DATA);
        file.force();
    }

    private static void requireContent(SegmentStore store, SegmentFileName... names)
            throws IOException {
        for (SegmentFileName name : names) {
            try (StoredFile file = store.open(name, Access.READ)) {
                requireContent(file, name);
            }
        }
    }

    private static void requireContent(StoredFile file, SegmentFileName name) throws IOException {
        byte[] expected = new byte[GAP + BYTES + 1];
        Arrays.fill(expected, GAP, GAP + BYTES, (byte) name.number());
        expected[0] = (byte) name.number();
        ByteBuffer found = ByteBuffer.allocate(expected.length);
        file.read(found, 0);
        assertThat(found.array()).isEqualTo(expected);
    }

    /** Writes two closed segments with two copies each; then the third bookie returns. */
    private LedgerSegmentStore storeWithTwoCopies() throws IOException {
        LedgerSegmentStore store = opened();
        bookies.stop(1);
        publish(store, FIRST).close();
        publish(store, SECOND).close();
        assertThat(store.underReplication()).isEqualTo(new UnderReplication(2, 2 * (GAP + BYTES)));
        bookies.start(1);
        return store;
    }

    /** A start lets the store look whether enough bookies are there. */
    private static void replicate(SegmentStore store) throws IOException {
        store.startWriting();
    }

    @Test
    void segmentsGetAllCopiesOnceTheBookieReturns() throws IOException {
        LedgerSegmentStore store = storeWithTwoCopies();
        replicate(store);
        assertThat(store.underReplication()).isEqualTo(UnderReplication.NONE);
        assertThat(bookies.ledgerCount()).isEqualTo(2);
        requireContent(store, FIRST, SECOND);
        kill();
        bookies.stop(0);
        bookies.stop(2);
        LedgerSegmentStore next = opened();
        assertThat(next.underReplication()).isEqualTo(UnderReplication.NONE);
        requireContent(next, FIRST, SECOND);
    }

    /** The machine is lost with its mirrors. */
    private void kill() {
        files = new SimFileSystem();
        bookies = bookies.afterKill();
    }

    @Test
    void nothingIsRewrittenWhileABookieIsMissing() throws IOException {
        LedgerSegmentStore store = storeWithTwoCopies();
        bookies.stop(2);
        replicate(store);
        assertThat(store.underReplication().segments()).isEqualTo(2);
        assertThat(bookies.ledgerCount()).isEqualTo(2);
    }

    @Test
    void theThreadRewritesByItself() throws IOException {
        storeWithTwoCopies().close();
        LogOptions inline = LogWorkbench.options(files);
        LogOptions options =
                new LogOptions(
                        inline.directory(),
                        files,
                        inline.cubeId(),
                        inline.clock(),
                        inline.settings());
        try (LedgerSegmentStore store = opened(options)) {
            while (store.underReplication().segments() > 0) {
                Thread.onSpinWait();
            }
            requireContent(store, FIRST, SECOND);
        }
        assertThat(bookies.ledgerCount()).isEqualTo(2);
    }

    /** BookKeeper reports no failure while two of three bookies take an entry. */
    @Test
    void entriesThatABookieMissedAreCopied() throws IOException {
        LedgerSegmentStore store = opened();
        StoredFile first = publish(store, FIRST);
        bookies.stop(2);
        write(first, GAP, BYTES, FIRST);
        assertThat(store.underReplication()).isEqualTo(UnderReplication.NONE);
        bookies.start(2);
        first.close();
        assertThat(bookies.missingCopies()).isZero();
        kill();
        bookies.stop(0);
        bookies.stop(1);
        requireContent(opened(), FIRST);
    }

    @Test
    void ledgersThatWereJustClosedAreSuspects() throws IOException {
        LedgerSegmentStore store = opened();
        publish(store, FIRST).close();
        passRounds(store);
        publish(store, SECOND).close();
        bookies.stop(1);
        replicate(store);
        assertThat(store.underReplication()).isEqualTo(new UnderReplication(1, GAP + BYTES));
        kill();
        assertThat(opened().underReplication().segments()).isEqualTo(1);
    }

    /** Looks at the bookies so often that no closed ledger is recent any more. */
    private static void passRounds(SegmentStore store) throws IOException {
        for (int round = 0; round <= RecentLedgers.ROUNDS; round++) {
            replicate(store);
        }
    }

    @Test
    void aBookieThatDiesDuringTheCopyIsNoticedLater() throws IOException {
        LedgerSegmentStore store = storeWithTwoCopies();
        bookies.stop(1);
        passRounds(store);
        bookies.start(1);
        bookies.observeReads(() -> bookies.stopUnnoticed(1));
        replicate(store);
        bookies.observeReads(() -> {});
        assertThat(bookies.missingCopies()).isPositive();
        bookies.start(1);
        replicate(store);
        assertThat(bookies.missingCopies()).isZero();
        requireContent(store, FIRST, SECOND);
    }

    @Test
    void aLastLookAtTheBookiesMarksWhatIsOpen() throws IOException {
        try (LedgerSegmentStore store = opened()) {
            publish(store, FIRST).close();
            bookies.stop(1);
        }
        assertThat(bookies.underReplicated()).isEqualTo(1);
    }

    @Test
    void anOpenSegmentIsRewrittenOnceItIsSealed() throws IOException {
        LedgerSegmentStore store = opened();
        bookies.stop(0);
        StoredFile open = publish(store, FIRST);
        bookies.start(0);
        replicate(store);
        assertThat(store.underReplication().segments()).isEqualTo(1);
        write(open, GAP, BYTES, FIRST);
        open.close();
        assertThat(store.underReplication()).isEqualTo(UnderReplication.NONE);
        requireContent(store, FIRST);
    }

    @Test
    void losesNothingWhereverItCrashes() throws IOException {
        LedgerSegmentStore store = storeWithTwoCopies();
        List<SimBookies> images = new ArrayList<>();
        bookies.observe(() -> images.add(bookies.afterKill()));
        bookies.observeReads(() -> images.add(bookies.afterKill()));
        replicate(store);
        SimBookies last = bookies.afterKill();
        images.add(last);
        // Both are marked again. For each segment: create, read, read again, list, delete.
        assertThat(images).hasSize(12);
        for (SimBookies image : images) {
            bookies = image;
            files = new SimFileSystem();
            LedgerSegmentStore next = opened();
            assertThat(next.underReplication()).isEqualTo(UnderReplication.NONE);
            requireContent(next, FIRST, SECOND);
            assertThat(bookies.ledgerCount()).isEqualTo(2);
        }
    }

    @Test
    void openFilesAndMirrorsGoOn() throws IOException {
        LedgerSegmentStore store = storeWithTwoCopies();
        try (StoredFile first = store.open(FIRST, Access.READ)) {
            requireContent(first, FIRST);
            replicate(store);
            assertThat(files.list(LogWorkbench.DIRECTORY))
                    .containsExactly("3.whole", "4.whole", "epoch");
            requireContent(first, FIRST);
            bookies.observeReads(
                    () -> {
                        throw new AssertionError("the mirror has everything");
                    });
            requireContent(store, FIRST, SECOND);
        }
    }

    @Test
    void aCopyThatDiffersIsNotListed() throws IOException {
        LedgerSegmentStore store = storeWithTwoCopies();
        bookies.loseEntriesOfCopies();
        replicate(store);
        assertThat(store.underReplication().segments()).isEqualTo(2);
        assertThat(bookies.ledgerCount()).isEqualTo(2);
        kill();
        requireContent(opened(), FIRST, SECOND);
    }

    /** Runs once while a copy is read again, which is the last step before the list changes. */
    private void beforeTheExchange(IoAction action) {
        int[] reads = {0};
        bookies.observeReads(
                () -> {
                    reads[0]++;
                    if (reads[0] == 2) {
                        try {
                            action.run();
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    }
                });
    }

    private interface IoAction {
        void run() throws IOException;
    }

    @Test
    void aSegmentThatIsFreedMeanwhileStaysAway() throws IOException {
        LedgerSegmentStore store = storeWithTwoCopies();
        beforeTheExchange(() -> store.retire(FIRST));
        replicate(store);
        assertThat(bookies.names()).containsExactly(SECOND);
        assertThat(bookies.ledgerCount()).isEqualTo(1);
        assertThat(files.list(LogWorkbench.DIRECTORY)).containsExactly("4.whole", "epoch");
    }

    @Test
    void anOwnerThatLostTheLogExchangesNothing() throws IOException {
        LedgerSegmentStore old = storeWithTwoCopies();
        List<LedgerSegmentStore> next = new ArrayList<>();
        SimBookies services = bookies;
        beforeTheExchange(
                () -> {
                    LedgerSegmentStore store =
                            services.store(LogWorkbench.options(new SimFileSystem()));
                    store.open();
                    store.list();
                    next.add(store);
                });
        replicate(old);
        assertThat(old.underReplication().segments()).isEqualTo(2);
        assertThat(bookies.ledgerCount()).isEqualTo(2);
        requireContent(next.getFirst(), FIRST, SECOND);
        replicate(next.getFirst());
        requireContent(next.getFirst(), FIRST, SECOND);
        assertThat(next.getFirst().underReplication()).isEqualTo(UnderReplication.NONE);
    }

    @Test
    void aLogThatLeavesMeanwhileIsNotListedAgain() throws IOException {
        LedgerSegmentStore store = storeWithTwoCopies();
        beforeTheExchange(() -> store.leave(new UUID(1, 2)));
        replicate(store);
        assertThat(bookies.names()).isEmpty();
        // Of the place that the log has left, the migration removes the ledgers.
        assertThat(bookies.ledgerCount()).isEqualTo(2);
    }

    @Test
    void anUnknownOutcomeLosesNoLedger() throws IOException {
        for (SimBookies.Fault fault : SimBookies.Fault.values()) {
            files = new SimFileSystem();
            bookies = new SimBookies(7);
            LedgerSegmentStore store = storeWithTwoCopies();
            beforeTheExchange(() -> bookies.failChange(fault));
            replicate(store);
            assertThat(bookies.ledgerCount()).isEqualTo(3);
            requireContent(store, FIRST, SECOND);
            kill();
            LedgerSegmentStore next = opened();
            requireContent(next, FIRST, SECOND);
            assertThat(next.underReplication()).isEqualTo(UnderReplication.NONE);
            assertThat(bookies.ledgerCount()).isEqualTo(2);
        }
    }

    @Test
    void aFollowerGoesOnWithTheOtherLedger() throws IOException {
        LedgerSegmentStore store = storeWithTwoCopies();
        SimFileSystem others = new SimFileSystem();
        try (LedgerFollower follower = bookies.follower(LogWorkbench.options(others))) {
            follower.refresh();
            requireContent(follower.read(1).file(), FIRST);
            replicate(store);
            assertThat(follower.refresh()).isTrue();
            bookies.observeReads(
                    () -> {
                        throw new AssertionError("the mirror has everything");
                    });
            requireContent(follower.read(1).file(), FIRST);
            assertThat(others.list(LogWorkbench.DIRECTORY)).containsExactly("3.whole");
            bookies.observeReads(() -> {});
            requireContent(follower.read(2).file(), SECOND);
        }
    }

    @Test
    void aFollowerOfAnOpenSegmentReadsOnInTheOtherLedger() throws IOException {
        LedgerSegmentStore store = opened();
        bookies.stop(0);
        StoredFile open = publish(store, THIRD);
        bookies.start(0);
        SimFileSystem others = new SimFileSystem();
        try (LedgerFollower follower = bookies.follower(LogWorkbench.options(others))) {
            follower.refresh();
            assertThat(follower.read(3).isClosed()).isFalse();
            open.close();
            assertThatThrownBy(() -> follower.read(3)).hasMessageContaining("no ledger 1");
            follower.refresh();
            LedgerFollower.Part whole = follower.read(3);
            assertThat(whole.isClosed()).isTrue();
            assertThat(whole.end()).isEqualTo(GAP + BYTES);
            requireContent(whole.file(), THIRD);
        }
    }
}
