package io.volute.server.s3.call;

import io.volute.server.auth.policy.AccessRequest;
import io.volute.server.auth.policy.Action;
import io.volute.server.auth.policy.ApplicablePolicies;
import io.volute.server.auth.policy.ApplicablePolicies.AclVerdict;
import io.volute.server.auth.policy.Authority;
import io.volute.server.auth.policy.Authorizer;
import io.volute.server.auth.policy.Authorizer.Decision;
import io.volute.server.auth.policy.ConditionKeys;
import io.volute.server.auth.policy.MatchingBudget;
import io.volute.server.auth.policy.Principal;
import io.volute.server.auth.policy.RequestSet;
import io.volute.server.credentials.Configurer;
import io.volute.server.credentials.Credential;
import io.volute.server.credentials.CredentialStore;
import io.volute.server.s3.acl.ObjectOwnership;
import io.volute.server.s3.call.TargetFacts.Judged;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectVersion;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Decides on the actions of one request, on its target and on all else that it names: the source of
 * a copy, each key of many. For use by one thread.
 */
public final class Access {
    private static final String EXISTING_TAG = "s3:existingobjecttag/";
    static final String NEW_TAG = "aws:requesttag/";
    static final String NEW_TAG_KEYS = "aws:tagkeys";
    private static final String VERSION_ID = "s3:versionid";

    private final Authority authority;
    private final Credential who;
    private final Caller caller;
    private final TargetFacts facts;
    private final ConditionKeys request;
    private final Supplier<Map<String, String>> requestTags;
    private final ConditionKeys requestLock;
    private final CredentialStore users;
    private final MatchingBudget budget = new MatchingBudget();

    /** The grounds of some actions on all keys of a bucket, if they were computed before. */
    private Optional<Narrowed> narrowed = Optional.empty();

    /** The part of the policies that concerns some actions. */
    private record Narrowed(ApplicablePolicies grounds, List<Action> actions) {}

    /**
     * @param request the facts about the request that do not depend on the target
     * @param requestTags the tags that the request sends; read only when a policy depends on them
     * @param requestLock the lock, likewise
     * @param users the users that may have grants
     */
    public Access(
            Authority authority,
            Credential who,
            Caller caller,
            ConditionKeys request,
            Supplier<Map<String, String>> requestTags,
            ConditionKeys requestLock,
            CredentialStore users) {
        this.authority = authority;
        this.who = who;
        this.caller = caller;
        this.facts = new TargetFacts(caller, request, requestTags, requestLock);
        this.request = request;
        this.requestTags = requestTags;
        this.requestLock = requestLock;
        this.users = users;
    }

    /** Returns the same for a request that gives its object other tags than its headers name. */
    public Access withRequestTags(Map<String, String> tags) {
        return new Access(authority, who, caller, request, () -> tags, requestLock, users);
    }

    /**
     * Returns the rights of the same caller as they are now, for a request that lasts; empty when
     * its credential no longer holds.
     *
     * @param token of a session; empty for none
     * @param keys returns the facts about the request of the renewed caller
     */
    Optional<Access> renewed(
            Optional<String> token, Instant now, Function<Credential, ConditionKeys> keys) {
        return users.renewed(who, token, now)
                .map(
                        each ->
                                new Access(
                                        authority,
                                        each,
                                        caller,
                                        keys.apply(each),
                                        requestTags,
                                        requestLock,
                                        users));
    }

    /** Returns the caller on whose behalf the request runs. */
    Caller caller() {
        return caller;
    }

    /** Returns the caller's permissions for named keys of encryption. */
    public KeyPermissions keys() {
        return new KeyPermissions(authority, who, request, budget);
    }

    /**
     * The target of an action.
     *
     * @param bucket the existing bucket; empty when there is none
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
     * Refuses the action unless the caller may do it. A request about the past needs the permission
     * under the policy of then, with the tags of then, and under the policy of now, with the tags
     * that the version has now or had last. A version that was overwritten or deleted needs the
     * permission for the key's present object, too. The past of a deleted bucket is for its owner
     * and the root alone, because permissions of its readers can no longer be revoked. A later
     * bucket of the same name is another one.
     *
     * @throws S3Exception AccessDenied, or NoSuchKey if the caller may list and nothing is there
     */
    public void require(Action action, Thing thing) {
        if (!allows(action, thing)) {
            throw refusal(action, thing);
        }
    }

