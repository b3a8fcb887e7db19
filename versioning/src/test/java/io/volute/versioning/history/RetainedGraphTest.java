package io.volute.versioning.history;

import static io.volute.versioning.causality.HistoryPolicy.CYCLE_AVOIDANCE;
import static io.volute.versioning.causality.HistoryPolicy.EVERY_WRITE;
import static io.volute.versioning.causality.HistoryPolicy.GRAPH_FINESSE;
import static io.volute.versioning.causality.HistoryPolicy.OPEN_CLOSE;
import static io.volute.versioning.rows.Families.EVENTS;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.PendingBlob;
import io.volute.storage.RecordCursor;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.ObjectReader.OpenObject;
import io.volute.versioning.ObjectStore.DeleteTarget;
import io.volute.versioning.ObjectStore.PartChoice;
import io.volute.versioning.ObjectStore.Source;
import io.volute.versioning.PastFixture;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.causality.VersionGraph;
import io.volute.versioning.causality.VersionNode;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.EventRow;
import io.volute.versioning.rows.KeyVersion;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ChangeKind;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a store writes down of random runs of several actors, in buckets with and without versions,
 * is a graph of causal versions without cycles. {@code -Dvolute.graph.seed} for one run again,
 * {@code -Dvolute.graph.seeds} for more of them.
 *
 * <p>Two things change a state that is there, and so begin no causal version: its removal, and tags
 * of a version that is not the current one. Removals are left out of the graph, such tags are not
 * made.
 */
@Tag("slow")
class RetainedGraphTest extends PastFixture {
    private static final int STEPS = 60;
    private static final BucketName OTHER = new BucketName("films");
    private static final List<BucketName> BUCKETS = List.of(BUCKET, OTHER);
    private static final List<Caller> ACTORS =
            List.of(
                    ALICE,
                    THIEF,
                    new Caller("bob", "key-b", "phone"),
                    new Caller("job", "key-j", "nightly"));

    /** Open objects of which nothing was read yet. */
    private final Map<Caller, OpenObject> opened = new HashMap<>();

    private final List<Instant> instants = new ArrayList<>();
    private final Map<String, Long> ids = new HashMap<>();
    private SplittableRandom random = new SplittableRandom(0);

    static LongStream seeds() {
        Long single = Long.getLong("volute.graph.seed");
        return single == null
                ? LongStream.rangeClosed(1, Integer.getInteger("volute.graph.seeds", 300))
                : LongStream.of(single);
    }

    static Stream<List<HistoryPolicy>> acyclicPolicies() {
        return Stream.of(
                List.of(CYCLE_AVOIDANCE),
                List.of(GRAPH_FINESSE),
                List.of(EVERY_WRITE),
                List.of(CYCLE_AVOIDANCE, GRAPH_FINESSE, EVERY_WRITE));
    }

    /** Each bucket has one of several policies at random and sometimes changes it. */
    @ParameterizedTest
    @MethodSource("acyclicPolicies")
    void theGraphIsAcyclic(List<HistoryPolicy> policies) throws IOException {
        for (long seed : seeds().toArray()) {
            run(seed, policies);
            assertThat(cycle()).as("seed %d", seed).isEmpty();
        }
    }

    /** The check finds cycles under a policy that permits them. */
    @Test
    void findsTheCyclesOfOpenClose() throws IOException {
        run(2, List.of(OPEN_CLOSE));
        assertThat(cycle()).isNotEmpty();
    }

    private void run(long seed, List<HistoryPolicy> policies) throws IOException {
        close();
        closeOpened();
        instants.clear();
        clock.set(START);
        open();
        random = new SplittableRandom(seed);
        assertThat(store.createBucket(ALICE, OTHER).name()).isEqualTo(OTHER);
        for (BucketName bucket : BUCKETS) {
            store.setHistoryPolicy(ALICE, bucket, one(policies));
            if (random.nextBoolean()) {
                store.setVersioning(ALICE, bucket, VersioningState.ENABLED);
            }
        }
        for (int step = 0; step < STEPS; step++) {
            try {
                step("text " + step, policies);
            } catch (StoreException e) {
                // There is no such object now.
                assertThat(e.reason()).isNotNull();
            }
            instants.add(tick());
        }
    }

