package io.volute.server.upkeep;

import io.volute.server.Upkeep;
import io.volute.server.s3.lifecycle.LifecycleRules;
import io.volute.server.s3.lifecycle.LifecycleRules.Rule;
import io.volute.server.s3.lifecycle.LifecycleScan;
import io.volute.server.s3.lifecycle.LifecycleTime;
import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.Listing.UploadInfo;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.ObjectStore.DeleteOutcome;
import io.volute.versioning.ObjectStore.DeleteTarget;
import io.volute.versioning.StoreException;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes what the lifecycle rules of buckets say, as the actor {@code lifecycle}: each removal is
 * an entry of the signed history and can be undone while the history keeps it. A key that was
 * written since it was looked at stays as it is until the next look.
 */
public final class LifecycleUpkeep implements Upkeep.Task {
    private static final Logger LOG = LoggerFactory.getLogger(LifecycleUpkeep.class);

    private static final Duration FIRST = Duration.ofMinutes(5);
    private static final Duration USUAL = Duration.ofHours(1);

    /** Looks in a day that is shorter than 24 hours. */
    private static final int LOOKS_A_DAY = 20;

    private static final String ACTOR = "lifecycle";
    private static final int AT_ONCE = 1000;

    private final ObjectStore store;
    private final InstantSource clock;
    private final Duration day;

    /**
     * The last whole pass of each bucket, and the time before which the next one cannot find
     * anything.
     */
    private final Map<Long, Passed> passed = new HashMap<>();

    private volatile boolean isStopped;

    /**
     * @param day length of the days that rules count
     */
    public LifecycleUpkeep(ObjectStore store, InstantSource clock, Duration day) {
        this.store = store;
        this.clock = clock;
        this.day = day;
        if (day.compareTo(LifecycleTime.DAY) < 0) {
            LOG.warn(
                    "lifecycle.day is {}: the rules of all buckets remove objects after days of"
                            + " this length. Remove the setting unless this is a test.",
                    day);
        }
    }

    /** Rules count whole days, so an hour more or less does not matter. */
    public static Upkeep.Pauses pauses(Duration day) {
        Duration part = day.dividedBy(LOOKS_A_DAY);
        Duration usual = USUAL.compareTo(part) < 0 ? USUAL : part;
        return new Upkeep.Pauses(FIRST.compareTo(usual) < 0 ? FIRST : usual, usual, USUAL);
    }

    private record Passed(BucketInfo.Text document, Instant next) {}

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
        Set<Long> seen = new HashSet<>();
        String after = "";
        List<BucketInfo> some;
        do {
            some = store.listBuckets(Optional.empty(), "", after, AT_ONCE);
            for (BucketInfo bucket : some) {
                look(bucket);
                seen.add(bucket.id());
                after = bucket.name().value();
            }
        } while (!some.isEmpty() && !isStopped);
        if (!isStopped) {
            passed.keySet().retainAll(seen);
        }
    }

    @Override
    public void stop() {
        isStopped = true;
    }

    private void look(BucketInfo bucket) throws IOException {
        BucketInfo.Text document = bucket.documents().get(BucketDocument.LIFECYCLE);
        if (document == null || isStopped) {
            return;
        }
        Passed last = passed.get(bucket.id());
        boolean isSame = last != null && last.document.equals(document);
        if (isSame && clock.instant().isBefore(last.next)) {
            return;
        }
        Counts counts = new Counts();
        try {
            Instant next = Instant.MAX;
            for (Rule rule : LifecycleRules.ofDocument(document.text()).rules()) {
                if (rule.removes()) {
                    Instant ofRule = new Pass(bucket, counts).run(rule);
                    next = ofRule.isBefore(next) ? ofRule : next;
                }
            }
            if (!isStopped) {
                passed.put(bucket.id(), new Passed(document, next));
            }
        } catch (StoreException | CubeUnavailableException e) {
            // A cube that takes no writes must not end the lifecycle of buckets in others.
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
    private final class Pass implements LifecycleScan.Sink {
        private final BucketInfo bucket;
        private final Counts counts;
        private final Caller caller;
        private final List<DeleteTarget> targets = new ArrayList<>();

        Pass(BucketInfo bucket, Counts counts) {
            this.bucket = bucket;
            this.counts = counts;
            this.caller = Caller.ofTask(bucket.owner(), ACTOR);
        }

        /** Returns when the rule can remove something again. */
        Instant run(Rule rule) throws IOException {
            long refused = counts.refused;
            LifecycleTime time = new LifecycleTime(clock.instant(), day);
            LifecycleScan scan = new LifecycleScan(store, caller, bucket, rule, time, this);
            scan.versions("");
            if (scan.isWhole()) {
                flush();
                scan.uploads("");
            }
            // A lock may end before the next version is due.
            return counts.refused > refused ? time.nextDay() : scan.next();
        }

        @Override
        public boolean goesOn(String key) {
            return !isStopped;
        }

        @Override
        public void version(
                ObjectVersion version, VersionSelector selector, ObjectVersion newest, Instant due)
                throws IOException {
            if (targets.size() >= AT_ONCE) {
                flush();
            }
            targets.add(
                    new DeleteTarget(
                            version.key(), selector, new WriteCondition.IfNewest(newest.number())));
        }

        @Override
        public void upload(UploadInfo upload, Instant due) throws IOException {
            try {
                store.abortUpload(caller, bucket, upload.key(), upload.uploadId());
                counts.uploads++;
            } catch (StoreException e) {
                // It was completed or aborted meanwhile.
                LOG.debug("upload {} is gone: {}", upload.uploadId(), e.getMessage());
            }
        }

        private void flush() throws IOException {
            if (targets.isEmpty()) {
                return;
            }
            List<DeleteOutcome> outcomes = store.deleteAll(caller, bucket, targets);
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
    }
}
