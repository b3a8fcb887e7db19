package io.volute.server.replication;

import io.volute.server.Upkeep;
import io.volute.server.replication.ExistingRun.State;
import io.volute.server.s3.replication.ReplicaTarget;
import io.volute.server.s3.replication.ReplicationRules;
import io.volute.versioning.History;
import io.volute.versioning.Outbox;
import io.volute.versioning.Outbox.Message;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The runs that send what was in a bucket before its configuration, one for each bucket. A run adds
 * messages to the outbox, which the deliveries apply. Its position is durable, so it goes on after
 * a restart. It pauses while many changes wait for a target, so new changes do not wait long behind
 * it. Thread-safe.
 */
final class ExistingRuns implements Upkeep.Task {
    private static final Logger LOG = LoggerFactory.getLogger(ExistingRuns.class);

    static final Upkeep.Pauses PAUSES =
            new Upkeep.Pauses(Duration.ZERO, Duration.ofSeconds(1), Duration.ofMinutes(1));

    private static final Duration STEP = Duration.ofSeconds(1);

    /** Changes that may wait for a target while a run adds more. */
    private static final long MOST_WAITING = 2_000;

    private final VersionedStore store;
    private final InstantSource clock;
    private final Held held;

    /** The last run of each bucket. Guarded by this. */
    private final Map<String, ExistingRun> runs = new TreeMap<>();

    /** The messages with the last run of each bucket: one, unless a save failed half-way. */
    private final Map<String, List<Message>> saved = new TreeMap<>();

    /** Time of the last step of each run. Used by the thread of the runs. */
    private final Map<String, Instant> steps = new TreeMap<>();

    /** The progress of each run since the start of the server. Guarded by this. */
    private final Map<String, Extent> extents = new TreeMap<>();

    private volatile boolean isStopped;

    /**
     * The progress of a run.
     *
     * @param looked versions that it has looked at; after a restart of the server at least so many
     * @param total about how many there are, as clients write meanwhile; 0 before they are counted
     */
    record Extent(long looked, long total) {}

    /** Counts the changes that wait for a target because of other destination buckets. */
    @FunctionalInterface
    interface Held {
        long besides(String target, String destination);
    }

    /**
     * Reads the runs of earlier servers.
     *
     * @throws IOException when one cannot be read
     */
    ExistingRuns(VersionedStore store, InstantSource clock, Held held) throws IOException {
        this.store = store;
        this.clock = clock;
        this.held = held;
        List<Message> messages = new ArrayList<>();
        store.outbox().visit(ReplicaTarget.RUNS, messages::add);
        List<Message> unreadable = new ArrayList<>();
        for (Message each : messages) {
            if (each.damage().isPresent()) {
                LOG.error(
                        "A run for existing objects of {} cannot be read ({}): start it again.",
                        each.at(),
                        each.damage().get());
                unreadable.add(each);
                continue;
            }
            ExistingRun run = ExistingRun.decode(each.content().orElseThrow());
            runs.put(run.bucket().value(), run);
            messagesOf(run).add(each);
        }
        if (!unreadable.isEmpty()) {
            forget(unreadable);
        }
    }

    /** A store that takes no writes keeps them. */
    private void forget(List<Message> unreadable) {
        try {
            store.outbox().remove(ReplicaTarget.RUNS, unreadable);
        } catch (IOException e) {
            LOG.warn("The unreadable runs stay: {}", e.getMessage());
        }
    }

    private List<Message> messagesOf(ExistingRun run) {
        return saved.computeIfAbsent(run.bucket().value(), same -> new ArrayList<>());
    }

    synchronized Collection<ExistingRun> all() {
        return List.copyOf(runs.values());
    }

    synchronized Optional<ExistingRun> of(BucketName bucket) {
        return Optional.ofNullable(runs.get(bucket.value()));
    }

    synchronized Extent extent(ExistingRun run) {
        return extents.getOrDefault(
                run.bucket().value(), new Extent(run.sent() + run.leftOut(), 0));
    }

    private synchronized void extend(ExistingRun run, long looked) {
        Extent before = extent(run);
        extents.put(run.bucket().value(), new Extent(before.looked + looked, before.total));
    }

    /** Counts the versions before the first step of a run since the start of the server. */
    private void measure(ExistingRun run) throws IOException {
        synchronized (this) {
            if (extents.containsKey(run.bucket().value())) {
                return;
            }
        }
        History.BucketSize size = store.history().size(run.bucket());
        synchronized (this) {
            extents.putIfAbsent(
                    run.bucket().value(),
                    new Extent(run.sent() + run.leftOut(), size.objects() + size.versions()));
        }
    }

