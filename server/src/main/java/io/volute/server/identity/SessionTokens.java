package io.volute.server.identity;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.keys.MasterKey;
import io.volute.provenance.keys.SealedSecret;
import io.volute.server.auth.policy.Principal;
import io.volute.server.credentials.Configurer;
import io.volute.server.credentials.Credential;
import io.volute.server.credentials.Credential.Kind;
import io.volute.server.credentials.Credential.Session;
import io.volute.server.credentials.CredentialStore;
import io.volute.server.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Predicate;

/**
 * Temporary credentials. The server stores nothing about them. The token contains everything,
 * including the secret, sealed with the master key for this one access key. They end at their
 * expiry. They end earlier when the access key that created them is disabled, removed or gets
 * another secret, or when their user or role is removed. Those that a token of a provider created
 * end with their role, or when the server no longer has that provider. Thread-safe.
 */
public final class SessionTokens implements CredentialStore {
    private static final String PURPOSE = "session-token";
    private static final SortedMap<String, String> NO_TAGS =
            Collections.unmodifiableSortedMap(new TreeMap<>());

    private final CredentialStore lasting;
    private final MasterKey master;
    private final SecureRandom random;
    private final BiFunction<Holder.Kind, String, Optional<Holder>> holders;
    private final Predicate<String> providers;

    /**
     * @param lasting the credentials that are no sessions
     * @param holders finds a user or role by its name
     * @param providers accepts the names of the providers of this server
     */
    public SessionTokens(
            CredentialStore lasting,
            MasterKey master,
            SecureRandom random,
            BiFunction<Holder.Kind, String, Optional<Holder>> holders,
            Predicate<String> providers) {
        this.lasting = lasting;
        this.master = master;
        this.random = random;
        this.holders = holders;
        this.providers = providers;
    }

    /**
     * A credential and the token that goes with it.
     *
     * @param token for {@code x-amz-security-token}; a secret as well
     */
    public record Issued(Credential credential, String token) {
        /** Leaves the token out. */
        @Override
        public String toString() {
            return "Issued[credential=" + credential + "]";
        }
    }

    /** Makes a temporary credential that is the parent's own. */
    public Issued issue(Credential parent, String name, Instant expiry, Optional<String> policy) {
        return issue(parent, Optional.empty(), NO_TAGS, name, expiry, policy, Optional.empty());
    }

    /**
     * Makes a temporary credential for a role.
     *
     * @param tags of the session, which win over those of the role
     */
    public Issued issue(
            Credential parent,
            Holder role,
            SortedMap<String, String> tags,
            String name,
            Instant expiry,
            Optional<String> policy) {
        return issue(parent, Optional.of(role), tags, name, expiry, policy, Optional.empty());
    }

    /**
     * Makes a temporary credential for a caller whom a provider has authenticated.
     *
     * @param subject the caller by the name that the provider has for them
     * @param tags of the session, which win over those of the role
     */
    public Issued issueFederated(
            String provider,
            String subject,
            Holder role,
            SortedMap<String, String> tags,
            String name,
            Instant expiry,
            Optional<String> policy) {
        Credential caller = federated(provider, subject);
        return issue(caller, Optional.of(role), tags, name, expiry, policy, Optional.of(provider));
    }

    /**
     * Returns the parent of such a session, under the names that the history has for it. The ARN
     * stands for the access key: it is no key that a request can name.
     */
    private static Credential federated(String provider, String subject) {
        String name = provider + ":" + subject;
        return new Credential(
                Principal.providerArn(provider),
                "",
                name,
                name,
                Kind.ANONYMOUS,
                0,
                Optional.empty());
    }

    private Issued issue(
            Credential parent,
            Optional<Holder> role,
            SortedMap<String, String> tags,
            String name,
            Instant expiry,
            Optional<String> policy,
            Optional<String> provider) {
        Kind kind = role.isPresent() ? Kind.ROLE : parent.kind();
        String principal = role.map(Holder::name).orElse(parent.principal());
        Session session = new Session(name, parent.accessKey(), parent.principal(), expiry, policy);
        Credential credential =
                new Credential(
                        SecretGenerator.name("VT", random),
                        SecretGenerator.secret(random),
                        principal,
                        kind == Kind.ROLE ? principal : parent.displayName(),
                        kind,
                        0,
                        Optional.of(session),
                        role.map(each -> each.details().path()).orElse(parent.path()),
                        role.map(each -> all(each, tags)).orElse(parent.tags()));
        Map<String, Object> content = new LinkedHashMap<>();
        content.put("secret", credential.secretKey());
        content.put("principal", principal);
        content.put("display", credential.displayName());
        content.put("kind", kind.name());
        role.or(() -> holder(kind, principal)).ifPresent(each -> content.put("id", each.id()));
        provider.ifPresent(
                each -> {
                    content.put("provider", each);
                    content.put("subject", parent.principal().substring(each.length() + 1));
                });
        content.put("parent", parent.accessKey());
        content.put("parentState", state(parent));
        content.put("name", name);
        content.put("expiry", expiry.toEpochMilli());
        policy.ifPresent(document -> content.put("policy", document));
        if (!tags.isEmpty()) {
            content.put("tags", tags);
        }
        Bytes sealed =
                SealedSecret.seal(
                        PURPOSE,
                        credential.accessKey(),
                        Bytes.of(Json.write(content)),
                        master,
                        random);
        return new Issued(credential, Base64.getEncoder().encodeToString(sealed.toArray()));
    }

