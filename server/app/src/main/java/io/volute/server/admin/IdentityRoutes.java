package io.volute.server.admin;

import io.volute.adminapi.IdentityApi;
import io.volute.adminapi.IdentityApi.Change;
import io.volute.adminapi.IdentityApi.Changes;
import io.volute.adminapi.IdentityApi.Group;
import io.volute.adminapi.IdentityApi.Groups;
import io.volute.adminapi.IdentityApi.Key;
import io.volute.adminapi.IdentityApi.KeyName;
import io.volute.adminapi.IdentityApi.KeyState;
import io.volute.adminapi.IdentityApi.Name;
import io.volute.adminapi.IdentityApi.NewKey;
import io.volute.adminapi.IdentityApi.Policies;
import io.volute.adminapi.IdentityApi.Policy;
import io.volute.adminapi.IdentityApi.Role;
import io.volute.adminapi.IdentityApi.Roles;
import io.volute.adminapi.IdentityApi.User;
import io.volute.adminapi.IdentityApi.Users;
import io.volute.server.identity.Holder;
import io.volute.server.identity.Holder.Kind;
import io.volute.server.identity.IdentityDetails;
import io.volute.server.identity.IdentityException;
import io.volute.server.identity.IdentityStore;
import io.volute.server.identity.ManagedPolicy;
import io.volute.server.identity.NewUser;
import io.volute.server.identity.UserKey;
import io.volute.server.json.Json;
import io.volute.versioning.Identities.IdentityChange;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** The routes that show and change users, keys, groups, roles and policies. */
final class IdentityRoutes {
    private static final String NAME = "name";
    private static final String USER = "user";
    private static final String GROUP = "group";
    private static final String POLICY = "policy";
    private static final String DOCUMENT = "document";
    private static final String KEY = "accessKey";
    private static final String TRUST = "trust";
    private static final String MEMBER = "member";
    private static final String ATTACHED = "attached";
    private static final String ACTIVE = "active";

    /** Characters of documents from which on the rest of a list goes to the next page. */
    private static final long PAGE_CHARS = 1 << 20;

    /** Characters that a member, or a name in it, takes beside its documents. */
    private static final long NAME_CHARS = 100;

    private final IdentityStore identities;

    IdentityRoutes(IdentityStore identities) {
        this.identities = identities;
    }

    static AdminException refused(IdentityException e) {
        return switch (e.reason()) {
            case NO_SUCH_ENTITY -> new AdminException(404, "NoSuchEntity", e.getMessage());
            case ENTITY_ALREADY_EXISTS ->
                    new AdminException(409, "EntityAlreadyExists", e.getMessage());
            case DELETE_CONFLICT -> new AdminException(409, "DeleteConflict", e.getMessage());
            case MALFORMED_POLICY_DOCUMENT ->
                    new AdminException(400, "MalformedPolicyDocument", e.getMessage());
            case INVALID_INPUT -> AdminException.badRequest(e.getMessage());
            case LIMIT_EXCEEDED -> new AdminException(409, "LimitExceeded", e.getMessage());
        };
    }

    Users users(Arguments asked) {
        Listed<User> page = page(asked, Kind.USER, this::user);
        return new Users(page.members(), page.next());
    }

    Groups groups(Arguments asked) {
        Listed<Group> page = page(asked, Kind.GROUP, IdentityRoutes::group);
        return new Groups(page.members(), page.next());
    }

    Roles roles(Arguments asked) {
        Listed<Role> page = page(asked, Kind.ROLE, IdentityRoutes::role);
        return new Roles(page.members(), page.next());
    }

    Policies policies(Arguments asked) {
        SortedSet<String> names = new TreeSet<>(identities.policyNames());
        identities.builtInPolicies().forEach(each -> names.add(each.name()));
        Listed<Policy> page =
                page(
                        asked,
                        names,
                        identities::policy,
                        each -> each.document().length(),
                        IdentityRoutes::policy);
        return new Policies(page.members(), page.next());
    }

