package io.volute.server.identity;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.keys.MasterKey;
import io.volute.provenance.keys.SealedSecret;
import io.volute.server.Limits;
import io.volute.server.auth.policy.Authority;
import io.volute.server.auth.policy.Policy;
import io.volute.server.credentials.Credential;
import io.volute.server.credentials.CredentialStore;
import io.volute.server.identity.Holder.Kind;
import io.volute.server.identity.IdentityException.Reason;
import io.volute.server.json.Json;
import io.volute.versioning.Identities;
import io.volute.versioning.Identities.Identity;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * The users, keys, groups, roles and policies of a store: in memory as a whole, and durable. Each
 * change and its record are one commit. Thread-safe.
 */
public final class IdentityStore implements CredentialStore, Authority.PolicySource {
    private static final String PURPOSE = "secret-key";

    private final Identities rows;
    private final MasterKey master;
    private final SecureRandom random;
    private final InstantSource clock;
    private final Set<String> taken;

    /** Held while something changes. */
    private final ReentrantLock changes = new ReentrantLock();

    private volatile IdentityTable roster;

    /**
     * @param master seals the secrets
     * @param taken names of configured users, which holders cannot have, like the reserved names
     * @throws IOException when the stored identities cannot be read; the message names the next
     *     step
     */
    public IdentityStore(
            Identities rows,
            MasterKey master,
            SecureRandom random,
            InstantSource clock,
            Set<String> taken)
            throws IOException {
        this.rows = rows;
        this.master = master;
        this.random = random;
        this.clock = clock;
        this.taken = Set.copyOf(taken);
        this.roster = read();
    }

    private IdentityTable read() throws IOException {
        List<Holder> holders = new ArrayList<>();
        List<ManagedPolicy> policies = new ArrayList<>();
        List<UserKey> keys = new ArrayList<>();
        for (Identity row : rows.all()) {
            switch (row.kind()) {
                case IdentityJson.POLICY -> policies.add(IdentityJson.policy(row));
                case IdentityJson.KEY -> keys.add(key(row));
                default -> holders.add(IdentityJson.holder(row));
            }
        }
        return IdentityTable.empty()
                .with(new Change(holders, policies, keys, List.of(), List.of(), List.of()));
    }

    private UserKey key(Identity row) throws IOException {
        Map<String, Object> content = Json.read(row.content());
        try {
            Bytes sealed = Bytes.of(Base64.getDecoder().decode((String) content.get("sealed")));
            Bytes secret = SealedSecret.open(PURPOSE, row.name(), sealed, master);
            return IdentityJson.key(row, content, secret.text());
        } catch (RefusedException e) {
            throw new IOException(
                    "the access keys of the users cannot be used: "
                            + e.getMessage()
                            + ". Put back the master key that belongs to this store"
                            + " (provenance.master-key)",
                    e);
        }
    }

    @Override
    public Optional<Credential> find(String accessKey) {
        IdentityTable now = roster;
        return now.key(accessKey)
                .filter(UserKey::active)
                .filter(key -> !isTaken(key.user()))
                .filter(key -> now.holder(Kind.USER, key.user()).isPresent())
                .map(
                        key ->
                                new Credential(
                                        accessKey,
                                        key.secret(),
                                        key.user(),
                                        key.user(),
                                        Credential.Kind.USER,
                                        key.generation(),
                                        Optional.empty()));
    }

    @Override
    public List<String> documents(Credential who) {
        IdentityTable now = roster;
        List<String> documents = new ArrayList<>();
        switch (who.kind()) {
            case USER -> {
                now.holder(Kind.USER, who.principal())
                        .ifPresent(user -> documents.addAll(now.documents(user)));
                now.groupsOf(who.principal())
                        .forEach(group -> documents.addAll(now.documents(group)));
            }
            case ROLE ->
                    now.holder(Kind.ROLE, who.principal())
                            .ifPresent(role -> documents.addAll(now.documents(role)));
            case ROOT, ACCOUNT, ANONYMOUS -> {}
        }
        return documents;
    }

