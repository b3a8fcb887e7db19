package io.volute.server.admin;

import io.volute.server.identity.Holder;
import io.volute.server.identity.Holder.Kind;
import io.volute.server.identity.IdentityException;
import io.volute.server.identity.IdentityStore;
import io.volute.server.identity.ManagedPolicy;
import io.volute.server.identity.UserKey;
import io.volute.server.json.Json;
import io.volute.versioning.Identities.IdentityChange;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The routes that show and change users, keys, groups, roles and policies. */
final class IdentityRoutes {
    private static final String NAME = "name";
    private static final String USER = "user";
    private static final String GROUP = "group";
    private static final String ROLE = "role";
    private static final String POLICY = "policy";
    private static final String DOCUMENT = "document";
    private static final String KEY = "accessKey";
    private static final String TRUST = "trust";
    private static final String MEMBER = "member";
    private static final String ATTACHED = "attached";
    private static final String ACTIVE = "active";

    private final IdentityStore identities;

    IdentityRoutes(IdentityStore identities) {
        this.identities = identities;
    }

    Map<String, Object> answer(AdminRoute route, Caller caller, Arguments asked)
            throws IOException {
        try {
            return switch (route) {
                case LIST_USERS -> list(Kind.USER, asked);
                case LIST_GROUPS -> list(Kind.GROUP, asked);
                case LIST_ROLES -> list(Kind.ROLE, asked);
                case LIST_POLICIES -> policies(asked);
                case LIST_IDENTITY_CHANGES -> changes(asked);
                case CREATE_USER -> add(Kind.USER, caller, asked.only(NAME));
                case CREATE_GROUP -> add(Kind.GROUP, caller, asked.only(NAME));
                case CREATE_ROLE -> add(Kind.ROLE, caller, asked.only(NAME, TRUST));
                case DELETE_USER -> remove(Kind.USER, caller, asked);
                case DELETE_GROUP -> remove(Kind.GROUP, caller, asked);
                case DELETE_ROLE -> remove(Kind.ROLE, caller, asked);
                case CREATE_KEY -> addKey(caller, asked);
                case SET_KEY -> setKey(caller, asked);
                case DELETE_KEY -> removeKey(caller, asked);
                case SET_MEMBER -> setMember(caller, asked);
                case PUT_POLICY -> putPolicy(caller, asked);
                case DELETE_POLICY -> removePolicy(caller, asked);
                case ATTACH_POLICY -> attach(caller, asked);
                case PUT_INLINE_POLICY -> putInline(caller, asked);
                default -> throw new IllegalStateException(route + " is about no identities");
            };
        } catch (IdentityException e) {
            throw refused(e);
        }
    }

    private static AdminException refused(IdentityException e) {
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

    private Map<String, Object> list(Kind kind, Arguments asked) {
        asked.only();
        List<Object> all = new ArrayList<>();
        identities.holders(kind).forEach(holder -> all.add(shown(holder)));
        return Map.of(kind.word() + "s", all);
    }

    private Map<String, Object> shown(Holder holder) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put(NAME, holder.name());
        shown.put("created", holder.created().toString());
        switch (holder.kind()) {
            case USER -> {
                shown.put(
                        "groups",
                        identities.groupsOf(holder.name()).stream().map(Holder::name).toList());
                shown.put(
                        "keys",
                        identities.keysOf(holder.name()).stream()
                                .map(IdentityRoutes::shown)
                                .toList());
            }
            case GROUP -> shown.put("members", List.copyOf(holder.members()));
            case ROLE -> shown.put(TRUST, holder.trust().orElse(""));
        }
        shown.put("policies", List.copyOf(holder.policies()));
        shown.put("inline", holder.inline());
        return shown;
    }