    @Override
    public Optional<String> displayName(String principal) {
        return lasting.displayName(principal)
                .or(() -> holders.apply(Holder.Kind.USER, principal).map(Holder::name));
    }

    @Override
    public Optional<Credential> account(String principal) {
        return lasting.account(principal);
    }

    @Override
    public Optional<Configurer> configurer(Credential who) {
        return switch (who.kind()) {
            case ROOT, ACCOUNT, ANONYMOUS -> CredentialStore.super.configurer(who);
            case USER, ROLE ->
                    holder(who.kind(), who.principal())
                            .map(
                                    holder ->
                                            new Configurer(
                                                    who.kind(),
                                                    who.principal(),
                                                    holder.id(),
                                                    who.session().map(Session::name).orElse(""),
                                                    who.session().flatMap(Session::policy)));
        };
    }

    @Override
    public Optional<Credential> standing(Configurer configurer) {
        return switch (configurer.kind()) {
            case ROOT, ACCOUNT, ANONYMOUS -> CredentialStore.super.standing(configurer);
            case USER, ROLE ->
                    holder(configurer.kind(), configurer.principal())
                            .filter(holder -> holder.id().equals(configurer.id()))
                            .map(
                                    holder ->
                                            new Credential(
                                                            "",
                                                            "",
                                                            holder.name(),
                                                            holder.name(),
                                                            configurer.kind(),
                                                            0,
                                                            Optional.empty(),
                                                            holder.details().path(),
                                                            all(holder, NO_TAGS))
                                                    .within(configurer));
        };
    }

    @Override
    public Optional<Credential> find(String accessKey) {
        return lasting.find(accessKey);
    }

    @Override
    public Optional<Credential> session(String accessKey, String token) {
        Map<String, Object> content;
        try {
            Bytes sealed = Bytes.of(Base64.getDecoder().decode(token));
            content = Json.read(SealedSecret.open(PURPOSE, accessKey, sealed, master).toArray());
        } catch (RefusedException | IllegalArgumentException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new IllegalStateException("a token that was sealed here is no JSON", e);
        }
        Optional<Credential> parent = parent(content);
        if (parent.isEmpty() || !state(parent.get()).equals(content.get("parentState"))) {
            return Optional.empty();
        }
        Kind kind = Kind.valueOf((String) content.get("kind"));
        Optional<Holder> holder = holder(kind, (String) content.get("principal"));
        Credential credential =
                new Credential(
                        accessKey,
                        (String) content.get("secret"),
                        (String) content.get("principal"),
                        (String) content.get("display"),
                        kind,
                        0,
                        Optional.of(
                                new Session(
                                        (String) content.get("name"),
                                        parent.get().accessKey(),
                                        parent.get().principal(),
                                        Instant.ofEpochMilli((Long) content.get("expiry")),
                                        Optional.ofNullable((String) content.get("policy")))),
                        holder.map(each -> each.details().path()).orElse("/"),
                        holder.map(each -> all(each, tags(content))).orElse(NO_TAGS));
        boolean valid =
                isStillOf(parent.get(), credential)
                        && holder.map(Holder::id).equals(Optional.ofNullable(content.get("id")));
        return valid ? Optional.of(credential) : Optional.empty();
    }

    /** Returns the tags of a session: those that its user or role has now, and its own. */
    private static SortedMap<String, String> all(Holder holder, Map<String, String> own) {
        SortedMap<String, String> all = new TreeMap<>(holder.details().tags());
        own.keySet().forEach(key -> all.keySet().removeIf(key::equalsIgnoreCase));
        all.putAll(own);
        return all;
    }

    private static Map<String, String> tags(Map<String, Object> content) {
        Map<String, String> tags = new LinkedHashMap<>();
        if (content.get("tags") instanceof Map<?, ?> written) {
            written.forEach((key, value) -> tags.put((String) key, (String) value));
        }
        return tags;
    }

    private Optional<Credential> parent(Map<String, Object> content) {
        return content.get("provider") instanceof String provider
                ? Optional.of(federated(provider, (String) content.get("subject")))
                        .filter(each -> providers.test(provider))
                : lasting.find((String) content.get("parent"));
    }

    /** Returns what changes when an access key is disabled or gets another secret. */
    private static String state(Credential parent) {
        String text = parent.generation() + "\n" + parent.secretKey();
        return Hash.ofContent(text.getBytes(StandardCharsets.UTF_8)).hex();
    }

    /** The user or role of a session; empty for the root and users of the configuration. */
    private Optional<Holder> holder(Kind kind, String name) {
        return switch (kind) {
            case USER -> holders.apply(Holder.Kind.USER, name);
            case ROLE -> holders.apply(Holder.Kind.ROLE, name);
            case ROOT, ACCOUNT, ANONYMOUS -> Optional.empty();
        };
    }

    /**
     * Returns whether the parent key still belongs to the session's caller; true for every role's
     * session.
     */
    private static boolean isStillOf(Credential parent, Credential credential) {
        return credential.kind() == Kind.ROLE
                || parent.kind() == credential.kind()
                        && parent.principal().equals(credential.principal());
    }
}
