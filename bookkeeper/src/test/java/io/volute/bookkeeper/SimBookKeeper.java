package io.volute.bookkeeper;

import io.volute.bookkeeper.Simulation.Machine;
import io.volute.bookkeeper.Simulation.Promise;
import io.volute.storage.log.ledger.FencedException;
import io.volute.storage.log.ledger.Ledgers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Three bookies and their clients, with the protocol of BookKeeper: entries to every bookie of the
 * ensemble, acknowledged in order once a quorum has them; recovery that fences a quorum, reads on
 * from the last confirmed entry, and writes the entries again; metadata that is compared and set.
 */
final class SimBookKeeper {
    private static final int COPIES = 3;
    private static final int ACKS = 2;
    private static final int ATTEMPTS_MAX = 5;
    private static final long TIMEOUT = 400 * Simulation.MILLIS;

    private final Simulation sim;
    private final Machine metadata = new Machine("metadata");
    private final List<Bookie> bookies = new ArrayList<>();
    private final Map<Long, Metadata> ledgers = new HashMap<>();
    private long lastLedger;
    private long changes;
    private boolean fences = true;
    private int acks = ACKS;

    private enum State {
        OPEN,
        IN_RECOVERY,
        CLOSED
    }

    private record Metadata(
            UUID cube, long epoch, List<Bookie> ensemble, State state, long end, int version) {
        int missing() {
            return ensemble.size() - ACKS + 1;
        }

        Metadata with(State newState, long newEnd) {
            return new Metadata(cube, epoch, ensemble, newState, newEnd, version + 1);
        }
    }

    /** A bookie, whose entries and fences survive its stops. */
    private static final class Bookie {
        final Machine machine;
        private final Map<Long, TreeMap<Long, byte[]>> entries = new HashMap<>();
        private final Map<Long, Long> confirmed = new HashMap<>();
        private final Set<Long> fenced = new HashSet<>();
        private boolean isLost;

        Bookie(String name) {
            machine = new Machine(name);
        }

        byte[] entry(long ledger, long number) {
            return entries.getOrDefault(ledger, new TreeMap<>()).getOrDefault(number, NONE);
        }
    }

    SimBookKeeper(Simulation sim) {
        this.sim = sim;
        for (int i = 0; i < COPIES; i++) {
            bookies.add(new Bookie("bookie-" + i));
        }
    }

    /** Plants a mistake: bookies take entries of ledgers that are fenced. */
    void withoutFencing() {
        fences = false;
    }

    /** Plants a mistake: an entry counts before a bookie has it. */
    void acknowledgingBeforeTheQuorum() {
        acks = 0;
    }

    Machine machine(int bookie) {
        return bookies.get(bookie).machine;
    }

    /** Stops a bookie for good; its disk is lost. */
    void lose(int bookie) {
        Bookie gone = bookies.get(bookie);
        gone.isLost = true;
        changes++;
        gone.entries.clear();
        sim.kill(gone.machine);
    }

    /** Starts a bookie with an empty disk and a name of its own in place of a lost one. */
    void replace(int bookie) {
        changes++;
        bookies.set(bookie, new Bookie("bookie-" + bookies.size() + bookie));
    }

    private boolean add(
            Bookie at, long ledger, long entry, long lac, byte[] bytes, boolean recovers)
            throws FencedException {
        if (at.fenced.contains(ledger) && fences && !recovers) {
            throw new FencedException("fenced");
        }
        at.entries.computeIfAbsent(ledger, same -> new TreeMap<>()).put(entry, bytes);
        at.confirmed.merge(ledger, lac, Math::max);
        return true;
    }

    /** Returns the services as the threads of one machine use them. */
    Ledgers client(Machine machine) {
        return new Client(machine);
    }

    private final class Client implements Ledgers {
        private final Machine from;

        Client(Machine from) {
            this.from = from;
        }

        @Override
        public int entryBytesMax() {
            return 40_000;
        }

        /** Calls the service of metadata. A call whose answer is lost may have taken effect. */
        private <T> T meta(Simulation.Service<T> request) throws IOException {
            Promise<T> answer = sim.send(from, metadata, request);
            if (!sim.running().await(answer, TIMEOUT)) {
                throw new IOException("no answer from the metadata");
            }
            if (answer.failure() != null) {
                throw new IOException(answer.failure().getMessage(), answer.failure());
            }
            return answer.value();
        }

        private Metadata get(long ledger) throws IOException {
            return meta(
                    () -> {
                        Metadata found = ledgers.get(ledger);
                        if (found == null) {
                            throw new IOException("no ledger " + ledger);
                        }
                        return found;
                    });
        }

        /** Returns whether the metadata was as expected, and is changed. */
        private boolean set(long ledger, Metadata expected, Metadata changed) throws IOException {
            return meta(
                    () -> {
                        Metadata found = ledgers.get(ledger);
                        if (found == null || found.version() != expected.version()) {
                            return changed.equals(found);
                        }
                        ledgers.put(ledger, changed);
                        return true;
                    });
        }