    /**
     * Refuses the ACL of a new object unless the caller may set it. If no policy denies it, a user
     * who owns what they make may, and a caller without a signature that writes by a grant.
     *
     * @throws S3Exception AccessDenied
     */
    public void requireAclOfNew(Thing thing) {
        AclVerdict acl =
                switch (who.kind()) {
                    case ACCOUNT -> AclVerdict.ALLOWS;
                    case ANONYMOUS ->
                            AclJudge.judge(who, Action.PUT_OBJECT, thing.bucket(), Optional::empty);
                    case ROOT, USER, ROLE -> AclVerdict.SILENT;
                };
        require(Action.PUT_OBJECT_ACL, thing, acl);
    }

    /**
     * Refuses an action in the present that the caller may do unless a policy denies it.
     *
     * @throws S3Exception AccessDenied
     */
    public void requireUnlessDenied(Action action, Thing thing) {
        require(action, thing, AclVerdict.ALLOWS);
    }

    private void require(Action action, Thing thing, AclVerdict acl) {
        if (!decide(action, thing, thing.bucket(), Judged.SEEN, acl)) {
            throw new S3Exception(S3Error.ACCESS_DENIED);
        }
    }

    /**
     * Refuses a version that was found after the decision, unless the caller may do the action with
     * it: since the decision it may have taken the place of the version that was judged.
     *
     * @throws S3Exception AccessDenied
     */
    public void requireFound(Action action, Thing thing, ObjectVersion found) {
        if (!facts.was(found) && ObjectOwnership.of(thing.bucket().orElseThrow()).hasAcls()) {
            facts.set(thing, found);
            require(action, thing);
        }
    }

    /** Returns the caller, for work that the server does later on its behalf. */
    public Optional<Configurer> configurer() {
        return users.configurer(who);
    }

    /** Returns the name for people of a user; empty when there is no such user. */
    public Optional<String> displayName(String principal) {
        return users.displayName(principal);
    }

    /** Returns what {@link #require} decides. */
    public boolean allows(Action action, Thing thing) {
        Action first = thing.versionId().isPresent() ? action.ofVersion() : action;
        if (!thing.view().isPast()) {
            return decide(first, thing, thing.bucket(), Judged.SEEN);
        }
        Optional<BucketInfo> now = thing.bucket().flatMap(thing.view()::now);
        boolean isGone = thing.bucket().isPresent() && now.isEmpty();
        if (isGone && !authority.owns(who, thing.bucket().get())) {
            return false;
        }
        return allowsThenAndNow(first, thing, now)
                && (action.ofThePast() == first
                        || allowsThenAndNow(action.ofThePast(), thing, now));
    }

    private boolean allowsThenAndNow(Action action, Thing thing, Optional<BucketInfo> now) {
        return decide(action, thing, thing.bucket(), Judged.SEEN)
                && (now.isEmpty()
                        || decide(action, thing, now, Judged.NOW)
                                && allowsInPlace(action, thing, now));
    }

    /**
     * Decides about a past version that requests about the present do not see: nobody can change
     * its ACL and tags any more, so those of the key's present object decide as well. Without one,
     * policies alone decide, and who owned the version.
     */
    private boolean allowsInPlace(Action action, Thing thing, Optional<BucketInfo> now) {
        if (!facts.isReplaced(thing, now.orElseThrow())) {
            return true;
        }
        Optional<ObjectVersion> present = facts.version(thing, Judged.IN_PLACE);
        boolean isOwn =
                facts.version(thing, Judged.NOW)
                        .filter(each -> AclJudge.isOwner(who, now.get(), each))
                        .isPresent();
        AclVerdict acl = isOwn ? AclVerdict.ALLOWS : AclVerdict.SILENT;
        return decide(
                action,
                thing,
                now,
                Judged.IN_PLACE,
                isOwn || present.isEmpty() ? acl : AclJudge.judge(who, action, now, () -> present));
    }

    private boolean decide(Action action, Thing thing, Optional<BucketInfo> bucket, Judged judged) {
        AclVerdict acl = AclJudge.judge(who, action, bucket, () -> facts.version(thing, judged));
        return decide(action, thing, bucket, judged, acl);
    }