    /** The members of a page, and the name after which the next one begins. */
    private record Listed<T>(List<T> members, Optional<String> next) {}

    private <T> Listed<T> page(Arguments asked, Kind kind, Function<Holder, T> shown) {
        return page(
                asked,
                identities.names(kind),
                name -> identities.holder(kind, name),
                IdentityRoutes::chars,
                shown);
    }

    private static long chars(Holder holder) {
        return holder.inline().values().stream().mapToLong(String::length).sum()
                + holder.trust().map(String::length).orElse(0)
                + (long) holder.members().size() * NAME_CHARS;
    }

    /** Reads members until the page is full, by their number or by the length of their texts. */
    private static <S, T> Listed<T> page(
            Arguments asked,
            Set<String> names,
            Function<String, Optional<S>> read,
            ToLongFunction<S> chars,
            Function<S, T> shown) {
        int max = asked.max();
        String after = asked.from().orElse("");
        List<T> members = new ArrayList<>();
        long length = 0;
        String last = "";
        for (String name : names) {
            if (name.compareTo(after) <= 0) {
                continue;
            }
            if (members.size() == max || length >= PAGE_CHARS) {
                return new Listed<>(members, Optional.of(last));
            }
            Optional<S> found = read.apply(name);
            if (found.isPresent()) {
                members.add(shown.apply(found.get()));
                length += NAME_CHARS + chars.applyAsLong(found.get());
                last = name;
            }
        }
        return new Listed<>(members, Optional.empty());
    }

    private IdentityApi.Holder shown(Kind kind, String name) {
        Holder holder = holder(kind, name);
        return switch (kind) {
            case USER -> user(holder);
            case GROUP -> group(holder);
            case ROLE -> role(holder);
        };
    }

    private Holder holder(Kind kind, String name) {
        return identities.holder(kind, name).orElseThrow();
    }

    private User user(Holder holder) {
        return new User(
                holder.name(),
                holder.created(),
                identities.groupsOf(holder.name()).stream().map(Holder::name).toList(),
                identities.keysOf(holder.name()).stream().map(IdentityRoutes::key).toList(),
                List.copyOf(holder.policies()),
                holder.inline());
    }

    private static Group group(Holder holder) {
        return new Group(
                holder.name(),
                holder.created(),
                List.copyOf(holder.members()),
                List.copyOf(holder.policies()),
                holder.inline());
    }

    private static Role role(Holder holder) {
        return new Role(
                holder.name(),
                holder.created(),
                holder.trust().orElse(""),
                List.copyOf(holder.policies()),
                holder.inline());
    }

    private static Key key(UserKey key) {
        return new Key(key.accessKey(), key.active(), key.created());
    }

    private static Policy policy(ManagedPolicy policy) {
        return new Policy(policy.name(), policy.changed(), policy.document(), policy.isBuiltIn());
    }

    Changes changes(Arguments asked) throws IOException {
        int max = asked.max();
        long after = asked.number("from").orElse(0L);
        List<IdentityChange> found = identities.changes(after, max + 1);
        List<Change> page = new ArrayList<>();
        for (IdentityChange each : found.subList(0, Math.min(max, found.size()))) {
            page.add(new Change(each.number(), Json.read(each.content())));
        }
        return new Changes(
                page,
                found.size() > max
                        ? Optional.of(Long.toString(found.get(max - 1).number()))
                        : Optional.empty());
    }

    User addUser(Caller caller, Arguments asked) throws IOException {
        return user(added(Kind.USER, caller, asked));
    }

    Group addGroup(Caller caller, Arguments asked) throws IOException {
        return group(added(Kind.GROUP, caller, asked));
    }

    Role addRole(Caller caller, Arguments asked) throws IOException {
        return role(added(Kind.ROLE, caller, asked));
    }

