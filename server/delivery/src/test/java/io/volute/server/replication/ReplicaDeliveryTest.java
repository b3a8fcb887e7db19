package io.volute.server.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.Limits;
import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.replication.ReplicationMessage;
import io.volute.versioning.Outbox;
import io.volute.versioning.Outbox.Message;
import io.volute.versioning.value.BucketName;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A failing key, destination bucket or target holds up its own changes, and no others. */
class ReplicaDeliveryTest extends S3TestCase {
    private static final String CONSUMER = "replicate:faulty";
    private static final String REFUSED = "unreplicated:faulty";
    private static final int LANES = 3;

    private final AtomicReference<Instant> now = new AtomicReference<>(S3TestBed.NOW);
    private final Set<String> failing = new HashSet<>();
    private final List<ReplicationMessage> added = new ArrayList<>();
    private final List<ReplicationMessage> delivered =
            Collections.synchronizedList(new ArrayList<>());
    private Outbox outbox;
    private BucketName bucket;
    private ReplicaDelivery delivery;
    private long number;

    @BeforeEach
    void begin() {
        bucket = new BucketName(bed.versionedBucket());
        outbox = bed.store().outbox();
        List<Sink> lanes = new ArrayList<>();
        for (int i = 0; i < LANES; i++) {
            lanes.add(new FaultySink());
        }
        delivery = new ReplicaDelivery("faulty", bed.store(), lanes, now::get);
    }

    @AfterEach
    void takeAll() throws IOException {
        outbox.remove(CONSUMER, outbox.next(CONSUMER, 10_000));
        outbox.remove(REFUSED, outbox.next(REFUSED, 10_000));
    }

    /** Fails as the test wants it. */
    private final class FaultySink implements Sink {
        @Override
        public Optional<String> apply(ReplicationMessage change) throws IOException {
            if (failing.contains("target")) {
                throw new DeliveryException(DeliveryException.Reach.TARGET, "cut off");
            }
            if (failing.contains(change.destination())) {
                throw new DeliveryException(DeliveryException.Reach.BUCKET, "no bucket");
            }
            if (failing.contains(key(change))) {
                throw new IOException("damaged");
            }
            delivered.add(change);
            return change.kind() == ReplicationMessage.Kind.LOCK
                    ? Optional.of("refused")
                    : Optional.empty();
        }

        @Override
        public void close() {}
    }

    private static String key(ReplicationMessage change) {
        return change.bucket() + "/" + change.key();
    }

    /** Changes of a key for different buckets have no order. */
    private static String way(ReplicationMessage change) {
        return key(change) + " to " + change.destination();
    }

    private void add(String source, String key, String destination) throws IOException {
        number++;
        ReplicationMessage change =
                new ReplicationMessage(
                        number % 11 == 0
                                ? ReplicationMessage.Kind.LOCK
                                : ReplicationMessage.Kind.TAGS,
                        number,
                        OptionalLong.of(7),
                        source,
                        key,
                        destination,
                        "",
                        "");
        added.add(change);
        outbox.addAll(bucket, CONSUMER, List.of(change.encode()));
    }

    private void pass(long millis) throws IOException {
        now.updateAndGet(before -> before.plusMillis(millis));
        delivery.look();
    }

    private boolean isFailing(ReplicationMessage change) {
        return failing.contains("target")
                || failing.contains(change.destination())
                || failing.contains(key(change));
    }

