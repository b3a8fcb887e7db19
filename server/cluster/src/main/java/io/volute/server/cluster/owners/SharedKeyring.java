package io.volute.server.cluster.owners;

import io.volute.bookkeeper.ClusterFile;
import io.volute.bookkeeper.ClusterFile.Content;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.keys.MasterKey;
import io.volute.server.Upkeep;
import io.volute.server.cluster.hop.NodeCallHandler.Operation;
import io.volute.server.encryption.Keyring;
import io.volute.server.encryption.KeyringPlace;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keyring of a cluster on one node. It is a file in ZooKeeper, and each server of the node has
 * it in memory. Each {@link #look} reads it again if another node has changed it. Thread-safe.
 */
public final class SharedKeyring implements Upkeep.Task {
    /** The pauses between two looks for changes of other nodes. */
    public static final Upkeep.Pauses PAUSES =
            new Upkeep.Pauses(Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(10));

    private static final Logger LOG = LoggerFactory.getLogger(SharedKeyring.class);

    private final ClusterFile file;
    private final OtherKeyrings others;

    private volatile Optional<Keyring> keyring = Optional.empty();

    /** The place of the keyring of a store that was no node of a cluster. Guarded by this. */
    private Optional<KeyringPlace> before = Optional.empty();

    // Whether this node has the store.
    private volatile boolean hasStore;

    // Whether the keyring was in ZooKeeper: an earlier one is of no use from then on.
    private volatile boolean wasShared;

    /**
     * Creates a keyring that is not open.
     *
     * @param others those of the other owners
     */
    public SharedKeyring(ClusterFile file, OtherKeyrings others) {
        this.file = file;
        this.others = others;
    }

    /**
     * Returns the keyring as it is now.
     *
     * @param earlier the place of a store that has joined a cluster later, or a copy of it
     */
    public synchronized Keyring open(KeyringPlace earlier, MasterKey master, SecureRandom random)
            throws IOException {
        before = Optional.of(earlier);
        if (keyring.isEmpty()) {
            keyring = Optional.of(Keyring.open(new Shared(earlier), master, random));
        }
        // Also of one that was read now: calls of other nodes did not reach it meanwhile.
        int unused = keyring.get().refresh();
        return keyring.get();
    }

    /**
     * Makes the keyring if there is none, because this node has the store now. Other nodes never
     * do: a store that runs an earlier release may have one that is not in ZooKeeper.
     */
    public synchronized void takeStore() throws IOException {
        hasStore = true;
        publish(before.orElseThrow());
        Keyring open = keyring.orElseThrow();
        int unused = open.refresh();
        open.make();
    }

    /** Makes no keyring from now on. */
    public synchronized void leaveStore() {
        hasStore = false;
    }

    /** Puts the keyring of a store into ZooKeeper that was no node of a cluster when it made it. */
    private void publish(KeyringPlace earlier) throws IOException {
        Optional<Bytes> sealed =
                file.version() == ClusterFile.ABSENT
                        ? earlier.load().map(KeyringPlace.Stored::sealed)
                        : Optional.empty();
        if (sealed.isEmpty()) {
            return;
        }
        int bytes = sealed.get().length();
        if (bytes > ClusterFile.LONGEST_BYTES) {
            LOG.error(
                    "the keyring has {} bytes, and ZooKeeper takes {}: other nodes cannot have"
                            + " cubes with encrypted objects",
                    bytes,
                    ClusterFile.LONGEST_BYTES);
        } else if (file.replace(sealed.get().toArray(), ClusterFile.ABSENT).isPresent()) {
            LOG.info("put the keyring of the store into ZooKeeper, {} bytes", bytes);
        }
    }

    /** Reads the keyring again if it is open and another node has changed it. */
    @Override
    public void look() throws IOException {
        Optional<Keyring> open = keyring;
        if (open.isPresent()) {
            int unused = open.get().refresh();
        }
    }

    /** Returns the operation by which other nodes make this one read the keyring. */
    public Map<String, Operation> operations() {
        return Map.of(OtherKeyrings.LOAD, this::load);
    }

    private byte[] load(byte[] content) throws IOException {
        int wanted = OtherKeyrings.version(content);
        Optional<Keyring> open = keyring;
        // One that is opened later is compared with the newest then.
        int version = open.isPresent() ? open.get().refresh() : wanted;
        if (version < wanted) {
            throw new IOException("it has version " + version + " of the keyring");
        }
        return new byte[0];
    }

    /** The place in ZooKeeper. */
    private final class Shared implements KeyringPlace {
        private final KeyringPlace earlier;

        Shared(KeyringPlace earlier) {
            this.earlier = earlier;
        }

        @Override
        public Optional<Stored> load() throws IOException {
            Optional<Content> shared = file.read();
            if (shared.isPresent()) {
                wasShared = true;
                return Optional.of(
                        new Stored(Bytes.of(shared.get().bytes()), shared.get().version()));
            }
            if (wasShared) {
                throw new IOException(
                        "ZooKeeper has lost the keyring of the cluster: restore it from a backup"
                                + " of ZooKeeper");
            }
            return earlier.load().map(stored -> new Stored(stored.sealed(), ABSENT));
        }

        @Override
        public boolean isNewest(int version) throws IOException {
            return file.version() == version;
        }

        @Override
        public OptionalInt replace(Bytes sealed, int version) throws IOException {
            if (version == ABSENT && !hasStore) {
                throw new IOException(
                        "the owner of the store has not put the keyring into ZooKeeper: run the"
                                + " same release on all nodes");
            }
            return file.replace(sealed.toArray(), version);
        }

        @Override
        public String toString() {
            return "in ZooKeeper";
        }

        @Override
        public void awaitLoaded(int version) throws IOException {
            others.awaitLoaded(version);
        }
    }
}
