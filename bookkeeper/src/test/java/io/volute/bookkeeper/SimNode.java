package io.volute.bookkeeper;

import io.volute.bookkeeper.OwnershipModel.Mistake;
import io.volute.bookkeeper.Simulation.Machine;
import io.volute.bookkeeper.Simulation.Promise;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeOptions.OnDamage;
import io.volute.storage.format.LogEntry;
import io.volute.storage.log.LogOptions;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.log.file.SegmentLogs;
import io.volute.storage.log.ledger.FencedException;
import io.volute.storage.log.ledger.LedgerSegmentStore;
import io.volute.storage.log.ledger.LedgerSettings;
import io.volute.storage.log.ledger.SegmentList;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * One life of a server that keeps registers in a log on ledgers. It takes the log over when it can,
 * acknowledges writes that are in the log, and answers reads after an append.
 */
final class SimNode {
    private static final UUID CUBE = UUID.fromString("0f0e0d0c-0b0a-4908-8706-050403020100");
    private static final String CUBE_PATH = "/volute/cubes/c";
    private static final int BATCH = 3;

    private final Simulation sim;
    private final SimZooKeeper zooKeeper;
    private final SimBookKeeper bookKeeper;
    private final BookKeeperSettings settings;
    private final Mistake mistake;
    final Machine machine;
    final SimFileSystem files;

    /** Speed of the clock, in 1/1000 of the true time. */
    private final long clockRate;

    private final Deque<Request> waiting = new ArrayDeque<>();
    private final Deque<Long> blobs = new ArrayDeque<>();
    private final Map<String, Long> values = new HashMap<>();
    private Promise<Boolean> work = new Promise<>();
    private boolean isServing;
    private long next;
    private long epoch;
    int takeOvers;

    /**
     * A request of a client.
     *
     * @param value value to write; 0 for a read
     */
    record Request(String key, long value, Consumer<Answer> answer) {
        boolean isRead() {
            return value == 0;
        }
    }

    /** The value that was read or written; a refused request has no effect. */
    record Answer(boolean isRefused, long value) {}

    SimNode(
            Simulation sim,
            SimZooKeeper zooKeeper,
            SimBookKeeper bookKeeper,
            String name,
            SimFileSystem files,
            Mistake mistake) {
        this.sim = sim;
        this.zooKeeper = zooKeeper;
        this.bookKeeper = bookKeeper;
        this.machine = new Machine(name);
        this.files = files;
        this.mistake = mistake;
        this.clockRate = 950L + sim.random.nextInt(101);
        this.settings = settings(name);
        sim.start(machine, this::live);
    }

    static BookKeeperSettings settings(String name) {
        return new BookKeeperSettings(
                "zookeeper:2181",
                "/volute",
                OwnershipModel.SESSION,
                ClientSecurity.NONE,
                3,
                3,
                2,
                name,
                Optional.empty(),
                1 << 20);
    }

    /** Begins a session whose waits are simulated. */
    static ZooKeeperSession session(
            Simulation sim, SimZooKeeper zooKeeper, Machine machine, LongSupplier clock)
            throws IOException {
        return new ZooKeeperSession(
                "zookeeper",
                OwnershipModel.SESSION,
                clock,
                () -> zooKeeper.connect(machine),
                millis -> sim.running().sleep(millis * Simulation.MILLIS));
    }

    private long clock() {
        return sim.now() / 1000 * clockRate;
    }

    private void live() {
        while (true) {
            try {
                own();
            } catch (IOException e) {

                requireOtherOwner(e);
            }
            isServing = false;
            waiting.clear();
            sim.running().sleep((50 + sim.random.nextInt(200)) * Simulation.MILLIS);
        }
    }

    /** Only another claim fences an owner. */
    private void requireOtherOwner(IOException e) {
        if (e instanceof FencedException && zooKeeper.epoch(CUBE_PATH + "/log") == epoch) {
            throw new AssertionError(machine + " is fenced by nobody", e);
        }
    }