    private boolean decide(
            Action action,
            Thing thing,
            Optional<BucketInfo> bucket,
            Judged judged,
            AclVerdict acl) {
        AccessRequest asked =
                new AccessRequest(
                        Principal.of(who),
                        action.policyName(),
                        thing.arn(),
                        key ->
                                key.equals(VERSION_ID)
                                        ? versionIds(action, thing)
                                        : facts.values(key, thing, judged),
                        budget);
        boolean isNarrowed = narrowed.isPresent() && narrowed.get().actions().contains(action);
        Decision decision =
                isNarrowed
                        ? Authorizer.decide(asked, narrowed.get().grounds().with(acl))
                        : authority.decide(who, asked, bucket, acl);
        return decision == Decision.ALLOW;
    }

    /** Returns the version named, or for the right to see versions of the past the one shown. */
    private List<String> versionIds(Action action, Thing thing) {
        return thing.versionId().isEmpty() && thing.view().isPast() && action == action.ofVersion()
                ? facts.of(thing).map(ObjectVersion::versionId).stream().toList()
                : thing.versionId().stream().toList();
    }

    /**
     * Refuses unless one of the actions may be allowed on some key of the bucket, so that a body
     * that names keys is read only then. Later decisions of this request on these actions judge
     * nothing again that does not depend on the key; they must be about keys of this bucket.
     *
     * @param others actions that later decisions are about as well
     * @throws S3Exception AccessDenied
     */
    public void requireOnSomeKey(List<Action> actions, List<Action> others, Thing bucket) {
        RequestSet may =
                set(
                        actions,
                        bucket,
                        bucket.arn() + "/",
                        true,
                        key -> key.equals(VERSION_ID) || key.startsWith(EXISTING_TAG));
        RequestSet all = may.with(others.stream().map(Action::policyName).toList());
        boolean isGranted =
                actions.stream()
                        .map(each -> AclJudge.judge(who, each, bucket.bucket(), Optional::empty))
                        .anyMatch(AclVerdict.ALLOWS::equals);
        AclVerdict acl = isGranted ? AclVerdict.ALLOWS : AclVerdict.SILENT;
        List<Action> known = Stream.concat(actions.stream(), others.stream()).toList();
        narrowed = Optional.of(new Narrowed(grounds(bucket, all, may, acl), known));
    }

    /**
     * Refuses the request unless the action may be allowed, depending on the body. Called before
     * the body is read, so that hopeless requests cost no reading.
     *
     * @throws S3Exception AccessDenied
     */
    public void requireUnlessBodyForbids(Action action, Thing thing) {
        RequestSet may =
                set(
                        List.of(thing.versionId().isPresent() ? action.ofVersion() : action),
                        thing,
                        thing.arn(),
                        false,
                        key ->
                                key.startsWith("s3:requestobjecttag")
                                        || key.startsWith(NEW_TAG)
                                        || key.equals(NEW_TAG_KEYS)
                                        || key.startsWith(RequestLock.PREFIX));
        ApplicablePolicies unused = grounds(thing, may, may, AclVerdict.SILENT);
    }

    private RequestSet set(
            List<Action> actions,
            Thing thing,
            String resource,
            boolean isPrefix,
            Predicate<String> open) {
        return new RequestSet(
                Principal.of(who),
                actions.stream().map(Action::policyName).toList(),
                resource,
                isPrefix,
                key ->
                        key.equals(VERSION_ID)
                                ? thing.versionId().stream().toList()
                                : facts.values(key, thing, Judged.SEEN),
                open,
                budget);
    }

    private ApplicablePolicies grounds(
            Thing thing, RequestSet all, RequestSet may, AclVerdict acl) {
        return authority
                .grounds(who, thing.bucket(), all, may, acl)
                .orElseThrow(() -> new S3Exception(S3Error.ACCESS_DENIED));
    }

    /** Returns whether a policy of the caller denies an action, or none can be judged. */
    public boolean isDenied(Action action, Thing thing) {
        return authority.denies(
                who,
                new AccessRequest(
                        Principal.of(who),
                        action.policyName(),
                        thing.arn(),
                        key -> facts.values(key, thing, Judged.SEEN),
                        budget));
    }

    /**
     * Returns which of many buckets the caller may see.
     *
     * @throws S3Exception AccessDenied when the caller's policies need too many steps
     */
    public VisibleBuckets visibleBuckets(StoreView view) {
        return new VisibleBuckets(view);
    }

