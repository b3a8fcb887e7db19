package io.volute.server.credentials;

import java.time.Instant;
import java.util.Optional;

/** Finds the secret of an access key. Safe for use by many threads. */
public interface CredentialStore {

    /** Finds the credential of an access key; empty when there is none. */
    Optional<Credential> find(String accessKey);

    /**
     * Returns the name for people of a user, who may own objects and have grants; empty when there
     * is no such user.
     */
    default Optional<String> displayName(String principal) {
        return Optional.empty();
    }

    /**
     * Returns the root or a user of the configuration file by its name; empty when there is no such
     * user.
     */
    default Optional<Credential> account(String principal) {
        return Optional.empty();
    }

    /** Returns a caller for work on its behalf later; empty for a caller without a signature. */
    default Optional<Configurer> configurer(Credential who) {
        boolean isFixed = account(who.principal()).filter(e -> e.kind() == who.kind()).isPresent();
        return isFixed
                ? Optional.of(
                        new Configurer(
                                who.kind(),
                                who.principal(),
                                "",
                                "",
                                who.session().flatMap(Credential.Session::policy)))
                : Optional.empty();
    }

    /**
     * Returns a caller as it is now, with a session when the configurer had one that was narrowed;
     * empty when the user or role was removed.
     */
    default Optional<Credential> standing(Configurer configurer) {
        return account(configurer.principal())
                .filter(each -> each.kind() == configurer.kind())
                .map(each -> each.within(configurer));
    }

    /** Returns a store that has the credentials of this one and then those of another. */
    default CredentialStore or(CredentialStore other) {
        CredentialStore first = this;
        return new CredentialStore() {
            @Override
            public Optional<Credential> find(String accessKey) {
                return first.find(accessKey).or(() -> other.find(accessKey));
            }

            @Override
            public Optional<Credential> account(String principal) {
                return first.account(principal).or(() -> other.account(principal));
            }

            @Override
            public Optional<String> displayName(String principal) {
                return first.displayName(principal).or(() -> other.displayName(principal));
            }
        };
    }

    /**
     * Returns a caller as it is now, for a request that lasts. Empty when the access key or that of
     * the session's creator was disabled, removed or got another secret, or the session is over.
     *
     * @param token of a session; empty for none
     */
    default Optional<Credential> renewed(Credential who, Optional<String> token, Instant now) {
        if (who.kind() == Credential.Kind.ANONYMOUS) {
            return Optional.of(who);
        }
        Optional<Credential> found =
                token.isEmpty() ? find(who.accessKey()) : session(who.accessKey(), token.get());
        return found.filter(
                each ->
                        each.secretKey().equals(who.secretKey())
                                && each.generation() == who.generation()
                                && each.kind() == who.kind()
                                && each.principal().equals(who.principal())
                                && each.session().stream()
                                        .allMatch(session -> now.isBefore(session.expiry())));
    }

    /**
     * Finds a temporary credential, which may have expired.
     *
     * @param token the session token that was issued with it
     * @return empty when the token is not that key's, or when the creator's own key was deleted
     */
    default Optional<Credential> session(String accessKey, String token) {
        return Optional.empty();
    }
}