    public Collection<Holder> holders(Kind kind) {
        return roster.holders(kind);
    }

    public Optional<Holder> holder(Kind kind, String name) {
        return roster.holder(kind, name);
    }

    /** A user or role that may act: programs before this one gave reserved names to roles. */
    public Optional<Holder> actor(Kind kind, String name) {
        return isTaken(name) ? Optional.empty() : roster.holder(kind, name);
    }

    private boolean isTaken(String name) {
        return Credential.isReserved(name) || taken.contains(name);
    }

    public List<Holder> groupsOf(String user) {
        return roster.groupsOf(user);
    }

    public List<UserKey> keysOf(String user) {
        return roster.keysOf(user);
    }

    public Collection<ManagedPolicy> policies() {
        return roster.policies();
    }

    /** Returns the recorded changes, oldest first. */
    public List<Identities.IdentityChange> changes(long after, int max) throws IOException {
        return rows.changes(after, max);
    }

    /**
     * @param trust the trust policy of a role; empty for others
     */
    public void add(Caller who, Kind kind, String name, Optional<String> trust) throws IOException {
        Checks.name(name);
        if (isTaken(name)) {
            throw new IdentityException(
                    Reason.ENTITY_ALREADY_EXISTS,
                    name + " is reserved: it names the root, everybody, or a configured user");
        }
        trust.ifPresent(document -> Checks.document(document, Policy::ofTrust));
        change(
                who,
                "Create" + kind.title(),
                kind.word() + "/" + name,
                trust.orElse(""),
                now -> {
                    if (now.holder(kind, name).isPresent()) {
                        throw Checks.exists(kind.word(), name);
                    }
                    if (now.holders(kind).size() >= Limits.IDENTITIES_MAX) {
                        throw Checks.tooMany(kind.word() + "s", Limits.IDENTITIES_MAX);
                    }
                    String id = SecretGenerator.name(kind.idPrefix(), random);
                    return Change.of(Holder.of(kind, name, id, clock.instant(), trust));
                });
    }

    /** Removes a holder with its keys and its memberships in groups. */
    public void remove(Caller who, Kind kind, String name) throws IOException {
        change(
                who,
                "Delete" + kind.title(),
                kind.word() + "/" + name,
                "",
                now -> {
                    Holder gone = Checks.require(now, kind, name);
                    boolean user = kind == Kind.USER;
                    List<Holder> left =
                            user
                                    ? now.groupsOf(name).stream()
                                            .map(group -> group.withMember(name, false))
                                            .toList()
                                    : List.of();
                    return new Change(
                            left,
                            List.of(),
                            List.of(),
                            List.of(gone),
                            List.of(),
                            user ? now.keysOf(name) : List.of());
                });
    }

    /** Creates a key. The result has its secret, which is never shown again. */
    public UserKey addKey(Caller who, String user) throws IOException {
        String accessKey = SecretGenerator.name("VU", random);
        String secret = SecretGenerator.secret(random);
        Bytes box = SealedSecret.seal(PURPOSE, accessKey, Bytes.of(secret), master, random);
        String sealed = Base64.getEncoder().encodeToString(box.toArray());
        UserKey key = new UserKey(accessKey, user, clock.instant(), true, 0, secret, sealed);
        change(
                who,
                "CreateKey",
                "user/" + user,
                accessKey,
                now -> {
                    Checks.require(now, Kind.USER, user);
                    if (now.keysOf(user).size() >= Limits.USER_KEYS_MAX) {
                        throw Checks.tooMany("keys of a user", Limits.USER_KEYS_MAX);
                    }
                    return Change.of(key);
                });
        return key;
    }

    public void setKeyActive(Caller who, String accessKey, boolean active) throws IOException {
        change(
                who,
                active ? "EnableKey" : "DisableKey",
                "key/" + accessKey,
                "",
                now -> Change.of(Checks.requireKey(now, accessKey).withActive(active)));
    }

