package io.volute.versioning.catalog;

import static io.volute.versioning.rows.Families.CURRENT;

import io.volute.storage.BlobId;
import io.volute.storage.BlobReader;
import io.volute.storage.Cube;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.Listing.UploadInfo;
import io.volute.versioning.ObjectReader.OpenObject;
import io.volute.versioning.ObjectStore.Completion;
import io.volute.versioning.ObjectStore.PartChoice;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.body.Body;
import io.volute.versioning.body.Origin;
import io.volute.versioning.bucket.Uploads;
import io.volute.versioning.bucket.Uploads.StoredPart;
import io.volute.versioning.read.ObjectReads;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.PartRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.rows.UploadStamp;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.state.KeyLocks;
import io.volute.versioning.state.ScopedHold;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import io.volute.versioning.write.VersionChain;
import io.volute.versioning.write.VersionChain.Content;
import io.volute.versioning.write.WriteBatchFactory;
import java.io.IOException;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Completes uploads: makes an object of its parts in one commit, without moving bytes. Thread-safe.
 */
final class UploadCompletion {
    private final Cube cube;
    private final InstantSource clock;
    private final StoreOptions.Limits limits;
    private final KeyLocks locks;
    private final Uploads uploads;
    private final ObjectReads reads;
    private final WriteBatchFactory batches;

    UploadCompletion(
            StoreOptions options,
            KeyLocks locks,
            Uploads uploads,
            ObjectReads reads,
            WriteBatchFactory batches) {
        this.batches = batches;
        this.cube = options.cube();
        this.clock = options.clock();
        this.limits = options.limits();
        this.locks = locks;
        this.uploads = uploads;
        this.reads = reads;
    }

    ObjectVersion complete(
            Caller caller,
            BucketEntry bucket,
            UploadName name,
            List<PartChoice> choices,
            Completion completion,
            WriteCondition condition)
            throws IOException {
        UploadStamp stamp = Uploads.stamp(name.uploadId());
        try (ScopedHold shared = bucket.share();
                ScopedHold closed = uploads.exclude(stamp);
                ScopedHold held = locks.hold(bucket.id(), name.key())) {
            Optional<UploadInfo> upload = uploads.find(bucket, name.key(), name.uploadId());
            if (upload.isEmpty()) {
                return completedBefore(caller, bucket, name, stamp, choices);
            }
            List<StoredPart> chosen = choose(uploads.parts(stamp), choices);
            List<PartInfo> infos = chosen.stream().map(StoredPart::info).toList();
            ObjectAttributes attributes = completion.attributes(upload.get(), infos);
            long bytes = infos.stream().mapToLong(PartInfo::bytes).sum();
            return batches.commit(
                    caller,
                    bucket,
                    batch -> {
                        VersionChain chain = new VersionChain(batch, bucket.info(), name.key());
                        chain.require(condition);
                        BlobId blob = new BlobId(cube.allocateId());
                        batch.compose(
                                blob, chosen.stream().map(UploadCompletion::composed).toList());
                        Content content =
                                new Content(
                                        new Body.InBlob(blob),
                                        bytes,
                                        infos.size(),
                                        attributes,
                                        Optional.of(stamp),
                                        origin(chosen));
                        ObjectVersion version =
                                chain.append(
                                        content,
                                        caller.owner(),
                                        clock.instant().truncatedTo(ChronoUnit.MILLIS));
                        uploads.remove(
                                batch,
                                RowKeys.upload(bucket.id(), name.key(), stamp.number()),
                                stamp);
                        return version;
                    });
        }
    }

    private static Origin origin(List<StoredPart> parts) {
        return Origin.composed(
                parts.stream()
                        .map(
                                part ->
                                        new Origin.Part(
                                                storedBytes(part),
                                                PartRow.content(part.record().summary())))
                        .toList());
    }

    private static long storedBytes(StoredPart part) {
        return PartRow.storedBytes(part.record().summary());
    }

    /** An upload and its key. */
    record UploadName(ObjectKey key, String uploadId) {}

