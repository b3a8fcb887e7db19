package io.volute.server.s3.lifecycle;

import io.volute.server.s3.lifecycle.LifecycleRules.Rule;
import io.volute.versioning.Listing.UploadInfo;
import io.volute.versioning.Listing.UploadPage;
import io.volute.versioning.Listing.UploadQuery;
import io.volute.versioning.Listing.VersionPage;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionId;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds what a rule removes from a bucket at an instant. Used once, by one thread. */
public final class LifecycleScan {
    private static final int AT_ONCE = 1000;

    private final ObjectStore store;
    private final Caller caller;
    private final BucketInfo bucket;
    private final Rule rule;
    private final LifecycleTime time;
    private final Sink sink;

    /** The versions of one key, newest first. */
    private List<ObjectVersion> chain = new ArrayList<>();

    private Instant next = Instant.MAX;
    private boolean isStopped;

    /** Takes what is removed. */
    public interface Sink {
        /**
         * Takes a version. Those of a key come one behind the other, the newest of them last.
         *
         * @param selector {@link VersionSelector#LATEST} when the current version expires
         * @param newest the current version of the key
         */
        void version(
                ObjectVersion version, VersionSelector selector, ObjectVersion newest, Instant due)
                throws IOException;

        /** Takes an unfinished upload. */
        void upload(UploadInfo upload, Instant due) throws IOException;

        /** Returns whether the scan goes on behind this key. */
        boolean goesOn(String key);
    }

    /**
     * @param caller must see the bucket
     * @param time what is due then is removed
     */
    public LifecycleScan(
            ObjectStore store,
            Caller caller,
            BucketInfo bucket,
            Rule rule,
            LifecycleTime time,
            Sink sink) {
        this.store = store;
        this.caller = caller;
        this.bucket = bucket;
        this.rule = rule;
        this.time = time;
        this.sink = sink;
    }

    /**
     * Looks at versions.
     *
     * @param after the key behind which it begins; empty for the first
     */
    public void versions(String after) throws IOException {
        if (rule.expires().isEmpty() && !rule.markers() && rule.noncurrentDays().isEmpty()) {
            return;
        }
        String key = after;
        Optional<VersionSelector> version = Optional.empty();
        boolean isMore = true;
        while (isMore && !isStopped) {
            VersionPage page =
                    store.listVersions(
                            caller,
                            bucket,
                            new VersionQuery(rule.filter().prefix(), "", key, version, AT_ONCE));
            for (ObjectVersion each : page.versions()) {
                if (!chain.isEmpty() && !chain.getFirst().key().equals(each.key())) {
                    decide();
                    if (isStopped) {
                        return;
                    }
                }
                chain.add(each);
            }
            isMore = page.nextKey().isPresent();
            key = page.nextKey().orElse("");
            version = page.nextVersionId().flatMap(VersionId::parse);
        }
        if (!isStopped) {
            decide();
        }
    }

    /** Decides about the versions of one key. Those behind the newest go first. */
    private void decide() throws IOException {
        List<ObjectVersion> versions = chain;
        chain = new ArrayList<>();
        if (versions.isEmpty()) {
            return;
        }
        ObjectVersion newest = versions.getFirst();
        if (newest.latest()) {
            noncurrent(versions, newest);
            if (!newest.deleteMarker()) {
                current(newest);
            } else if (versions.size() == 1) {
                loneMarker(newest);
            }
            // A client may remove versions: a marker is alone then, or an older version current.
            if (rule.expires().isPresent() && versions.size() > 1) {
                versions.forEach(each -> isDueAt(time.due(each.modified(), rule.expires().get())));
            }
        }
        isStopped = !sink.goesOn(newest.key().value());
    }

    private void noncurrent(List<ObjectVersion> versions, ObjectVersion newest) throws IOException {
        if (rule.noncurrentDays().isEmpty()) {
            return;
        }
        for (int i = 1 + rule.newerNoncurrent(); i < versions.size(); i++) {
            // It has been noncurrent since the next newer one was made.
            Instant since = versions.get(i - 1).modified();
            Instant due = time.due(since, rule.noncurrentDays().getAsInt());
            remove(versions.get(i), selector(versions.get(i)), newest, due);
        }
    }