        @Override
        public Writer create(UUID cube, long epoch, boolean waits) throws IOException {
            return create(cube, epoch, ACKS);
        }

        @Override
        public Writer createFull(UUID cube, long epoch) throws IOException {
            return create(cube, epoch, COPIES);
        }

        private Writer create(UUID cube, long epoch, int least) throws IOException {
            return meta(
                    () -> {
                        List<Bookie> running =
                                bookies.stream().filter(each -> !each.isLost).toList();
                        if (running.size() < least) {
                            throw new IOException("too few bookies");
                        }
                        long id = ++lastLedger;
                        Metadata fresh = new Metadata(cube, epoch, running, State.OPEN, -1, 0);
                        ledgers.put(id, fresh);
                        return new LedgerWriter(this, id, fresh);
                    });
        }

        @Override
        public void recover(long ledger) throws IOException {
            Metadata found = get(ledger);
            if (found.state() == State.CLOSED) {
                return;
            }
            Metadata recovering = found.with(State.IN_RECOVERY, -1);
            if (!set(ledger, found, recovering)) {
                throw new IOException("another client recovers ledger " + ledger);
            }
            long end = fence(ledger, recovering) + 1;
            while (copyOn(ledger, recovering, end)) {
                end++;
            }
            if (!set(ledger, recovering, recovering.with(State.CLOSED, end))) {
                throw new IOException("another client has recovered ledger " + ledger);
            }
        }

        /** Fences as many bookies as no entry can do without; returns the last confirmed entry. */
        private long fence(long ledger, Metadata of) throws IOException {
            List<Promise<Long>> answers = new ArrayList<>();
            for (Bookie each : of.ensemble()) {
                answers.add(
                        sim.send(
                                from,
                                each.machine,
                                () -> {
                                    each.fenced.add(ledger);
                                    return each.confirmed.getOrDefault(ledger, -1L);
                                }));
            }
            awaitSome(answers, of.missing());
            long last = -1;
            for (Promise<Long> each : answers) {
                last = each.isDone() ? Math.max(last, each.value()) : last;
            }
            return last;
        }

        /** Waits until so many have answered without a failure. */
        private <T> void awaitSome(List<Promise<T>> answers, int wanted) throws IOException {
            Promise<Boolean> enough = new Promise<>();
            for (Promise<T> each : answers) {
                each.onDone(
                        () -> {
                            if (succeeded(answers) >= wanted) {
                                enough.complete(true, null);
                            }
                        });
            }
            if (!sim.running().await(enough, TIMEOUT)) {
                throw new IOException(wanted + " bookies are needed");
            }
        }

        private static <T> int succeeded(List<Promise<T>> answers) {
            return (int)
                    answers.stream()
                            .filter(each -> each.isDone() && each.failure() == null)
                            .count();
        }

        /** Returns whether the entry exists; then a quorum has it. */
        private boolean copyOn(long ledger, Metadata of, long entry) throws IOException {
            List<Promise<byte[]>> answers = new ArrayList<>();
            for (Bookie each : of.ensemble()) {
                answers.add(
                        sim.send(
                                from,
                                each.machine,
                                () -> {
                                    each.fenced.add(ledger);
                                    return each.entry(ledger, entry);
                                }));
            }
            Promise<Boolean> decided = new Promise<>();
            for (Promise<byte[]> each : answers) {
                each.onDone(
                        () -> {
                            long missing =
                                    answers.stream()
                                            .filter(one -> one.isDone() && one.value() == NONE)
                                            .count();
                            if (each.value() != NONE) {
                                decided.complete(true, null);
                            } else if (missing >= of.missing()) {
                                decided.complete(false, null);
                            }
                        });
            }
            if (!sim.running().await(decided, TIMEOUT)) {
                throw new IOException("too few bookies answer for entry " + entry);
            }
            if (!decided.value()) {
                return false;
            }
            byte[] found =
                    answers.stream()
                            .filter(one -> one.isDone() && one.value() != NONE)
                            .findFirst()
                            .orElseThrow()
                            .value();
            List<Promise<Boolean>> copies = new ArrayList<>();
            for (Bookie each : of.ensemble()) {
                copies.add(
                        sim.send(
                                from,
                                each.machine,
                                () -> add(each, ledger, entry, entry - 1, found, true)));
            }
            awaitSome(copies, ACKS);
            return true;
        }

        @Override
        public void read(long ledger, long most, EntrySink sink) throws IOException {
            Metadata of = get(ledger);
            if (of.state() != State.CLOSED) {
                throw new IOException("ledger " + ledger + " is open");
            }
            for (long entry = 0; entry < Math.min(most, of.end()); entry++) {
                sink.entry(ByteBuffer.wrap(readEntry(ledger, of, entry)));
            }
        }

