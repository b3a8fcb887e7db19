package io.volute.server.cluster;

import io.volute.bookkeeper.ClusterFile;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.keys.MasterKey;
import io.volute.provenance.keys.SealedSecret;
import io.volute.server.credentials.Credential;
import io.volute.server.encryption.Keyring;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Optional;

/**
 * The secrets that all nodes of a cluster must have alike. The first node puts a sealed check value
 * into ZooKeeper; the others compare theirs with it before they join.
 */
final class SharedKeys {
    private static final String PURPOSE = "cluster-keys";
    private static final String REMEDY =
            ". Copy the directory 'keys' of the data directory of a node that runs to this node, or"
                    + " give it the same settings and environment.";

    private SharedKeys() {}

    /** Bytes that all nodes share. */
    interface Shared {
        /** Returns the content; empty when there is none. */
        Optional<byte[]> read() throws IOException;

        /** Writes the content; false if another node has changed it since the last read. */
        boolean replace(byte[] content) throws IOException;

        /** Returns a file in ZooKeeper. */
        static Shared in(ClusterFile file) {
            return new Shared() {
                @Override
                public Optional<byte[]> read() throws IOException {
                    return file.read();
                }

                @Override
                public boolean replace(byte[] content) throws IOException {
                    return file.replace(content);
                }
            };
        }
    }

    /**
     * Checks the secrets of this node.
     *
     * @throws IOException if they are not those of the cluster; the message names the remedy
     */
    static void require(
            Shared file, MasterKey master, Credential root, byte[] secret, SecureRandom random)
            throws IOException {
        Bytes expected = digest(root, secret);
        Optional<byte[]> found = file.read();
        if (found.isEmpty()) {
            Bytes sealed = SealedSecret.seal(PURPOSE, PURPOSE, expected, master, random);
            if (file.replace(sealed.toArray())) {
                return;
            }
            found = file.read();
        }
        Bytes known;
        try {
            known =
                    SealedSecret.open(
                            PURPOSE, PURPOSE, Bytes.of(found.orElse(new byte[0])), master);
        } catch (RefusedException e) {
            throw new IOException(
                    "the master key of this node is not that of the cluster" + REMEDY, e);
        }
        if (!known.equals(expected)) {
            throw new IOException(
                    "the root's credential or the content of cluster.secret-file is not that of the"
                            + " cluster"
                            + REMEDY);
        }
    }

    private static Bytes digest(Credential root, byte[] secret) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update((root.accessKey() + "\n").getBytes(StandardCharsets.UTF_8));
            digest.update((root.secretKey() + "\n").getBytes(StandardCharsets.UTF_8));
            return Bytes.of(digest.digest(secret));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /**
     * Returns the place of the keyring in ZooKeeper, where the next owner finds it.
     *
     * @param earlier the place of a store that has joined a cluster later
     */
    static Keyring.Place keyring(Shared file, Keyring.Place earlier) {
        return new Keyring.Place() {
            @Override
            public Optional<Bytes> load() throws IOException {
                Optional<byte[]> shared = file.read();
                return shared.isPresent() ? shared.map(Bytes::of) : earlier.load();
            }

            @Override
            public void replace(Bytes sealed) throws IOException {
                if (!file.replace(sealed.toArray())) {
                    throw new IOException("another node has changed the keyring");
                }
            }
        };
    }
}
