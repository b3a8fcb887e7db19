package io.volute.server.identity;

import io.volute.server.credentials.Credential;
import io.volute.server.identity.Holder.Kind;
import io.volute.versioning.Identities.Identity;
import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The names of all users, groups, roles, policies and keys at one moment, and the memberships of
 * users in groups. What their rows have is read when it is needed, and is never older than the
 * table. Immutable; changes make another.
 */
final class IdentityTable {
    private static final String NOTHING =
            "{\"Statement\":{\"Effect\":\"Deny\",\"Action\":\"*\",\"Resource\":\"*\"}}";

    private final Rows rows;
    private final SortedMap<Integer, SortedMap<String, IdentityStub>> stubs;

    /** The groups of each user that has one, ascending. */
    private final SortedMap<String, List<String>> groups;

    /** The keys of each user that has one, ascending. */
    private final Map<String, List<IdentityStub>> keys;

    private IdentityTable(
            Rows rows,
            SortedMap<Integer, SortedMap<String, IdentityStub>> stubs,
            SortedMap<String, List<String>> groups) {
        this.rows = rows;
        this.stubs = stubs;
        this.groups = groups;
        // A new table with each change copies all names as well.
        this.keys =
                stubs.get(IdentityJson.KEY).values().stream()
                        .collect(Collectors.groupingBy(IdentityStub::user));
    }

    /** Reads what a row has; empty when the row was removed meanwhile. */
    interface Rows {
        Optional<Holder> holder(IdentityStub stub);

        Optional<ManagedPolicy> policy(IdentityStub stub);

        Optional<UserKey> key(IdentityStub stub);
    }

    /** Collects the rows of a table. Not thread-safe. */
    static final class Builder {
        private final SortedMap<Integer, SortedMap<String, IdentityStub>> stubs = new TreeMap<>();
        private final SortedMap<String, List<String>> groups = new TreeMap<>();

        Builder() {
            for (int kind = 1; kind <= IdentityJson.KEY; kind++) {
                stubs.put(kind, new TreeMap<>());
            }
        }

        void add(Identity row, String user) {
            stubs.get(row.kind())
                    .put(
                            row.name(),
                            new IdentityStub(row.kind(), row.name(), user, row.content().length));
        }

        void remove(Identity row) {
            stubs.get(row.kind()).remove(row.name());
        }

        /** Adds the members of a group that is behind all groups before it. */
        void join(String group, Set<String> members) {
            members.forEach(
                    user -> groups.computeIfAbsent(user, any -> new ArrayList<>()).add(group));
        }

        /** Sets the members of a group. */
        void members(String group, Set<String> members) {
            for (Map.Entry<String, List<String>> each : groups.entrySet()) {
                if (each.getValue().contains(group) && !members.contains(each.getKey())) {
                    each.setValue(
                            each.getValue().stream().filter(one -> !one.equals(group)).toList());
                }
            }
            groups.values().removeIf(List::isEmpty);
            for (String user : members) {
                SortedSet<String> all = new TreeSet<>(groups.getOrDefault(user, List.of()));
                if (all.add(group)) {
                    groups.put(user, List.copyOf(all));
                }
            }
        }

        IdentityTable build(Rows rows) {
            return new IdentityTable(rows, stubs, groups);
        }
    }

    private SortedMap<String, IdentityStub> of(Kind kind) {
        return stubs.get(IdentityJson.kind(kind));
    }

    /** Returns the holders of a kind, each read when the iteration comes to it. */
    Collection<Holder> holders(Kind kind) {
        return read(of(kind), rows::holder);
    }

    Set<String> names(Kind kind) {
        return of(kind).keySet();
    }

    Optional<Holder> holder(Kind kind, String name) {
        return Optional.ofNullable(of(kind).get(name)).flatMap(rows::holder);
    }

    /** Returns the stored policies, each read when the iteration comes to it. */
    Collection<ManagedPolicy> policies() {
        return read(stubs.get(IdentityJson.POLICY), rows::policy);
    }

    Set<String> policyNames() {
        return stubs.get(IdentityJson.POLICY).keySet();
    }

    private static <T> Collection<T> read(
            SortedMap<String, IdentityStub> stubs, Function<IdentityStub, Optional<T>> reading) {
        return new AbstractCollection<>() {
            @Override
            public Iterator<T> iterator() {
                return stubs.values().stream()
                        .flatMap(stub -> reading.apply(stub).stream())
                        .iterator();
            }

            @Override
            public int size() {
                return stubs.size();
            }
        };
    }

    /** Finds a stored policy, or one that is built in. */
    Optional<ManagedPolicy> policy(String name) {
        return Optional.ofNullable(stubs.get(IdentityJson.POLICY).get(name))
                .flatMap(rows::policy)
                .or(() -> BuiltInPolicies.find(name));
    }

    Optional<UserKey> key(String accessKey) {
        return Optional.ofNullable(stubs.get(IdentityJson.KEY).get(accessKey)).flatMap(rows::key);
    }

    List<UserKey> keysOf(String user) {
        return keys.getOrDefault(user, List.of()).stream()
                .flatMap(key -> rows.key(key).stream())
                .toList();
    }

    List<Holder> groupsOf(String user) {
        return groups.getOrDefault(user, List.of()).stream()
                .flatMap(group -> holder(Kind.GROUP, group).stream())
                .toList();
    }

    /** Returns the bytes of all rows. */
    long bytes() {
        return stubs.values().stream()
                .flatMap(each -> each.values().stream())
                .mapToLong(IdentityStub::bytes)
                .sum();
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

    /** Returns the same identities with a change applied, which was stored. */
    IdentityTable with(Change change) {
        Builder other = new Builder();
        stubs.forEach((kind, ofKind) -> other.stubs.get(kind).putAll(ofKind));
        other.groups.putAll(groups);
        change.removed().forEach(other::remove);
        change.holdersGone().stream()
                .filter(each -> each.kind() == Kind.GROUP)
                .forEach(each -> other.members(each.name(), Set.of()));
        change.holders().forEach(each -> other.add(IdentityJson.of(each), ""));
        change.policies().forEach(each -> other.add(IdentityJson.of(each), ""));
        change.keys().forEach(each -> other.add(IdentityJson.of(each), each.user()));
        change.holders().stream()
                .filter(each -> each.kind() == Kind.GROUP)
                .forEach(each -> other.members(each.name(), each.members()));
        return other.build(rows);
    }
}
