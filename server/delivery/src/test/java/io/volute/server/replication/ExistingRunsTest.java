package io.volute.server.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.replication.ExistingRun.State;
import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.replication.ReplicaTarget;
import io.volute.server.s3.replication.ReplicationMessage;
import io.volute.server.s3.replication.ReplicationRouter;
import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.Outbox;
import io.volute.versioning.Outbox.Message;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionId;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Runs for existing objects: their messages, order, position and pace. */
class ExistingRunsTest extends S3TestCase {
    private static final String FAR = "replicate:far";
    private static final int FAST = 1000;

    private final AtomicReference<Instant> now = new AtomicReference<>(S3TestBed.NOW);
    private String bucket;
    private BucketName name;
    private ExistingRuns runs;

    @BeforeEach
    void begin() throws IOException {
        bucket = bed.versionedBucket();
        name = new BucketName(bucket);
        runs = new ExistingRuns(bed.store(), now::get, (target, destination) -> 0);
    }

    @AfterEach
    void takeAll() throws IOException {
        for (String consumer : List.of(FAR, "replicate:local", ReplicaTarget.RUNS)) {
            bed.store().outbox().remove(consumer, bed.store().outbox().next(consumer, 5000));
        }
    }

    private void replicate(String arn, String more) {
        String rule =
                "<Rule><Priority>1</Priority><Filter><Prefix>in/</Prefix></Filter>"
                        + "<Status>Enabled</Status><DeleteMarkerReplication><Status>Enabled"
                        + "</Status></DeleteMarkerReplication>"
                        + more
                        + "<Destination><Bucket>"
                        + arn
                        + "</Bucket></Destination></Rule>";
        assertThat(
                        bed.request("PUT", "/" + bucket + "?replication")
                                .body(
                                        "<ReplicationConfiguration><Role>any</Role>"
                                                + rule
                                                + "</ReplicationConfiguration>")
                                .send()
                                .status())
                .isEqualTo(200);
    }

    private void replicate() {
        replicate("arn:volute:replication::far:copy", "");
    }

    /** Looks once, a second after the look before. */
    private void look() throws IOException {
        now.updateAndGet(before -> before.plusSeconds(1));
        runs.look();
    }

    private void runToTheEnd() throws IOException {
        assertThat(runs.start(name, false, FAST)).isPresent();
        look();
        assertThat(runs.of(name).orElseThrow().state()).isEqualTo(State.FINISHED);
    }

    private String put(String key, String content) {
        return bed.put("/" + bucket + "/" + key, content).header("x-amz-version-id");
    }

    private List<String> changes(String consumer) throws IOException {
        List<String> changes = new ArrayList<>();
        for (Message each : bed.store().outbox().next(consumer, 5000)) {
            ReplicationMessage change = ReplicationMessage.decode(each.content().orElseThrow());
            changes.add(
                    change.kind()
                            + " "
                            + change.key()
                            + " "
                            + VersionId.format(change.number(), false));
        }
        return changes;
    }

    @Test
    void sendsWhatWasThereOldestFirst() throws IOException {
        String first = put("in/a", "1");
        String second = put("in/a", "2");
        put("out/a", "1");
        String marker =
                bed.request("DELETE", "/" + bucket + "/in/b").send().header("x-amz-version-id");
        bed.request("PUT", "/" + bucket + "/in/c")
                .header(
                        "x-volute-replica",
                        "00000000-0000-0000-0000-000000000001/away/" + VersionId.format(7, false))
                .body("1")
                .send();
        replicate();
        runToTheEnd();
        assertThat(changes(FAR))
                .containsExactly(
                        "EXISTING in/a " + first,
                        "EXISTING in/a " + second,
                        "EXISTING in/b " + marker);
        assertThat(runs.of(name).orElseThrow().sent()).isEqualTo(3);
    }

