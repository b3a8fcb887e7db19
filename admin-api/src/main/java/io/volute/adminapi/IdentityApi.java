package io.volute.adminapi;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Users, access keys, groups, roles and policies. A request has a policy document as a text or as a
 * JSON object; an answer has it as a text.
 */
public final class IdentityApi {
    private IdentityApi() {}

    /** Names a user, group, role or policy; also the answer when it is gone. */
    public record Name(String name) {}

    /**
     * Creates a user with a managed policy and an access key, in one commit.
     *
     * @param bucket limits the policy to one bucket
     */
    public record ProvisionRequest(
            String name,
            @Described("A managed policy") String policy,
            @Described("Limits readonly, readwrite or writeonly to one bucket")
                    Optional<String> bucket) {}

    /** Creates a role, which those may assume whom its trust policy allows. */
    public record CreateRoleRequest(String name, @Described("A policy") Object trust) {}

    /** Someone with policies; their fields tell which. */
    @JsonTypeInfo(use = JsonTypeInfo.Id.DEDUCTION)
    @JsonSubTypes({
        @JsonSubTypes.Type(User.class),
        @JsonSubTypes.Type(Group.class),
        @JsonSubTypes.Type(Role.class)
    })
    public sealed interface Holder {
        String name();

        /** Returns the names of its managed policies. */
        List<String> policies();

        /** Returns its inline policies by name. */
        Map<String, String> inline();
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NONE)
    public record User(
            String name,
            Instant created,
            List<String> groups,
            List<Key> keys,
            @Described("Names") List<String> policies,
            Map<String, String> inline)
            implements Holder {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NONE)
    public record Group(
            String name,
            Instant created,
            @Described("Names of users") List<String> members,
            @Described("Names") List<String> policies,
            Map<String, String> inline)
            implements Holder {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NONE)
    public record Role(
            String name,
            Instant created,
            @Described("A policy, as a text") String trust,
            @Described("Names") List<String> policies,
            Map<String, String> inline)
            implements Holder {}

    /** Asks for a page of a list, in the order of names. */
    public record PageRequest(
            @Described(value = "Entries of a page", min = 1, max = 1000, byDefault = "1000")
                    OptionalLong max,
            @Described("The field next of the page before") Optional<String> from) {}

    /** A page of a list. It ends early when its documents are long. */
    public sealed interface Page<E> {
        /** Returns the members by name. */
        List<E> members();

        /** Returns where the next page begins; empty on the last page. */
        Optional<String> next();
    }

    public record Users(
            List<User> users,
            @Described("Start of the next page; missing on the last one") Optional<String> next)
            implements Page<User> {
        @Override
        public List<User> members() {
            return users;
        }
    }

    public record Groups(
            List<Group> groups,
            @Described("Start of the next page; missing on the last one") Optional<String> next)
            implements Page<Group> {
        @Override
        public List<Group> members() {
            return groups;
        }
    }

    public record Roles(
            List<Role> roles,
            @Described("Start of the next page; missing on the last one") Optional<String> next)
            implements Page<Role> {
        @Override
        public List<Role> members() {
            return roles;
        }
    }

    /** An access key without its secret. */
    public record Key(String accessKey, boolean active, Instant created) {}

    /** Creates an access key of a user. */
    public record CreateKeyRequest(String user) {}

    /** A new access key. Its secret is shown this once. */
    public record NewKey(String user, String accessKey, String secretKey) {}

    /** Activates or deactivates a key; also the answer. */
    public record KeyState(String accessKey, boolean active) {}

    /** Names an access key; also the answer when it is gone. */
    public record KeyName(String accessKey) {}

    /** Adds a user to a group, or removes it. */
    public record MemberRequest(
            String group,
            String user,
            @Described("True to add the user, false to remove it") boolean member) {}

    /** Creates or replaces a managed policy. */
    public record PutPolicyRequest(String name, Object document) {}

    public record Policies(
            List<Policy> policies,
            @Described("Start of the next page; missing on the last one") Optional<String> next)
            implements Page<Policy> {
        @Override
        public List<Policy> members() {
            return policies;
        }
    }

    /**
     * A managed policy.
     *
     * @param builtIn whether every store has it and nobody can change it
     */
    public record Policy(
            String name,
            Instant changed,
            String document,
            @Described("True if every store has the policy, and it cannot be changed")
                    boolean builtIn) {}

    /** Attaches a managed policy to one user, group or role, or detaches it. */
    @Described("One of user, group and role")
    public record AttachRequest(
            String policy,
            Optional<String> user,
            Optional<String> group,
            Optional<String> role,
            @Described("Given or taken away") boolean attached) {}

    /** Sets an inline policy of one user, group or role; without a document, removes it. */
    @Described("One of user, group and role")
    public record InlineRequest(
            @Described("Name of the policy") String policy,
            Optional<String> user,
            Optional<String> group,
            Optional<String> role,
            @Described("Without it, the policy is taken away") Optional<Object> document) {}

    /** Asks for changes of identities, the oldest first. */
    public record ChangesRequest(
            @Described(value = "Entries of a page", min = 1, max = 1000, byDefault = "1000")
                    OptionalLong max,
            @Described("The field next of the page before") Optional<String> from) {}

    public record Changes(
            List<Change> changes,
            @Described("Start of the next page; missing on the last one") Optional<String> next) {}

    /**
     * A change of identities.
     *
     * @param fields as the store has them, among them {@code time}, {@code principal} and {@code
     *     deed}
     */
    public record Change(long number, @JsonAnyGetter @JsonAnySetter Map<String, Object> fields) {}
}