        /** Returns nothing of an open ledger: only its writer knows the confirmed part. */
        @Override
        public Confirmed readConfirmed(long ledger, long first, EntrySink sink) throws IOException {
            Metadata of = get(ledger);
            boolean isClosed = of.state() == State.CLOSED;
            for (long entry = first; isClosed && entry < of.end(); entry++) {
                sink.entry(ByteBuffer.wrap(readEntry(ledger, of, entry)));
            }
            return new Confirmed(isClosed ? of.end() : first, isClosed, 0);
        }

        private byte[] readEntry(long ledger, Metadata of, long entry) throws IOException {
            Promise<byte[]> found = new Promise<>();
            for (Bookie each : of.ensemble()) {
                Promise<byte[]> answer =
                        sim.send(from, each.machine, () -> each.entry(ledger, entry));
                answer.onDone(
                        () -> {
                            if (answer.value() != NONE) {
                                found.complete(answer.value(), null);
                            }
                        });
            }
            if (!sim.running().await(found, TIMEOUT)) {
                throw new IOException("no bookie has entry " + entry + " of ledger " + ledger);
            }
            return found.value();
        }

        @Override
        public void delete(long ledger) throws IOException {
            meta(() -> ledgers.remove(ledger));
        }

        @Override
        public List<Long> ofCube(UUID cube, long beforeEpoch) throws IOException {
            return meta(
                    () ->
                            ledgers.entrySet().stream()
                                    .filter(each -> each.getValue().cube().equals(cube))
                                    .filter(each -> each.getValue().epoch() < beforeEpoch)
                                    .map(Map.Entry::getKey)
                                    .sorted()
                                    .toList());
        }

        @Override
        public boolean awaitBookies(int attempts) {
            sim.running().sleep(200 * Simulation.MILLIS);
            return attempts < ATTEMPTS_MAX;
        }

        @Override
        public long bookieChanges() throws IOException {
            return meta(() -> changes);
        }

        @Override
        public long usableBytes() {
            return 1L << 40;
        }

        @Override
        public void close() {}
    }

    private static final byte[] NONE = {};

    /** An entry on its way. Waiting for it is a wait of the simulation. */
    private final class Addition extends CompletableFuture<Void> {
        private final Promise<Boolean> done = new Promise<>();
        private int stored;

        @Override
        public Void join() {
            if (!sim.running().await(done, TIMEOUT) && !isDone()) {
                completeExceptionally(new IOException("2 bookies are needed"));
            }
            return super.join();
        }
    }

    private final class LedgerWriter implements Ledgers.Writer {
        private final Client client;
        private final long id;
        private final Metadata created;
        private final TreeMap<Long, Addition> pending = new TreeMap<>();
        private long next;
        private long confirmed = -1;
        private IOException failure;

        LedgerWriter(Client client, long id, Metadata created) {
            this.client = client;
            this.id = id;
            this.created = created;
        }

        @Override
        public long ledgerId() {
            return id;
        }

        @Override
        public boolean isUnderReplicated() {
            return created.ensemble().size() < COPIES;
        }

        @Override
        public CompletableFuture<Void> add(byte[] bytes) {
            Addition added = new Addition();
            long number = next++;
            pending.put(number, added);
            byte[] entry = bytes.clone();
            long lac = confirmed;
            for (Bookie each : created.ensemble()) {
                Promise<Boolean> stored =
                        sim.send(
                                client.from,
                                each.machine,
                                () -> SimBookKeeper.this.add(each, id, number, lac, entry, false));
                stored.onDone(
                        () -> {
                            if (stored.failure() instanceof FencedException fenced) {
                                fail(fenced);
                            } else {
                                added.stored++;
                                confirm();
                            }
                        });
            }
            // A client gives an entry up after a time, also when nobody waits for it.
            sim.after(
                    TIMEOUT,
                    () -> {
                        if (pending.containsKey(number)) {
                            fail(new IOException("2 bookies are needed"));
                        }
                    });
            if (failure != null) {
                fail(failure);
            }
            confirm();
            return added;
        }

        private void confirm() {
            while (failure == null
                    && !pending.isEmpty()
                    && pending.firstEntry().getValue().stored >= acks) {
                Map.Entry<Long, Addition> first = pending.pollFirstEntry();
                confirmed = first.getKey();
                first.getValue().complete(null);
                first.getValue().done.complete(true, null);
            }
        }

        private void fail(IOException cause) {
            failure = failure == null ? cause : failure;
            List<Addition> all = List.copyOf(pending.values());
            pending.clear();
            for (Addition each : all) {
                each.completeExceptionally(new CompletionException(failure));
                each.done.complete(false, null);
            }
        }

        @Override
        public void close() throws IOException {
            for (Addition each : List.copyOf(pending.values())) {
                sim.running().await(each.done, TIMEOUT);
            }
            Metadata closed = created.with(State.CLOSED, confirmed + 1);
            if (!client.set(id, created, closed)) {
                throw new FencedException("another client has closed ledger " + id);
            }
        }
    }
}
