package io.volute.server.upkeep;

import io.volute.server.s3.bucket.LifecycleRules;
import io.volute.server.s3.bucket.LifecycleRules.Rule;
import io.volute.versioning.Listing.UploadInfo;
import io.volute.versioning.Listing.UploadPage;
import io.volute.versioning.Listing.UploadQuery;
import io.volute.versioning.Listing.VersionPage;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.ObjectStore.DeleteOutcome;
import io.volute.versioning.ObjectStore.DeleteTarget;
import io.volute.versioning.StoreException;
import io.volute.versioning.value.ActorName;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionId;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes what the lifecycle rules of buckets say, as the actor {@code lifecycle}: each removal is
 * an entry of the signed history and can be undone while the history keeps it. A key that was
 * written since it was looked at stays as it is until the next look.
 */
public final class LifecycleUpkeep implements Upkeep.Task {
    private static final Logger LOG = LoggerFactory.getLogger(LifecycleUpkeep.class);

    /** Rules count whole days, so an hour more or less does not matter. */
    public static final Upkeep.Pauses PAUSES =
            new Upkeep.Pauses(Duration.ofMinutes(5), Duration.ofHours(1), Duration.ofHours(1));

    private static final String ACTOR = "lifecycle";
    private static final int AT_ONCE = 1000;

    private final ObjectStore store;
    private final InstantSource clock;

    /**
     * The last whole pass of each bucket. Everything becomes due at midnight, so one pass a day is
     * enough until the rules change.
     */
    private final Map<Long, Passed> passed = new HashMap<>();

    private volatile boolean isStopped;

    public LifecycleUpkeep(ObjectStore store, InstantSource clock) {
        this.store = store;
        this.clock = clock;
    }

    private record Passed(String document, Instant day) {}

    /** Counts of one bucket. */
    private static final class Counts {
        private long objects;
        private long versions;
        private long uploads;
        private long refused;

        private boolean isNothing() {
            return objects + versions + uploads + refused == 0;
        }
    }

    @Override
    public void look() throws IOException {
        String after = "";
        List<BucketInfo> some;
        do {
            some = store.listBuckets(Optional.empty(), "", after, AT_ONCE);
            for (BucketInfo bucket : some) {
                look(bucket);
                after = bucket.name().value();
            }
        } while (!some.isEmpty() && !isStopped);
    }

    @Override
    public void stop() {
        isStopped = true;
    }

    private void look(BucketInfo bucket) throws IOException {
        Optional<String> document = bucket.document(BucketDocument.LIFECYCLE);
        if (document.isEmpty() || isStopped) {
            return;
        }
        Passed pass = new Passed(document.get(), clock.instant().truncatedTo(ChronoUnit.DAYS));
        if (pass.equals(passed.get(bucket.id()))) {
            return;
        }
        Counts counts = new Counts();
        try {
            for (Rule rule : LifecycleRules.ofDocument(document.get()).rules()) {
                if (rule.removes()) {
                    new Pass(bucket, rule, counts).run();
                }
            }
            if (!isStopped) {
                passed.put(bucket.id(), pass);
            }
        } catch (StoreException e) {
            LOG.info(
                    "lifecycle of bucket {} ends early: {}", bucket.name().value(), e.getMessage());
        }
        if (!counts.isNothing()) {
            LOG.info(
                    "lifecycle of bucket {}: {} objects expired, {} versions and {} uploads"
                            + " removed, {} refused because of locks or newer writes",
                    bucket.name().value(),
                    counts.objects,
                    counts.versions,
                    counts.uploads,
                    counts.refused);
        }
    }

    /** One rule of one bucket. */
    private final class Pass {
        private final BucketInfo bucket;
        private final Rule rule;
        private final Counts counts;
        private final Caller caller;
        private final Instant now = clock.instant();
        private final List<DeleteTarget> targets = new ArrayList<>();

        /** The versions of one key, newest first. */
        private List<ObjectVersion> chain = new ArrayList<>();

        Pass(BucketInfo bucket, Rule rule, Counts counts) {
            this.bucket = bucket;
            this.rule = rule;
            this.counts = counts;
            this.caller =
                    new Caller(
                            bucket.owner(),
                            "",
                            Optional.empty(),
                            new ActorName(ActorName.Kind.SERVER, ACTOR, ""),
                            Optional.empty());
        }

        void run() throws IOException {
            if (rule.expires().isPresent() || rule.markers() || rule.noncurrentDays().isPresent()) {
                versions();
            }
            if (rule.abortDays().isPresent()) {
                uploads();
            }
        }

