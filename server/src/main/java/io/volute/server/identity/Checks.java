package io.volute.server.identity;

import io.volute.server.Limits;
import io.volute.server.auth.policy.MalformedPolicyException;
import io.volute.server.credentials.Credential;
import io.volute.server.identity.Holder.Kind;
import io.volute.server.identity.IdentityException.Reason;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Checks changes of users and policies, and refuses invalid ones. */
final class Checks {
    /** The longest name in characters. */
    static final int LONGEST_NAME = 64;

    private static final String NAME = "[A-Za-z0-9+=,.@_-]{1," + LONGEST_NAME + "}";

    private Checks() {}

    static Holder require(IdentityTable now, Kind kind, String name) {
        return now.holder(kind, name).orElseThrow(() -> missing(kind.word(), name));
    }

    static UserKey requireKey(IdentityTable now, String accessKey) {
        return now.key(accessKey).orElseThrow(() -> missing("key", accessKey));
    }

    /** Returns a policy that can be changed. */
    static ManagedPolicy requireOwnPolicy(IdentityTable now, String name) {
        ManagedPolicy policy = requirePolicy(now, name);
        requireOwn(policy);
        return policy;
    }

    private static void requireOwn(ManagedPolicy policy) {
        if (policy.isBuiltIn()) {
            throw new IdentityException(
                    Reason.INVALID_INPUT,
                    "the policy "
                            + policy.name()
                            + " is built in and cannot be changed: put a copy with another name");
        }
    }

    static ManagedPolicy requirePolicy(IdentityTable now, String name) {
        return now.policy(name).orElseThrow(() -> missing("policy", name));
    }

    static IdentityException missing(String kind, String name) {
        return new IdentityException(Reason.NO_SUCH_ENTITY, "there is no " + kind + " " + name);
    }

    static IdentityException exists(String kind, String name) {
        return new IdentityException(
                Reason.ENTITY_ALREADY_EXISTS, "there is a " + kind + " " + name + " already");
    }

    static IdentityException tooMany(String what, int max) {
        return new IdentityException(Reason.LIMIT_EXCEEDED, "there are " + max + " " + what);
    }

    /** Refuses a name that a holder of the kind has, and a holder too many. */
    static void isNew(IdentityTable now, Kind kind, String name) {
        for (String each : now.names(kind)) {
            if (each.equalsIgnoreCase(name)) {
                throw exists(kind.word(), each);
            }
        }
        if (now.names(kind).size() >= Limits.IDENTITIES_MAX) {
            throw tooMany(kind.word() + "s", Limits.IDENTITIES_MAX);
        }
    }

    static void roomForKey(IdentityTable now, String user) {
        if (now.keysOf(user).size() >= Limits.USER_KEYS_MAX) {
            throw tooMany("keys of a user", Limits.USER_KEYS_MAX);
        }
    }

    /** Refuses to add one policy too many, and to replace one that is built in. */
    static void roomForPolicy(IdentityTable now, String name) {
        Optional<ManagedPolicy> old = now.policy(name);
        old.ifPresent(Checks::requireOwn);
        if (old.isEmpty() && now.policyNames().size() >= Limits.IDENTITIES_MAX) {
            throw tooMany("policies", Limits.IDENTITIES_MAX);
        }
    }

    /** Returns the holder if it has no inline policy too many. */
    static Holder requireFewPolicies(Holder holder) {
        if (holder.inline().size() > Limits.INLINE_POLICIES_MAX) {
            throw tooMany("policies of one " + holder.kind().word(), Limits.INLINE_POLICIES_MAX);
        }
        return holder;
    }

    /**
     * Refuses identities whose rows have too many bytes together. Rows that were stored without
     * this limit can become shorter.
     */
    static void roomForRows(IdentityTable now, IdentityTable changed) {
        long bytes = changed.bytes();
        if (bytes > Limits.IDENTITY_ROWS_BYTES_MAX && bytes > now.bytes()) {
            throw new IdentityException(
                    Reason.LIMIT_EXCEEDED,
                    "users, groups, roles, policies and keys have "
                            + Limits.IDENTITY_ROWS_BYTES_MAX
                            + " bytes at most together: shorten or remove some");
        }
    }

