package io.volute.server.cluster;

import io.volute.bookkeeper.ClusterFile;
import io.volute.bookkeeper.ClusterFile.Content;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.keys.MasterKey;
import io.volute.provenance.keys.SealedSecret;
import io.volute.server.credentials.Credential;
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

    /**
     * Checks the secrets of this node.
     *
     * @throws IOException if they are not those of the cluster; the message names the remedy
     */
    static void require(
            ClusterFile file, MasterKey master, Credential root, byte[] secret, SecureRandom random)
            throws IOException {
        Bytes expected = digest(root, secret);
        Optional<Content> found = file.read();
        if (found.isEmpty()) {
            Bytes sealed = SealedSecret.seal(PURPOSE, PURPOSE, expected, master, random);
            if (file.replace(sealed.toArray(), ClusterFile.ABSENT).isPresent()) {
                return;
            }
            found = file.read();
        }
        Bytes known;
        try {
            byte[] sealed = found.map(Content::bytes).orElse(new byte[0]);
            known = SealedSecret.open(PURPOSE, PURPOSE, Bytes.of(sealed), master);
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
}
