package io.volute.bookkeeper;

import io.volute.storage.CubeOptions;
import io.volute.storage.Cubes;
import io.volute.storage.log.ledger.LedgerFollower;
import io.volute.storage.log.ledger.LedgerSettings;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.BookKeeper;
import org.apache.bookkeeper.conf.ClientConfiguration;
import org.apache.zookeeper.KeeperException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection to ZooKeeper and the bookies that all cubes of a server share. Close it after the
 * cubes. Thread-safe.
 */
public final class BookKeeperStores implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BookKeeperStores.class);

    private final BookKeeperSettings settings;
    private final ZooKeeperSession session;
    private final BookKeeper client;
    private final BookKeeperLedgers ledgers;

    private BookKeeperStores(
            BookKeeperSettings settings,
            ZooKeeperSession session,
            ClientConfiguration options,
            LongSupplier nanos)
            throws IOException, BKException, InterruptedException {
        this.settings = settings;
        this.session = session;
        this.client = new BookKeeper(options);
        this.ledgers =
                new BookKeeperLedgers(
                        client,
                        settings,
                        options.getNettyMaxFrameSizeBytes(),
                        nanos,
                        new BookieChanges(session, settings.ledgersPath() + "/available"));
    }

    /**
     * Connects, and checks that enough bookies are registered.
     *
     * @param nanos clock that only goes forward
     */
    public static BookKeeperStores connect(BookKeeperSettings settings, LongSupplier nanos)
            throws IOException {
        ZooKeeperSession session =
                new ZooKeeperSession(
                        settings.zooKeeper(), settings.session(), settings.security(), nanos);
        boolean connected = false;
        try {
            requireBookies(session, settings);
            BookKeeperStores stores =
                    new BookKeeperStores(settings, session, options(settings), nanos);
            connected = true;
            return stores;
        } catch (BKException e) {
            throw new IOException(
                    "the bookies of " + settings.metadataUri() + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while connecting to bookies", e);
        } finally {
            if (!connected) {
                session.close();
            }
        }
    }

    private static void requireBookies(ZooKeeperSession session, BookKeeperSettings settings)
            throws IOException {
        String path = settings.ledgersPath() + "/available";
        List<String> bookies;
        try {
            bookies = session.repeat(client -> client.getChildren(path, false));
        } catch (KeeperException.NoNodeException e) {
            throw new IOException(
                    "no BookKeeper cluster is registered at "
                            + settings.ledgersPath()
                            + " in ZooKeeper "
                            + settings.zooKeeper()
                            + ": create "
                            + settings.path()
                            + " and run 'bookkeeper shell initnewcluster', or correct"
                            + " log.bookkeeper.path",
                    e);
        } catch (KeeperException e) {
            throw ZooKeeperSession.refused(path, e);
        }
        long running = bookies.stream().filter(name -> !name.equals("readonly")).count();
        if (running < settings.ackQuorum()) {
            throw new IOException(
                    running
                            + " bookies run at "
                            + settings.ledgersPath()
                            + ", and "
                            + settings.ackQuorum()
                            + " are needed: start more, or see that their disks have space");
        }
        if (running < settings.ensemble()) {
            LOG.warn("{} of {} bookies run", running, settings.ensemble());
        }
    }

    private static ClientConfiguration options(BookKeeperSettings settings) {
        ClientConfiguration options = new ClientConfiguration();
        options.setMetadataServiceUri(settings.metadataUri());
        options.setZkTimeout(Math.toIntExact(settings.session().toMillis()));
        // Otherwise one of three bookies that stops ends every ledger, and no take-over succeeds.
        options.setDelayEnsembleChange(true);
        options.setThrottleValue(0);
        options.setNumIOThreads(2);
        options.setNumWorkerThreads(2);
        settings.security().secureBookies(options);
        return options;
    }

    /**
     * Returns the place of a cube.
     *
     * @param cube name of the cube, under which ZooKeeper has it
     */
    public Cubes.LedgersOfCube of(String cube) {
        return () -> ledgersOf(cube);
    }

    private CubeLedgers ledgersOf(String cube) {
        return new CubeLedgers(cube, session, settings, ledgers);
    }

    /**
     * Returns the id of a cube that some server has opened before.
     *
     * @throws IOException when its log is not on ledgers now; the message names the place
     */
    public Optional<UUID> identity(String cube) throws IOException {
        return ledgersOf(cube).identity();
    }

    /** Returns the names of all cubes that some server has opened. */
    public List<String> cubes() throws IOException {
        String path = settings.path() + "/cubes";
        try {
            return session.repeat(client -> client.getChildren(path, false)).stream()
                    .sorted()
                    .toList();
        } catch (KeeperException.NoNodeException e) {
            return List.of();
        } catch (KeeperException e) {
            throw ZooKeeperSession.refused(path, e);
        }
    }

    /**
     * Returns a standby of a cube that another server has open.
     *
     * @param cube name of the cube, which some server has opened before
     */
    public Cubes.Standby follow(String cube, CubeOptions options, Cubes.Shared shared)
            throws IOException {
        return Cubes.follow(
                options,
                shared,
                ledgersOf(cube),
                log ->
                        new LedgerFollower(
                                log,
                                ledgers,
                                new ZooKeeperListView(session, settings, cube),
                                LedgerSettings.withMirrors(settings.mirrorBytes())));
    }

    @Override
    public void close() throws IOException {
        try {
            client.close();
        } catch (BKException e) {
            throw new IOException("closing the client of the bookies: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            session.close();
        }
    }
}
