package io.volute.server.identity;

import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A user, group or role: the holder of policies. Immutable.
 *
 * @param id unique, even among later holders of the same name
 * @param members users in a group; empty for others
 * @param trust the trust policy of a role, which names the callers that may assume it; empty for
 *     others
 * @param policies names of managed policies
 * @param inline documents of policies of its own, by name
 * @param details path, description and tags
 */
public record Holder(
        Kind kind,
        String name,
        String id,
        Instant created,
        SortedSet<String> members,
        Optional<String> trust,
        SortedSet<String> policies,
        SortedMap<String, String> inline,
        IdentityDetails details) {

    /** The kind of a holder of policies. */
    public enum Kind {
        USER("user", "User", "UI"),
        GROUP("group", "Group", "GI"),
        ROLE("role", "Role", "RI");

        private final String word;

        private final String title;

        private final String idPrefix;

        Kind(String word, String title, String idPrefix) {
            this.word = word;
            this.title = title;
            this.idPrefix = idPrefix;
        }

        /** Returns the word for the kind in names and messages. */
        public String word() {
            return word;
        }

        /** Returns the word for the kind in names of actions. */
        String title() {
            return title;
        }

        /** The first letters of ids. */
        String idPrefix() {
            return idPrefix;
        }
    }

    public Holder {
        members = Collections.unmodifiableSortedSet(new TreeSet<>(members));
        policies = Collections.unmodifiableSortedSet(new TreeSet<>(policies));
        inline = Collections.unmodifiableSortedMap(new TreeMap<>(inline));
    }

    static Holder of(
            Kind kind,
            String name,
            String id,
            Instant created,
            Optional<String> trust,
            IdentityDetails details) {
        return new Holder(
                kind,
                name,
                id,
                created,
                new TreeSet<>(),
                trust,
                new TreeSet<>(),
                new TreeMap<>(),
                details);
    }

    Holder withMember(String user, boolean in) {
        return with(changed(members, user, in), trust, policies, inline, details);
    }

    Holder withPolicy(String policy, boolean attached) {
        return with(members, trust, changed(policies, policy, attached), inline, details);
    }

    Holder withInline(String policy, Optional<String> document) {
        SortedMap<String, String> longer = new TreeMap<>(inline);
        document.ifPresentOrElse(text -> longer.put(policy, text), () -> longer.remove(policy));
        return with(members, trust, policies, longer, details);
    }

    Holder withTrust(String document) {
        return with(members, Optional.of(document), policies, inline, details);
    }

    Holder withDetails(IdentityDetails other) {
        return with(members, trust, policies, inline, other);
    }

    /** Returns this holder with another name. A made-up id becomes one that keeps the old name. */
    Holder withName(String other) {
        return new Holder(
                kind,
                other,
                PublicId.unique(this),
                created,
                members,
                trust,
                policies,
                inline,
                details);
    }

    private Holder with(
            SortedSet<String> otherMembers,
            Optional<String> otherTrust,
            SortedSet<String> otherPolicies,
            SortedMap<String, String> otherInline,
            IdentityDetails otherDetails) {
        return new Holder(
                kind,
                name,
                id,
                created,
                otherMembers,
                otherTrust,
                otherPolicies,
                otherInline,
                otherDetails);
    }

    private static SortedSet<String> changed(SortedSet<String> set, String each, boolean in) {
        SortedSet<String> other = new TreeSet<>(set);
        if (in) {
            other.add(each);
        } else {
            other.remove(each);
        }
        return other;
    }
}