    /** Nothing waits that could be delivered, each key is in order, and nothing came twice. */
    private void isDelivered(String seed) {
        List<ReplicationMessage> wanted =
                added.stream()
                        .filter(each -> !isFailing(each) || delivered.contains(each))
                        .toList();
        assertThat(delivered).as(seed).containsExactlyInAnyOrderElementsOf(wanted);
        Set<String> keys = new HashSet<>();
        added.forEach(each -> keys.add(way(each)));
        for (String key : keys) {
            assertThat(delivered.stream().filter(each -> way(each).equals(key)).toList())
                    .as("%s, %s", seed, key)
                    .isEqualTo(
                            added.stream()
                                    .filter(each -> way(each).equals(key))
                                    .filter(delivered::contains)
                                    .toList());
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aFailureHoldsUpNothingElse(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        List<String> faults = new ArrayList<>(List.of("target"));
        for (int i = 0; i < 4; i++) {
            faults.add("to-" + i);
            faults.add("from-" + i % 2 + "/k" + i);
        }
        for (int step = 0; step < 120; step++) {
            switch (random.nextInt(5)) {
                case 0 -> {
                    String fault = faults.get(random.nextInt(faults.size()));
                    if (!failing.remove(fault)) {
                        failing.add(fault);
                    }
                }
                case 1 -> pass(random.nextInt(3000));
                case 2 -> {
                    // The longest pause, after which each fault is met anew.
                    pass(61_000);
                    isDelivered("seed " + seed + ", step " + step);
                }
                default -> {
                    int from = random.nextInt(4);
                    add("from-" + from % 2, "k" + random.nextInt(5), "to-" + from);
                }
            }
        }
        failing.clear();
        pass(61_000);
        pass(61_000);
        assertThat(delivered).as("seed " + seed).hasSize(added.size());
        isDelivered("seed " + seed);
        assertThat(outbox.next(CONSUMER, 10)).isEmpty();
        assertThat(delivery.failure().orElse("refused")).isEqualTo("refused");
    }

    @Test
    void aMissingBucketWithALongQueueHoldsUpNobody() throws IOException {
        failing.add("gone");
        for (int i = 0; i < 600; i++) {
            add("from", "k" + i, "gone");
        }
        add("other", "k", "there");
        pass(0);
        assertThat(delivered).extracting(ReplicationMessage::destination).containsExactly("there");
        assertThat(delivery.failure()).contains("no bucket");
        assertThat(delivery.heldBesides("there")).isEqualTo(600);
        assertThat(delivery.heldBesides("gone")).isZero();
        long before = delivery.failures();
        assertThat(before).isLessThanOrEqualTo(LANES);
        add("other", "k", "there");
        pass(1);
        assertThat(delivered).hasSize(2);
        assertThat(delivery.failures()).isEqualTo(before);
        failing.clear();
        pass(61_000);
        isDelivered("");
        assertThat(delivered).hasSize(602);
    }

    @Test
    void manyFailingKeysHoldTheirBucketAlone() throws IOException {
        for (int i = 0; i < Limits.HELD_KEYS_OF_BUCKET_MAX + 50; i++) {
            add("from", "k" + i, "to");
            failing.add("from/k" + i);
        }
        add("from", "good", "to");
        add("other", "good", "there");
        pass(0);
        assertThat(delivered).extracting(ReplicationMessage::destination).contains("there");
        failing.remove("from/k7");
        pass(61_000);
        assertThat(delivered).extracting(ReplicationMessage::key).contains("k7");
        failing.clear();
        pass(61_000);
        isDelivered("");
    }

    @Test
    void aMessageThatCannotBeReadWaitsAlone() throws IOException {
        outbox.addAll(bucket, CONSUMER, List.of(new byte[] {99, 1}));
        add("from", "k", "to");
        pass(0);
        assertThat(delivered).hasSize(1);
        assertThat(delivery.failure()).isPresent();
        pass(1);
        assertThat(delivery.failures()).isEqualTo(1);
        List<Message> left = outbox.next(CONSUMER, 10);
        assertThat(left).hasSize(1);
    }

    @Test
    void changesThatAreGivenAgainAreSent() throws IOException {
        for (int i = 1; i <= 11; i++) {
            add("from", "k", "to");
        }
        failing.add("elsewhere");
        add("from", "l", "elsewhere");
        pass(0);
        List<Message> refused = outbox.next(REFUSED, 10);
        assertThat(refused).hasSize(1);
        outbox.move(REFUSED, refused, CONSUMER);
        int before = delivered.size();
        pass(0);
        assertThat(delivered).as("the place of the delivery is behind").hasSize(before);
        delivery.beginAnew();
        pass(0);
        assertThat(delivered).hasSize(before + 1);
    }
}