    private void current(ObjectVersion newest) throws IOException {
        if (rule.expires().isPresent()) {
            Instant due = time.due(newest.modified(), rule.expires().get());
            remove(newest, VersionSelector.LATEST, newest, due);
        }
    }

    private void remove(
            ObjectVersion version, VersionSelector selector, ObjectVersion newest, Instant due)
            throws IOException {
        if (!rule.filter().matches(version.key().value(), version.bytes())) {
            return;
        }
        if (time.now().isBefore(due)) {
            // Whatever its tags are: they may change until then.
            isDueAt(due);
        } else if (hasTags(version)) {
            sink.version(version, selector, newest, due);
        }
    }

    /** Returns whether a version has the tags of the rule, which listings do not tell. */
    private boolean hasTags(ObjectVersion version) throws IOException {
        return rule.filter().tags().isEmpty()
                || store.head(caller, bucket, version.key(), selector(version))
                        .filter(each -> rule.filter().matches(each.attributes().tags()))
                        .isPresent();
    }

    private void loneMarker(ObjectVersion marker) throws IOException {
        if (!rule.filter().tags().isEmpty()
                || !marker.key().value().startsWith(rule.filter().prefix())) {
            return;
        }
        if (rule.markers() && rule.filter().matches(marker.key().value(), 0)) {
            sink.version(marker, selector(marker), marker, marker.modified());
        } else if (rule.expires().isPresent()) {
            Instant due = time.due(marker.modified(), rule.expires().get());
            if (time.now().isBefore(due)) {
                isDueAt(due);
            } else {
                sink.version(marker, selector(marker), marker, due);
            }
        }
    }

    private static VersionSelector selector(ObjectVersion version) {
        return version.nullVersion()
                ? VersionSelector.NULL
                : new VersionSelector.Numbered(version.number());
    }

    /**
     * Looks at unfinished uploads.
     *
     * @param after the key behind which it begins; empty for the first
     */
    public void uploads(String after) throws IOException {
        if (rule.abortDays().isEmpty()) {
            return;
        }
        String key = after;
        String id = "";
        String last = "";
        boolean isMore = true;
        while (isMore && !isStopped) {
            UploadPage page =
                    store.listUploads(
                            caller,
                            bucket,
                            new UploadQuery(rule.filter().prefix(), "", key, id, AT_ONCE));
            for (UploadInfo upload : page.uploads()) {
                String itsKey = upload.key().value();
                isStopped = !last.isEmpty() && !itsKey.equals(last) && !sink.goesOn(last);
                if (isStopped) {
                    return;
                }
                last = itsKey;
                decide(upload);
            }
            isMore = page.nextKey().isPresent();
            key = page.nextKey().orElse("");
            id = page.nextUploadId().orElse("");
        }
    }

    private void decide(UploadInfo upload) throws IOException {
        Instant due = time.due(upload.initiated(), rule.abortDays().getAsInt());
        if (time.now().isBefore(due)) {
            isDueAt(due);
        } else {
            sink.upload(upload, due);
        }
    }

    private void isDueAt(Instant due) {
        if (due.isBefore(next)) {
            next = due;
        }
    }

    /** Returns whether the scan came to its end. */
    public boolean isWhole() {
        return !isStopped;
    }

    /**
     * Returns the earliest instant at which the rule can remove something else, once a scan came to
     * its end: one of the versions that it saw, or one that is made from now on.
     */
    public Instant next() {
        Instant tomorrow = time.nextDay();
        if (rule.markers() || rule.newerNoncurrent() > 0) {
            // A marker is alone, and a version is one too many, whenever another one goes or comes.
            return tomorrow;
        }
        Instant earliest = next;
        for (Instant made :
                List.of(
                        rule.expires()
                                .map(expiry -> time.due(time.now(), expiry))
                                .orElse(Instant.MAX),
                        time.due(time.now(), rule.noncurrentDays()),
                        time.due(time.now(), rule.abortDays()))) {
            earliest = made.isBefore(earliest) ? made : earliest;
        }
        return earliest.isBefore(tomorrow) ? tomorrow : earliest;
    }
}
