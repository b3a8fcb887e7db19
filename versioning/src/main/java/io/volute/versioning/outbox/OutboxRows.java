package io.volute.versioning.outbox;

import static io.volute.versioning.rows.Families.OUTBOX;

import io.volute.storage.DamagedException;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.Transaction;
import io.volute.versioning.ChangeRouter;
import io.volute.versioning.ChangeRouter.Routed;
import io.volute.versioning.Outbox;
import io.volute.versioning.body.RecordDetails;
import io.volute.versioning.commit.Commits;
import io.volute.versioning.event.EventNumbers;
import io.volute.versioning.state.ScopedHold;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.KeyChange;
import io.volute.versioning.value.ObjectAttributes;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The outbox as rows of a cube. Thread-safe; see {@link Outbox} for consumers. */
public final class OutboxRows implements Outbox {
    private static final byte[] OPEN_END = {};

    private final RecordStore cube;
    private final InstantSource clock;
    private final ChangeRouter router;
    private final EventNumbers numbers;
    private final Map<String, OutboxQueue> queues = new ConcurrentHashMap<>();

    /** Opens the outbox, and counts its messages. */
    public OutboxRows(RecordStore cube, InstantSource clock, ChangeRouter router) {
        this.cube = cube;
        this.clock = clock;
        this.router = router;
        this.numbers = new EventNumbers(cube);
        try (RecordCursor cursor = cube.scan(OUTBOX, OPEN_END, OPEN_END)) {
            while (cursor.next()) {
                of(OutboxRow.consumer(cursor.key())).added();
            }
        }
    }

    private OutboxQueue of(String consumer) {
        return queues.computeIfAbsent(consumer, name -> new OutboxQueue(router.messagesMax(name)));
    }

    /** Returns whether changes of a bucket may have messages. */
    public boolean isWatched(BucketInfo bucket) {
        return router.isWatched(bucket);
    }

    /** Begins to add the messages of one transaction. */
    public Addition begin() {
        return new Addition();
    }

    /** The messages of one transaction. Close it when the commit has ended. Not thread-safe. */
    public final class Addition implements ScopedHold {
        // Before the first number: a reader of the queue then waits for this commit.
        private final ScopedHold numbering = numbers.hold();
        private final List<Runnable> committed = new ArrayList<>();

        /** A change that has no number yet. */
        public interface Unnumbered {
            KeyChange at(long number, Instant now);
        }

        /**
         * A change with its number and its messages.
         *
         * @param mark the content of {@link ObjectAttributes#REPLICATION}; empty without one
         */
        public record Numbered(long number, Instant at, Routed routed, Optional<String> mark) {}

        /** Numbers a change, and chooses its messages. The caller holds the lock of its key. */
        public Numbered number(Unnumbered change) {
            long number = numbers.next();
            Instant now = clock.instant();
            Routed routed = router.route(change.at(number, now));
            String marked =
                    routed.messages().stream()
                            .filter(ChangeRouter.Message::isMarked)
                            .map(message -> " " + message.consumer())
                            .collect(Collectors.joining());
            return new Numbered(
                    number,
                    now,
                    routed,
                    marked.isEmpty()
                            ? Optional.empty()
                            : Optional.of(Long.toHexString(number) + marked));
        }

        /** Adds the messages about a change. */
        public void add(Transaction transaction, Numbered change) {
            change.routed()
                    .messages()
                    .forEach(
                            message ->
                                    put(
                                            transaction,
                                            message.consumer(),
                                            change.number(),
                                            change.at(),
                                            message.content()));
            committed.add(change.routed().committed());
        }

        private void put(
                Transaction transaction, String consumer, long number, Instant at, byte[] content) {
            OutboxQueue queue = of(consumer);
            boolean isGap = queue.isFull();
            if (isGap) {
                committed.add(queue::omitted);
                if (queue.isGapMarked()) {
                    return;
                }
            }
            transaction.putNew(
                    OUTBOX,
                    OutboxRow.key(consumer, number),
                    new OutboxRow(isGap, at).encode(),
                    isGap ? new byte[0] : content,
                    List.of());
            committed.add(isGap ? queue::addedGap : queue::added);
        }

        /** Counts the messages, which are visible now, and wakes their consumers. */
        public void committed() {
            // The watermark must have passed them.
            close();
            committed.forEach(Runnable::run);
        }

        @Override
        public void close() {
            numbering.close();
        }
    }

    /**
     * Waits until consumers can read every message that is visible now: a running commit of any
     * bucket hides those with greater numbers.
     */
    public void awaitReadable() {
        numbers.awaitRunning();
    }