    /** Refuses a name that a managed policy has. */
    static void isNewPolicy(IdentityTable now, String name) {
        Stream.concat(
                        now.policyNames().stream(),
                        BuiltInPolicies.all().stream().map(ManagedPolicy::name))
                .filter(each -> each.equalsIgnoreCase(name))
                .findFirst()
                .ifPresent(
                        each -> {
                            throw exists("policy", each);
                        });
    }

    /** Refuses to remove a holder that has keys, memberships, members or policies. */
    static void bare(IdentityTable now, Holder holder) {
        boolean isUser = holder.kind() == Kind.USER;
        String left =
                isUser && !now.keysOf(holder.name()).isEmpty()
                        ? "access keys"
                        : isUser && !now.groupsOf(holder.name()).isEmpty()
                                ? "groups"
                                : !holder.members().isEmpty()
                                        ? "members"
                                        : !holder.policies().isEmpty()
                                                ? "attached policies"
                                                : !holder.inline().isEmpty() ? "policies" : "";
        if (!left.isEmpty()) {
            throw new IdentityException(
                    Reason.DELETE_CONFLICT,
                    holder.kind().word()
                            + " "
                            + holder.name()
                            + " still has "
                            + left
                            + ": remove them first");
        }
    }

    /** Returns a policy that can be removed: no holder has it. */
    static ManagedPolicy requireUnattached(IdentityTable now, String name) {
        ManagedPolicy policy = requireOwnPolicy(now, name);
        for (Kind kind : Kind.values()) {
            for (Holder holder : now.holders(kind)) {
                if (holder.policies().contains(policy.name())
                        || holder.details().boundary().equals(Optional.of(policy.name()))) {
                    throw new IdentityException(
                            Reason.DELETE_CONFLICT,
                            kind.word()
                                    + " "
                                    + holder.name()
                                    + " has the policy "
                                    + policy.name()
                                    + ": detach it first, also as a permissions boundary");
                }
            }
        }
        return policy;
    }

    /** Returns a user or role limited by a policy, which must exist; empty for none. */
    static Holder bounded(IdentityTable now, Holder holder, Optional<String> policy) {
        policy.ifPresent(each -> requirePolicy(now, each));
        return holder.withDetails(holder.details().withBoundary(policy));
    }

    /**
     * Returns whether no stored user or role acts under a name.
     *
     * @param taken names of configured users
     */
    static boolean isTaken(String name, Set<String> taken) {
        return Credential.isReserved(name) || taken.contains(name);
    }

    /** Refuses a name that a new user, group or role cannot have. */
    static void free(String name, Set<String> taken) {
        name(name);
        if (isTaken(name, taken) || taken.stream().anyMatch(name::equalsIgnoreCase)) {
            throw new IdentityException(
                    Reason.ENTITY_ALREADY_EXISTS,
                    name + " is reserved: it names the root, everybody, or a configured user");
        }
    }

    static void name(String name) {
        if (!name.matches(NAME)) {
            throw new IdentityException(
                    Reason.INVALID_INPUT,
                    "\"" + name + "\" is no name: 1 to 64 letters, digits or any of +=,.@_-");
        }
    }

    static void document(String document, Consumer<String> reading) {
        if (document.length() > Limits.IDENTITY_POLICY_CHARS_MAX) {
            throw new IdentityException(
                    Reason.LIMIT_EXCEEDED,
                    "a policy has " + Limits.IDENTITY_POLICY_CHARS_MAX + " characters at most");
        }
        try {
            reading.accept(document);
        } catch (MalformedPolicyException e) {
            throw new IdentityException(Reason.MALFORMED_POLICY_DOCUMENT, e.getMessage());
        }
    }
}