    /**
     * The buckets that a caller may list or may read some object of. Conditions on the prefix of a
     * listing, and on the version and the tags of an object, count as met. ACLs of objects do not
     * count. For use by one thread.
     */
    public final class VisibleBuckets {
        private static final List<Action> OF_BUCKET =
                List.of(
                        Action.LIST_BUCKET,
                        Action.LIST_BUCKET_VERSIONS,
                        Action.GET_BUCKET_LOCATION);
        private static final List<Action> OF_OBJECTS =
                List.of(Action.GET_OBJECT, Action.GET_OBJECT_VERSION);

        private final StoreView view;
        private final Authority.ManyBuckets judge;

        private VisibleBuckets(StoreView view) {
            this.view = view;
            Thing any = new Thing(view, Optional.empty(), "", "", Optional.empty());
            RequestSet all =
                    set(
                            Stream.concat(OF_BUCKET.stream(), OF_OBJECTS.stream()).toList(),
                            any,
                            "arn:aws:s3:::",
                            true,
                            key -> isOpen(key) || TargetFacts.isOfBucketTag(key));
            this.judge =
                    authority
                            .manyBuckets(who, all)
                            .orElseThrow(() -> new S3Exception(S3Error.ACCESS_DENIED));
        }

        private static boolean isOpen(String key) {
            return key.equals(VERSION_ID)
                    || key.startsWith(EXISTING_TAG)
                    || key.equals("s3:prefix")
                    || key.equals("s3:delimiter")
                    || key.equals("s3:max-keys");
        }

        /**
         * Returns whether the caller may see a bucket.
         *
         * @return empty when the policies of this request need too many steps
         */
        public Optional<Boolean> has(BucketInfo bucket) {
            Thing thing =
                    new Thing(
                            view, Optional.of(bucket), bucket.name().value(), "", Optional.empty());
            for (Action action : OF_BUCKET) {
                Optional<Boolean> may = may(action, thing, bucket, thing.arn(), false);
                if (may.isEmpty() || may.get()) {
                    return may;
                }
            }
            for (Action action : OF_OBJECTS) {
                Optional<Boolean> may = may(action, thing, bucket, thing.arn() + "/", true);
                if (may.isEmpty() || may.get()) {
                    return may;
                }
            }
            return Optional.of(false);
        }

        private Optional<Boolean> may(
                Action action, Thing thing, BucketInfo bucket, String resource, boolean isPrefix) {
            AclVerdict acl =
                    isPrefix
                            ? AclVerdict.SILENT
                            : AclJudge.judge(who, action, thing.bucket(), Optional::empty);
            return judge.mayAllow(
                    bucket,
                    set(List.of(action), thing, resource, isPrefix, VisibleBuckets::isOpen),
                    acl);
        }
    }

    /**
     * Returns the error for a missing key or version. As in S3, a caller without permission to list
     * the key gets AccessDenied. The key counts as the {@code s3:prefix} of the listing.
     */
    public S3Exception told(S3Exception e, Thing thing) {
        boolean isMissing =
                e.error() == S3Error.NO_SUCH_KEY || e.error() == S3Error.NO_SUCH_VERSION;
        Action listing =
                e.error() == S3Error.NO_SUCH_KEY ? Action.LIST_BUCKET : Action.LIST_BUCKET_VERSIONS;
        ConditionKeys keys =
                key -> key.equals("s3:prefix") ? List.of(thing.key()) : request.values(key);
        Access lister = new Access(authority, who, caller, keys, requestTags, requestLock, users);
        return !isMissing || lister.allows(listing, thing.with("", Optional.empty()))
                ? e
                : new S3Exception(S3Error.ACCESS_DENIED);
    }

    /**
     * Returns the error for a refusal. A caller that may list a key learns of its absence. One that
     * lacks a right of this server's own learns its name: no page about S3 has it.
     */
    private S3Exception refusal(Action action, Thing thing) {
        if (!action.isOfS3()) {
            return new S3Exception(
                    S3Error.ACCESS_DENIED,
                    "The request needs the permission "
                            + action.policyName()
                            + " of a policy of the user or role. s3:* does not contain it.");
        }
        boolean isRead = action == Action.GET_OBJECT && thing.versionId().isEmpty();
        S3Exception missing = new S3Exception(S3Error.NO_SUCH_KEY);
        return isRead
                        && told(missing, thing) == missing
                        && facts.of(thing).filter(each -> !each.deleteMarker()).isEmpty()
                ? missing
                : new S3Exception(S3Error.ACCESS_DENIED);
    }
}
