package io.volute.bookkeeper;

import io.volute.storage.log.ledger.FencedException;
import io.volute.storage.log.ledger.Ledgers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.BookKeeper;
import org.apache.bookkeeper.client.BookieInfoReader;
import org.apache.bookkeeper.client.api.DigestType;
import org.apache.bookkeeper.client.api.LedgerEntries;
import org.apache.bookkeeper.client.api.LedgerEntry;
import org.apache.bookkeeper.client.api.LedgerMetadata;
import org.apache.bookkeeper.client.api.ListLedgersResult;
import org.apache.bookkeeper.client.api.ReadHandle;
import org.apache.bookkeeper.client.api.WriteHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ledgers of BookKeeper. The client is shared by all cubes, and closed by {@link BookKeeperStores}.
 */
final class BookKeeperLedgers implements Ledgers {
    private static final Logger LOG = LoggerFactory.getLogger(BookKeeperLedgers.class);

    /** Ledgers have a digest instead of a secret: the log has checksums of its own. */
    private static final byte[] PASSWORD = new byte[0];

    /** Bytes of a frame that are not the entry. A larger entry closes the ledger. */
    private static final int FRAME_OVERHEAD = 200;

    private static final int READ_BYTES = 4 << 20;
    private static final int READ_ENTRIES_MAX = 512;

    /** Attempts to recover a ledger, each of which waits for bookies for some time. */
    private static final int RECOVERIES_MAX = 120;

    private static final long PAUSE_MILLIS = 500;

    private final BookKeeper client;
    private final BookKeeperSettings settings;
    private final int frameBytes;
    private final AtomicBoolean degraded = new AtomicBoolean();
    private final LongSupplier nanos;
    private final BookieChanges changes;
    private final BookieSpace space;

    BookKeeperLedgers(
            BookKeeper client,
            BookKeeperSettings settings,
            int frameBytes,
            LongSupplier nanos,
            BookieChanges changes) {
        this.changes = changes;
        this.client = client;
        this.settings = settings;
        this.frameBytes = frameBytes;
        this.nanos = nanos;
        this.space =
                new BookieSpace(
                        () ->
                                client.getBookieInfo().values().stream()
                                        .map(BookieInfoReader.BookieInfo::getFreeDiskSpace)
                                        .toList(),
                        settings.writeQuorum(),
                        settings.ackQuorum(),
                        nanos);
    }

    @Override
    public int entryBytesMax() {
        return frameBytes - FRAME_OVERHEAD;
    }

    /**
     * {@inheritDoc} The time is that of a session: a client of S3 with few retries sees no refusal
     * while ZooKeeper elects a leader, and no lease lasts longer.
     */
    @Override
    public Writer create(UUID cube, long epoch, boolean waits) throws IOException {
        long begun = nanos.getAsLong();
        while (true) {
            try {
                return createOnce(cube, epoch);
            } catch (IOException e) {
                if (!waits || nanos.getAsLong() - begun >= settings.session().toNanos()) {
                    throw e;
                }
                LOG.debug("creating a ledger again", e);
                ZooKeeperSession.pause(PAUSE_MILLIS);
            }
        }
    }

    private Writer createOnce(UUID cube, long epoch) throws IOException {
        try {
            return full(cube, epoch);
        } catch (BKException.BKNotEnoughBookiesException e) {
            return createDegraded(cube, epoch);
        } catch (BKException e) {
            throw failed("creating a ledger", e);
        }
    }

    @Override
    public Writer createFull(UUID cube, long epoch) throws IOException {
        try {
            return full(cube, epoch);
        } catch (BKException e) {
            throw failed("creating a ledger with all copies", e);
        }
    }

    private Writer full(UUID cube, long epoch) throws IOException, BKException {
        WriteHandle handle = create(cube, epoch, settings.ensemble(), settings.writeQuorum());
        if (degraded.compareAndSet(true, false)) {
            LOG.info("ledgers have {} copies again", settings.writeQuorum());
        }
        return new BookKeeperWriter(handle, false);
    }

