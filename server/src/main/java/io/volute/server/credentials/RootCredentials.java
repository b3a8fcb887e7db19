package io.volute.server.credentials;

import io.volute.storage.io.FileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the root's credential: in the environment, else in the data directory. If there is none, it
 * creates one and stores it there.
 */
public final class RootCredentials {
    private static final Logger LOG = LoggerFactory.getLogger(RootCredentials.class);
    private static final String LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    private static final String SECRET_LETTERS = LETTERS + "abcdefghijklmnopqrstuvwxyz";

    /** The origin of the credential. */
    public enum Origin {
        ENVIRONMENT,
        STORED,
        /** Created by this server and never used: show it. */
        UNUSED
    }

    /**
     * The root's credential and its origin.
     *
     * @param firstUse to be called when a request has been signed with an {@link Origin#UNUSED}
     *     credential; later starts do not show it
     * @param replaced access key of the environment of an earlier start, if this start has none and
     *     so another root key
     */
    public record Root(
            Credential credential, Origin origin, FirstUse firstUse, Optional<String> replaced) {}

    /** Records the first use of a credential. */
    @FunctionalInterface
    public interface FirstUse {
        void record() throws IOException;
    }

    private RootCredentials() {}

    /**
     * Finds or makes the root credential. A credential that was made is durable before this
     * returns.
     *
     * @param random must be cryptographically strong
     * @throws IOException when the environment or the stored credential cannot be used; the message
     *     names the next step
     */
    public static Root find(
            Map<String, String> environment,
            FileSystem files,
            Path dataDirectory,
            RandomGenerator random)
            throws IOException {
        Optional<Credential> given = fromEnvironment(environment);
        CredentialFile file = new CredentialFile(files, dataDirectory.resolve("keys"), random);
        if (given.isPresent()) {
            file.noteEnvironment(given.get().accessKey());
            return new Root(given.get(), Origin.ENVIRONMENT, () -> {}, Optional.empty());
        }
        Optional<String> replaced = file.lastOfEnvironment();
        replaced.ifPresent(
                accessKey ->
                        LOG.warn(
                                "earlier starts had the root key {} from VOLUTE_ACCESS_KEY and"
                                        + " VOLUTE_SECRET_KEY, which are not set now: it does not"
                                        + " work, and the root has the key of the data directory."
                                        + " Set both again to keep it",
                                accessKey));
        Optional<CredentialFile.Pair> stored = file.read();
        if (stored.isPresent()) {
            return new Root(
                    root(stored.get()),
                    file.isUnused(stored.get()) ? Origin.UNUSED : Origin.STORED,
                    file::markUsed,
                    replaced);
        }
        CredentialFile.Pair made =
                new CredentialFile.Pair(
                        "VL" + letters(random, LETTERS, 18), letters(random, SECRET_LETTERS, 40));
        file.write(made);
        return new Root(root(made), Origin.UNUSED, file::markUsed, replaced);
    }

    /** Returns the first error in a credential, without the secret; empty when it is valid. */
    public static Optional<String> problem(Credential credential) {
        if (!credential.accessKey().matches("[A-Za-z0-9._-]{3,128}")) {
            return Optional.of("the access key must be 3 to 128 letters, digits, '.', '_' or '-'");
        }
        if (!credential.secretKey().matches("[!-~]{8,128}")) {
            return Optional.of(
                    "the secret key of "
                            + credential.accessKey()
                            + " must be 8 to 128 visible ASCII characters");
        }
        return Optional.empty();
    }

    private static Optional<Credential> fromEnvironment(Map<String, String> environment)
            throws IOException {
        String accessKey = environment.getOrDefault("VOLUTE_ACCESS_KEY", "");
        String secretKey = environment.getOrDefault("VOLUTE_SECRET_KEY", "");
        if (accessKey.isEmpty() && secretKey.isEmpty()) {
            return Optional.empty();
        }
        if (accessKey.isEmpty() || secretKey.isEmpty()) {
            throw new IOException(
                    "VOLUTE_ACCESS_KEY and VOLUTE_SECRET_KEY belong together: set both, or none to"
                            + " use the credentials of the data directory");
        }
        Credential credential = root(new CredentialFile.Pair(accessKey, secretKey));
        Optional<String> problem = problem(credential);
        if (problem.isPresent()) {
            throw new IOException(
                    "VOLUTE_ACCESS_KEY and VOLUTE_SECRET_KEY cannot be used: " + problem.get());
        }
        return Optional.of(credential);
    }

    private static Credential root(CredentialFile.Pair pair) {
        return new Credential(
                pair.accessKey(),
                pair.secretKey(),
                Credential.ROOT_PRINCIPAL,
                Credential.ROOT_PRINCIPAL,
                true);
    }

    private static String letters(RandomGenerator random, String alphabet, int count) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return text.toString();
    }
}
