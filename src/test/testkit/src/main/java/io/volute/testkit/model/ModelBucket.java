package io.volute.testkit.model;

import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.Listing.UploadInfo;
import io.volute.versioning.ObjectStore.DeleteTarget;
import io.volute.versioning.ObjectStore.PartChoice;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketLock;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** One bucket of the {@link StoreModel}. */
final class ModelBucket {

    /** A version with its bytes; {@code latest} in it means nothing. */
    record Stored(ObjectVersion version, byte[] content, List<PartInfo> parts) {}

    /** A part with its bytes. */
    record StoredPart(PartInfo info, byte[] content) {
        PartInfo numbered(int number) {
            return new PartInfo(
                    number, info.bytes(), info.etag(), info.modified(), info.checksum());
        }
    }

    /** An upload in progress; {@code order} is the order of initiation. */
    record Upload(UploadInfo info, long order, TreeMap<Integer, StoredPart> parts) {

        /** The parts that a completion names, or why it is refused. */
        List<StoredPart> choose(List<PartChoice> choices, long partBytesMin) {
            List<StoredPart> chosen = new ArrayList<>();
            int previous = 0;
            for (PartChoice choice : choices) {
                if (choice.number() <= previous) {
                    throw refused(Reason.INVALID_PART_ORDER, choice.number());
                }
                previous = choice.number();
            }
            for (PartChoice choice : choices) {
                chosen.add(
                        Optional.ofNullable(parts.get(choice.number()))
                                .filter(part -> part.info().etag().equals(choice.etag()))
                                .orElseThrow(() -> refused(Reason.INVALID_PART, choice.number())));
            }
            for (StoredPart part : chosen.subList(0, Math.max(0, chosen.size() - 1))) {
                if (part.content().length < partBytesMin) {
                    throw refused(Reason.PART_TOO_SMALL, part.info().number());
                }
            }
            return chosen;
        }

        private static StoreException refused(Reason reason, int part) {
            return new StoreException(reason, "part " + part);
        }
    }

    /** The version number of a completed upload and its chosen parts. */
    record Completed(long number, List<PartChoice> choices) {}

    private static final ObjectAttributes NO_ATTRIBUTES = ObjectAttributes.ofEtag("");

    BucketInfo info;
    final Map<String, Completed> completed = new TreeMap<>();
    final TreeMap<ObjectKey, List<Stored>> keys = new TreeMap<>();
    final Map<String, Upload> uploads = new TreeMap<>();

    ModelBucket(BucketInfo info) {
        this.info = info;
    }

    void change(UnaryOperator<BucketInfo> change) {
        info = change.apply(info);
    }

    void become(VersioningState state) {
        if (info.lock().isPresent() && state != VersioningState.ENABLED) {
            throw new StoreException(Reason.STAYS_VERSIONED, "Object Lock: " + info.name());
        }
        change(same -> same.with(state));
    }

    void become(BucketLock lock) {
        if (info.versioning() != VersioningState.ENABLED) {
            throw new StoreException(Reason.NOT_VERSIONED, "not versioned: " + info.name());
        }
        change(same -> same.with(lock));
    }

    /** Versions of a key, newest first. */
    List<Stored> versions(ObjectKey key) {
        return keys.getOrDefault(key, List.of());
    }

    Optional<Stored> latest(ObjectKey key) {
        return versions(key).stream().findFirst();
    }

    Optional<Stored> find(ObjectKey key, VersionSelector selector) {
        return switch (selector) {
            case VersionSelector.Latest latest -> latest(key);
            case VersionSelector.NullVersion none ->
                    versions(key).stream().filter(one -> one.version().nullVersion()).findFirst();
            case VersionSelector.Numbered numbered ->
                    versions(key).stream()
                            .filter(one -> !one.version().nullVersion())
                            .filter(one -> one.version().number() == numbered.number())
                            .findFirst();
        };
    }

    /** The version meant, or why it cannot be read. */
    Stored readable(ObjectKey key, VersionSelector selector) {
        Stored found =
                find(key, selector)
                        .orElseThrow(
                                () ->
                                        new StoreException(
                                                selector instanceof VersionSelector.Latest
                                                        ? Reason.NO_SUCH_KEY
                                                        : Reason.NO_SUCH_VERSION,
                                                "nothing under " + key));
        if (found.version().deleteMarker()) {
            throw new StoreException(Reason.IS_DELETE_MARKER, "a delete marker: " + key);
        }
        return found;
    }

    /**
     * Returns the source of a copy, as {@link #readable} does, but refuses a key whose newest
     * version is a delete marker.
     */
    Stored copyable(ObjectKey key, VersionSelector selector) {
        boolean hidden = latest(key).filter(one -> one.version().deleteMarker()).isPresent();
        if (hidden && selector instanceof VersionSelector.Latest) {
            throw new StoreException(Reason.NO_SUCH_KEY, "deleted: " + key);
        }
        return readable(key, selector);
    }

