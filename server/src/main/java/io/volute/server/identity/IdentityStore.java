package io.volute.server.identity;

import io.volute.provenance.keys.MasterKey;
import io.volute.server.auth.policy.Authority;
import io.volute.server.auth.policy.Policy;
import io.volute.server.credentials.Credential;
import io.volute.server.credentials.CredentialStore;
import io.volute.server.identity.Holder.Kind;
import io.volute.versioning.Identities;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * The users, keys, groups, roles and policies of a store: their names are in memory, and their rows
 * are read through a weighed cache. Each change and its record are one commit. Thread-safe.
 */
public final class IdentityStore implements CredentialStore, Authority.PolicySource {
    private final IdentityRows rows;
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
        this.rows = new IdentityRows(rows, master, random, clock);
        this.taken = Set.copyOf(taken);
        this.roster = this.rows.read();
    }

    /** Reads everything again, if another server has changed something. */
    public void refresh() throws IOException {
        changes.lock();
        try {
            if (rows.isStale()) {
                roster = rows.read();
            }
        } finally {
            changes.unlock();
        }
    }

    @Override
    public Optional<Credential> find(String accessKey) {
        IdentityTable now = roster;
        return now.key(accessKey)
                .filter(UserKey::active)
                .filter(key -> !Checks.isTaken(key.user(), taken))
                .flatMap(key -> now.holder(Kind.USER, key.user()).map(key::credential));
    }

    @Override
    public List<String> documents(Credential who) {
        return roster.documents(who);
    }

    @Override
    public Authority.Documents bounded(Credential who) {
        IdentityTable now = roster;
        return new Authority.Documents(now.documents(who), now.boundary(who));
    }

    /** Returns the holders of a kind, each read when the iteration comes to it. */
    public Collection<Holder> holders(Kind kind) {
        return roster.holders(kind);
    }

    /** Returns the names of a kind, ascending. */
    public Set<String> names(Kind kind) {
        return roster.names(kind);
    }

    public Optional<Holder> holder(Kind kind, String name) {
        return roster.holder(kind, name);
    }

    /** Finds a user or role that may act; old programs gave reserved names to roles. */
    public Optional<Holder> actor(Kind kind, String name) {
        return Checks.isTaken(name, taken) ? Optional.empty() : roster.holder(kind, name);
    }

    public List<Holder> groupsOf(String user) {
        return roster.groupsOf(user);
    }

    public List<UserKey> keysOf(String user) {
        return roster.keysOf(user);
    }

    /** Returns the stored policies, each read when the iteration comes to it. */
    public Collection<ManagedPolicy> policies() {
        return roster.policies();
    }

    /** Returns the names of the stored policies, ascending. */
    public Set<String> policyNames() {
        return roster.policyNames();
    }

    /** Finds a stored policy by its name, or else one that is built in. */
    public Optional<ManagedPolicy> policy(String name) {
        return roster.policy(name);
    }

    public List<ManagedPolicy> builtInPolicies() {
        return BuiltInPolicies.in(roster);
    }

    public List<Identities.IdentityChange> changes(long after, int max) throws IOException {
        return rows.changes(after, max);
    }

    /**
     * Adds a holder. Names that differ in the case of letters only are taken for the same.
     *
     * @param trust the trust policy of a role; empty for others
     */
    public void add(
            Caller who, Kind kind, String name, Optional<String> trust, IdentityDetails details)
            throws IOException {
        Checks.free(name, taken);
        trust.ifPresent(document -> Checks.document(document, Policy::ofTrust));
        change(
                who,
                "Create" + kind.title(),
                kind.word() + "/" + name,
                trust.orElse("") + details.boundary().map(" "::concat).orElse(""),
                now -> {
                    Checks.isNew(now, kind, name);
                    Holder holder = rows.newHolder(kind, name, trust, details);
                    return Change.of(Checks.bounded(now, holder, details.boundary()));
                });
    }

    /** Adds a user with a policy and an access key in one commit. Returns the key. */
    public UserKey provision(Caller who, NewUser user) throws IOException {
        Checks.free(user.name(), taken);
        UserKey key = rows.newKey(user.name());
        change(
                who,
                "ProvisionUser",
                "user/" + user.name(),
                user.detail(key),
                now -> user.change(now, rows.newUser(user.name()), key));
        return key;
    }

    /** Removes a holder with its keys and its memberships in groups. */
    public void remove(Caller who, Kind kind, String name) throws IOException {
        remove(who, kind, name, now -> {});
    }

    /** Removes a holder, provided that it has no keys, memberships, members or policies. */
    public void removeBare(Caller who, Kind kind, String name) throws IOException {
        remove(who, kind, name, now -> Checks.bare(now, Checks.require(now, kind, name)));
    }

    private void remove(Caller who, Kind kind, String name, Consumer<IdentityTable> check)
            throws IOException {
        change(
                who,
                "Delete" + kind.title(),
                kind.word() + "/" + name,
                "",
                now -> {
                    check.accept(now);
                    return Change.without(Checks.require(now, kind, name), now);
                });
    }

    /** Changes the details of a holder. */
    public void setDetails(
            Caller who, Kind kind, String name, UnaryOperator<IdentityDetails> making)
            throws IOException {
        change(
                who,
                "Update" + kind.title(),
                kind.word() + "/" + name,
                "",
                now -> {
                    Holder holder = Checks.require(now, kind, name);
                    return Change.of(holder.withDetails(making.apply(holder.details())));
                });
    }

    /** Sets the policy that limits a user or role; empty for none. */
    public void setBoundary(Caller who, Kind kind, String name, Optional<String> policy)
            throws IOException {
        change(
                who,
                policy.isPresent() ? "PutBoundary" : "DeleteBoundary",
                kind.word() + "/" + name,
                policy.orElse(""),
                now -> Change.of(Checks.bounded(now, Checks.require(now, kind, name), policy)));
    }

    public void moveGroup(Caller who, String group, String name, String path) throws IOException {
        Checks.name(name);
        change(
                who,
                "MoveGroup",
                "group/" + group,
                path + name,
                now -> {
                    Holder old = Checks.require(now, Kind.GROUP, group);
                    if (!name.equalsIgnoreCase(group)) {
                        Checks.isNew(now, Kind.GROUP, name);
                    }
                    return Change.moved(old, name, old.details().withPath(path));
                });
    }

    public void setTrust(Caller who, String role, String document) throws IOException {
        Checks.document(document, Policy::ofTrust);
        change(
                who,
                "UpdateTrust",
                "role/" + role,
                document,
                now -> Change.of(Checks.require(now, Kind.ROLE, role).withTrust(document)));
    }

    /** Creates a key. The result has its secret, which is never shown again. */
    public UserKey addKey(Caller who, String user) throws IOException {
        UserKey key = rows.newKey(user);
        change(
                who,
                "CreateKey",
                "user/" + user,
                key.accessKey(),
                now -> {
                    Checks.roomForKey(now, Checks.require(now, Kind.USER, user).name());
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
        putPolicy(who, name, document, now -> now.policy(name).orElse(rows.newPolicy(name)));
    }

    /** Adds a managed policy. Names that differ in case only are taken for the same. */
    public void addPolicy(Caller who, String name, String document, IdentityDetails details)
            throws IOException {
        Checks.name(name);
        putPolicy(
                who,
                name,
                document,
                now -> {
                    Checks.isNewPolicy(now, name);
                    return rows.newPolicy(name).withDetails(details);
                });
    }

    /** Replaces the document of a managed policy. */
    public void replacePolicy(Caller who, String name, String document) throws IOException {
        putPolicy(who, name, document, now -> Checks.requireOwnPolicy(now, name));
    }

    private void putPolicy(
            Caller who, String name, String document, Function<IdentityTable, ManagedPolicy> old)
            throws IOException {
        Checks.document(document, Policy::ofIdentity);
        change(
                who,
                "PutPolicy",
                "policy/" + name,
                document,
                now -> {
                    ManagedPolicy policy = old.apply(now);
                    Checks.roomForPolicy(now, name);
                    return Change.of(policy.withDocument(document, rows.now()));
                });
    }

    /** Changes the details of a managed policy. */
    public void setPolicyDetails(Caller who, String name, UnaryOperator<IdentityDetails> making)
            throws IOException {
        change(
                who,
                "UpdatePolicy",
                "policy/" + name,
                "",
                now -> {
                    ManagedPolicy policy = Checks.requireOwnPolicy(now, name);
                    return Change.of(policy.withDetails(making.apply(policy.details())));
                });
    }

    /** Removes a managed policy that is attached to no holder. */
    public void removePolicy(Caller who, String name) throws IOException {
        change(
                who,
                "DeletePolicy",
                "policy/" + name,
                "",
                now -> Change.without(Checks.requireUnattached(now, name)));
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
                    return Change.of(Checks.requireFewPolicies(holder));
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
            IdentityTable changed = roster.with(change);
            Checks.roomForRows(roster, changed);
            rows.write(who, deed, subject, detail, change);
            roster = changed;
        } finally {
            changes.unlock();
        }
    }
}
