package io.volute.server.replication;

import io.volute.adminapi.ReplicationApi.RefusedChange;
import io.volute.adminapi.ReplicationApi.Replication;
import io.volute.adminapi.ReplicationApi.ReplicationRun;
import io.volute.adminapi.ReplicationApi.ReplicationTarget;
import io.volute.adminapi.Words;
import io.volute.server.s3.replication.ReplicaTarget;
import io.volute.server.s3.replication.ReplicationMessage;
import io.volute.versioning.Outbox;
import io.volute.versioning.Outbox.Message;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.VersionId;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * The state of replication for metrics and operators.
 *
 * @param deliveries by the names of their targets
 */
record ReplicationReport(
        Outbox outbox, InstantSource clock, Map<String, ReplicaDelivery> deliveries) {
    /** Messages that a request for one bucket looks at. */
    private static final int MOST_COUNTED = 100_000;

    /** Refused changes that one commit moves or removes. */
    private static final int MOST_TOGETHER = 100;

    /** Refused changes that an answer lists. */
    private static final int MOST_SHOWN = 100;

    /** Returns the names of all targets, the configured ones first. */
    private List<String> targets() {
        List<String> names = new ArrayList<>(deliveries.keySet());
        names.addAll(unknown());
        return names;
    }

    /** Returns the targets that the settings do not have, but for which there are messages. */
    List<String> unknown() {
        TreeSet<String> names = new TreeSet<>();
        outbox.consumers().forEach(each -> ReplicaTarget.target(each).ifPresent(names::add));
        names.removeAll(deliveries.keySet());
        return List.copyOf(names);
    }

    ReplicationFigures figures(String target) {
        Outbox.Queue queue = outbox.queue(ReplicaTarget.consumer(target));
        Optional<ReplicaDelivery> delivery = Optional.ofNullable(deliveries.get(target));
        return new ReplicationFigures(
                delivery.map(ReplicaDelivery::delivered).orElse(0L),
                delivery.map(ReplicaDelivery::failures).orElse(0L),
                queue.messages(),
                age(queue.oldest()),
                outbox.queue(ReplicaTarget.failed(target)).messages(),
                delivery.map(ReplicaDelivery::unreadable).orElse(0L));
    }

    private Duration age(Optional<Instant> at) {
        return at.map(each -> Duration.between(each, clock.instant()))
                .filter(Duration::isPositive)
                .orElse(Duration.ZERO);
    }

    private ReplicationTarget target(
            String name, ReplicationFigures figures, long waiting, Duration lag, long refused) {
        return new ReplicationTarget(
                name,
                deliveries.containsKey(name),
                figures.replicated(),
                figures.failures(),
                waiting,
                lag.toMillis(),
                refused,
                Optional.ofNullable(deliveries.get(name)).flatMap(ReplicaDelivery::failure));
    }

    /** Returns the state of all buckets. */
    Replication ofAll(List<ReplicationRun> runs) {
        return new Replication(
                targets().stream()
                        .map(
                                name -> {
                                    ReplicationFigures all = figures(name);
                                    return target(
                                            name, all, all.waiting(), all.lag(), all.refused());
                                })
                        .toList(),
                List.of(),
                runs,
                true);
    }

    /** Counts the changes of one bucket. */
    private static final class Count {
        private final BucketName bucket;
        private int left = MOST_COUNTED;
        private long waiting;
        private Optional<Instant> oldest = Optional.empty();
        private long refusedOfTarget;
        private final List<RefusedChange> refused = new ArrayList<>();

        Count(BucketName bucket) {
            this.bucket = bucket;
        }

        private boolean visit(Message message, Consumer<ReplicationMessage> counter) {
            if (left == 0) {
                return false;
            }
            left--;
            decode(message)
                    .filter(change -> change.bucket().equals(bucket.value()))
                    .ifPresent(counter);
            return true;
        }

        boolean waiting(Message message) {
            return visit(
                    message,
                    change -> {
                        waiting++;
                        oldest = oldest.or(() -> Optional.of(message.at()));
                    });
        }

        boolean refused(String target, Message message) {
            return visit(
                    message,
                    change -> {
                        refusedOfTarget++;
                        if (refused.size() < MOST_SHOWN) {
                            refused.add(
                                    new RefusedChange(
                                            target,
                                            Words.of(change.kind()),
                                            change.key(),
                                            VersionId.format(change.number(), false),
                                            message.at()));
                        }
                    });
        }
    }

    /** Returns the change of a message; empty when it cannot be read: its bucket is not known. */
    private static Optional<ReplicationMessage> decode(Message message) {
        try {
            return message.content().isEmpty()
                    ? Optional.empty()
                    : Optional.of(ReplicationMessage.decode(message.content().get()));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Returns the state of one bucket. It looks at the waiting messages of all buckets. */
    Replication of(BucketName bucket, List<ReplicationRun> runs) throws IOException {
        Count count = new Count(bucket);
        List<ReplicationTarget> targets = new ArrayList<>();
        for (String name : targets()) {
            count.waiting = 0;
            count.oldest = Optional.empty();
            count.refusedOfTarget = 0;
            outbox.visit(ReplicaTarget.failed(name), message -> count.refused(name, message));
            outbox.visit(ReplicaTarget.consumer(name), count::waiting);
            targets.add(
                    target(
                            name,
                            figures(name),
                            count.waiting,
                            age(count.oldest),
                            count.refusedOfTarget));
        }
        return new Replication(targets, count.refused, runs, count.left > 0);
    }

    static ReplicationRun run(ExistingRun run, ExistingRuns.Extent extent) {
        return new ReplicationRun(
                run.bucket().value(),
                Words.of(run.state()),
                run.isAgain(),
                run.started(),
                run.rate(),
                extent.looked(),
                extent.total(),
                run.sent(),
                run.leftOut(),
                Optional.of(run.after()).filter(key -> !key.isEmpty()));
    }

    /** Takes refused changes from the messages of a target. */
    interface Taker {
        void take(String target, List<Message> messages) throws IOException;
    }

    /**
     * Passes the refused changes of a bucket to a taker, in portions, until there are no more.
     *
     * @return their number
     */
    long takeRefused(BucketName bucket, Taker taker) throws IOException {
        long taken = 0;
        for (String target : targets()) {
            List<Message> some;
            do {
                some = new ArrayList<>();
                List<Message> portion = some;
                outbox.visit(
                        ReplicaTarget.failed(target),
                        message -> {
                            decode(message)
                                    .filter(change -> change.bucket().equals(bucket.value()))
                                    .ifPresent(change -> portion.add(message));
                            return portion.size() < MOST_TOGETHER;
                        });
                taker.take(target, some);
                taken += some.size();
            } while (!some.isEmpty());
        }
        return taken;
    }
}
