package io.volute.server.replication;

import io.volute.server.LogText;
import io.volute.server.Upkeep;
import io.volute.server.outbound.Lanes;
import io.volute.server.s3.replication.ReplicaTarget;
import io.volute.server.s3.replication.ReplicationMessage;
import io.volute.versioning.Outbox;
import io.volute.versioning.Outbox.Message;
import io.volute.versioning.VersionedStore;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies the changes for one target, in order for each key, and removes their messages. Keys are
 * spread over lanes, which work at the same time. A change that the target refuses for good is kept
 * aside. After a failure of one key or one destination bucket, its changes wait, and others pass
 * them. After a failure of the target, all wait.
 *
 * <p>The delivery reads the messages once, and remembers how far it came. When a pause ends, it
 * begins anew with the oldest message.
 */
final class ReplicaDelivery implements Upkeep.Task {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaDelivery.class);

    /** A message wakes the delivery; the pauses matter after failures alone. */
    static final Upkeep.Pauses PAUSES =
            new Upkeep.Pauses(Duration.ZERO, Duration.ofSeconds(1), Duration.ofMinutes(1));

    private static final int MOST_AT_ONCE = 256;

    /** Messages of held changes are read again at most in this part of the time. */
    private static final int READING_SHARE = 10;

    private final String target;
    private final Outbox outbox;
    private final UnreadableChanges unreadableChanges;
    private final List<Sink> lanes;
    private final InstantSource clock;
    private final AtomicLong unreadable = new AtomicLong();
    private final AtomicLong delivered = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();

    // Of the delivering thread.
    private Duration pause = Duration.ZERO;
    private Instant retryAt = Instant.EPOCH;

    /** Number of the last message that was read, by cube. */
    private final Map<String, Long> behind = new HashMap<>();

    /** Time of the last begin with the oldest message; empty when the end was reached since. */
    private Optional<Instant> passBegan = Optional.empty();

    private Instant nextPass = Instant.EPOCH;

    /** Messages since the last begin that were not delivered. */
    private long passed;

    private final HeldChanges held = new HeldChanges();
    private volatile long heldMessages;
    private volatile Optional<String> failure = Optional.empty();
    private volatile boolean isAnew;
    private volatile boolean isStopped;

    /**
     * @param lanes each is used by one thread at a time
     */
    ReplicaDelivery(String target, VersionedStore store, List<Sink> lanes, InstantSource clock) {
        this.target = target;
        this.outbox = store.outbox();
        this.unreadableChanges = new UnreadableChanges(store, target);
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
        private Optional<String> targetFailure = Optional.empty();
        private Optional<String> refusal = Optional.empty();
        private int failures;

        synchronized void done(Message message, Optional<String> why) {
            (why.isPresent() ? refused : done).add(message);
            refusal = why.or(() -> refusal);
        }

        synchronized void failed(Exception e, boolean isOfTarget) {
            failures++;
            failure = Optional.of(String.valueOf(e.getMessage()));
            targetFailure = isOfTarget ? failure : targetFailure;
        }

        synchronized boolean isOver() {
            return targetFailure.isPresent();
        }
    }

    @Override
    public void look() throws IOException {
        String consumer = ReplicaTarget.consumer(target);
        while (!isStopped && HeldChanges.isOver(retryAt, clock.instant())) {
            beginPass();
            List<Message> messages = outbox.next(consumer, behind, MOST_AT_ONCE);
            if (messages.isEmpty()) {
                endPass();
                return;
            }
            if (setAside(consumer, messages)) {
                // The new messages come later, and the others of the batch are read again.
                continue;
            }
            Outcome outcome = deliver(messages);
            outbox.remove(consumer, outcome.done);
            outbox.move(consumer, outcome.refused, ReplicaTarget.failed(target));
            delivered.addAndGet(outcome.done.size());
            outcome.refusal.ifPresent(
                    why -> LOG.warn("Replication target {} refuses a change: {}.", target, why));
            failures.addAndGet(outcome.failures);
            if (outcome.isOver()) {
                if (!isStopped) {
                    pause(outcome.targetFailure.get());
                }
            } else {
                pause = Duration.ZERO;
                messages.forEach(each -> behind.merge(each.cube(), each.number(), Math::max));
                passed += messages.size() - outcome.done.size() - outcome.refused.size();
                report(outcome);
            }
        }
    }

    /**
     * Takes messages that cannot be read out of the queue, once the present states of what they
     * concerned are in it. Returns whether there were some.
     */
    private boolean setAside(String consumer, List<Message> messages) throws IOException {
        List<Message> damaged =
                messages.stream().filter(each -> each.damage().isPresent()).toList();
        if (damaged.isEmpty()) {
            return false;
        }
        if (!unreadableChanges.sendAgain(damaged, () -> !isStopped)) {
            outbox.remove(consumer, damaged);
            unreadable.addAndGet(damaged.size());
        }
        return true;
    }

    /** Begins with the oldest message if a hold has ended, or older messages were added. */
    private void beginPass() {
        Instant now = clock.instant();
        boolean isReleased = HeldChanges.isOver(nextPass, now) && held.release(now);
        if (isReleased || isAnew) {
            isAnew = false;
            begin();
        }
    }

    private void begin() {
        behind.clear();
        passBegan = Optional.of(clock.instant());
        passed = 0;
    }

    private void endPass() {
        boolean wasHeld = !held.isEmpty();
        held.forgetReleased();
        heldMessages = passed;
        if (held.isEmpty() && passed == 0) {
            // A cube that is opened later may have older messages.
            begin();
            failure = wasHeld ? Optional.empty() : failure;
        }
        if (passBegan.isPresent()) {
            Instant now = clock.instant();
            Duration rest = Duration.between(passBegan.get(), now).multipliedBy(READING_SHARE);
            nextPass = now.plus(Collections.min(List.of(rest, HeldChanges.LONGEST_PAUSE)));
            passBegan = Optional.empty();
        }
    }

    private Outcome deliver(List<Message> messages) {
        List<List<Work>> ofLane = new ArrayList<>();
        lanes.forEach(lane -> ofLane.add(new ArrayList<>()));
        Outcome outcome = new Outcome();
        for (Message message : messages) {
            try {
                ReplicationMessage change =
                        ReplicationMessage.decode(message.content().orElseThrow());
                int hash = 31 * change.bucket().hashCode() + change.key().hashCode();
                ofLane.get(Math.floorMod(hash, lanes.size())).add(new Work(message, change));
            } catch (IOException | RuntimeException e) {
                // A later release may have written it. It waits, and nothing waits for it.
                outcome.failed(e, false);
            }
        }
        Lanes.run(
                "replicate-lane-",
                lanes.size(),
                i -> ofLane.get(i).forEach(work -> apply(lanes.get(i), work, outcome)));
        return outcome;
    }

    private void apply(Sink lane, Work work, Outcome outcome) {
        if (isStopped || outcome.isOver() || held.holds(work.change())) {
            return;
        }
        try {
            outcome.done(work.message(), lane.apply(work.change()));
            held.succeeded(work.change());
        } catch (IOException | RuntimeException e) {
            DeliveryException.Reach reach = DeliveryException.reach(e);
            boolean isHeld =
                    reach != DeliveryException.Reach.TARGET
                            && held.failed(work.change(), reach, clock.instant());
            outcome.failed(e, !isHeld);
        }
    }

    private void report(Outcome outcome) {
        if (outcome.failure.isPresent()) {
            failure = outcome.failure.map(LogText::of);
            LOG.warn(
                    "Cannot deliver {} changes to target {}, the last one as {}. Later changes of"
                            + " these keys or destination buckets wait; they are tried again within"
                            + " {} s.",
                    outcome.failures,
                    target,
                    failure.get(),
                    HeldChanges.LONGEST_PAUSE.toSeconds());
        } else if (outcome.refusal.isPresent() || held.isEmpty()) {
            failure = outcome.refusal;
        }
    }

    /** Waits with the changes of all keys, then begins with the oldest message. */
    private void pause(String why) {
        pause = HeldChanges.next(pause);
        retryAt = clock.instant().plus(pause);
        isAnew = true;
        failure = Optional.of(LogText.of(why));
        LOG.warn(
                "Cannot replicate to target {}: {}. The next attempt is in {} ms; changes wait.",
                target,
                failure.get(),
                pause.toMillis());
    }

    /** Begins with the oldest message: older ones were given to the target again. */
    void beginAnew() {
        isAnew = true;
    }

    /**
     * Returns how many messages wait behind failures of others than this destination bucket; 0 when
     * it is held itself.
     */
    long heldBesides(String destination) {
        return held.holdsBucket(destination) ? 0 : heldMessages;
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

    /** Returns the number of messages since the start that could not be read. */
    long unreadable() {
        return unreadable.get();
    }

    /** Returns the reason why the last attempt failed; empty after a success. */
    Optional<String> failure() {
        return failure;
    }
}
