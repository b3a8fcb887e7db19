package io.volute.bookkeeper;

import io.volute.storage.log.LogOptions;
import io.volute.storage.log.ledger.LedgerSegmentStore;
import io.volute.storage.log.ledger.LedgerSettings;
import io.volute.storage.log.ledger.Ledgers;
import io.volute.storage.log.space.LocalSegmentStores;
import io.volute.storage.log.space.SegmentStore;
import io.volute.storage.log.space.SegmentStores;
import java.io.IOException;
import java.util.Optional;
import java.util.UUID;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The ledgers of one cube. Thread-safe. */
record CubeLedgers(
        String cube, ZooKeeperSession session, BookKeeperSettings settings, Ledgers ledgers)
        implements SegmentStores {
    private static final Logger LOG = LoggerFactory.getLogger(CubeLedgers.class);

    private String path() {
        return settings.cubePath(cube);
    }

    /**
     * {@inheritDoc}
     *
     * @throws IOException when the log is not on ledgers now; the message names the place
     */
    @Override
    public Optional<UUID> identity() throws IOException {
        Optional<CubeNode> node = CubeNode.read(session, path());
        if (node.isPresent() && node.get().state() != CubeNode.State.HERE) {
            throw node.get().elsewhere(cube);
        }
        return node.map(CubeNode::cube);
    }

    @Override
    public SegmentStore open(LogOptions options) {
        return store(options, CubeNode.State.HERE);
    }

    @Override
    public SegmentStore openCopy(LogOptions options) throws IOException {
        Optional<CubeNode> node = CubeNode.read(session, path());
        if (node.isPresent() && node.get().state() == CubeNode.State.LEFT) {
            node.get().require(cube, path(), options.cubeId(), CubeNode.State.LEFT);
            replace(node.get(), CubeNode.incoming(options.cubeId()));
        } else if (node.isPresent()) {
            node.get().require(cube, path(), options.cubeId(), CubeNode.State.INCOMING);
        }
        return store(options, CubeNode.State.INCOMING);
    }

    private LedgerSegmentStore store(LogOptions options, CubeNode.State state) {
        return new LedgerSegmentStore(
                options,
                ledgers,
                new ZooKeeperSegmentList(session, settings, cube, options.cubeId(), state),
                LedgerSettings.withMirrors(settings.mirrorBytes()));
    }

    /** Replaces the node that was read; another change in between is an error. */
    private void replace(CubeNode read, byte[] content) throws IOException {
        try {
            Stat changed =
                    session.repeat(client -> client.setData(path(), content, read.version()));
            LOG.info("changed {} in ZooKeeper, version {}", path(), changed.getVersion());
        } catch (KeeperException.BadVersionException e) {
            CubeNode now = CubeNode.read(session, path()).orElse(read);
            if (!now.equals(CubeNode.decode(content, path(), now.version()))) {
                throw ZooKeeperSession.refused(path(), e);
            }
        } catch (KeeperException e) {
            throw ZooKeeperSession.refused(path(), e);
        }
    }

    @Override
    public void adoptCopy(UUID id) throws IOException {
        CubeNode node =
                CubeNode.read(session, path())
                        .orElseThrow(
                                () -> new IOException("ZooKeeper has lost the node " + path()));
        if (node.state() == CubeNode.State.INCOMING) {
            node.require(cube, path(), id, CubeNode.State.INCOMING);
            replace(node, CubeNode.here(id));
        } else {
            node.require(cube, path(), id, CubeNode.State.HERE);
        }
    }

    @Override
    public boolean hasLeft(UUID id, UUID token) throws IOException {
        return CubeNode.read(session, path())
                .filter(node -> node.state() == CubeNode.State.LEFT)
                .filter(node -> node.cube().equals(id) && node.token().equals(token.toString()))
                .isPresent();
    }

    /** {@inheritDoc} A log that has left keeps its node, so that nobody takes its name. */
    @Override
    public void remove(LogOptions options) throws IOException {
        Optional<CubeNode> node = CubeNode.read(session, path());
        if (node.isPresent() && node.get().cube().equals(options.cubeId())) {
            if (node.get().state() == CubeNode.State.HERE) {
                throw node.get().elsewhere(cube);
            }
            for (long ledger : ledgers.ofCube(options.cubeId(), Long.MAX_VALUE)) {
                ledgers.delete(ledger);
            }
            if (node.get().state() == CubeNode.State.INCOMING) {
                removeNodes();
            }
        }
        LocalSegmentStores.removeFiles(options);
    }

    /** Removes the nodes of a copy, that of the cube last, so that a crash leaves its state. */
    private void removeNodes() throws IOException {
        String log = path() + "/log";
        try {
            for (String page : session.children(log)) {
                session.deleteIfExists(log + "/" + page);
            }
            session.deleteIfExists(log);
            session.deleteIfExists(path());
        } catch (KeeperException e) {
            throw ZooKeeperSession.refused(path(), e);
        }
    }
}
