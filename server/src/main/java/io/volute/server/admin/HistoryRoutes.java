package io.volute.server.admin;

import io.volute.server.encryption.Keyring;
import io.volute.server.encryption.ObjectName;
import io.volute.server.s3.encryption.StoredEncryption;
import io.volute.versioning.History;
import io.volute.versioning.History.ActivityFilter;
import io.volute.versioning.History.ActorFilter;
import io.volute.versioning.History.Direction;
import io.volute.versioning.History.Erasure;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreOptions.HistorySettings;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The routes for events, their actors, and the amount of kept history. Thread-safe. */
final class HistoryRoutes {
    private static final int BUCKETS_AT_ONCE = 1000;
    private static final String ACCESS_KEY = "accessKey";
    private static final String USER = "user";
    private static final String NAME = "name";

    private static final String RESOLUTION = "resolution";
    private static final Pattern TIME = Pattern.compile("(\\d{1,8})(ms|s|m|h|d)|0");
    private static final Map<String, Duration> UNITS =
            Map.of(
                    "ms",
                    Duration.ofMillis(1),
                    "s",
                    Duration.ofSeconds(1),
                    "m",
                    Duration.ofMinutes(1),
                    "h",
                    Duration.ofHours(1),
                    "d",
                    Duration.ofDays(1));

    private static final Map<String, Direction> DIRECTIONS =
            HistoryDocument.words(Direction.values());

    private final VersionedStore store;
    private final History history;
    private final Optional<Keyring> keyring;

    HistoryRoutes(VersionedStore store, History history, Optional<Keyring> keyring) {
        this.store = store;
        this.history = history;
        this.keyring = keyring;
    }

    Map<String, Object> states(Caller caller, Arguments asked) throws IOException {
        asked.only("bucket", "key", "max", "from");
        return HistoryDocument.page(
                "states",
                history.states(
                        caller, asked.neededBucket(), asked.key(), asked.from(), asked.max()),
                HistoryDocument::state);
    }

    Map<String, Object> actors(Arguments asked) throws IOException {
        asked.only(ACCESS_KEY, USER, NAME, "max", "from");
        return HistoryDocument.page(
                "actors",
                history.actors(who(asked), asked.from(), asked.max()),
                HistoryDocument::actor);
    }

    private static ActorFilter who(Arguments asked) {
        return new ActorFilter(asked.text(ACCESS_KEY), asked.text(USER), asked.text(NAME));
    }

    Map<String, Object> activity(Arguments asked) throws IOException {
        asked.only("actor", ACCESS_KEY, USER, NAME, "since", "until", "max", "from");
        Optional<Instant> since = asked.instant("since");
        Optional<Instant> until = asked.instant("until");
        if (since.isPresent() && until.isPresent() && since.get().isAfter(until.get())) {
            throw AdminException.badRequest("since is later than until");
        }
        ActivityFilter filter = new ActivityFilter(asked.number("actor"), who(asked), since, until);
        return HistoryDocument.page(
                "activity",
                history.activity(filter, asked.from(), asked.max()),
                HistoryDocument::activity);
    }

    Map<String, Object> trace(Arguments asked) throws IOException {
        asked.only("direction", "bucket", "key", "versionId", "max", "from");
        return HistoryDocument.page(
                "steps",
                history.trace(
                        asked.neededWord("direction", DIRECTIONS),
                        asked.neededBucket(),
                        asked.key(),
                        asked.version(),
                        asked.from(),
                        asked.max()),
                HistoryDocument::step);
    }

    Map<String, Object> policy(Arguments asked) {
        asked.only("bucket");
        return policyOf(asked.neededBucket());
    }

    private Map<String, Object> policyOf(BucketName name) {
        BucketInfo bucket = store.bucket(name).orElseThrow(() -> StoreException.noSuchBucket(name));
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("bucket", name.value());
        document.put("policy", bucket.history().text());
        document.put("resolutionMillis", store.settings().resolution(bucket).toMillis());
        document.put("inherited", bucket.resolution().isEmpty());
        return document;
    }

