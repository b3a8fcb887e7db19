package io.volute.server.startup;

import io.volute.provenance.keys.MasterKey;
import io.volute.server.admin.AdminApi;
import io.volute.server.admin.AdminFront;
import io.volute.server.auditlog.AuditTrail;
import io.volute.server.auth.policy.Authority;
import io.volute.server.auth.sigv4.Authenticator;
import io.volute.server.config.OidcConfig;
import io.volute.server.config.ServerConfig;
import io.volute.server.credentials.Credential;
import io.volute.server.credentials.CredentialStore;
import io.volute.server.credentials.FixedCredentials;
import io.volute.server.iam.IamCalls;
import io.volute.server.iam.StsCalls;
import io.volute.server.identity.IdentityStore;
import io.volute.server.identity.SessionTokens;
import io.volute.server.oidc.OidcProvider;
import io.volute.server.query.QueryFront;
import io.volute.server.query.QueryService;
import io.volute.server.replication.Replication;
import io.volute.server.s3.LagHeader;
import io.volute.server.s3.S3Protocol;
import io.volute.server.s3.S3Settings;
import io.volute.server.s3.request.S3Handler;
import io.volute.storage.Cube;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.VersionedStore;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/**
 * The known callers of a server, with their sessions and permissions; builds their request
 * handlers.
 */
public record KnownCallers(
        IdentityStore identities,
        SessionTokens tokens,
        Authority authority,
        Optional<OidcConfig> oidc) {

    /**
     * The root, the users of the configuration, and those in the cube.
     *
     * @param later waits for later users in the cube; returns whether there can be some
     */
    public static KnownCallers of(
            ServerConfig config,
            Credential root,
            Cube cube,
            BooleanSupplier later,
            MasterKey master,
            SecureRandom random,
            InstantSource clock)
            throws IOException {
        List<Credential> fixed = new ArrayList<>(config.users());
        fixed.add(root);
        Set<String> taken = new HashSet<>();
        fixed.forEach(each -> taken.add(each.principal()));
        IdentityStore identities =
                new IdentityStore(ObjectStores.identitiesOf(cube), master, random, clock, taken);
        CredentialStore lasting =
                new FixedCredentials(fixed)
                        .or(identities)
                        // A key that was made shortly before, on another node.
                        .or(key -> later.getAsBoolean() ? identities.find(key) : Optional.empty());
        return new KnownCallers(
                identities,
                new SessionTokens(
                        lasting,
                        master,
                        random,
                        identities::actor,
                        name -> config.oidc().filter(each -> each.name().equals(name)).isPresent()),
                new Authority(identities),
                config.oidc());
    }

    /** STS and IAM, and S3 behind them. */
    public S3Handler clients(
            VersionedStore store, S3Settings settings, InstantSource clock, AuditTrail trail)
            throws IOException {
        Optional<OidcProvider> provider =
                oidc.isPresent()
                        ? Optional.of(new OidcProvider(oidc.get(), clock))
                        : Optional.empty();
        return new QueryFront(
                new LagHeader(s3(store, settings, trail), () -> 0),
                List.of(
                        signed(
                                new StsCalls(identities, tokens, authority, clock, trail, provider),
                                settings),
                        signed(new IamCalls(identities, authority, trail, oidc), settings)),
                settings.virtualHostDomains(),
                clock,
                trail);
    }

    /** S3 alone. */
    public S3Handler s3(VersionedStore store, S3Settings settings, AuditTrail trail) {
        return new S3Protocol(store, tokens, authority, settings, trail);
    }

    /**
     * The replication, on behalf of the callers that configured it.
     *
     * @param id of the store
     */
    public Replication replication(
            ServerConfig config, VersionedStore store, UUID id, S3Settings settings)
            throws IOException {
        return Replication.start(config.replication(), store, id, settings, authority, tokens);
    }

    private QueryFront.Signed signed(QueryService service, S3Settings settings) {
        return new QueryFront.Signed(
                service, new Authenticator(tokens, settings.authentication(), service.scope()));
    }

    /** The admin API before something else. */
    public AdminFront operators(
            S3Handler next, S3Settings settings, AdminApi admin, AuditTrail trail) {
        return new AdminFront(
                next,
                new Authenticator(tokens, settings.authentication()),
                authority,
                settings,
                admin,
                trail,
                tokens);
    }
}