    private <T> T one(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    private ObjectKey key() {
        return new ObjectKey("k" + random.nextInt(3));
    }

    private void step(String text, List<HistoryPolicy> policies) throws IOException {
        Caller caller = one(ACTORS);
        BucketName bucket = one(BUCKETS);
        ObjectKey key = key();
        int dice = random.nextInt(100);
        if (dice < 25) {
            put(caller, bucket, key, text);
        } else if (dice < 45) {
            read(open(caller, bucket, key));
        } else if (dice < 52) {
            Optional.ofNullable(opened.put(caller, open(caller, bucket, key)))
                    .ifPresent(before -> before.reader().close());
        } else if (dice < 62) {
            if (opened.containsKey(caller)) {
                read(opened.remove(caller));
            }
        } else if (dice < 73) {
            copy(caller, bucket, key);
        } else if (dice < 82) {
            delete(caller, bucket, key);
        } else if (dice < 86) {
            var tags = Map.of("tag", text);
            assertThat(store.setTags(caller, bucket, key, VersionSelector.LATEST, tags))
                    .isNotNull();
        } else if (dice < 91) {
            upload(caller, bucket, key, text);
        } else {
            disturb(bucket, policies);
        }
    }

    private void disturb(BucketName bucket, List<HistoryPolicy> policies) throws IOException {
        switch (random.nextInt(4)) {
            case 0 -> {
                closeOpened();
                store.close();
                store = openStore();
            }
            case 1 -> {
                // Long enough for sessions to end, and for versions to be old.
                Duration pause = Duration.ofMinutes(random.nextInt(70));
                clock.updateAndGet(now -> now.plus(pause));
            }
            case 2 ->
                    store.setVersioning(
                            ALICE,
                            bucket,
                            random.nextBoolean()
                                    ? VersioningState.ENABLED
                                    : VersioningState.SUSPENDED);
            default -> store.setHistoryPolicy(ALICE, bucket, one(policies));
        }
    }

    /** The current one, or any. */
    private VersionSelector version(BucketName bucket, ObjectKey key) throws IOException {
        VersionQuery query = new VersionQuery(key.value(), "", "", Optional.empty(), 1000);
        List<ObjectVersion> there = store.listVersions(ALICE, bucket, query).versions();
        return there.isEmpty() || random.nextBoolean()
                ? VersionSelector.LATEST
                : new VersionSelector.Numbered(one(there).number());
    }

    private PendingBlob body(BucketName bucket, String text) throws IOException {
        byte[] bytes = StoreFixture.utf8(text);
        try (BlobWriter writer =
                store.newBody(bucket, new ObjectKey("any"), OptionalLong.of(bytes.length))) {
            writer.write(ByteBuffer.wrap(bytes));
            return writer.finish();
        }
    }

    private void put(Caller caller, BucketName bucket, ObjectKey key, String text)
            throws IOException {
        ObjectVersion made =
                store.put(
                        caller,
                        bucket,
                        key,
                        body(bucket, text),
                        StoreFixture.attributes(text),
                        WriteCondition.NONE);
        assertThat(made.latest()).isTrue();
    }

    private void closeOpened() {
        opened.values().forEach(each -> each.reader().close());
        opened.clear();
    }

    private OpenObject open(Caller caller, BucketName bucket, ObjectKey key) throws IOException {
        return store.open(caller, bucket, key, version(bucket, key));
    }

    private static void read(OpenObject object) throws IOException {
        try (BlobReader reader = object.reader()) {
            assertThat(StoreFixture.content(reader)).isNotEmpty();
        }
    }

    private void copy(Caller caller, BucketName bucket, ObjectKey key) throws IOException {
        BucketName from = one(BUCKETS);
        ObjectKey source = key();
        boolean isOfPast = !instants.isEmpty() && random.nextInt(4) == 0;
        Source which =
                isOfPast
                        ? new Source(
                                from, source, VersionSelector.LATEST, Optional.of(one(instants)))
                        : new Source(from, source, version(from, source));
        var result =
                store.copy(
                        caller,
                        which,
                        bucket,
                        key,
                        each -> {},
                        ObjectVersion::attributes,
                        WriteCondition.NONE);
        assertThat(result.target().latest()).isTrue();
    }

    private void delete(Caller caller, BucketName bucket, ObjectKey key) throws IOException {
        List<DeleteTarget> targets = new ArrayList<>();
        targets.add(new DeleteTarget(key, version(bucket, key), WriteCondition.NONE));
        if (random.nextInt(4) == 0) {
            targets.add(new DeleteTarget(key(), VersionSelector.LATEST, WriteCondition.NONE));
        }
        assertThat(store.deleteAll(caller, bucket, targets)).hasSameSizeAs(targets);
    }

    private void upload(Caller caller, BucketName bucket, ObjectKey key, String text)
            throws IOException {
        String id =
                store.createUpload(caller, bucket, key, StoreFixture.uploadAttributes()).uploadId();
        String etag = StoreFixture.md5(text);
        PartInfo part = new PartInfo(1, 0, etag, Instant.EPOCH, Optional.empty());
        part = store.putPart(caller, bucket, key, id, part, body(bucket, text));
        ObjectVersion made =
                store.completeUpload(
                        caller,
                        bucket,
                        key,
                        id,
                        List.of(new PartChoice(part.number(), etag, Optional.empty())),
                        (upload, chosen) -> StoreFixture.attributes(text),
                        WriteCondition.NONE);
        assertThat(made.latest()).isTrue();
    }

    /** Returns a cycle in the logged events; empty when there is none. */
    private List<String> cycle() throws IOException {
        store.close();
        store = openStore();
        ids.clear();
        VersionGraph graph = new VersionGraph();
        try (RecordCursor cursor = cube.scan(EVENTS, new byte[0], new byte[0])) {
            while (cursor.next()) {
                byte[] summary = cursor.record().summary();
                byte[] bytes =
                        cursor.record().detailBytes() == 0
                                ? summary
                                : cube.readDetail(EVENTS, cursor.key(), cursor.record());
                EventRow.decode(bytes).forEach(event -> add(graph, event));
            }
        }
        Map<Long, String> names = new HashMap<>();
        ids.forEach((name, id) -> names.put(id, name));
        return graph.cycle().stream()
                .map(
                        node ->
                                names.getOrDefault(node.id(), "actor " + node.id())
                                        + " at "
                                        + node.version())
                .toList();
    }

    private void add(VersionGraph graph, Event event) {
        switch (event) {
            case Event.Read read ->
                    graph.add(
                            new VersionNode(read.actor(), read.actorVersion()),
                            node(read.object()));
            case Event.Wrote wrote -> {
                if (wrote.change() != ChangeKind.REMOVE) {
                    graph.add(
                            node(wrote.object()),
                            new VersionNode(wrote.actor(), wrote.actorVersion()));
                }
            }
            case Event.Copied copied -> graph.add(node(copied.object()), node(copied.source()));
            case Event.Kept kept -> {}
            case Event.Restored restored -> {}
        }
    }

    private VersionNode node(KeyVersion object) {
        String name = "bucket " + object.bucketId() + " " + object.key().value();
        // Actors' ids are positive.
        return new VersionNode(
                ids.computeIfAbsent(name, none -> -1L - ids.size()), object.version());
    }
}