    private List<StoredPart> choose(List<StoredPart> stored, List<PartChoice> choices) {
        if (choices.isEmpty()) {
            throw new StoreException(Reason.INVALID_ARGUMENT, "no part was chosen");
        }
        Map<Integer, StoredPart> byNumber = new HashMap<>();
        stored.forEach(part -> byNumber.put(part.info().number(), part));
        requireAscending(choices);
        List<StoredPart> chosen = new ArrayList<>(choices.size());
        long bytes = 0;
        for (PartChoice choice : choices) {
            StoredPart part = byNumber.get(choice.number());
            if (part == null || !matches(choice, part.info())) {
                throw new StoreException(
                        Reason.INVALID_PART,
                        "part "
                                + choice.number()
                                + (part == null
                                        ? " was not uploaded"
                                        : " has another ETag or checksum"),
                        Map.of(
                                "PartNumber",
                                Integer.toString(choice.number()),
                                "ETag",
                                choice.etag()));
            }
            chosen.add(part);
            bytes += part.info().bytes();
        }
        requireSizes(chosen);
        if (bytes > limits.objectBytesMax()) {
            throw new StoreException(
                    Reason.OBJECT_TOO_LARGE,
                    bytes + " bytes; an object has " + limits.objectBytesMax() + " at most");
        }
        return chosen;
    }

    private static void requireAscending(List<PartChoice> choices) {
        for (int i = 1; i < choices.size(); i++) {
            if (choices.get(i).number() <= choices.get(i - 1).number()) {
                throw new StoreException(
                        Reason.INVALID_PART_ORDER,
                        "part "
                                + choices.get(i).number()
                                + " follows part "
                                + choices.get(i - 1).number());
            }
        }
    }

    private void requireSizes(List<StoredPart> chosen) {
        for (StoredPart part : chosen.subList(0, chosen.size() - 1)) {
            if (part.info().bytes() < limits.partBytesMin()) {
                throw new StoreException(
                        Reason.PART_TOO_SMALL,
                        "part "
                                + part.info().number()
                                + " has "
                                + part.info().bytes()
                                + " bytes; all but the last need "
                                + limits.partBytesMin(),
                        Map.of(
                                "ProposedSize",
                                Long.toString(part.info().bytes()),
                                "MinSizeAllowed",
                                Long.toString(limits.partBytesMin()),
                                "PartNumber",
                                Integer.toString(part.info().number()),
                                "ETag",
                                part.info().etag()));
            }
        }
    }

    private static boolean matches(PartChoice choice, PartInfo part) {
        boolean sameChecksum =
                choice.checksum().isEmpty() || choice.checksum().equals(part.checksum());
        return sameChecksum && choice.etag().replace("\"", "").equals(part.etag());
    }

    private static Transaction.Part composed(StoredPart part) {
        return new Transaction.Part(
                Body.onlyBlob(part.record().references()),
                storedBytes(part),
                part.record().summary());
    }

    /**
     * Returns the object of an earlier completion, as S3 does while the object is current.
     *
     * @throws StoreException NO_SUCH_UPLOAD when there was none with these parts
     */
    private ObjectVersion completedBefore(
            Caller caller,
            BucketEntry bucket,
            UploadName name,
            UploadStamp stamp,
            List<PartChoice> choices)
            throws IOException {
        boolean made =
                cube.get(CURRENT, RowKeys.current(bucket.id(), name.key()))
                        .map(StoredRecord::summary)
                        .map(ObjectRow::decode)
                        .flatMap(ObjectRow::upload)
                        .filter(stamp::equals)
                        .isPresent();
        if (!made) {
            throw Uploads.missing(name.uploadId());
        }
        OpenObject object = reads.open(caller, bucket, name.key(), VersionSelector.LATEST);
        try (BlobReader reader = object.reader()) {
            List<PartInfo> parts = ObjectReads.parts(reader);
            boolean same = parts.size() == choices.size();
            for (int i = 0; same && i < parts.size(); i++) {
                same =
                        parts.get(i).number() == choices.get(i).number()
                                && matches(choices.get(i), parts.get(i));
            }
            if (!same) {
                throw Uploads.missing(name.uploadId());
            }
            return object.version();
        }
    }
}
