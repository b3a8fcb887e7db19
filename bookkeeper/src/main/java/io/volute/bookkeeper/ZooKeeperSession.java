package io.volute.bookkeeper;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.OpResult.ErrorResult;
import org.apache.zookeeper.OpResult.GetDataResult;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A session with ZooKeeper, which begins anew when the servers have given it up. Thread-safe. */
final class ZooKeeperSession implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ZooKeeperSession.class);

    private final String servers;
    private final Duration timeout;
    private final LongSupplier nanos;
    private final Connector connector;
    private final Sleeper sleeper;
    private final ClientSecurity security;
    private final ReentrantLock lock = new ReentrantLock();

    /** The nodes whose next change the present client reports. */
    private final Set<String> watched = ConcurrentHashMap.newKeySet();

    private ZooKeeper client;

    /** Connects. */
    ZooKeeperSession(String servers, Duration timeout, ClientSecurity security, LongSupplier nanos)
            throws IOException {
        this(
                servers,
                timeout,
                nanos,
                () -> connect(servers, timeout, security),
                TimeUnit.MILLISECONDS::sleep,
                security);
    }

    /** Connects by other means, as a simulation does. */
    ZooKeeperSession(
            String servers,
            Duration timeout,
            LongSupplier nanos,
            Connector connector,
            Sleeper sleeper)
            throws IOException {
        this(servers, timeout, nanos, connector, sleeper, ClientSecurity.NONE);
    }

    private ZooKeeperSession(
            String servers,
            Duration timeout,
            LongSupplier nanos,
            Connector connector,
            Sleeper sleeper,
            ClientSecurity security)
            throws IOException {
        this.security = security;
        this.servers = servers;
        this.timeout = timeout;
        this.nanos = nanos;
        this.connector = connector;
        this.sleeper = sleeper;
        this.client = connector.connect();
    }

    /** A way to begin a session. */
    interface Connector {
        ZooKeeper connect() throws IOException;
    }

    /** A way to wait. */
    interface Sleeper {
        void sleep(long millis) throws InterruptedException;
    }

    /** A call that changes nothing, or may be made twice. */
    interface Call<T> {
        T on(ZooKeeper client) throws KeeperException, InterruptedException;
    }

    private static ZooKeeper connect(String servers, Duration timeout, ClientSecurity security)
            throws IOException {
        security.secureZooKeeper();
        CountDownLatch connected = new CountDownLatch(1);
        Watcher watcher =
                (WatchedEvent event) -> {
                    if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
                        connected.countDown();
                    }
                };
        ZooKeeper fresh = new ZooKeeper(servers, Math.toIntExact(timeout.toMillis()), watcher);
        boolean isConnected = false;
        try {
            isConnected = connected.await(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (!isConnected) {
                close(fresh);
            }
        }
        if (!isConnected) {
            Optional<String> refusal = security.refusal(servers);
            throw refusal.isPresent()
                    ? new IOException(refusal.get())
                    : unreachable(servers, timeout);
        }
        return fresh;
    }

    /** Returns the failure of a call about a node that the servers have refused. */
    static IOException refused(String path, KeeperException e) {
        String hint =
                switch (e.code()) {
                    case NOAUTH ->
                            ": its ACL excludes this server. Use the certificate"
                                    + " (log.bookkeeper.tls.certificate) of the servers that made"
                                    + " it.";
                    case INVALIDACL ->
                            ": log.bookkeeper.zookeeper-acl = creator needs a ZooKeeper that knows"
                                    + " clients by their certificates. Set authProvider.x509 and"
                                    + " ssl.clientAuth=need there.";
                    default -> "";
                };
        return new IOException("ZooKeeper refuses " + path + ": " + e.code() + hint, e);
    }

    private static IOException unreachable(String servers, Duration timeout) {
        return new IOException(
                "ZooKeeper at "
                        + servers
                        + " does not answer within "
                        + timeout.toSeconds()
                        + " s: start it, or correct log.bookkeeper.zookeeper");
    }

    private static void close(ZooKeeper client) {
        try {
            client.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns a client whose session lives. */
    private ZooKeeper live() throws IOException {
        lock.lock();
        try {
            if (!client.getState().isAlive()) {
                close(client);
                client = connector.connect();
                watched.clear();
            }
            return client;
        } finally {
            lock.unlock();
        }
    }

    /** Makes a call again until it is answered, for about the timeout of a session. */
    <T> T repeat(Call<T> call) throws KeeperException, IOException {
        long limit = nanos() + timeout.toNanos();
        while (true) {
            try {
                return once(call);
            } catch (KeeperException e) {
                if (!isLost(e)) {
                    throw e;
                }
                if (nanos() - limit > 0) {
                    throw unreachable(servers, timeout);
                }
                pause();
            }
        }
    }

    /** Returns whether a call failed because the connection or the session is lost. */
    static boolean isLost(KeeperException e) {
        return e instanceof KeeperException.ConnectionLossException
                || e instanceof KeeperException.SessionExpiredException;
    }

    private void pause() throws IOException {
        await(100);
    }

    /** Waits in the way of this session. */
    void await(long millis) throws IOException {
        pause(sleeper, millis);
    }

    /** Waits. */
    static void pause(long millis) throws IOException {
        pause(TimeUnit.MILLISECONDS::sleep, millis);
    }

    private static void pause(Sleeper sleeper, long millis) throws IOException {
        try {
            sleeper.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for ZooKeeper", e);
        }
    }

    /** Makes a call once. If the connection is lost, it may have taken effect. */
    <T> T once(Call<T> call) throws KeeperException, IOException {
        try {
            return call.on(live());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for ZooKeeper", e);
        }
    }

    /** Creates a node that stays, unless there is one: another server's, or of this call. */
    void ensure(String path, byte[] content) throws KeeperException, IOException {
        try {
            String created =
                    repeat(client -> client.create(path, content, acl(), CreateMode.PERSISTENT));
            LOG.info("created {} in ZooKeeper", created);
        } catch (KeeperException.NodeExistsException e) {
            // Made before, perhaps by the try whose answer was lost.
        }
    }

    /**
     * Watches for the next change of a node, or of the connection. Makes no request if an earlier
     * call still waits for that change.
     */
    void watch(String path, Watcher changed) throws KeeperException, IOException {
        if (!watched.add(path)) {
            return;
        }
        Watcher watcher =
                event -> {
                    if (event.getType() != Watcher.Event.EventType.None) {
                        watched.remove(path);
                    }
                    changed.process(event);
                };
        boolean isWatched = false;
        try {
            Stat stat = repeat(client -> client.exists(path, watcher));
            LOG.trace("{} exists: {}", path, stat != null);
            isWatched = true;
        } finally {
            if (!isWatched) {
                watched.remove(path);
            }
        }
    }

    /**
     * Returns the result of a read among several; empty if the node does not exist.
     *
     * @throws KeeperException if that read failed otherwise
     */
    static Optional<GetDataResult> found(OpResult result, String path) throws KeeperException {
        if (result instanceof GetDataResult data) {
            return Optional.of(data);
        }
        KeeperException.Code code =
                result instanceof ErrorResult error
                        ? KeeperException.Code.get(error.getErr())
                        : KeeperException.Code.MARSHALLINGERROR;
        if (code != KeeperException.Code.NONODE) {
            throw KeeperException.create(code, path);
        }
        return Optional.empty();
    }

    /** Returns the rights to new nodes. */
    List<ACL> acl() {
        return security.acl();
    }

    /** Restricts a node that everybody may change, if new ones are restricted and it exists. */
    void restrict(String path) throws KeeperException, IOException {
        try {
            if (security.isPrivate()
                    && ClientSecurity.isOpen(repeat(client -> client.getACL(path, null)))) {
                int version = repeat(client -> client.setACL(path, acl(), -1)).getAversion();
                LOG.info("restricted {} in ZooKeeper, version {} of its ACL", path, version);
            }
        } catch (KeeperException.NoNodeException e) {
            LOG.debug("{} does not exist", path);
        }
    }

    /** Waits until the server of this session has all changes that its leader had before. */
    void catchUp(String path) throws KeeperException, IOException {
        String done = repeat(client -> catchUp(client, path));
        LOG.trace("as the leader has {}", done);
    }

    private static String catchUp(ZooKeeper client, String path)
            throws KeeperException, InterruptedException {
        CompletableFuture<KeeperException.Code> done = new CompletableFuture<>();
        client.sync(
                path, (code, same, context) -> done.complete(KeeperException.Code.get(code)), null);
        try {
            KeeperException.Code code = done.get();
            if (code != KeeperException.Code.OK) {
                throw KeeperException.create(code, path);
            }
            return path;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the names of the nodes below a node; none when it does not exist. */
    List<String> children(String path) throws KeeperException, IOException {
        try {
            return repeat(client -> client.getChildren(path, false));
        } catch (KeeperException.NoNodeException e) {
            return List.of();
        }
    }

    /** Deletes a node without children, unless it is gone, perhaps by a call of before. */
    void deleteIfExists(String path) throws KeeperException, IOException {
        try {
            boolean isDeleted =
                    repeat(
                            client -> {
                                client.delete(path, -1);
                                return true;
                            });
            LOG.info("deleted {} in ZooKeeper: {}", path, isDeleted);
        } catch (KeeperException.NoNodeException e) {
            LOG.debug("{} is gone", path);
        }
    }

    /** Returns the id of the session, which changes when it begins anew. */
    long id() throws IOException {
        return live().getSessionId();
    }

    /** Returns the time of a clock that only goes forward. */
    long nanos() {
        return nanos.getAsLong();
    }

    Duration timeout() {
        return timeout;
    }

    /** Returns the time after which the servers give this session up, as they have it. */
    Duration agreedTimeout() throws IOException {
        return Duration.ofMillis(live().getSessionTimeout());
    }

    @Override
    public void close() {
        lock.lock();
        try {
            close(client);
        } finally {
            lock.unlock();
        }
    }
}
