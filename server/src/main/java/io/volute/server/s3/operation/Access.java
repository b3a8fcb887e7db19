package io.volute.server.s3.operation;

import io.volute.server.auth.policy.AccessRequest;
import io.volute.server.auth.policy.Action;
import io.volute.server.auth.policy.Authority;
import io.volute.server.auth.policy.Authorizer;
import io.volute.server.auth.policy.Authorizer.Decision;
import io.volute.server.auth.policy.ConditionKeys;
import io.volute.server.auth.policy.Grounds;
import io.volute.server.auth.policy.MatchingBudget;
import io.volute.server.auth.policy.Principal;
import io.volute.server.auth.policy.RequestSet;
import io.volute.server.credentials.Credential;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.versioning.BucketInfo;
import io.volute.versioning.Caller;
import io.volute.versioning.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Judges what one request wants to do, to its target and to whatever else it names: the source of a
 * copy, each key of many. For use by one thread.
 */
public final class Access {
    private static final String EXISTING_TAG = "s3:existingobjecttag/";
    private static final String REQUEST_TAG = "s3:requestobjecttag/";
    private static final String REQUEST_TAG_KEYS = "s3:requestobjecttagkeys";
    private static final String VERSION_ID = "s3:versionid";

    private final Authority authority;
    private final Credential who;
    private final Caller caller;
    private final ConditionKeys request;
    private final Supplier<Map<String, String>> requestTags;
    private final ConditionKeys requestLock;
    private final MatchingBudget budget = new MatchingBudget();

    /** Of several actions on one bucket, when they were looked at before. */
    private Optional<Grounds> narrowed = Optional.empty();

    /** Whose tags a policy has asked for. */
    private Optional<Tagged> tagged = Optional.empty();

    /** The tags of something. */
    private record Tagged(Thing thing, Map<String, String> tags) {}

    /**
     * @param request what is known of the request whatever it is done to
     * @param requestTags those that the request sends; asked for only when a policy does
     * @param requestLock likewise the lock
     */
    public Access(
            Authority authority,
            Credential who,
            Caller caller,
            ConditionKeys request,
            Supplier<Map<String, String>> requestTags,
            ConditionKeys requestLock) {
        this.authority = authority;
        this.who = who;
        this.caller = caller;
        this.request = request;
        this.requestTags = requestTags;
        this.requestLock = requestLock;
    }

    /** On whose behalf. */
    Caller caller() {
        return caller;
    }

    /**
     * What something is done to.
     *
     * @param bucket empty when it is about none that exists
     * @param name of the bucket, also of one that is to be made; empty for the service
     * @param key empty for the bucket itself
     * @param versionId as the client wrote it
     */
    public record Thing(
            StoreView view,
            Optional<BucketInfo> bucket,
            String name,
            String key,
            Optional<String> versionId) {

        String arn() {
            return "arn:aws:s3:::"
                    + (name.isEmpty() ? "*" : name)
                    + (key.isEmpty() ? "" : "/" + key);
        }

        /** Another key of the same bucket, or a version of it. */
        public Thing with(String otherKey, Optional<String> otherVersion) {
            return new Thing(view, bucket, name, otherKey, otherVersion);
        }
    }

    /**
     * Refuses unless the caller may do this: with the bucket as it was, and as long as that bucket
     * is there with the bucket as it is, so that nobody sees by its past what was taken from him. A
     * bucket of the same name that was made later has no say.
     *
     * @throws S3Exception AccessDenied
     */
    public void require(Action action, Thing thing) {
        if (!allows(action, thing)) {
            throw new S3Exception(S3Error.ACCESS_DENIED);
        }
    }

    /** As {@link #require}, as an answer. */
    public boolean allows(Action action, Thing thing) {
        Action first = thing.versionId().isPresent() ? action.ofVersion() : action;
        return allowsThere(first, thing)
                && (!thing.view().isPast()
                        || action.ofThePast() == first
                        || allowsThere(action.ofThePast(), thing));
    }

    private boolean allowsThere(Action action, Thing thing) {
        Optional<BucketInfo> now = thing.bucket().flatMap(thing.view()::now);
        return decide(action, thing, thing.bucket())
                && (now.isEmpty() || decide(action, thing, now));
    }

