package io.volute.server.iam;

import io.volute.server.Limits;
import io.volute.server.auth.policy.Principal;
import io.volute.server.credentials.Credential;
import io.volute.server.identity.Holder;
import io.volute.server.identity.Holder.Kind;
import io.volute.server.identity.IdentityDetails;
import io.volute.server.identity.IdentityStore;
import io.volute.server.identity.ManagedPolicy;
import io.volute.server.query.QueryException;
import io.volute.server.query.QueryService.Call;
import io.volute.server.query.TagParameters;
import io.volute.server.s3.call.Callers;
import io.volute.versioning.value.Caller;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;

/**
 * A call with its action and the identity that it is about.
 *
 * @param name of that identity, as it is stored if it exists; the ARN of a managed policy; the
 *     prefix of the path for a list
 * @param holder the existing user, group or role; empty when there is none
 * @param boundary the permissions boundary of that user or role
 * @param policy the existing managed policy; empty when there is none
 */
record IamRequest(
        IamAction action,
        Call call,
        String name,
        Optional<Holder> holder,
        Optional<ManagedPolicy> boundary,
        Optional<ManagedPolicy> policy) {
    /** Name of the parameter with the ARN of a permissions boundary. */
    static final String BOUNDARY = "PermissionsBoundary";

    private static final String PATH = "/|/([A-Za-z0-9+=,.@_-]+/)+";
    private static final int LONGEST_PATH = 512;
    private static final String DESCRIPTION = "[\\t\\n\\r\\u0020-\\u007E\\u00A1-\\u00FF]*";
    private static final int LONGEST_DESCRIPTION = 1000;
    private static final int MOST_TAGS = 40;

    static IamRequest of(IamAction action, Call call, IdentityStore identities) {
        return switch (action.scope()) {
            case ALL -> about(action, call, prefix(call));
            case ACCOUNT -> about(action, call, "account");
            case NEW, ONE, SELF -> {
                String name = named(action, call);
                if (action.kind().isPresent()) {
                    Optional<Holder> holder = holder(identities, action.kind().get(), name);
                    String stored = holder.map(Holder::name).orElse(name);
                    Optional<ManagedPolicy> boundary =
                            holder.flatMap(each -> each.details().boundary())
                                    .flatMap(identities::policy);
                    yield new IamRequest(action, call, stored, holder, boundary, Optional.empty());
                }
                Optional<ManagedPolicy> policy =
                        action.scope() == IamAction.Scope.NEW
                                ? Optional.empty()
                                : policy(identities, name);
                yield new IamRequest(
                        action, call, name, Optional.empty(), Optional.empty(), policy);
            }
        };
    }

    private static String prefix(Call call) {
        String prefix = call.asked().get("PathPrefix").orElse("/");
        if (!prefix.startsWith("/") || prefix.length() > LONGEST_PATH) {
            throw QueryException.invalid("PathPrefix begins with a slash.");
        }
        return prefix;
    }

    private static IamRequest about(IamAction action, Call call, String name) {
        return new IamRequest(
                action, call, name, Optional.empty(), Optional.empty(), Optional.empty());
    }

    private static String named(IamAction action, Call call) {
        Optional<String> named = call.asked().get(action.nameParameter());
        if (named.isPresent() || action.scope() != IamAction.Scope.SELF) {
            return named.orElseThrow(() -> missing(action.nameParameter()));
        }
        // A role and a user may have the same name. The root and users of the configuration are
        // in no table of users.
        if (call.who().kind() != Credential.Kind.USER) {
            throw QueryException.invalid(
                    "Must specify userName when calling with non-User credentials");
        }
        return call.who().principal();
    }

    /** Finds a managed policy by its ARN, which may lack the account. */
    static Optional<ManagedPolicy> policy(IdentityStore identities, String arn) {
        String whole = withAccount(arn);
        return identities
                .policy(whole)
                .or(() -> identities.policy(whole.substring(whole.lastIndexOf('/') + 1)))
                .filter(each -> IamXml.arn(each).equals(whole));
    }

    /** Returns an ARN with the account that requests may leave out. */
    static String withAccount(String arn) {
        String begin = "arn:aws:iam:::";
        return arn.startsWith(begin) ? Principal.arn("", "", arn.substring(begin.length())) : arn;
    }

    /** Finds a holder; its name may be written in another case of letters, as in IAM. */
    static Optional<Holder> holder(IdentityStore identities, Kind kind, String name) {
        return identities
                .holder(kind, name)
                .or(
                        () ->
                                identities.holders(kind).stream()
                                        .filter(each -> each.name().equalsIgnoreCase(name))
                                        .findFirst());
    }

    /** Returns the ARN that policies must allow the action on. */
    String arn() {
        String kind = kindWord();
        return switch (action.scope()) {
            case ALL -> Principal.arn(kind, name, "");
            case NEW -> Principal.arn(kind, path("Path").orElse("/"), name);
            case ACCOUNT -> "*";
            case ONE, SELF ->
                    action.kind().isEmpty()
                            ? withAccount(name)
                            : holder.map(IamXml::arn).orElse(Principal.arn(kind, "/", name));
        };
    }

    /** Returns the ARN that the holder gets by the request. */
    String movedArn() {
        String path = path("NewPath").orElse(holder.map(each -> each.details().path()).orElse("/"));
        String moved = get("New" + action.nameParameter()).orElse(name);
        return Principal.arn(kindWord(), path, moved);
    }

    /** Returns the holder that the action needs. */
    Holder existing() {
        return holder.orElseThrow(() -> noSuch(kindWord(), name));
    }

    /** Returns the word for the kind of the identity. */
    String kindWord() {
        return action.kind().map(Kind::word).orElse("policy");
    }

    /** Returns the managed policy that the action needs. */
    ManagedPolicy existingPolicy() {
        return policy.orElseThrow(() -> noSuch("policy", name));
    }

    static QueryException noSuch(String kind, String name) {
        return new QueryException(
                404, "NoSuchEntity", "The " + kind + " with name " + name + " cannot be found.");
    }

    Caller caller() {
        return Callers.of(call.head(), call.verified());
    }

    /** Returns the tags that the identity has before the request. */
    SortedMap<String, String> existingTags() {
        return holder.map(Holder::details)
                .or(() -> policy.map(ManagedPolicy::details))
                .orElse(IdentityDetails.NONE)
                .tags();
    }

    /**
     * Returns the ARN of the permissions boundary that the request sets, or else of the one that
     * the user or role has.
     */
    Optional<String> boundaryArn() {
        return get(BOUNDARY)
                .map(IamRequest::withAccount)
                .or(() -> boundary.map(ManagedPolicy::arn));
    }

    /**
     * Returns the name of the policy that the request sets as a permissions boundary; empty for
     * none.
     */
    Optional<String> newBoundary(IdentityStore identities) {
        return get(BOUNDARY)
                .map(
                        arn ->
                                policy(identities, arn)
                                        .orElseThrow(() -> noSuch("policy", arn))
                                        .name());
    }

    IamPage page() {
        return IamPage.of(call.asked());
    }

    Optional<String> get(String parameter) {
        return call.asked().get(parameter);
    }

    String needed(String parameter) {
        return get(parameter).orElseThrow(() -> missing(parameter));
    }

    private static QueryException missing(String parameter) {
        String first = parameter.substring(0, 1).toLowerCase(Locale.ROOT) + parameter.substring(1);
        return QueryException.invalid(
                "1 validation error detected: Value null at '"
                        + first
                        + "' failed to satisfy constraint: Member must not be null");
    }

    /** Returns a path; empty when the request has none. */
    Optional<String> path(String parameter) {
        Optional<String> path = get(parameter);
        if (path.filter(each -> each.length() > LONGEST_PATH || !each.matches(PATH)).isPresent()) {
            throw QueryException.invalid(
                    parameter
                            + " begins and ends with a slash, and has letters, digits or any of"
                            + " +=,.@_- between slashes, "
                            + LONGEST_PATH
                            + " characters at most.");
        }
        return path;
    }

    /** Returns the details of an identity that the request creates. */
    IdentityDetails details() {
        return described(IdentityDetails.NONE)
                .withPath(path("Path").orElse("/"))
                .withTags(checked(tags()));
    }

    /** Returns details with the description and the length of sessions of the request. */
    IdentityDetails described(IdentityDetails details) {
        String description = get("Description").orElse(details.description());
        if (description.length() > LONGEST_DESCRIPTION || !description.matches(DESCRIPTION)) {
            throw QueryException.invalid(
                    "A description has " + LONGEST_DESCRIPTION + " characters of Latin 1 at most.");
        }
        String seconds =
                get("MaxSessionDuration").orElse(Integer.toString(details.sessionSeconds()));
        if (!seconds.matches("[0-9]{1,6}")
                || Integer.parseInt(seconds) < Limits.ROLE_SECONDS_DEFAULT
                || Integer.parseInt(seconds) > Limits.ROLE_SECONDS_MAX) {
            throw QueryException.invalid(
                    "MaxSessionDuration is a number from "
                            + Limits.ROLE_SECONDS_DEFAULT
                            + " to "
                            + Limits.ROLE_SECONDS_MAX
                            + ".");
        }
        return details.withDescription(description).withSessionSeconds(Integer.parseInt(seconds));
    }

    /** Returns whether a flag is set; it is not when the request does not have it. */
    boolean flag(String parameter) {
        return switch (get(parameter).orElse("false")) {
            case "true" -> true;
            case "false" -> false;
            default -> throw QueryException.invalid(parameter + " is true or false.");
        };
    }

    SortedMap<String, String> tags() {
        return TagParameters.tags(call.asked());
    }

    /** Returns the keys of tags of the request. */
    List<String> tagKeys() {
        return TagParameters.texts(call.asked(), "TagKeys");
    }

    static SortedMap<String, String> checked(SortedMap<String, String> tags) {
        if (tags.size() > MOST_TAGS) {
            throw new QueryException(
                    409, "LimitExceeded", "An identity has " + MOST_TAGS + " tags at most.");
        }
        return tags;
    }
}
