package io.volute.server.encryption;

import io.volute.provenance.keys.PrivateFile;
import io.volute.server.config.VaultConfig;
import io.volute.server.config.VaultConfig.AppRole;
import io.volute.server.config.VaultConfig.TokenFile;
import io.volute.server.encryption.VaultClient.Answer;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The token of this server at the service: read from a file or obtained by AppRole, and renewed
 * before it expires. Thread-safe.
 */
final class VaultSession {
    private static final int FORBIDDEN = 403;
    private static final int OK = 200;

    private final VaultClient client;
    private final VaultConfig.Login login;
    private final PrivateFile secret;
    private final ReentrantLock lock = new ReentrantLock();
    private Optional<String> token = Optional.empty();

    /** Number of attempts to get a token that have ended. */
    private volatile int attempts;

    /** Why the last of them failed. */
    private String failure = "";

    VaultSession(VaultClient client, VaultConfig.Login login) {
        this.client = client;
        this.login = login;
        this.secret =
                switch (login) {
                    case TokenFile file ->
                            new PrivateFile("encryption.vault.token-file", file.file());
                    case AppRole role ->
                            new PrivateFile("encryption.vault.secret-id-file", role.secretIdFile());
                };
    }

    /**
     * Refuses a file that cannot be used, so that the start fails and not the first write.
     *
     * @throws IOException with the reason
     */
    void checkFile() throws IOException {
        String unused = secret.read().strip();
    }

    /** Returns the token, obtained on first use. */
    String token() throws IOException {
        return locked(
                seen -> {
                    if (token.isEmpty()) {
                        token = Optional.of(fresh(seen));
                    }
                    return token.get();
                });
    }

    /**
     * Returns another token in place of one that the service refused; empty if there is none.
     *
     * @param refused the refused token; another thread may have replaced it already
     */
    Optional<String> replaced(String refused) throws IOException {
        return locked(
                seen -> {
                    if (token.equals(Optional.of(refused))) {
                        token = Optional.of(fresh(seen));
                    }
                    return token.filter(text -> !text.equals(refused));
                });
    }

    /** Work with the token, which takes the number of attempts before the wait for the lock. */
    @FunctionalInterface
    private interface Work<T> {
        T run(int seen) throws IOException;
    }

    private <T> T locked(Work<T> work) throws IOException {
        int seen = attempts;
        lock.lock();
        try {
            return work.run(seen);
        } finally {
            lock.unlock();
        }
    }

    /** A thread that waited for the attempt of another one shares its failure. */
    private String fresh(int seen) throws IOException {
        if (attempts != seen && !failure.isEmpty()) {
            throw new IOException(failure);
        }
        try {
            String text = obtained();
            failure = "";
            return text;
        } catch (IOException e) {
            failure = String.valueOf(e.getMessage());
            throw e;
        } finally {
            attempts = attempts + 1;
        }
    }

    private String obtained() throws IOException {
        return switch (login) {
            case TokenFile file -> secret.read().strip();
            case AppRole role -> {
                Answer answer =
                        client.call(
                                "auth/approle/login",
                                Optional.empty(),
                                Optional.of(
                                        Map.of(
                                                "role_id",
                                                role.roleId(),
                                                "secret_id",
                                                secret.read().strip())));
                if (answer.status() == OK
                        && answer.part("auth").get("client_token") instanceof String text) {
                    yield text;
                }
                throw new IOException("the login by AppRole was refused: " + answer.error());
            }
        };
    }

    /**
     * Verifies the token, and renews it if less than half of its life is left.
     *
     * @throws IOException if the service does not accept it or gives no answer
     */
    void look() throws IOException {
        String now = token();
        Answer answer = lookUp(now);
        if (answer.status() == FORBIDDEN) {
            Optional<String> other = replaced(now);
            if (other.isPresent()) {
                now = other.get();
                answer = lookUp(now);
            }
        }
        if (answer.status() != OK) {
            throw new IOException("the token was refused: " + answer.error());
        }
        Map<?, ?> data = answer.part("data");
        boolean isRenewable = Boolean.TRUE.equals(data.get("renewable"));
        if (isRenewable && number(data, "ttl") < number(data, "creation_ttl") / 2) {
            Answer renewed =
                    client.call("auth/token/renew-self", Optional.of(now), Optional.of(Map.of()));
            if (renewed.status() != OK) {
                throw new IOException("the token was not renewed: " + renewed.error());
            }
        }
    }

    private Answer lookUp(String text) throws IOException {
        return client.call("auth/token/lookup-self", Optional.of(text), Optional.empty());
    }

    private static long number(Map<?, ?> data, String name) {
        return data.get(name) instanceof Number number ? number.longValue() : 0;
    }
}