    /** Returns the store, in which a bucket cannot be read. */
    private VersionedStore without(BucketName sick) {
        return (VersionedStore)
                Proxy.newProxyInstance(
                        VersionedStore.class.getClassLoader(),
                        new Class<?>[] {VersionedStore.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("bucket") && arguments[0].equals(sick)) {
                                throw new UncheckedIOException(
                                        new CubeUnavailableException(
                                                CubeUnavailableException.Reason.NOT_OPEN,
                                                "its cube is in recovery"));
                            }
                            return method.invoke(bed.store(), arguments);
                        });
    }

    @Test
    void aBucketThatCannotBeReadEndsNoRunOfAnother() throws IOException {
        List<String> both = Stream.of(bucket, bed.versionedBucket()).sorted().toList();
        // Its run is the first.
        BucketName sick = new BucketName(both.getFirst());
        bucket = both.getLast();
        name = new BucketName(bucket);
        put("in/a", "1");
        replicate();
        runs = new ExistingRuns(without(sick), now::get, (target, destination) -> 0);
        assertThat(runs.start(sick, false, FAST)).isPresent();
        assertThat(runs.start(name, false, FAST)).isPresent();
        assertThatThrownBy(this::look).hasMessageContaining("its cube is in recovery");
        assertThat(runs.of(name).orElseThrow().state()).isEqualTo(State.FINISHED);
        assertThat(runs.of(sick).orElseThrow().state()).isEqualTo(State.RUNNING);
    }

    @Test
    void leavesOutWhatIsOlderThanAReplicatedVersion() throws IOException {
        put("in/a", "1");
        String other = put("in/b", "1");
        replicate();
        put("in/a", "2");
        bed.store().outbox().remove(FAR, bed.store().outbox().next(FAR, 10));
        runToTheEnd();
        assertThat(changes(FAR)).containsExactly("EXISTING in/b " + other);
        assertThat(runs.of(name).orElseThrow().leftOut()).isEqualTo(1);
        assertThat(runs.start(name, true, FAST)).isPresent();
        look();
        assertThat(changes(FAR)).as("with again, in addition").hasSize(1 + 3);
    }

    @Test
    void aRuleMayExcludeExistingObjects() throws IOException {
        put("in/a", "1");
        replicate(
                "arn:volute:replication::far:copy",
                "<ExistingObjectReplication><Status>Disabled</Status></ExistingObjectReplication>");
        runToTheEnd();
        assertThat(changes(FAR)).isEmpty();
    }

    @Test
    void goesOnAfterARestartWhereItWas() throws IOException {
        List<String> wanted = new ArrayList<>();
        for (String key : List.of("in/a", "in/b", "in/c")) {
            wanted.add("EXISTING " + key + " " + put(key, "1"));
        }
        replicate();
        assertThat(runs.start(name, false, 1)).isPresent();
        look();
        assertThat(changes(FAR)).containsExactlyElementsOf(wanted.subList(0, 1));
        runs = new ExistingRuns(bed.store(), now::get, (target, destination) -> 0);
        assertThat(runs.of(name).orElseThrow().after()).isEqualTo("in/a");
        look();
        look();
        look();
        assertThat(changes(FAR)).containsExactlyElementsOf(wanted);
        assertThat(runs.of(name).orElseThrow().state()).isEqualTo(State.FINISHED);
        assertThat(new ExistingRuns(bed.store(), now::get, (target, destination) -> 0).all())
                .isEqualTo(runs.all());
    }

    private long messagesOfRuns() {
        return bed.store().outbox().queue(ReplicaTarget.RUNS).messages();
    }

    /** A crash between the new message and the removal of the old one leaves both. */
    @Test
    void aRunHasOneMessageAlsoAfterACrash() throws IOException {
        put("in/a", "1");
        put("in/b", "1");
        replicate();
        assertThat(runs.start(name, false, 1)).isPresent();
        byte[] before = runs.of(name).orElseThrow().encode();
        look();
        assertThat(messagesOfRuns()).isEqualTo(1);
        byte[] after = runs.of(name).orElseThrow().encode();
        Message last = bed.store().outbox().next(ReplicaTarget.RUNS, 1).getFirst();
        assertThat(last.content().orElseThrow()).isEqualTo(after);
        bed.store().outbox().remove(ReplicaTarget.RUNS, List.of(last));
        bed.store().outbox().add(ReplicaTarget.RUNS, at -> before);
        bed.store().outbox().add(ReplicaTarget.RUNS, at -> after);
        runs = new ExistingRuns(bed.store(), now::get, (target, destination) -> 0);
        assertThat(runs.of(name).orElseThrow().after()).isEqualTo("in/a");
        look();
        assertThat(messagesOfRuns()).isEqualTo(1);
        assertThat(new ExistingRuns(bed.store(), now::get, (target, destination) -> 0).all())
                .isEqualTo(runs.all());
    }

    @Test
    void howFarARunIsIsKnown() throws IOException {
        put("in/a", "1");
        put("in/a", "2");
        put("in/b", "1");
        put("out/c", "1");
        replicate();
        assertThat(runs.start(name, false, 2)).isPresent();
        assertThat(extent()).isEqualTo(new ExistingRuns.Extent(0, 0));
        look();
        assertThat(extent()).isEqualTo(new ExistingRuns.Extent(2, 4));
        look();
        look();
        assertThat(extent()).isEqualTo(new ExistingRuns.Extent(4, 4));
        assertThat(runs.start(name, true, FAST)).isPresent();
        assertThat(extent()).isEqualTo(new ExistingRuns.Extent(0, 0));
        look();
        assertThat(extent()).isEqualTo(new ExistingRuns.Extent(4, 4));
        // The row of the run has the messages alone.
        runs = new ExistingRuns(bed.store(), now::get, (target, destination) -> 0);
        assertThat(extent()).isEqualTo(new ExistingRuns.Extent(3, 0));
    }

    private ExistingRuns.Extent extent() {
        return runs.extent(runs.of(name).orElseThrow());
    }

    /** Otherwise each step would read the runs of all buckets. */
    @Test
    void runsAreReadAtTheStartAlone() throws IOException {
        put("in/a", "1");
        replicate();
        List<String> reads = new ArrayList<>();
        Outbox outbox = counted(Outbox.class, bed.store().outbox(), "visit", reads::add);
        VersionedStore store =
                (VersionedStore)
                        Proxy.newProxyInstance(
                                getClass().getClassLoader(),
                                new Class<?>[] {VersionedStore.class},
                                (proxy, method, arguments) ->
                                        method.getName().equals("outbox")
                                                ? outbox
                                                : invoke(bed.store(), method, arguments));
        runs = new ExistingRuns(store, now::get, (target, destination) -> 0);
        assertThat(reads).hasSize(1);
        runToTheEnd();
        assertThat(reads).hasSize(1);
    }

    private static <T> T counted(Class<T> type, T real, String name, Consumer<String> calls) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals(name)) {
                                calls.accept(name);
                            }
                            return invoke(real, method, arguments);
                        }));
    }

    private static Object invoke(Object on, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(on, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @Test
    void keepsItsRateHoweverOftenItIsWoken() throws IOException {
        put("in/a", "1");
        put("in/b", "1");
        put("in/c", "1");
        replicate();
        assertThat(runs.start(name, false, 1)).isPresent();
        look();
        runs.look();
        now.updateAndGet(before -> before.plusMillis(500));
        runs.look();
        assertThat(changes(FAR)).hasSize(1);
    }

    @Test
    void waitsWhileManyChangesWait() throws IOException {
        put("in/a", "1");
        replicate();
        bed.store().outbox().addAll(name, FAR, Collections.nCopies(2001, new byte[1]));
        assertThat(runs.start(name, false, FAST)).isPresent();
        look();
        assertThat(runs.of(name).orElseThrow().sent()).isZero();
        bed.store().outbox().remove(FAR, bed.store().outbox().next(FAR, 1));
        look();
        assertThat(runs.of(name).orElseThrow().sent()).isEqualTo(1);
    }

    @Test
    void oneRunOfABucketAtATime() throws IOException {
        replicate();
        assertThat(runs.stop(name)).isEmpty();
        assertThat(runs.start(name, false, FAST)).isPresent();
        assertThat(runs.start(name, false, FAST)).isEmpty();
        assertThat(runs.stop(name).orElseThrow().state()).isEqualTo(State.STOPPED);
        put("in/a", "1");
        look();
        assertThat(runs.of(name).orElseThrow().sent()).isZero();
        assertThat(runs.start(name, false, FAST)).isPresent();
    }

    @Test
    void endsWithTheConfiguration() throws IOException {
        replicate();
        assertThat(runs.start(name, false, FAST)).isPresent();
        bed.request("DELETE", "/" + bucket + "?replication").send();
        look();
        assertThat(runs.of(name).orElseThrow().state()).isEqualTo(State.STOPPED);
    }

    @Test
    void aRunThatIsRepeatedSendsNothingTwice() throws IOException {
        put("in/a", "1");
        put("in/a", "2");
        bed.request("DELETE", "/" + bucket + "/in/a").send();
        String copy = bed.versionedBucket();
        replicate("arn:aws:s3:::" + copy, "");
        for (int round = 0; round < 2; round++) {
            runToTheEnd();
            deliverHere();
        }
        assertThat(bed.get("/" + copy + "?versions").xml("ListVersionsResult").all("Version"))
                .hasSize(2);
        assertThat(bed.get("/" + copy + "?versions").xml("ListVersionsResult").all("DeleteMarker"))
                .hasSize(1);
    }

    @Test
    void tagsOfSentVersionsFollow() throws IOException {
        put("in/a", "1");
        String copy = bed.versionedBucket();
        replicate("arn:aws:s3:::" + copy, "");
        runToTheEnd();
        deliverHere();
        bed.request("PUT", "/" + bucket + "/in/a?tagging")
                .body("<Tagging><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tagging>")
                .send();
        deliverHere();
        assertThat(bed.get("/" + copy + "/in/a").header("x-amz-tagging-count")).isEqualTo("1");
        assertThat(
                        bed.store()
                                .head(
                                        ReplicationRouter.caller(""),
                                        name,
                                        new ObjectKey("in/a"),
                                        VersionSelector.LATEST)
                                .orElseThrow()
                                .attributes()
                                .headers())
                .doesNotContainKey("x-volute-replication");
    }

    private void deliverHere() throws IOException {
        StoreSink sink =
                new StoreSink(
                        new Sources(bed.store(), new UUID(0, 1), Optional.empty()),
                        ReplicationRightsTest.rights(bed),
                        now::get);
        List<Message> all = bed.store().outbox().next("replicate:local", 100);
        for (Message each : all) {
            assertThat(sink.apply(ReplicationMessage.decode(each.content().orElseThrow())))
                    .isEmpty();
        }
        bed.store().outbox().remove("replicate:local", all);
    }

    @Test
    void refusedChangesAreSentAgainOrForgotten() throws IOException {
        ReplicationReport report = new ReplicationReport(bed.store().outbox(), now::get, Map.of());
        replicate();
        put("in/a", "1");
        put("in/b", "1");
        String failed = "unreplicated:far";
        bed.store().outbox().move(FAR, bed.store().outbox().next(FAR, 10), failed);
        BucketName other = new BucketName(bed.bucket());
        assertThat(report.takeRefused(other, (target, some) -> {})).isZero();
        assertThat(
                        report.takeRefused(
                                name,
                                (target, some) ->
                                        bed.store()
                                                .outbox()
                                                .move("unreplicated:" + target, some, FAR)))
                .isEqualTo(2);
        assertThat(changes(FAR)).hasSize(2);
        assertThat(bed.store().outbox().queue(failed).messages()).isZero();
    }
}