    private void own() throws IOException {
        epoch = -1;
        try (ZooKeeperSession session = session(sim, zooKeeper, machine, this::clock)) {
            LogOptions options =
                    new LogOptions(
                                    Path.of("log"),
                                    files,
                                    CUBE,
                                    () -> Instant.ofEpochMilli(1_700_000_000_000L),
                                    new LogSettings(
                                            64 << 10,
                                            4096,
                                            5000,
                                            1 << 20,
                                            1 << 20,
                                            1 << 20,
                                            OnDamage.REFUSE))
                            .withSpareMaker(Runnable::run);
            SegmentList list =
                    new ZooKeeperSegmentList(session, settings, "c", CUBE, CubeNode.State.HERE);
            try (SegmentLog log =
                    SegmentLogs.open(
                            options,
                            new LedgerSegmentStore(
                                    options,
                                    bookKeeper.client(machine),
                                    recordingEpoch(list),
                                    LedgerSettings.defaults()))) {
                takeOver(log);
                serve(log);
            }
        }
    }

    private void takeOver(SegmentLog log) throws IOException {
        values.clear();
        blobs.clear();
        next = 1;
        LogPosition end =
                log.replay(
                                LogPosition.START,
                                batch -> batch.entries().forEach(logged -> apply(logged.entry())))
                        .end();
        log.startAppending(end, next);
        waiting.clear();
        isServing = true;
        takeOvers++;
    }

    private void apply(LogEntry entry) {
        next = Math.max(next, entry.sequence() + 1);
        if (entry instanceof LogEntry.RecordPut put) {
            values.put(
                    new String(put.key(), StandardCharsets.UTF_8),
                    ByteBuffer.wrap(put.detail()).getLong());
        }
    }

    private void serve(SegmentLog log) throws IOException {
        while (true) {
            while (waiting.isEmpty()) {
                work = new Promise<>();
                sim.running().await(work, 10_000 * Simulation.MILLIS);
            }
            List<Request> batch = new ArrayList<>();
            while (!waiting.isEmpty() && batch.size() < BATCH) {
                batch.add(waiting.poll());
            }
            commit(log, batch);
            moveBlobs(log);
        }
    }

    /** Adds a segment or frees one now and then, so that the list changes in all ways. */
    private void moveBlobs(SegmentLog log) throws IOException {
        int chance = sim.random.nextInt(5);
        if (chance == 0) {
            try (SegmentLog.StreamAppender blob = log.openStream(next++, OptionalLong.of(5000))) {
                blob.write(ByteBuffer.allocate(5000));
                blobs.add(blob.finish().getFirst().segmentId());
            }
        } else if (chance == 1 && !blobs.isEmpty()) {
            log.free(List.of(blobs.poll()));
        }
    }

    /** A read waits for an append, which proves that nobody had fenced the log when it began. */
    private void commit(SegmentLog log, List<Request> batch) throws IOException {
        List<LogEntry> entries = new ArrayList<>();
        for (Request each : batch) {
            if (!each.isRead()) {
                entries.add(record(each.key(), each.value()));
            }
        }
        if (entries.isEmpty()) {
            entries.add(record("barrier", 1));
        }
        log.append(entries, next);
        entries.forEach(this::apply);
        for (Request each : batch) {
            each.answer()
                    .accept(new Answer(false, each.isRead() ? read(each.key()) : each.value()));
        }
    }

    private LogEntry record(String key, long value) {
        byte[] detail = ByteBuffer.allocate(9000).putLong(value).array();
        return new LogEntry.RecordPut(
                next++,
                3,
                key.getBytes(StandardCharsets.UTF_8),
                new byte[] {1},
                detail,
                List.of(),
                LogEntry.Victim.NONE);
    }

    private long read(String key) {
        return values.getOrDefault(key, 0L);
    }

    /** Takes a request; runs when its message arrives. */
    void receive(Request request) {
        if (!isServing) {
            request.answer().accept(new Answer(true, 0));
        } else if (request.isRead() && mistake == Mistake.STALE_READS) {
            request.answer().accept(new Answer(false, read(request.key())));
        } else {
            waiting.add(request);
            work.complete(true, null);
        }
    }

    /** Returns the list, which records the epoch of the own claim. */
    private SegmentList recordingEpoch(SegmentList list) {
        return (SegmentList)
                Proxy.newProxyInstance(
                        SegmentList.class.getClassLoader(),
                        new Class<?>[] {SegmentList.class},
                        (proxy, method, arguments) -> {
                            try {
                                Object result = method.invoke(list, arguments);
                                if (result instanceof SegmentList.Claimed claimed) {
                                    epoch = claimed.epoch();
                                }
                                return result;
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }
}