    private Holder added(Kind kind, Caller caller, Arguments asked) throws IOException {
        String name = asked.neededText(NAME);
        Optional<String> trust =
                kind == Kind.ROLE ? Optional.of(document(TRUST, asked)) : Optional.empty();
        identities.add(caller, kind, name, trust, IdentityDetails.NONE);
        return holder(kind, name);
    }

    Name remove(Kind kind, Caller caller, Arguments asked) throws IOException {
        String name = asked.neededText(NAME);
        identities.remove(caller, kind, name);
        return new Name(name);
    }

    /**
     * Adds a user with a policy and a key. A limit to a missing bucket is a mistake in its name.
     */
    NewKey provision(Caller caller, Arguments asked, VersionedStore store) throws IOException {
        Optional<BucketName> bucket = asked.bucket();
        if (bucket.isPresent() && store.bucket(bucket.get()).isEmpty()) {
            throw new AdminException(
                    404,
                    "NoSuchBucket",
                    "there is no bucket " + bucket.get().value() + ": make it first");
        }
        NewUser user =
                new NewUser(
                        asked.neededText(NAME),
                        asked.neededText(POLICY),
                        bucket.map(BucketName::value));
        UserKey key = identities.provision(caller, user);
        return new NewKey(key.user(), key.accessKey(), key.secret());
    }

    NewKey addKey(Caller caller, Arguments asked) throws IOException {
        UserKey key = identities.addKey(caller, asked.neededText(USER));
        return new NewKey(key.user(), key.accessKey(), key.secret());
    }

    KeyState setKey(Caller caller, Arguments asked) throws IOException {
        String key = asked.neededText(KEY);
        boolean active = asked.flag(ACTIVE);
        identities.setKeyActive(caller, key, active);
        return new KeyState(key, active);
    }

    KeyName removeKey(Caller caller, Arguments asked) throws IOException {
        String key = asked.neededText(KEY);
        identities.removeKey(caller, key);
        return new KeyName(key);
    }

    Group setMember(Caller caller, Arguments asked) throws IOException {
        String group = asked.neededText(GROUP);
        identities.setMember(caller, group, asked.neededText(USER), asked.flag(MEMBER));
        return group(holder(Kind.GROUP, group));
    }

    Name putPolicy(Caller caller, Arguments asked) throws IOException {
        String name = asked.neededText(NAME);
        identities.putPolicy(caller, name, document(DOCUMENT, asked));
        return new Name(name);
    }

    Name removePolicy(Caller caller, Arguments asked) throws IOException {
        String name = asked.neededText(NAME);
        identities.removePolicy(caller, name);
        return new Name(name);
    }

    IdentityApi.Holder attach(Caller caller, Arguments asked) throws IOException {
        Kind kind = kind(asked);
        String name = asked.neededText(kind.word());
        identities.setAttached(caller, kind, name, asked.neededText(POLICY), asked.flag(ATTACHED));
        return shown(kind, name);
    }

    /** Sets an inline policy, or removes it when the request has no document. */
    IdentityApi.Holder putInline(Caller caller, Arguments asked) throws IOException {
        Kind kind = kind(asked);
        String name = asked.neededText(kind.word());
        Optional<String> document =
                asked.has(DOCUMENT) ? Optional.of(document(DOCUMENT, asked)) : Optional.empty();
        identities.setInline(caller, kind, name, asked.neededText(POLICY), document);
        return shown(kind, name);
    }

    private static Kind kind(Arguments asked) {
        List<Kind> named = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            if (asked.has(kind.word())) {
                named.add(kind);
            }
        }
        if (named.size() != 1) {
            throw AdminException.badRequest("one of user, group and role is needed");
        }
        return named.getFirst();
    }

    /** Returns a document that the request has as a text or as a JSON object. */
    private static String document(String name, Arguments asked) {
        if (asked.value(name, "") instanceof Map<?, ?> object) {
            Map<String, Object> copy = new LinkedHashMap<>();
            object.forEach((key, value) -> copy.put(String.valueOf(key), value));
            return new String(Json.write(copy), StandardCharsets.UTF_8);
        }
        return asked.neededText(name);
    }
}
