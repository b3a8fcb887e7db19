package io.volute.server.admin;

import io.volute.adminapi.LifecycleApi.Removal;
import io.volute.adminapi.LifecycleApi.Removals;
import io.volute.server.s3.lifecycle.LifecycleRules;
import io.volute.server.s3.lifecycle.LifecycleRules.Rule;
import io.volute.server.s3.lifecycle.LifecycleScan;
import io.volute.server.s3.lifecycle.LifecycleTime;
import io.volute.versioning.Listing.UploadInfo;
import io.volute.versioning.StoreException;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The route that shows what lifecycle rules remove. Thread-safe. */
final class LifecycleRoutes {
    /** Keys that one request looks at; the answer is then a page, which may be empty. */
    private static final int MOST_KEYS = 100_000;

    private static final Pattern FROM = Pattern.compile("(\\d{1,4})([vu])(.*)", Pattern.DOTALL);

    private final VersionedStore store;
    private final InstantSource clock;
    private final Duration day;

    /**
     * @param day length of the days that rules count
     */
    LifecycleRoutes(VersionedStore store, InstantSource clock, Duration day) {
        this.store = store;
        this.clock = clock;
        this.day = day;
    }

    /**
     * A place in a plan: which rule, and the key behind which it goes on.
     *
     * @param areUploads whether the versions that the rule removes have been shown
     */
    private record Place(int rule, boolean areUploads, String key) {
        static Place of(Optional<String> from) {
            if (from.isEmpty()) {
                return new Place(0, false, "");
            }
            Matcher matcher = FROM.matcher(from.get());
            if (!matcher.matches()) {
                throw AdminException.badRequest("from is not the next of an earlier answer");
            }
            return new Place(
                    Integer.parseInt(matcher.group(1)),
                    matcher.group(2).equals("u"),
                    matcher.group(3));
        }

        Place behind(String lastKey) {
            return new Place(rule, areUploads, lastKey);
        }

        Place nextPart() {
            return areUploads ? new Place(rule + 1, false, "") : new Place(rule, true, "");
        }

        String text() {
            return rule + (areUploads ? "u" : "v") + key;
        }
    }

    /** Gathers a page. */
    private static final class PagePart implements LifecycleScan.Sink {
        private final List<Removal> removals = new ArrayList<>();
        private final int max;
        private int keys;
        private String rule = "";
        private String lastKey = "";

        PagePart(int max) {
            this.max = max;
        }

        @Override
        public void version(
                ObjectVersion version,
                VersionSelector selector,
                ObjectVersion newest,
                Instant due) {
            String action =
                    selector instanceof VersionSelector.Latest
                            ? "expire"
                            : version.deleteMarker() && version.latest()
                                    ? "remove-marker"
                                    : "remove-version";
            removals.add(
                    new Removal(
                            rule,
                            action,
                            version.key().value(),
                            Optional.of(version.versionId()),
                            Optional.empty(),
                            version.bytes(),
                            due));
        }

        @Override
        public void upload(UploadInfo upload, Instant due) {
            removals.add(
                    new Removal(
                            rule,
                            "abort-upload",
                            upload.key().value(),
                            Optional.empty(),
                            Optional.of(upload.uploadId()),
                            0,
                            due));
        }

        @Override
        public boolean goesOn(String key) {
            lastKey = key;
            keys++;
            return !isFull();
        }

        boolean isFull() {
            return removals.size() >= max || keys >= MOST_KEYS;
        }
    }

    Removals plan(Caller caller, Arguments asked) throws IOException {
        BucketName name = asked.neededBucket();
        BucketInfo bucket = store.bucket(name).orElseThrow(() -> StoreException.noSuchBucket(name));
        LifecycleTime at = new LifecycleTime(asked.instant("at").orElseGet(clock::instant), day);
        List<Rule> rules =
                bucket.document(BucketDocument.LIFECYCLE)
                        .map(document -> LifecycleRules.ofDocument(document).rules())
                        .orElse(List.of());
        PagePart page = new PagePart(asked.max());
        Place place = Place.of(asked.from());
        while (place.rule < rules.size() && !page.isFull()) {
            Rule rule = rules.get(place.rule);
            page.rule = rule.id();
            LifecycleScan scan = new LifecycleScan(store, caller, bucket, rule, at, page);
            if (rule.enabled() && place.areUploads) {
                scan.uploads(place.key);
            } else if (rule.enabled()) {
                scan.versions(place.key);
            }
            place = scan.isWhole() ? place.nextPart() : place.behind(page.lastKey);
        }
        return new Removals(
                page.removals,
                place.rule < rules.size() ? Optional.of(place.text()) : Optional.empty());
    }
}