    /** Creates a ledger whose entries have as many copies as acknowledge them. */
    private Writer createDegraded(UUID cube, long epoch) throws IOException {
        int copies = settings.ackQuorum();
        try {
            WriteHandle handle = create(cube, epoch, copies, copies);
            if (degraded.compareAndSet(false, true)) {
                LOG.warn(
                        "fewer than {} bookies take writes: new ledgers have {} copies. Start the"
                                + " missing bookies.",
                        settings.ensemble(),
                        copies);
            }
            return new BookKeeperWriter(handle, copies < settings.writeQuorum());
        } catch (BKException.BKNotEnoughBookiesException e) {
            throw space.tooFew(e);
        } catch (BKException e) {
            throw failed("creating a ledger", e);
        }
    }

    private WriteHandle create(UUID cube, long epoch, int ensemble, int writeQuorum)
            throws IOException, BKException {
        Map<String, byte[]> metadata =
                Map.of(
                        LedgerOwner.CUBE, bytes(cube.toString()),
                        LedgerOwner.EPOCH, bytes(Long.toString(epoch)));
        return await(
                client.newCreateLedgerOp()
                        .withEnsembleSize(ensemble)
                        .withWriteQuorumSize(writeQuorum)
                        .withAckQuorumSize(settings.ackQuorum())
                        .withDigestType(DigestType.CRC32C)
                        .withPassword(PASSWORD)
                        .withCustomMetadata(metadata)
                        .execute());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** The entries of a ledger's metadata. */
    private static final class LedgerOwner {
        static final String CUBE = "volute.cube";
        static final String EPOCH = "volute.epoch";

        private LedgerOwner() {}
    }

    /** Waits for a result; throws what the client reports. */
    static <T> T await(CompletableFuture<T> future) throws IOException, BKException {
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for bookies", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof BKException known) {
                throw known;
            }
            throw new IOException(e.getCause().getMessage(), e);
        }
    }

    static IOException failed(String what, org.apache.bookkeeper.client.api.BKException e) {
        String message = what + " failed: " + e.getMessage() + advice(e);
        return e instanceof BKException.BKLedgerFencedException
                ? new FencedException(message, e)
                : new IOException(message, e);
    }

    private static String advice(org.apache.bookkeeper.client.api.BKException e) {
        return e instanceof BKException.BKNotEnoughBookiesException
                        || e instanceof BKException.BKSecurityException
                ? "; see that the bookies run, and with TLS that log.bookkeeper.tls.ca has the"
                        + " authority of their certificates, which name their hosts"
                : "";
    }

    @Override
    public void recover(long ledgerId) throws IOException {
        try (ReadHandle handle = open(ledgerId, true)) {
            LOG.info(
                    "recovered ledger {} with {} entries",
                    ledgerId,
                    handle.getLastAddConfirmed() + 1);
        } catch (org.apache.bookkeeper.client.api.BKException e) {
            throw failed("recovering ledger " + ledgerId, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while recovering ledger " + ledgerId, e);
        }
    }

    private ReadHandle open(long ledgerId, boolean recovers) throws IOException, BKException {
        return await(
                client.newOpenLedgerOp()
                        .withLedgerId(ledgerId)
                        .withRecovery(recovers)
                        .withDigestType(DigestType.CRC32C)
                        .withPassword(PASSWORD)
                        .execute());
    }

    @Override
    public void read(long ledgerId, long most, EntrySink sink) throws IOException {
        boolean isClosed = read(ledgerId, 0, most, sink).isClosed();
        LOG.trace("read ledger {}, closed: {}", ledgerId, isClosed);
    }

    /**
     * {@inheritDoc}
     *
     * <p>The handle of an open ledger has no length. Each entry has that up to its own end, so the
     * first one that is not confirmed is read, too.
     */
    @Override
    public Confirmed readConfirmed(long ledgerId, long first, EntrySink sink) throws IOException {
        return read(ledgerId, first, Long.MAX_VALUE, sink);
    }

    private Confirmed read(long ledgerId, long from, long most, EntrySink sink) throws IOException {
        try (ReadHandle handle = open(ledgerId, false)) {
            boolean isClosed = handle.isClosed();
            long confirmed = handle.getLastAddConfirmed() + 1;
            long end = Math.min(most, confirmed);
            long added = isClosed ? handle.getLength() : addedBytes(handle, confirmed);
            long perEntry = Math.max(1, added / Math.max(1, confirmed));
            long step = Math.clamp(READ_BYTES / perEntry, 1, READ_ENTRIES_MAX);
            for (long first = from; first < end; first += step) {
                long last = Math.min(end, first + step) - 1;
                try (LedgerEntries entries = await(handle.readAsync(first, last))) {
                    for (LedgerEntry entry : entries) {
                        sink.entry(entry.getEntryNioBuffer());
                    }
                }
            }
            return new Confirmed(Math.max(from, end), isClosed, added);
        } catch (org.apache.bookkeeper.client.api.BKException e) {
            throw failed("reading ledger " + ledgerId, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while reading ledger " + ledgerId, e);
        }
    }

    /**
     * Returns the bytes of all entries up to the first one that is not confirmed; 0 if no bookie
     * has it, and as many as possible if one that may have it does not answer.
     */
    private static long addedBytes(ReadHandle handle, long next) throws IOException {
        try (LedgerEntries found = await(handle.readUnconfirmedAsync(next, next))) {
            return found.getEntry(next).getLength();
        } catch (BKException e) {
            return e.getCode() == BKException.Code.NoSuchEntryException ? 0 : Long.MAX_VALUE;
        }
    }

    @Override
    public void delete(long ledgerId) throws IOException {
        try {
            await(client.newDeleteLedgerOp().withLedgerId(ledgerId).execute());
        } catch (BKException.BKNoSuchLedgerExistsOnMetadataServerException e) {
            LOG.debug("ledger {} was deleted before", ledgerId);
        } catch (BKException e) {
            throw failed("deleting ledger " + ledgerId, e);
        }
    }

    @Override
    public List<Long> ofCube(UUID cube, long beforeEpoch) throws IOException {
        List<Long> found = new ArrayList<>();
        try (ListLedgersResult all = await(client.newListLedgersOp().execute())) {
            for (long id : all.toIterable()) {
                if (isOf(id, cube, beforeEpoch)) {
                    found.add(id);
                }
            }
            return found;
        } catch (BKException e) {
            throw failed("listing ledgers", e);
        } catch (IOException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException("listing ledgers failed: " + e.getMessage(), e);
        }
    }

    private boolean isOf(long ledgerId, UUID cube, long beforeEpoch) throws IOException {
        try {
            LedgerMetadata metadata = await(client.getLedgerMetadata(ledgerId));
            Map<String, byte[]> custom = metadata.getCustomMetadata();
            return cube.toString().equals(text(custom, LedgerOwner.CUBE))
                    && Long.parseLong(text(custom, LedgerOwner.EPOCH)) < beforeEpoch;
        } catch (BKException.BKNoSuchLedgerExistsOnMetadataServerException e) {
            return false;
        } catch (BKException e) {
            throw failed("reading the metadata of ledger " + ledgerId, e);
        }
    }

    private static String text(Map<String, byte[]> custom, String key) {
        return new String(custom.getOrDefault(key, new byte[0]), StandardCharsets.US_ASCII);
    }

    @Override
    public boolean awaitBookies(int attempts) throws IOException {
        ZooKeeperSession.pause(PAUSE_MILLIS);
        return attempts < RECOVERIES_MAX;
    }

    @Override
    public long bookieChanges() throws IOException {
        return changes.count();
    }

    @Override
    public long usableBytes() {
        return space.usableBytes();
    }

    /** Does nothing: other cubes use the client. */
    @Override
    public void close() {}
}
