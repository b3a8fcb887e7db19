package io.volute.server.startup;

import io.volute.server.ResourceStack;
import io.volute.server.Upkeep;
import io.volute.server.config.ServerConfig;
import io.volute.server.metrics.UpkeepFigures;
import io.volute.server.upkeep.BackupUpkeep;
import io.volute.server.upkeep.CheckpointDelivery;
import io.volute.server.upkeep.CheckpointUpkeep;
import io.volute.server.upkeep.EntryUpkeep;
import io.volute.server.upkeep.HistoryUpkeep;
import io.volute.server.upkeep.Scrub;
import io.volute.storage.directory.StoreDirectory;
import io.volute.storage.io.FileSystem;
import io.volute.versioning.Provenance;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreCubes.Opened;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The background tasks of each open cube: retention of its history, its checkpoints and their
 * delivery, removal of old entries, and the keys of the system cube. They begin when a cube is
 * opened and end before it is closed. Thread-safe.
 */
public final class CubeTasks implements StoreCubes.Follower, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CubeTasks.class);

    /** A change of the keys of auditors and principals is in all cubes after so long. */
    private static final Upkeep.Pauses KEY_PAUSES =
            new Upkeep.Pauses(Duration.ZERO, Duration.ofSeconds(1), Duration.ofMinutes(1));

    private final ServerConfig config;
    private final StoreCubes cubes;
    private final StoreDirectory directory;
    private final FileSystem files;
    private final InstantSource clock;
    private final LongSupplier nanos;
    private final Map<Integer, Tasks> tasks = new ConcurrentSkipListMap<>();

    /** Removed states of cubes that were closed, by reason: the counters never fall. */
    private final Map<String, Long> removedBefore = new ConcurrentHashMap<>();

    /** The tasks of one cube. */
    private record Tasks(
            HistoryUpkeep history,
            Optional<CheckpointUpkeep> checkpoints,
            Optional<CheckpointDelivery> delivery,
            ResourceStack resources) {}

    /**
     * Creates the tasks of no cube.
     *
     * @param cubes all cubes; checkpoints can be delivered into buckets of any
     * @param nanos a clock that only goes forward
     */
    public CubeTasks(
            ServerConfig config,
            StoreCubes cubes,
            StoreDirectory directory,
            FileSystem files,
            InstantSource clock,
            LongSupplier nanos) {
        this.config = config;
        this.cubes = cubes;
        this.directory = directory;
        this.files = files;
        this.clock = clock;
        this.nanos = nanos;
    }

    @Override
    public void opened(Opened cube) {
        ResourceStack resources = new ResourceStack();
        boolean isStarted = false;
        try {
            tasks.put(cube.number(), start(cube, resources));
            isStarted = true;
        } catch (IOException e) {
            LOG.error("the background tasks of cube {} do not run", cube.name(), e);
        } finally {
            if (!isStarted) {
                resources.close();
            }
        }
    }

    private Tasks start(Opened cube, ResourceStack resources) throws IOException {
        HistoryUpkeep history =
                new HistoryUpkeep(cube.cube(), cube.store(), config.historyRoom(), nanos);
        Upkeep looks = Upkeep.start(named("history-upkeep", cube), HistoryUpkeep.PAUSES, history);
        resources.add("history upkeep", looks);
        history.whenShort(looks::wake);
        Optional<Provenance> provenance = cube.store().provenance();
        boolean isOn = !config.provenance().checkpointInterval().isZero();
        Optional<CheckpointUpkeep> checkpoints =
                provenance
                        .filter(each -> isOn)
                        .map(
                                each ->
                                        new CheckpointUpkeep(
                                                each,
                                                config.provenance().ofCube(cube.name()),
                                                files,
                                                clock));
        checkpoints.ifPresent(
                task ->
                        resources.add(
                                "checkpoints",
                                Upkeep.start(
                                        named("checkpoints", cube),
                                        CheckpointUpkeep.PAUSES,
                                        task)));
        if (provenance.isPresent() && !cube.name().equals(StoreCubes.SYSTEM)) {
            Upkeep.Task follows = () -> cubes.followKeys(cube.name());
            resources.add(
                    "keys of the system cube",
                    Upkeep.start(named("system-keys", cube), KEY_PAUSES, follows));
        }
        Duration retention = config.provenance().retention();
        if (provenance.isPresent() && !retention.isZero()) {
            EntryUpkeep entries = new EntryUpkeep(provenance.get(), retention, clock);
            resources.add(
                    "entry upkeep",
                    Upkeep.start(named("entry-upkeep", cube), EntryUpkeep.PAUSES, entries));
        }
        Optional<CheckpointDelivery> delivery =
                CheckpointDelivery.start(
                        config.provenance(),
                        new CheckpointDelivery.OfCube(cube.name(), provenance),
                        cubes.store(),
                        directory,
                        clock,
                        resources);
        return new Tasks(history, checkpoints, delivery, resources);
    }

    /** Returns the name of a thread: that of the task, with the cube unless it is the system's. */
    private static String named(String task, Opened cube) {
        return cube.name().equals(StoreCubes.SYSTEM) ? task : task + "-" + cube.name();
    }

    @Override
    public void closing(Opened cube) {
        Tasks ended = tasks.remove(cube.number());
        if (ended != null) {
            ended.resources().close();
            ended.history()
                    .removed()
                    .forEach((why, count) -> removedBefore.merge(why, count, Long::sum));
        }
    }

    /** Returns the figures of the tasks of all cubes. */
    public UpkeepFigures figures(Scrub scrub, BackupUpkeep backups) {
        long missing = 0;
        long undelivered = 0;
        long failures = 0;
        Map<String, Long> removed = new HashMap<>(removedBefore);
        for (Tasks each : tasks.values()) {
            missing += each.checkpoints().map(CheckpointUpkeep::copiesMissing).orElse(0L);
            UpkeepFigures.Delivery delivery =
                    each.delivery()
                            .map(CheckpointDelivery::figures)
                            .orElse(UpkeepFigures.Delivery.NONE);
            undelivered += delivery.missing();
            failures += delivery.failures();
            each.history().removed().forEach((why, count) -> removed.merge(why, count, Long::sum));
        }
        return new UpkeepFigures(
                scrub.figures(),
                missing,
                new UpkeepFigures.Delivery(undelivered, failures),
                removed,
                backups.figures());
    }

    @Override
    public void close() {
        tasks.values().forEach(each -> each.resources().close());
        tasks.clear();
    }
}