    /**
     * Begins a run.
     *
     * @return empty when one is running
     */
    synchronized Optional<ExistingRun> start(BucketName bucket, boolean isAgain, int rate)
            throws IOException {
        if (of(bucket).filter(each -> each.state() == State.RUNNING).isPresent()) {
            return Optional.empty();
        }
        Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        ExistingRun run = new ExistingRun(State.RUNNING, isAgain, now, rate, 0, 0, bucket, "");
        save(run);
        extents.remove(bucket.value());
        return Optional.of(run);
    }

    /** Stops a run; has no effect on one that does not run. Returns it; empty without one. */
    synchronized Optional<ExistingRun> stop(BucketName bucket) throws IOException {
        Optional<ExistingRun> run = of(bucket);
        if (run.isPresent() && run.get().state() == State.RUNNING) {
            save(run.get().with(State.STOPPED));
        }
        return of(bucket);
    }

    /** After a crash in between there are two messages, of which the later one counts. */
    private void save(ExistingRun run) throws IOException {
        Outbox outbox = store.outbox();
        List<Message> messages = messagesOf(run);
        List<Message> old = List.copyOf(messages);
        messages.add(outbox.add(ReplicaTarget.RUNS, at -> run.encode()));
        runs.put(run.bucket().value(), run);
        outbox.remove(ReplicaTarget.RUNS, old);
        messages.removeAll(old);
    }

    /** Records a step, unless the run was stopped or replaced meanwhile. */
    private synchronized void advance(ExistingRun from, ExistingRun to) throws IOException {
        if (from.equals(runs.get(from.bucket().value()))) {
            save(to);
        }
    }

    /** {@inheritDoc} A bucket whose cube takes no writes ends no run of another. */
    @Override
    public void look() throws IOException {
        Optional<IOException> failure = Optional.empty();
        for (ExistingRun run : all()) {
            if (run.state() == State.RUNNING && !isStopped && isDue(run)) {
                try {
                    step(run);
                } catch (IOException e) {
                    failure = failure.isPresent() ? failure : Optional.of(e);
                } catch (UncheckedIOException e) {
                    failure = failure.isPresent() ? failure : Optional.of(e.getCause());
                }
            }
        }
        if (failure.isPresent()) {
            throw failure.get();
        }
    }

    /** At most one step a second, whoever wakes the thread. */
    private boolean isDue(ExistingRun run) {
        Instant now = clock.instant();
        Instant last = steps.get(run.bucket().value());
        boolean isDue = last == null || now.isBefore(last) || !now.isBefore(last.plus(STEP));
        if (isDue) {
            steps.put(run.bucket().value(), now);
        }
        return isDue;
    }

    private void step(ExistingRun run) throws IOException {
        Optional<BucketInfo> bucket = store.bucket(run.bucket());
        Optional<ReplicationRules> rules =
                bucket.flatMap(each -> each.document(BucketDocument.REPLICATION))
                        .map(ReplicationRules::ofDocument);
        if (rules.isEmpty()) {
            LOG.warn(
                    "The run for existing objects of bucket {} ends: the bucket has no"
                            + " replication.",
                    run.bucket().value());
            advance(run, run.with(State.STOPPED));
            return;
        }
        if (rules.get().rules().stream().anyMatch(rule -> isBehind(rule.destination()))) {
            return;
        }
        measure(run);
        ExistingScan scan = new ExistingScan(store, run, bucket.get(), rules.get());
        boolean isWhole = scan.run(() -> !isStopped);
        extend(run, scan.looked());
        ExistingRun next = run.advanced(scan.sent(), scan.leftOut(), scan.lastKey());
        advance(run, isWhole ? next.with(State.FINISHED) : next);
        if (isWhole) {
            LOG.info(
                    "The run for existing objects of bucket {} is finished: {} versions to send,"
                            + " {} left out.",
                    run.bucket().value(),
                    next.sent(),
                    next.leftOut());
        }
    }

    private boolean isBehind(ReplicaTarget target) {
        long waiting = store.outbox().queue(ReplicaTarget.consumer(target.target())).messages();
        return waiting - held.besides(target.target(), target.bucket()) > MOST_WAITING;
    }

    @Override
    public void stop() {
        isStopped = true;
    }
}
