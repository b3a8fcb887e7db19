package io.volute.server.iam;

import io.volute.server.auth.policy.Principal;
import io.volute.server.credentials.Credential;
import io.volute.server.identity.Holder;
import io.volute.server.identity.Holder.Kind;
import io.volute.server.identity.IdentityDetails;
import io.volute.server.identity.IdentityStore;
import io.volute.server.query.QueryException;
import io.volute.server.query.QueryService.Call;
import io.volute.server.s3.call.Callers;
import io.volute.versioning.value.Caller;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A call with its action and the identity that it is about.
 *
 * @param name of that identity, as it is stored if it exists; the prefix of the path for a list
 * @param holder the existing user, group or role; empty when there is none
 */
record IamRequest(IamAction action, Call call, String name, Optional<Holder> holder) {
    private static final String PATH = "/|/([A-Za-z0-9+=,.@_-]+/)+";
    private static final int LONGEST_PATH = 512;
    private static final int MOST_TAGS = 40;
    private static final int LONGEST_TAG_KEY = 128;
    private static final int LONGEST_TAG_VALUE = 256;
    private static final String TAG = "[\\p{L}\\p{Z}\\p{N}_.:/=+@-]*";

    static IamRequest of(IamAction action, Call call, IdentityStore identities) {
        if (action.scope() == IamAction.Scope.ALL) {
            String prefix = call.asked().get("PathPrefix").orElse("/");
            return new IamRequest(action, call, prefix, Optional.empty());
        }
        Optional<String> named = call.asked().get(action.nameParameter());
        if (named.isEmpty() && action.scope() == IamAction.Scope.SELF) {
            // A role and a user may have the same name. The root and users of the configuration
            // are in no table of users.
            if (call.who().kind() != Credential.Kind.USER) {
                throw QueryException.invalid(
                        "Must specify userName when calling with non-User credentials");
            }
            named = Optional.of(call.who().principal());
        }
        String name = named.orElseThrow(() -> missing(action.nameParameter()));
        Optional<Holder> holder = action.kind().flatMap(kind -> holder(identities, kind, name));
        return new IamRequest(action, call, holder.map(Holder::name).orElse(name), holder);
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
            case ONE, SELF -> holder.map(IamXml::arn).orElse(Principal.arn(kind, "/", name));
        };
    }

    /** Returns the holder that the action needs. */
    Holder existing() {
        return holder.orElseThrow(() -> noSuch(kindWord(), name));
    }

    /** Returns the word for the kind of the identity. */
    String kindWord() {
        return action.kind().map(Kind::word).orElse("policy");
    }

    static QueryException noSuch(String kind, String name) {
        return new QueryException(
                404, "NoSuchEntity", "The " + kind + " with name " + name + " cannot be found.");
    }

    Caller caller() {
        return Callers.of(call.head(), call.verified());
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
        return IdentityDetails.NONE.withPath(path("Path").orElse("/")).withTags(tags());
    }

    /** Returns the tags of the request, which number them from 1. */
    SortedMap<String, String> tags() {
        SortedMap<String, String> tags = new TreeMap<>();
        for (int i = 1; get("Tags.member." + i + ".Key").isPresent(); i++) {
            String key = needed("Tags.member." + i + ".Key");
            String value = needed("Tags.member." + i + ".Value");
            if (key.isEmpty()
                    || key.length() > LONGEST_TAG_KEY
                    || value.length() > LONGEST_TAG_VALUE
                    || !key.matches(TAG)
                    || !value.matches(TAG)) {
                throw QueryException.invalid(
                        "The key of a tag has 1 to "
                                + LONGEST_TAG_KEY
                                + " characters, its value "
                                + LONGEST_TAG_VALUE
                                + " at most: letters, digits, spaces or any of _.:/=+-@");
            }
            if (tags.put(key, value) != null) {
                throw new QueryException(400, "InvalidInput", "Two tags have the key " + key + ".");
            }
        }
        return checked(tags);
    }

    static SortedMap<String, String> checked(SortedMap<String, String> tags) {
        if (tags.size() > MOST_TAGS) {
            throw new QueryException(
                    409, "LimitExceeded", "An identity has " + MOST_TAGS + " tags at most.");
        }
        return tags;
    }
}