    /** S3 answers a completion that is sent again as the first, while that object is current. */
    Optional<ObjectVersion> completedBefore(
            ObjectKey key, String uploadId, List<PartChoice> choices) {
        return Optional.ofNullable(completed.get(uploadId))
                .filter(made -> made.choices().equals(choices))
                .flatMap(made -> latest(key).filter(now -> now.version().number() == made.number()))
                .map(this::visible);
    }

    boolean makesNullVersions() {
        return switch (info.versioning()) {
            case UNVERSIONED, SUSPENDED -> true;
            case ENABLED -> false;
        };
    }

    boolean isUnversioned() {
        return info.versioning() == VersioningState.UNVERSIONED;
    }

    /** Makes a version the newest; a null version takes the place of the null version. */
    void add(Stored stored) {
        ObjectKey key = stored.version().key();
        if (stored.version().nullVersion()) {
            find(key, VersionSelector.NULL).ifPresent(this::remove);
        }
        keys.computeIfAbsent(key, absent -> new ArrayList<>()).add(0, stored);
    }

    /** The version meant, unless it is locked. */
    Optional<Stored> removable(DeleteTarget target, Instant now) {
        Optional<Stored> found = find(target.key(), target.selector());
        found.ifPresent(
                stored ->
                        ModelLock.checkRemoval(
                                stored.version().attributes().lock(),
                                now,
                                target.bypassGovernance()));
        return found;
    }

    void remove(Stored stored) {
        ObjectKey key = stored.version().key();
        keys.get(key).remove(stored);
        if (keys.get(key).isEmpty()) {
            keys.remove(key);
        }
    }

    /** Makes a delete marker the newest. */
    ObjectVersion addMarker(ObjectKey key, long number, Instant now, String owner) {
        ObjectVersion marker =
                new ObjectVersion(
                        key,
                        number,
                        makesNullVersions(),
                        true,
                        true,
                        now,
                        owner,
                        0,
                        0,
                        NO_ATTRIBUTES);
        add(new Stored(marker, new byte[0], List.of()));
        return marker;
    }

    /** Gives a version other attributes in place. */
    ObjectVersion replace(Stored old, ObjectAttributes attributes) {
        List<Stored> versions = keys.get(old.version().key());
        Stored changed =
                new Stored(changed(old.version(), false, attributes), old.content(), old.parts());
        versions.set(versions.indexOf(old), changed);
        return visible(changed);
    }

    /** Returns a version as a client sees it. */
    ObjectVersion visible(Stored stored) {
        ObjectVersion version = stored.version();
        boolean latest =
                latest(version.key())
                        .filter(newest -> newest.version().number() == version.number())
                        .isPresent();
        return changed(version, latest, version.attributes());
    }

    static ObjectVersion changed(
            ObjectVersion version, boolean latest, ObjectAttributes attributes) {
        return new ObjectVersion(
                version.key(),
                version.number(),
                version.nullVersion(),
                latest,
                version.deleteMarker(),
                version.modified(),
                version.owner(),
                version.bytes(),
                version.parts(),
                attributes);
    }

    void check(ObjectKey key, WriteCondition condition) {
        Optional<Stored> current = latest(key).filter(one -> !one.version().deleteMarker());
        switch (condition) {
            case WriteCondition.None none -> {}
            case WriteCondition.IfAbsent absent -> {
                if (current.isPresent()) {
                    throw new StoreException(Reason.PRECONDITION_FAILED, "there is " + key);
                }
            }
            case WriteCondition.IfNewest(long number) -> {
                if (latest(key).filter(one -> one.version().number() == number).isEmpty()) {
                    throw new StoreException(Reason.PRECONDITION_FAILED, "newer than " + number);
                }
            }
            case WriteCondition.IfNoReplica replica ->
                    throw new IllegalArgumentException("the model has no replicas");
            case WriteCondition.IfMatch match -> {
                String etag =
                        current.orElseThrow(
                                        () ->
                                                new StoreException(
                                                        Reason.CONDITION_ON_MISSING_KEY,
                                                        "nothing under " + key))
                                .version()
                                .attributes()
                                .etag();
                if (!match.etag().equals("*") && !match.etag().equals(etag)) {
                    throw new StoreException(Reason.PRECONDITION_FAILED, "etag is " + etag);
                }
            }
        }
    }

    Upload upload(ObjectKey key, String uploadId) {
        return Optional.ofNullable(uploads.get(uploadId))
                .filter(upload -> upload.info().key().equals(key))
                .orElseThrow(
                        () -> new StoreException(Reason.NO_SUCH_UPLOAD, "no upload " + uploadId));
    }
}
