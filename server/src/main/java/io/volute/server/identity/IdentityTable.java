package io.volute.server.identity;

import io.volute.server.credentials.Credential;
import io.volute.server.identity.Holder.Kind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** All users, groups, roles, policies and keys at one moment. Immutable; changes make another. */
final class IdentityTable {
    private static final String NOTHING =
            "{\"Statement\":{\"Effect\":\"Deny\",\"Action\":\"*\",\"Resource\":\"*\"}}";

    private final Map<Kind, SortedMap<String, Holder>> holders;
    private final SortedMap<String, ManagedPolicy> policies;
    private final SortedMap<String, UserKey> keys;

    IdentityTable(
            Map<Kind, SortedMap<String, Holder>> holders,
            SortedMap<String, ManagedPolicy> policies,
            SortedMap<String, UserKey> keys) {
        this.holders = Collections.unmodifiableMap(holders);
        this.policies = Collections.unmodifiableSortedMap(policies);
        this.keys = Collections.unmodifiableSortedMap(keys);
    }

    static IdentityTable empty() {
        Map<Kind, SortedMap<String, Holder>> holders = new EnumMap<>(Kind.class);
        for (Kind kind : Kind.values()) {
            holders.put(kind, new TreeMap<>());
        }
        return new IdentityTable(holders, new TreeMap<>(), new TreeMap<>());
    }

    Collection<Holder> holders(Kind kind) {
        return holders.get(kind).values();
    }

    Optional<Holder> holder(Kind kind, String name) {
        return Optional.ofNullable(holders.get(kind).get(name));
    }

    Collection<ManagedPolicy> policies() {
        return policies.values();
    }

    /** Finds a stored policy, or one that is built in. */
    Optional<ManagedPolicy> policy(String name) {
        return Optional.ofNullable(policies.get(name)).or(() -> BuiltInPolicies.find(name));
    }

    Collection<UserKey> keys() {
        return keys.values();
    }

    Optional<UserKey> key(String accessKey) {
        return Optional.ofNullable(keys.get(accessKey));
    }

    List<UserKey> keysOf(String user) {
        return keys.values().stream().filter(key -> key.user().equals(user)).toList();
    }

    List<Holder> groupsOf(String user) {
        return holders(Kind.GROUP).stream().filter(g -> g.members().contains(user)).toList();
    }

    /** Returns the policies of a caller and of the caller's groups. */
    List<String> documents(Credential who) {
        List<String> documents = new ArrayList<>();
        switch (who.kind()) {
            case USER -> {
                holder(Kind.USER, who.principal())
                        .ifPresent(user -> documents.addAll(documents(user)));
                groupsOf(who.principal()).forEach(group -> documents.addAll(documents(group)));
            }
            case ROLE ->
                    holder(Kind.ROLE, who.principal())
                            .ifPresent(role -> documents.addAll(documents(role)));
            case ROOT, ACCOUNT, ANONYMOUS -> {}
        }
        return documents;
    }

    /**
     * Returns the document of the policy that limits a caller. Nothing is allowed within a policy
     * that is not there.
     */
    Optional<String> boundary(Credential who) {
        Optional<Holder> holder =
                switch (who.kind()) {
                    case USER -> holder(Kind.USER, who.principal());
                    case ROLE -> holder(Kind.ROLE, who.principal());
                    case ROOT, ACCOUNT, ANONYMOUS -> Optional.empty();
                };
        return holder.flatMap(each -> each.details().boundary())
                .map(name -> policy(name).map(ManagedPolicy::document).orElse(NOTHING));
    }

    /** Returns the documents of a holder, without those of its groups. */
    List<String> documents(Holder holder) {
        List<String> documents = new ArrayList<>(holder.inline().values());
        holder.policies().forEach(name -> policy(name).ifPresent(p -> documents.add(p.document())));
        return documents;
    }

    /** Returns the same holders and policies with a change applied. */
    IdentityTable with(Change change) {
        Map<Kind, SortedMap<String, Holder>> otherHolders = new EnumMap<>(Kind.class);
        holders.forEach((kind, map) -> otherHolders.put(kind, new TreeMap<>(map)));
        SortedMap<String, ManagedPolicy> otherPolicies = new TreeMap<>(policies);
        SortedMap<String, UserKey> otherKeys = new TreeMap<>(keys);
        for (Holder each : change.holdersGone()) {
            otherHolders.get(each.kind()).remove(each.name());
        }
        change.policiesGone().forEach(each -> otherPolicies.remove(each.name()));
        change.keysGone().forEach(each -> otherKeys.remove(each.accessKey()));
        change.holders().forEach(each -> otherHolders.get(each.kind()).put(each.name(), each));
        change.policies().forEach(each -> otherPolicies.put(each.name(), each));
        change.keys().forEach(each -> otherKeys.put(each.accessKey(), each));
        return new IdentityTable(otherHolders, otherPolicies, otherKeys);
    }
}