    Map<String, Object> setPolicy(Caller caller, Arguments asked) throws IOException {
        asked.only("bucket", "policy", RESOLUTION);
        BucketName bucket = asked.neededBucket();
        Optional<Optional<Duration>> resolution =
                asked.text(RESOLUTION).map(HistoryRoutes::resolution);
        if (resolution.isEmpty() || asked.has("policy")) {
            store.setHistoryPolicy(caller, bucket, policy(asked.neededText("policy")));
        }
        if (resolution.isPresent()) {
            store.settings().setResolution(bucket, resolution.get());
        }
        return policyOf(bucket);
    }

    private static HistoryPolicy policy(String text) {
        try {
            return HistoryPolicy.parse(text);
        } catch (IllegalArgumentException e) {
            throw AdminException.badRequest(e.getMessage());
        }
    }

    /** Parses a resolution; empty means that of the settings. */
    private static Optional<Duration> resolution(String text) {
        if (text.equals("inherit")) {
            return Optional.empty();
        }
        Matcher matcher = TIME.matcher(text);
        if (matcher.matches()) {
            Duration time =
                    matcher.group(1) == null
                            ? Duration.ZERO
                            : UNITS.get(matcher.group(2))
                                    .multipliedBy(Long.parseLong(matcher.group(1)));
            if (time.compareTo(HistorySettings.RESOLUTION_MAX) <= 0) {
                return Optional.of(time);
            }
        }
        throw AdminException.badRequest(
                RESOLUTION
                        + " is "
                        + text
                        + "; write 0, 1ms to 1d, such as 500ms or 1m, or inherit");
    }

    Map<String, Object> usage(Arguments asked) {
        asked.only("bucket");
        List<Object> buckets = new ArrayList<>();
        long states = 0;
        long bytes = 0;
        for (BucketName each : asked.bucket().map(List::of).orElseGet(this::allBuckets)) {
            History.Kept kept = history.kept(each);
            states += kept.states();
            bytes += kept.bytes();
            buckets.add(HistoryDocument.kept(each.value(), kept));
        }
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("buckets", buckets);
        document.put("states", states);
        document.put("bytes", bytes);
        return document;
    }

    private List<BucketName> allBuckets() {
        List<BucketName> all = new ArrayList<>();
        List<BucketInfo> some;
        String after = "";
        do {
            some = store.listBuckets(Optional.empty(), "", after, BUCKETS_AT_ONCE);
            some.forEach(bucket -> all.add(bucket.name()));
            after = some.isEmpty() ? after : some.getLast().name().value();
        } while (!some.isEmpty());
        return all;
    }

    Map<String, Object> purge(Caller caller, Arguments asked) throws IOException {
        asked.only("bucket", "before");
        BucketName bucket = asked.neededBucket();
        Instant before = asked.neededInstant("before");
        long purged = history.purge(caller, bucket, before);
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("bucket", bucket.value());
        document.put("before", before);
        document.put("purgedStates", purged);
        return document;
    }

    Map<String, Object> shred(Caller caller, Arguments asked) throws IOException {
        asked.only("bucket", "key");
        BucketName bucket = asked.neededBucket();
        ObjectKey key = asked.key();
        ObjectName name = new ObjectName(bucket.value(), key.value());
        Erasure erasure =
                new Erasure() {
                    @Override
                    public boolean covers(ObjectAttributes state) {
                        return StoredEncryption.of(state).isPresent();
                    }

                    @Override
                    public void run() throws IOException {
                        keyring.orElseThrow().shred(List.of(name));
                    }
                };
        int states = history.shred(caller, bucket, key, erasure);
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("bucket", bucket.value());
        document.put("key", key.value());
        document.put("shreddedStates", states);
        return document;
    }
}
