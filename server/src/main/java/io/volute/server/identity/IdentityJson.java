package io.volute.server.identity;

import io.volute.server.json.Json;
import io.volute.versioning.Identities.Identity;
import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The rows of users, groups, roles, policies and keys.
 *
 * <pre>
 *   1 user, 2 group, 3 role   {"id": "...", "created": ms, "members": [...], "trust": "...",
 *                              "policies": [...], "inline": {"name": "document"}};
 *                              trust of a role only; rows of older programs have no id
 *   4 policy                  {"changed": ms, "document": "...", "created": ms, "version": 1};
 *                              rows of older programs have neither of the last two: then it was
 *                              created when it was changed, and has version 1
 *   5 key                     {"created": ms, "user": "...", "active": true, "generation": 0,
 *                              "sealed": "Base64"}; no generation is 0
 * </pre>
 *
 * <p>Rows of 1 to 4 may have the {@link IdentityDetails}, each only when it differs from those of
 * an identity without any: {@code "path": "/a/"}, {@code "description": "..."}, {@code
 * "sessionSeconds": 3600}, {@code "tags": {"key": "value"}}, {@code "boundary": "policy"}. Older
 * programs ignore them.
 */
final class IdentityJson {
    static final int POLICY = 4;
    static final int KEY = 5;
    private static final String CREATED = "created";

    /** Begin of the ids of rows without an id. */
    static final String MADE_UP_ID = "created-";

    private IdentityJson() {}

    static int kind(Holder.Kind kind) {
        return kind.ordinal() + 1;
    }

    static Identity of(Holder holder) {
        Map<String, Object> content = new LinkedHashMap<>();
        content.put("id", holder.id());
        content.put(CREATED, holder.created().toEpochMilli());
        content.put("members", List.copyOf(holder.members()));
        holder.trust().ifPresent(trust -> content.put("trust", trust));
        content.put("policies", List.copyOf(holder.policies()));
        content.put("inline", holder.inline());
        put(holder.details(), content);
        return new Identity(kind(holder.kind()), holder.name(), Json.write(content));
    }

    static Identity of(ManagedPolicy policy) {
        Map<String, Object> content = new LinkedHashMap<>();
        content.put("changed", policy.changed().toEpochMilli());
        content.put("document", policy.document());
        content.put(CREATED, policy.created().toEpochMilli());
        content.put("version", policy.version());
        put(policy.details(), content);
        return new Identity(POLICY, policy.name(), Json.write(content));
    }

    static Identity of(UserKey key) {
        Map<String, Object> content = new LinkedHashMap<>();
        content.put(CREATED, key.created().toEpochMilli());
        content.put("user", key.user());
        content.put("active", key.active());
        content.put("generation", key.generation());
        content.put("sealed", key.sealed());
        return new Identity(KEY, key.accessKey(), Json.write(content));
    }

    static Holder holder(Identity row) throws IOException {
        Map<String, Object> content = Json.read(row.content());
        SortedMap<String, String> inline = new TreeMap<>();
        if (content.get("inline") instanceof Map<?, ?> map) {
            map.forEach((name, document) -> inline.put((String) name, (String) document));
        }
        return new Holder(
                Holder.Kind.values()[row.kind() - 1],
                row.name(),
                id(content),
                instant(CREATED, content),
                texts("members", content),
                Optional.ofNullable((String) content.get("trust")),
                texts("policies", content),
                inline,
                details(content));
    }

    private static void put(IdentityDetails details, Map<String, Object> content) {
        IdentityDetails none = IdentityDetails.NONE;
        if (!details.path().equals(none.path())) {
            content.put("path", details.path());
        }
        if (!details.description().isEmpty()) {
            content.put("description", details.description());
        }
        if (details.sessionSeconds() != none.sessionSeconds()) {
            content.put("sessionSeconds", details.sessionSeconds());
        }
        if (!details.tags().isEmpty()) {
            content.put("tags", details.tags());
        }
        details.boundary().ifPresent(policy -> content.put("boundary", policy));
    }

    private static IdentityDetails details(Map<String, Object> content) {
        IdentityDetails none = IdentityDetails.NONE;
        SortedMap<String, String> tags = new TreeMap<>();
        if (content.get("tags") instanceof Map<?, ?> map) {
            map.forEach((key, value) -> tags.put((String) key, (String) value));
        }
        return new IdentityDetails(
                content.get("path") instanceof String path ? path : none.path(),
                content.get("description") instanceof String text ? text : none.description(),
                content.get("sessionSeconds") instanceof Long seconds
                        ? Math.toIntExact(seconds)
                        : none.sessionSeconds(),
                tags,
                Optional.ofNullable((String) content.get("boundary")));
    }

    /** Returns the id, made from the creation time in rows of programs that gave no ids. */
    private static String id(Map<String, Object> content) {
        return content.get("id") instanceof String id
                ? id
                : MADE_UP_ID + instant(CREATED, content).toEpochMilli();
    }

    static ManagedPolicy policy(Identity row) throws IOException {
        Map<String, Object> content = Json.read(row.content());
        return new ManagedPolicy(
                row.name(),
                instant(content.containsKey(CREATED) ? CREATED : "changed", content),
                instant("changed", content),
                content.get("version") instanceof Long number ? number : 1,
                (String) content.get("document"),
                details(content));
    }

    /**
     * @param content of the row
     * @param secret the sealed secret
     */
    static UserKey key(Identity row, Map<String, Object> content, String secret) {
        return new UserKey(
                row.name(),
                (String) content.get("user"),
                instant(CREATED, content),
                Boolean.TRUE.equals(content.get("active")),
                content.get("generation") instanceof Long number ? number : 0,
                secret,
                (String) content.get("sealed"));
    }

    private static Instant instant(String name, Map<String, Object> content) {
        return Instant.ofEpochMilli((Long) content.get(name));
    }

    private static TreeSet<String> texts(String name, Map<String, Object> content) {
        TreeSet<String> texts = new TreeSet<>();
        if (content.get(name) instanceof List<?> list) {
            list.forEach(each -> texts.add((String) each));
        }
        return texts;
    }
}