    private boolean decide(Action action, Thing thing, Optional<BucketInfo> bucket) {
        AccessRequest asked =
                new AccessRequest(
                        Principal.of(who),
                        action.policyName(),
                        thing.arn(),
                        key -> values(key, thing),
                        budget);
        Decision decision =
                narrowed.isPresent()
                        ? Authorizer.decide(asked, narrowed.get())
                        : authority.decide(who, asked, bucket);
        return decision == Decision.ALLOW;
    }

    /**
     * Refuses unless one of the actions may be allowed on some key of the bucket, so that a body
     * that names keys is read only then. Later decisions of this request judge nothing again that
     * does not depend on the key; they must be about these actions and this bucket.
     *
     * @param others actions that later decisions are about as well
     * @throws S3Exception AccessDenied
     */
    public void requireOnSomeKey(List<Action> actions, List<Action> others, Thing bucket) {
        narrow(
                actions,
                others,
                bucket,
                bucket.arn() + "/",
                true,
                key -> key.equals(VERSION_ID) || key.startsWith(EXISTING_TAG));
    }

    /**
     * Refuses unless the action may be allowed, depending on what the body says, so that it is read
     * only then. Later decisions of this request must be about this action and this thing.
     *
     * @param others actions that later decisions are about as well
     * @throws S3Exception AccessDenied
     */
    public void requireUnlessBodyForbids(Action action, List<Action> others, Thing thing) {
        narrow(
                List.of(thing.versionId().isPresent() ? action.ofVersion() : action),
                others,
                thing,
                thing.arn(),
                false,
                key ->
                        key.startsWith(REQUEST_TAG)
                                || key.equals(REQUEST_TAG_KEYS)
                                || key.startsWith(RequestLock.PREFIX));
    }

    private void narrow(
            List<Action> actions,
            List<Action> others,
            Thing thing,
            String resource,
            boolean isPrefix,
            Predicate<String> open) {
        RequestSet may =
                new RequestSet(
                        Principal.of(who),
                        actions.stream().map(Action::policyName).toList(),
                        resource,
                        isPrefix,
                        key -> values(key, thing),
                        open,
                        budget);
        narrowed =
                authority.grounds(
                        who,
                        thing.bucket(),
                        may.with(others.stream().map(Action::policyName).toList()),
                        may);
        if (narrowed.isEmpty()) {
            throw new S3Exception(S3Error.ACCESS_DENIED);
        }
    }

    private List<String> values(String key, Thing thing) {
        if (key.equals(VERSION_ID)) {
            return thing.versionId().stream().toList();
        }
        if (key.startsWith(EXISTING_TAG)) {
            return value(existingTags(thing), key.substring(EXISTING_TAG.length()));
        }
        if (key.startsWith(REQUEST_TAG)) {
            return value(requestTags.get(), key.substring(REQUEST_TAG.length()));
        }
        if (key.equals(REQUEST_TAG_KEYS)) {
            return List.copyOf(requestTags.get().keySet());
        }
        return key.startsWith(RequestLock.PREFIX) ? requestLock.values(key) : request.values(key);
    }

    private static List<String> value(Map<String, String> tags, String name) {
        return tags.containsKey(name) ? List.of(tags.get(name)) : List.of();
    }

    private Map<String, String> existingTags(Thing thing) {
        if (tagged.filter(known -> known.thing().equals(thing)).isEmpty()) {
            tagged = Optional.of(new Tagged(thing, readTags(thing)));
        }
        return tagged.get().tags();
    }

    private Map<String, String> readTags(Thing thing) {
        if (thing.bucket().isEmpty() || thing.key().isEmpty()) {
            return Map.of();
        }
        try {
            return thing.view()
                    .seen()
                    .head(
                            caller,
                            thing.bucket().get().name(),
                            S3Request.keyOf(thing.key()),
                            S3Request.selectorOf(thing.versionId()))
                    .<Map<String, String>>map(version -> version.attributes().tags())
                    .orElse(Map.of());
        } catch (StoreException e) {
            return Map.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
