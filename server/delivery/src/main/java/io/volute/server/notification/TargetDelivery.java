package io.volute.server.notification;

import io.volute.server.LogText;
import io.volute.server.Upkeep;
import io.volute.server.notification.Target.Sent;
import io.volute.server.s3.notification.EventMessage;
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
 * The delivery of one target's messages. A message leaves the outbox after the target has it, so
 * each is delivered at least once. After a failure the delivery pauses, twice as long each time.
 */
final class TargetDelivery implements Upkeep.Task {
    private static final Logger LOG = LoggerFactory.getLogger(TargetDelivery.class);

    /** A message wakes the delivery; the pauses matter after failures alone. */
    static final Upkeep.Pauses PAUSES =
            new Upkeep.Pauses(Duration.ZERO, Duration.ofSeconds(1), Duration.ofMinutes(1));

    private static final int MOST_AT_ONCE = 256;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    private final String name;
    private final Outbox outbox;
    private final Target target;
    private final InstantSource clock;
    private final AtomicLong delivered = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicLong unreadable = new AtomicLong();

    // Of the delivering thread.
    private Duration pause = FIRST_PAUSE;
    private Instant retryAt = Instant.EPOCH;

    private volatile Optional<String> failure = Optional.empty();
    private volatile boolean isStopped;

    TargetDelivery(String name, Outbox outbox, Target target, InstantSource clock) {
        this.name = name;
        this.outbox = outbox;
        this.target = target;
        this.clock = clock;
    }

    @Override
    public void look() throws IOException {
        while (!isStopped && !isPausing()) {
            List<Message> messages = outbox.next(name, MOST_AT_ONCE);
            if (messages.isEmpty()) {
                return;
            }
            deliver(messages);
        }
    }

    /** A clock that was set back does not make the pause longer. */
    private boolean isPausing() {
        Instant now = clock.instant();
        return now.isBefore(retryAt) && !now.isBefore(retryAt.minus(LONGEST_PAUSE));
    }

    private void deliver(List<Message> messages) throws IOException {
        List<Readable> read = messages.stream().map(TargetDelivery::read).toList();
        Sent sent = target.send(read.stream().map(Readable::event).toList());
        List<Message> done = new ArrayList<>();
        sent.done().stream().forEach(place -> done.add(messages.get(place)));
        outbox.remove(name, done);
        delivered.addAndGet(done.size());
        sent.done().stream().forEach(place -> tell(messages.get(place), read.get(place)));
        if (sent.failure().isEmpty()) {
            pause = FIRST_PAUSE;
            failure = Optional.empty();
        } else if (!isStopped) {
            failed(sent.failure().get());
        }
    }

    private void failed(IOException e) {
        failed.incrementAndGet();
        failure = Optional.of(LogText.of(String.valueOf(e.getMessage())));
        LOG.warn(
                "Cannot deliver notifications to target {}: {}. The next attempt is in {} ms;"
                        + " the messages wait.",
                name,
                failure.get(),
                pause.toMillis());
        retryAt = clock.instant().plus(pause);
        Duration twice = pause.multipliedBy(2);
        pause = twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
    }

    /**
     * A message as the target gets it.
     *
     * @param damage why a gap stands in its place; empty for a message that was read
     */
    private record Readable(EventMessage event, Optional<String> damage) {}

    /** A gap takes the place of a message that cannot be read, so that the target knows. */
    private static Readable read(Message message) {
        Optional<String> damage = message.damage();
        if (message.content().isPresent()) {
            try {
                return new Readable(EventMessage.decode(message.content().get()), Optional.empty());
            } catch (IllegalArgumentException e) {
                damage = Optional.of(String.valueOf(e.getMessage()));
            }
        }
        return new Readable(EventMessage.ofGap(message.at()), damage);
    }

    private void tell(Message message, Readable read) {
        if (read.damage().isPresent()) {
            unreadable.incrementAndGet();
            LOG.error(
                    "A notification for target {} about a change of {} is lost: message {} of cube"
                            + " '{}' cannot be read ({}). The target got a gap in its place.",
                    name,
                    message.at(),
                    message.number(),
                    message.cube(),
                    LogText.of(read.damage().get()));
        }
    }

    @Override
    public void stop() {
        isStopped = true;
        target.close();
    }

    /** Returns the number of messages that the target has taken since the start. */
    long delivered() {
        return delivered.get();
    }

    /** Returns the number of failed attempts since the start. */
    long failures() {
        return failed.get();
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
