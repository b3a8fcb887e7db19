package io.volute.server.identity;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.keys.MasterKey;
import io.volute.provenance.keys.PassphraseParameters;
import io.volute.server.auth.policy.Authority;
import io.volute.server.credentials.Credential;
import io.volute.server.credentials.CredentialStore;
import io.volute.server.credentials.FixedCredentials;
import io.volute.storage.Cube;
import io.volute.versioning.ObjectStores;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** Users of a cube, beside some that are fixed. */
public record TestPeople(IdentityStore identities, SessionTokens tokens, Authority authority) {
    private static final MasterKey MASTER = master("correct horse");

    public TestPeople(Cube cube, Map<String, Credential> fixed, InstantSource clock)
            throws IOException {
        this(cube, fixed, clock, name -> false);
    }

    /**
     * @param providers accepts the names of providers whose sessions are valid
     */
    public TestPeople(
            Cube cube,
            Map<String, Credential> fixed,
            InstantSource clock,
            Predicate<String> providers)
            throws IOException {
        this(
                new IdentityStore(
                        ObjectStores.identitiesOf(cube),
                        MASTER,
                        new SecureRandom(),
                        clock,
                        Set.of("alice", "bob")),
                fixed,
                providers);
    }

    private TestPeople(
            IdentityStore identities, Map<String, Credential> fixed, Predicate<String> providers) {
        this(identities, tokens(identities, fixed, MASTER, providers), new Authority(identities));
    }

    static SessionTokens tokens(
            IdentityStore identities, Map<String, Credential> fixed, MasterKey master) {
        return tokens(identities, fixed, master, name -> false);
    }

    private static SessionTokens tokens(
            IdentityStore identities,
            Map<String, Credential> fixed,
            MasterKey master,
            Predicate<String> providers) {
        CredentialStore lasting =
                new CredentialStore() {
                    @Override
                    public Optional<Credential> find(String key) {
                        return Optional.ofNullable(fixed.get(key)).or(() -> identities.find(key));
                    }

                    @Override
                    public Optional<Credential> account(String principal) {
                        return new FixedCredentials(fixed.values()).account(principal);
                    }
                };
        return new SessionTokens(lasting, master, new SecureRandom(), identities::actor, providers);
    }

    static MasterKey master(String passphrase) {
        return MasterKey.ofPassphrase(
                passphrase.toCharArray(),
                new PassphraseParameters(
                        8 << 10, 1, Bytes.of(new byte[PassphraseParameters.SALT_BYTES])));
    }
}
