package io.volute.server.identity;

import io.volute.versioning.Identities.Identity;
import java.util.ArrayList;
import java.util.List;

/**
 * The changes of one request: rows to add or replace, and rows to remove.
 *
 * @param holders added or replaced
 */
record Change(
        List<Holder> holders,
        List<ManagedPolicy> policies,
        List<UserKey> keys,
        List<Holder> holdersGone,
        List<ManagedPolicy> policiesGone,
        List<UserKey> keysGone) {

    static Change of(Holder holder) {
        return new Change(List.of(holder), List.of(), List.of(), List.of(), List.of(), List.of());
    }

    static Change of(ManagedPolicy policy) {
        return new Change(List.of(), List.of(policy), List.of(), List.of(), List.of(), List.of());
    }

    static Change of(UserKey key) {
        return new Change(List.of(), List.of(), List.of(key), List.of(), List.of(), List.of());
    }

    static Change of(Holder holder, UserKey key) {
        return new Change(
                List.of(holder), List.of(), List.of(key), List.of(), List.of(), List.of());
    }

    static Change without(UserKey key) {
        return new Change(List.of(), List.of(), List.of(), List.of(), List.of(), List.of(key));
    }

    static Change without(ManagedPolicy policy) {
        return new Change(List.of(), List.of(), List.of(), List.of(), List.of(policy), List.of());
    }

    /** Gives a holder another name and other details. */
    static Change moved(Holder old, String name, IdentityDetails details) {
        Holder moved = old.withName(name).withDetails(details);
        boolean isSame = name.equals(old.name());
        return new Change(
                List.of(moved),
                List.of(),
                List.of(),
                isSame ? List.of() : List.of(old),
                List.of(),
                List.of());
    }

    /** Removes a holder with its keys and its memberships in groups. */
    static Change without(Holder gone, IdentityTable now) {
        boolean isUser = gone.kind() == Holder.Kind.USER;
        List<Holder> groups =
                isUser
                        ? now.groupsOf(gone.name()).stream()
                                .map(group -> group.withMember(gone.name(), false))
                                .toList()
                        : List.of();
        List<UserKey> keys = isUser ? now.keysOf(gone.name()) : List.of();
        return new Change(groups, List.of(), List.of(), List.of(gone), List.of(), keys);
    }

    List<Identity> written() {
        List<Identity> rows = new ArrayList<>();
        holders.forEach(each -> rows.add(IdentityJson.of(each)));
        policies.forEach(each -> rows.add(IdentityJson.of(each)));
        keys.forEach(each -> rows.add(IdentityJson.of(each)));
        return rows;
    }

    List<Identity> removed() {
        List<Identity> rows = new ArrayList<>();
        holdersGone.forEach(each -> rows.add(IdentityJson.of(each)));
        policiesGone.forEach(each -> rows.add(IdentityJson.of(each)));
        keysGone.forEach(each -> rows.add(IdentityJson.of(each)));
        return rows;
    }
}