    /** Returns the fields of a key except its secret. */
    private static Map<String, Object> shown(UserKey key) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put(KEY, key.accessKey());
        shown.put(ACTIVE, key.active());
        shown.put("created", key.created().toString());
        return shown;
    }

    private Map<String, Object> policies(Arguments asked) {
        asked.only();
        List<Object> all = new ArrayList<>();
        for (ManagedPolicy policy : identities.policies()) {
            Map<String, Object> shown = new LinkedHashMap<>();
            shown.put(NAME, policy.name());
            shown.put("changed", policy.changed().toString());
            shown.put(DOCUMENT, policy.document());
            all.add(shown);
        }
        return Map.of("policies", all);
    }

    private Map<String, Object> changes(Arguments asked) throws IOException {
        asked.only("from", "max");
        int max = asked.max();
        long after = asked.number("from").orElse(0L);
        List<IdentityChange> found = identities.changes(after, max + 1);
        List<Object> all = new ArrayList<>();
        for (IdentityChange each : found.subList(0, Math.min(max, found.size()))) {
            Map<String, Object> shown = new LinkedHashMap<>();
            shown.put("number", each.number());
            shown.putAll(Json.read(each.content()));
            all.add(shown);
        }
        Map<String, Object> page = new LinkedHashMap<>();
        page.put("changes", all);
        if (found.size() > max) {
            page.put("next", Long.toString(found.get(max - 1).number()));
        }
        return page;
    }

    private Map<String, Object> add(Kind kind, Caller caller, Arguments asked) throws IOException {
        String name = asked.neededText(NAME);
        Optional<String> trust =
                kind == Kind.ROLE ? Optional.of(document(TRUST, asked)) : Optional.empty();
        identities.add(caller, kind, name, trust);
        return shown(identities.holder(kind, name).orElseThrow());
    }

    private Map<String, Object> remove(Kind kind, Caller caller, Arguments asked)
            throws IOException {
        String name = asked.only(NAME).neededText(NAME);
        identities.remove(caller, kind, name);
        return Map.of(NAME, name);
    }

    private Map<String, Object> addKey(Caller caller, Arguments asked) throws IOException {
        UserKey key = identities.addKey(caller, asked.only(USER).neededText(USER));
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put(USER, key.user());
        shown.put(KEY, key.accessKey());
        shown.put("secretKey", key.secret());
        return shown;
    }

    private Map<String, Object> setKey(Caller caller, Arguments asked) throws IOException {
        String key = asked.only(KEY, ACTIVE).neededText(KEY);
        boolean active = asked.flag(ACTIVE);
        identities.setKeyActive(caller, key, active);
        return Map.of(KEY, key, ACTIVE, active);
    }

    private Map<String, Object> removeKey(Caller caller, Arguments asked) throws IOException {
        String key = asked.only(KEY).neededText(KEY);
        identities.removeKey(caller, key);
        return Map.of(KEY, key);
    }

    private Map<String, Object> setMember(Caller caller, Arguments asked) throws IOException {
        String group = asked.only(GROUP, USER, MEMBER).neededText(GROUP);
        identities.setMember(caller, group, asked.neededText(USER), asked.flag(MEMBER));
        return shown(identities.holder(Kind.GROUP, group).orElseThrow());
    }

    private Map<String, Object> putPolicy(Caller caller, Arguments asked) throws IOException {
        String name = asked.only(NAME, DOCUMENT).neededText(NAME);
        identities.putPolicy(caller, name, document(DOCUMENT, asked));
        return Map.of(NAME, name);
    }

    private Map<String, Object> removePolicy(Caller caller, Arguments asked) throws IOException {
        String name = asked.only(NAME).neededText(NAME);
        identities.removePolicy(caller, name);
        return Map.of(NAME, name);
    }

    private Map<String, Object> attach(Caller caller, Arguments asked) throws IOException {
        asked.only(POLICY, USER, GROUP, ROLE, ATTACHED);
        Kind kind = kind(asked);
        String name = asked.neededText(kind.word());
        identities.setAttached(caller, kind, name, asked.neededText(POLICY), asked.flag(ATTACHED));
        return shown(identities.holder(kind, name).orElseThrow());
    }

    /** Sets an inline policy, or removes it when the request has no document. */
    private Map<String, Object> putInline(Caller caller, Arguments asked) throws IOException {
        asked.only(POLICY, USER, GROUP, ROLE, DOCUMENT);
        Kind kind = kind(asked);
        String name = asked.neededText(kind.word());
        Optional<String> document =
                asked.has(DOCUMENT) ? Optional.of(document(DOCUMENT, asked)) : Optional.empty();
        identities.setInline(caller, kind, name, asked.neededText(POLICY), document);
        return shown(identities.holder(kind, name).orElseThrow());
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