    public void removeKey(Caller who, String accessKey) throws IOException {
        change(
                who,
                "DeleteKey",
                "key/" + accessKey,
                "",
                now -> Change.without(Checks.requireKey(now, accessKey)));
    }

    /** Adds a user to a group, or removes the user from it. */
    public void setMember(Caller who, String group, String user, boolean in) throws IOException {
        change(
                who,
                in ? "AddMember" : "RemoveMember",
                "group/" + group,
                user,
                now -> {
                    Checks.require(now, Kind.USER, user);
                    return Change.of(Checks.require(now, Kind.GROUP, group).withMember(user, in));
                });
    }

    /** Adds or replaces a managed policy. */
    public void putPolicy(Caller who, String name, String document) throws IOException {
        Checks.name(name);
        Checks.document(document, Policy::ofIdentity);
        change(
                who,
                "PutPolicy",
                "policy/" + name,
                document,
                now -> {
                    if (now.policy(name).isEmpty()
                            && now.policies().size() >= Limits.IDENTITIES_MAX) {
                        throw Checks.tooMany("policies", Limits.IDENTITIES_MAX);
                    }
                    return Change.of(new ManagedPolicy(name, clock.instant(), document));
                });
    }

    /** Removes a managed policy that is attached to no holder. */
    public void removePolicy(Caller who, String name) throws IOException {
        change(
                who,
                "DeletePolicy",
                "policy/" + name,
                "",
                now -> {
                    ManagedPolicy gone = Checks.requirePolicy(now, name);
                    for (Kind kind : Kind.values()) {
                        for (Holder holder : now.holders(kind)) {
                            if (holder.policies().contains(name)) {
                                throw new IdentityException(
                                        Reason.DELETE_CONFLICT,
                                        kind.word()
                                                + " "
                                                + holder.name()
                                                + " has the policy "
                                                + name
                                                + ": detach it first");
                            }
                        }
                    }
                    return new Change(
                            List.of(), List.of(), List.of(), List.of(), List.of(gone), List.of());
                });
    }

    /** Attaches a managed policy to a holder, or detaches it. */
    public void setAttached(Caller who, Kind kind, String name, String policy, boolean attached)
            throws IOException {
        change(
                who,
                attached ? "AttachPolicy" : "DetachPolicy",
                kind.word() + "/" + name,
                policy,
                now -> {
                    if (attached) {
                        Checks.requirePolicy(now, policy);
                    }
                    return Change.of(Checks.require(now, kind, name).withPolicy(policy, attached));
                });
    }

    /**
     * Sets an inline policy of a holder, or removes it.
     *
     * @param document empty to remove it
     */
    public void setInline(
            Caller who, Kind kind, String name, String policy, Optional<String> document)
            throws IOException {
        Checks.name(policy);
        document.ifPresent(text -> Checks.document(text, Policy::ofIdentity));
        change(
                who,
                document.isPresent() ? "PutInlinePolicy" : "DeleteInlinePolicy",
                kind.word() + "/" + name,
                policy + document.map(text -> " " + text).orElse(""),
                now -> {
                    Holder holder = Checks.require(now, kind, name).withInline(policy, document);
                    if (holder.inline().size() > Limits.INLINE_POLICIES_MAX) {
                        throw Checks.tooMany(
                                "policies of one " + kind.word(), Limits.INLINE_POLICIES_MAX);
                    }
                    return Change.of(holder);
                });
    }

    private void change(
            Caller who,
            String deed,
            String subject,
            String detail,
            Function<IdentityTable, Change> making)
            throws IOException {
        changes.lock();
        try {
            Change change = making.apply(roster);
            Map<String, Object> told = new LinkedHashMap<>();
            told.put("time", Instant.ofEpochMilli(clock.millis()).toString());
            told.put("principal", who.principal());
            told.put("accessKey", who.accessKey());
            told.put("actor", who.actor().text());
            told.put("deed", deed);
            told.put("subject", subject);
            told.put("detail", detail);
            rows.change(change.written(), change.removed(), Json.write(told));
            roster = roster.with(change);
        } finally {
            changes.unlock();
        }
    }
}