        private void versions() throws IOException {
            String key = "";
            Optional<VersionSelector> version = Optional.empty();
            boolean isMore = true;
            while (isMore && !isStopped) {
                VersionPage page =
                        store.listVersions(
                                caller,
                                bucket.name(),
                                new VersionQuery(
                                        rule.filter().prefix(), "", key, version, AT_ONCE));
                for (ObjectVersion each : page.versions()) {
                    if (!chain.isEmpty() && !chain.getFirst().key().equals(each.key())) {
                        decide();
                    }
                    chain.add(each);
                }
                isMore = page.nextKey().isPresent();
                key = page.nextKey().orElse("");
                version = page.nextVersionId().flatMap(VersionId::parse);
            }
            if (!isStopped) {
                decide();
                flush();
            }
        }

        /** Decides about the versions of one key. Those behind the newest go first. */
        private void decide() throws IOException {
            List<ObjectVersion> versions = chain;
            chain = new ArrayList<>();
            if (versions.isEmpty() || !versions.getFirst().latest()) {
                return;
            }
            ObjectVersion newest = versions.getFirst();
            if (targets.size() + versions.size() > AT_ONCE) {
                flush();
            }
            noncurrent(versions, newest);
            if (!newest.deleteMarker()) {
                boolean isOver =
                        rule.expires()
                                .filter(expiry -> !now.isBefore(expiry.of(newest.modified())))
                                .isPresent();
                if (isOver && matches(newest)) {
                    add(newest, VersionSelector.LATEST, newest);
                }
            } else if (versions.size() == 1 && isLoneMarkerOver(newest)) {
                add(newest, selector(newest), newest);
            }
        }

        private boolean isLoneMarkerOver(ObjectVersion marker) {
            return rule.filter().matches(marker.key().value(), 0)
                            && rule.filter().tags().isEmpty()
                            && rule.markers()
                    || rule.filter().tags().isEmpty()
                            && rule.expires()
                                    .filter(expiry -> !now.isBefore(expiry.of(marker.modified())))
                                    .isPresent();
        }

        private void noncurrent(List<ObjectVersion> versions, ObjectVersion newest)
                throws IOException {
            if (rule.noncurrentDays().isEmpty()) {
                return;
            }
            for (int i = 1 + rule.newerNoncurrent(); i < versions.size(); i++) {
                // It has been noncurrent since the next newer one was made.
                Instant since = versions.get(i - 1).modified();
                Instant end = LifecycleRules.due(since, rule.noncurrentDays().getAsInt());
                if (!now.isBefore(end) && matches(versions.get(i))) {
                    if (targets.size() >= AT_ONCE) {
                        flush();
                    }
                    add(versions.get(i), selector(versions.get(i)), newest);
                }
            }
        }

        private boolean matches(ObjectVersion version) throws IOException {
            if (!rule.filter().matches(version.key().value(), version.bytes())) {
                return false;
            }
            // Listings have no tags.
            return rule.filter().tags().isEmpty()
                    || store.head(caller, bucket.name(), version.key(), selector(version))
                            .filter(each -> rule.filter().matches(each.attributes().tags()))
                            .isPresent();
        }

        private static VersionSelector selector(ObjectVersion version) {
            return version.nullVersion()
                    ? VersionSelector.NULL
                    : new VersionSelector.Numbered(version.number());
        }

        private void add(ObjectVersion version, VersionSelector selector, ObjectVersion newest) {
            targets.add(
                    new DeleteTarget(
                            version.key(), selector, new WriteCondition.IfNewest(newest.number())));
        }

        private void flush() throws IOException {
            if (targets.isEmpty()) {
                return;
            }
            List<DeleteOutcome> outcomes = store.deleteAll(caller, bucket.name(), targets);
            for (int i = 0; i < outcomes.size(); i++) {
                if (outcomes.get(i) instanceof DeleteOutcome.Refused) {
                    counts.refused++;
                } else if (targets.get(i).selector() instanceof VersionSelector.Latest) {
                    counts.objects++;
                } else {
                    counts.versions++;
                }
            }
            targets.clear();
        }

        private void uploads() throws IOException {
            String key = "";
            String id = "";
            boolean isMore = true;
            while (isMore && !isStopped) {
                UploadPage page =
                        store.listUploads(
                                caller,
                                bucket.name(),
                                new UploadQuery(rule.filter().prefix(), "", key, id, AT_ONCE));
                for (UploadInfo upload : page.uploads()) {
                    Instant end =
                            LifecycleRules.due(upload.initiated(), rule.abortDays().getAsInt());
                    if (!now.isBefore(end)) {
                        abort(upload);
                    }
                }
                isMore = page.nextKey().isPresent();
                key = page.nextKey().orElse("");
                id = page.nextUploadId().orElse("");
            }
        }

        private void abort(UploadInfo upload) throws IOException {
            try {
                store.abortUpload(caller, bucket.name(), upload.key(), upload.uploadId());
                counts.uploads++;
            } catch (StoreException e) {
                // It was completed or aborted meanwhile.
                LOG.debug("upload {} is gone: {}", upload.uploadId(), e.getMessage());
            }
        }
    }
}
