package io.volute.server.replication;

import io.volute.server.auth.policy.Action;
import io.volute.server.auth.policy.Authority;
import io.volute.server.auth.policy.ConditionKeys;
import io.volute.server.auth.policy.Principal;
import io.volute.server.credentials.Configurer;
import io.volute.server.credentials.Credential;
import io.volute.server.credentials.CredentialStore;
import io.volute.server.encryption.ObjectName;
import io.volute.server.s3.S3Settings;
import io.volute.server.s3.call.Access;
import io.volute.server.s3.call.RequestLock;
import io.volute.server.s3.call.StoreView;
import io.volute.server.s3.encryption.StoredEncryption;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.replication.ReplicationMessage;
import io.volute.server.s3.replication.ReplicationRouter;
import io.volute.server.s3.replication.ReplicationRules;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectLock;
import io.volute.versioning.value.ObjectVersion;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Decides what replication may do. It works on behalf of the caller that set the present
 * configuration of the source bucket, with the rights which that caller has when a change is
 * delivered. A refused change is kept aside, so it holds up no other bucket. Thread-safe.
 *
 * @param settings of the protocol: region, clock and encryption
 * @param rules parses the configurations
 */
record ConfigurerRights(
        VersionedStore store, Authority authority, CredentialStore users, S3Settings settings) {

    /** The refusal of a change. */
    static final class RefusedException extends Exception {
        private static final long serialVersionUID = 1;

        RefusedException(String message) {
            super(message);
        }
    }

    /**
     * Finds the caller for a change, and refuses a source that this caller may not read.
     *
     * @param version the version to replicate, without which nothing is read
     */
    Rights of(ReplicationMessage change, Optional<ObjectVersion> version)
            throws IOException, RefusedException {
        BucketInfo source =
                store.bucket(new BucketName(change.bucket()))
                        .filter(bucket -> change.isOf(bucket.id()))
                        .orElseThrow(
                                () ->
                                        new RefusedException(
                                                "bucket " + change.bucket() + " is deleted"));
        Credential who = configurer(change, source);
        ObjectAttributes attributes =
                version.map(ObjectVersion::attributes).orElse(ObjectAttributes.ofEtag(""));
        Instant now = settings.clock().instant();
        Access access =
                new Access(
                        authority,
                        who,
                        ReplicationRouter.caller(source.owner()),
                        new Keys(who, now, change),
                        attributes::tags,
                        key -> RequestLock.values(key, lasting(attributes.lock(), now), now),
                        users);
        Rights rights = new Rights(who, access, new StoreView(store, store));
        if (version.isPresent() && !version.get().deleteMarker()) {
            requireReading(rights, source, version.get());
        }
        return rights;
    }

    /** Returns a lock without a retention that is over. */
    static ObjectLock lasting(ObjectLock lock, Instant now) {
        return lock.with(lock.retention().filter(each -> each.lasts(now)));
    }

    private Credential configurer(ReplicationMessage change, BucketInfo source)
            throws IOException, RefusedException {
        Optional<String> document = source.document(BucketDocument.REPLICATION);
        boolean isWanted =
                document.isPresent()
                        && ReplicationRules.ofDocument(document.get()).rules().stream()
                                .anyMatch(
                                        rule ->
                                                rule.destination()
                                                        .bucket()
                                                        .equals(change.destination()));
        if (!isWanted) {
            throw new RefusedException(
                    "the configuration of bucket "
                            + change.bucket()
                            + " no longer has the destination "
                            + change.destination());
        }
        Optional<String> text = source.document(BucketDocument.REPLICATION_CONFIGURER);
        if (text.isEmpty()) {
            throw new RefusedException(
                    "an earlier release stored the replication of bucket "
                            + change.bucket()
                            + ", without the user whose rights count: put the configuration"
                            + " again, then run volute replication retry "
                            + change.bucket());
        }
        Configurer configurer = Configurer.of(text.get());
        return users.standing(configurer)
                .orElseThrow(
                        () ->
                                new RefusedException(
                                        "the user or role "
                                                + configurer.principal()
                                                + ", which configured the replication of bucket "
                                                + change.bucket()
                                                + ", was removed: put the configuration again"));
    }

    private void requireReading(Rights rights, BucketInfo source, ObjectVersion version)
            throws RefusedException {
        String key = version.key().value();
        Optional<String> id = Optional.of(version.versionId());
        boolean isShown =
                rights.may(Action.GET_OBJECT, source, key, id)
                        || version.latest()
                                && rights.may(Action.GET_OBJECT, source, key, Optional.empty());
        if (!isShown) {
            throw rights.refusal(Action.GET_OBJECT_VERSION, source, key);
        }
        boolean hasTags = !version.attributes().tags().isEmpty();
        boolean areTagsShown =
                !hasTags
                        || rights.may(Action.GET_OBJECT_TAGGING, source, key, id)
                        || version.latest()
                                && rights.may(
                                        Action.GET_OBJECT_TAGGING, source, key, Optional.empty());
        if (!areTagsShown) {
            throw rights.refusal(Action.GET_OBJECT_VERSION_TAGGING, source, key);
        }
        Optional<StoredEncryption> encryption = StoredEncryption.of(version.attributes());
        if (encryption.isPresent()) {
            try {
                settings.encryption()
                        .requireOpening(
                                rights.access().keys(),
                                settings.region(),
                                encryption.get(),
                                new ObjectName(source.name().value(), key));
            } catch (S3Exception e) {
                throw new RefusedException(e.getMessage());
            }
        }
    }

    /** The rights of a configurer for one change. For use by one thread. */
    record Rights(Credential who, Access access, StoreView view) {

        /** Returns whether the configurer may do something with a key of a bucket now. */
        boolean may(Action action, BucketInfo bucket, String key, Optional<String> versionId) {
            return access.allows(
                    action,
                    new Access.Thing(
                            view, Optional.of(bucket), bucket.name().value(), key, versionId));
        }

        /** Refuses actions on a key of the destination. */
        void require(
                List<Action> actions, BucketInfo bucket, String key, Optional<String> versionId)
                throws RefusedException {
            for (Action action : actions) {
                if (!may(action, bucket, key, versionId)) {
                    throw refusal(action, bucket, key);
                }
            }
        }

        private RefusedException refusal(Action action, BucketInfo bucket, String key) {
            return new RefusedException(
                    who.principal()
                            + ", who configured the replication, may not "
                            + action.policyName()
                            + " of "
                            + bucket.name().value()
                            + "/"
                            + key);
        }
    }

    /** Returns the actions that a new replica of a version needs. */
    static List<Action> ofNew(ObjectVersion version, Instant now) {
        List<Action> actions = new ArrayList<>();
        if (version.deleteMarker()) {
            actions.add(Action.DELETE_OBJECT);
            actions.add(Action.REPLICATE_DELETE);
            return actions;
        }
        actions.add(Action.PUT_OBJECT);
        actions.add(Action.REPLICATE_OBJECT);
        if (!version.attributes().tags().isEmpty()) {
            actions.add(Action.PUT_OBJECT_TAGGING);
        }
        actions.addAll(ofLock(lasting(version.attributes().lock(), now)));
        return actions;
    }

    /** Returns the actions that setting a lock needs. */
    static List<Action> ofLock(ObjectLock lock) {
        List<Action> actions = new ArrayList<>();
        lock.retention().ifPresent(retention -> actions.add(Action.PUT_OBJECT_RETENTION));
        lock.legalHold().ifPresent(hold -> actions.add(Action.PUT_OBJECT_LEGAL_HOLD));
        return actions;
    }

    /** The facts about a delivery inside the server, which has no address and no program. */
    private record Keys(Credential who, Instant now, ReplicationMessage change)
            implements ConditionKeys {
        private static final String PRINCIPAL_TAG = "aws:principaltag/";

        @Override
        public List<String> values(String key) {
            return key.startsWith(PRINCIPAL_TAG)
                    ? ConditionKeys.tag(who.tags(), key)
                    : value(key).stream().toList();
        }

        private Optional<String> value(String key) {
            Principal principal = Principal.of(who);
            boolean isRole = principal.kind() == Principal.Kind.ROLE;
            return switch (key) {
                case "aws:securetransport" -> Optional.of("true");
                case "aws:currenttime" -> Optional.of(now.toString());
                case "aws:epochtime" -> Optional.of(Long.toString(now.getEpochSecond()));
                case "aws:username" ->
                        principal.kind() == Principal.Kind.USER
                                ? Optional.of(principal.name())
                                : Optional.empty();
                case "aws:userid" ->
                        Optional.of(principal.name() + (isRole ? ":" + principal.session() : ""));
                case "aws:principalarn" -> principal.arn();
                case "aws:principaltype" -> Optional.of(principal.kind().policyName());
                case "aws:principalaccount" -> Optional.of(Principal.ACCOUNT);
                case "s3:x-amz-storage-class" ->
                        Optional.of(change.storageClass()).filter(word -> !word.isEmpty());
                default -> Optional.empty();
            };
        }
    }
}
