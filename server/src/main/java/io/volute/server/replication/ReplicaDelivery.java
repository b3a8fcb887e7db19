package io.volute.server.replication;

import io.volute.server.LogText;
import io.volute.server.outbound.Lanes;
import io.volute.server.s3.replication.ReplicaTarget;
import io.volute.server.upkeep.Upkeep;
import io.volute.versioning.Outbox;
import io.volute.versioning.Outbox.Message;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies the changes for one target, in order for each key, and removes their messages. Keys are
 * spread over lanes, which work at the same time. After a failure the lane ends, and the next
 * attempt comes after a pause. A change that the target refuses for good is kept aside.
 */
final class ReplicaDelivery implements Upkeep.Task {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaDelivery.class);

    /** A message wakes the delivery; the pauses matter after failures alone. */
    static final Upkeep.Pauses PAUSES =
            new Upkeep.Pauses(Duration.ZERO, Duration.ofSeconds(1), Duration.ofMinutes(1));

    private static final int MOST_AT_ONCE = 256;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    private final String target;
    private final Outbox outbox;
    private final List<Sink> lanes;
    private final InstantSource clock;
    private final AtomicLong delivered = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();

    // Of the delivering thread.
    private Duration pause = FIRST_PAUSE;
    private Instant retryAt = Instant.EPOCH;

    private volatile Optional<String> failure = Optional.empty();
    private volatile boolean isStopped;

    /**
     * @param lanes each is used by one thread at a time
     */
    ReplicaDelivery(String target, Outbox outbox, List<Sink> lanes, InstantSource clock) {
        this.target = target;
        this.outbox = outbox;
        this.lanes = List.copyOf(lanes);
        this.clock = clock;
    }

    /** A message and the change in it. */
    private record Work(Message message, ReplicationMessage change) {}

    /** The outcome of one batch. */
    private static final class Outcome {
        private final List<Message> done = new ArrayList<>();
        private final List<Message> refused = new ArrayList<>();
        private Optional<String> failure = Optional.empty();
        private Optional<String> refusal = Optional.empty();

        synchronized void done(Message message, Optional<String> why) {
            (why.isPresent() ? refused : done).add(message);
            refusal = why.or(() -> refusal);
        }

        synchronized void failed(Exception e) {
            failure = Optional.of(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public void look() throws IOException {
        String consumer = ReplicaTarget.consumer(target);
        while (!isStopped && !isPausing()) {
            List<Message> messages = outbox.next(consumer, MOST_AT_ONCE);
            if (messages.isEmpty()) {
                return;
            }
            Outcome outcome = deliver(messages);
            outbox.remove(consumer, outcome.done);
            outbox.move(consumer, outcome.refused, ReplicaTarget.failed(target));
            delivered.addAndGet(outcome.done.size());
            outcome.refusal.ifPresent(
                    why -> LOG.warn("Replication target {} refuses a change: {}.", target, why));
            if (outcome.failure.isEmpty()) {
                pause = FIRST_PAUSE;
                failure = outcome.refusal;
            } else if (!isStopped) {
                failed(outcome.failure.get());
            }
        }
    }

    /** A clock that was set back does not make the pause longer. */
    private boolean isPausing() {
        Instant now = clock.instant();
        return now.isBefore(retryAt) && !now.isBefore(retryAt.minus(LONGEST_PAUSE));
    }

    private Outcome deliver(List<Message> messages) throws IOException {
        List<List<Work>> ofLane = new ArrayList<>();
        lanes.forEach(lane -> ofLane.add(new ArrayList<>()));
        for (Message message : messages) {
            ReplicationMessage change = ReplicationMessage.decode(message.content().orElseThrow());
            int hash = 31 * change.bucket().hashCode() + change.key().hashCode();
            ofLane.get(Math.floorMod(hash, lanes.size())).add(new Work(message, change));
        }
        Outcome outcome = new Outcome();
        Lanes.run(
                "replicate-lane-",
                lanes.size(),
                i -> {
                    try {
                        apply(lanes.get(i), ofLane.get(i), outcome);
                    } catch (IOException | RuntimeException e) {
                        outcome.failed(e);
                    }
                });
        return outcome;
    }

    private void apply(Sink lane, List<Work> all, Outcome outcome) throws IOException {
        for (Work work : all) {
            if (isStopped) {
                return;
            }
            outcome.done(work.message(), lane.apply(work.change()));
        }
    }

    private void failed(String why) {
        failures.incrementAndGet();
        failure = Optional.of(LogText.of(why));
        LOG.warn(
                "Cannot replicate to target {}: {}. The next attempt is in {} ms; changes wait.",
                target,
                failure.get(),
                pause.toMillis());
        retryAt = clock.instant().plus(pause);
        Duration twice = pause.multipliedBy(2);
        pause = twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
    }

    @Override
    public void stop() {
        isStopped = true;
        lanes.forEach(Sink::close);
    }

    /** Returns the number of changes that the target has taken since the start. */
    long delivered() {
        return delivered.get();
    }

    /** Returns the number of failed attempts since the start. */
    long failures() {
        return failures.get();
    }

    /** Returns the reason why the last attempt failed; empty after a success. */
    Optional<String> failure() {
        return failure;
    }
}