    @Override
    public Message add(String consumer, Function<Instant, byte[]> content) throws IOException {
        try (Addition addition = begin()) {
            Transaction transaction = new Transaction();
            Instant now = clock.instant();
            long number = numbers.next();
            byte[] added = content.apply(now);
            addition.put(transaction, consumer, number, now, added);
            Commits.join(cube, transaction);
            addition.committed();
            return new Message("", number, now, Optional.of(added));
        }
    }

    @Override
    public void addAll(BucketName bucket, String consumer, List<byte[]> contents)
            throws IOException {
        if (contents.isEmpty()) {
            return;
        }
        try (Addition addition = begin()) {
            Transaction transaction = new Transaction();
            Instant now = clock.instant();
            for (byte[] content : contents) {
                addition.put(transaction, consumer, numbers.next(), now, content);
            }
            Commits.join(cube, transaction);
            addition.committed();
        }
    }

    @Override
    public List<Message> next(String consumer, Map<String, Long> behind, int max)
            throws IOException {
        OutboxQueue queue = of(consumer);
        long moves = queue.moves();
        long settled = numbers.settled();
        List<Message> messages = new ArrayList<>();
        OptionalLong last = behind.values().stream().mapToLong(Long::longValue).max();
        long first = last.isPresent() ? last.getAsLong() + 1 : queue.first();
        byte[] from = OutboxRow.key(consumer, first);
        byte[] end = OutboxRow.key(consumer, Math.max(first, settled + 1));
        try (RecordCursor cursor = cube.scan(OUTBOX, from, end)) {
            while (messages.size() < max && cursor.next()) {
                messages.add(message(cursor));
            }
        }
        if (last.isEmpty() && max > 0) {
            queue.read(
                    moves,
                    messages.isEmpty() ? settled + 1 : messages.get(0).number(),
                    messages.isEmpty() ? Optional.empty() : Optional.of(messages.get(0).at()));
        }
        return messages;
    }

    private Message message(RecordCursor cursor) throws IOException {
        OutboxRow row = OutboxRow.decode(cursor.record().summary());
        byte[] key = cursor.key();
        long number = OutboxRow.number(key);
        if (row.isGap()) {
            return new Message("", number, row.at(), Optional.empty());
        }
        try {
            byte[] content = RecordDetails.read(cube, OUTBOX, key, cursor.record());
            return new Message("", number, row.at(), Optional.of(content));
        } catch (DamagedException e) {
            // The others go on.
            return new Message("", number, row.at(), Optional.empty(), Optional.of(e.getMessage()));
        }
    }

    @Override
    public void visit(String consumer, Predicate<Message> visitor) throws IOException {
        byte[] from = OutboxRow.key(consumer, 0);
        byte[] end = OutboxRow.key(consumer, Long.MAX_VALUE);
        boolean goesOn = true;
        try (RecordCursor cursor = cube.scan(OUTBOX, from, end)) {
            while (goesOn && cursor.next()) {
                goesOn = visitor.test(message(cursor));
            }
        }
    }

    @Override
    public void remove(String consumer, List<Message> done) throws IOException {
        if (done.isEmpty()) {
            return;
        }
        // Only deletes: a full store takes this.
        Transaction transaction = new Transaction();
        done.forEach(each -> transaction.delete(OUTBOX, OutboxRow.key(consumer, each.number())));
        Commits.join(cube, transaction);
        of(consumer).removed(done.size());
    }

    @Override
    public void move(String consumer, List<Message> some, String other) throws IOException {
        if (some.isEmpty()) {
            return;
        }
        // Deletes as many rows as it adds: a full store takes this.
        Transaction transaction = new Transaction().makingRoom();
        for (Message each : some) {
            transaction.delete(OUTBOX, OutboxRow.key(consumer, each.number()));
            transaction.put(
                    OUTBOX,
                    OutboxRow.key(other, each.number()),
                    new OutboxRow(each.content().isEmpty(), each.at()).encode(),
                    each.content().orElse(new byte[0]),
                    List.of());
        }
        Commits.join(cube, transaction);
        of(consumer).removed(some.size());
        of(other).moved(some);
    }

    @Override
    public boolean has(BucketName bucket, String consumer, long number) {
        return cube.get(OUTBOX, OutboxRow.key(consumer, number)).isPresent();
    }

    @Override
    public void onMessage(String consumer, Runnable action) {
        of(consumer).onMessage(action);
    }

    @Override
    public Set<String> consumers() {
        return new TreeSet<>(queues.keySet());
    }

    @Override
    public Queue queue(String consumer) {
        return of(consumer).report();
    }
}
