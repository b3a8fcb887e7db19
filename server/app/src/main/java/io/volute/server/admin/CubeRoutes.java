package io.volute.server.admin;

import io.volute.adminapi.CheckApi.Check;
import io.volute.adminapi.CheckApi.Checks;
import io.volute.adminapi.CubesApi.BucketPart;
import io.volute.adminapi.CubesApi.BucketParts;
import io.volute.adminapi.CubesApi.ClockInfo;
import io.volute.adminapi.CubesApi.CubeInfo;
import io.volute.adminapi.CubesApi.Cubes;
import io.volute.adminapi.CubesApi.LogInfo;
import io.volute.adminapi.CubesApi.Move;
import io.volute.adminapi.CubesApi.Moves;
import io.volute.adminapi.CubesApi.RemovedCube;
import io.volute.adminapi.CubesApi.UnderReplicated;
import io.volute.adminapi.CubesApi.UnknownPast;
import io.volute.adminapi.SpaceApi.Cause;
import io.volute.adminapi.SpaceApi.Cleaned;
import io.volute.adminapi.SpaceApi.Cleaner;
import io.volute.adminapi.SpaceApi.Decision;
import io.volute.adminapi.SpaceApi.Images;
import io.volute.adminapi.SpaceApi.Segments;
import io.volute.adminapi.SpaceApi.Space;
import io.volute.adminapi.SpaceApi.Spaces;
import io.volute.adminapi.SpaceApi.Writes;
import io.volute.adminapi.Words;
import io.volute.server.Limits;
import io.volute.server.damage.DamageList;
import io.volute.storage.CubeMaintenance;
import io.volute.storage.CubeMaintenance.Cleaning;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.directory.LogPlace.Kind;
import io.volute.storage.directory.LogPlacement;
import io.volute.storage.directory.MigrationStatus;
import io.volute.storage.io.WriteCause;
import io.volute.storage.report.CubeStats;
import io.volute.storage.report.ImageStats;
import io.volute.storage.report.SpaceDecision;
import io.volute.storage.report.SpaceReport;
import io.volute.storage.report.SpaceReport.SegmentSpace;
import io.volute.versioning.ClockState;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreException;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/** The cubes of a store: their list, their space, cleaning and checks. Thread-safe. */
final class CubeRoutes implements AutoCloseable {
    private static final String CUBE = "cube";
    private static final String LEVEL = "level";
    private static final String RATE = "bytesPerSecond";

    private final StoreCubes cubes;
    private final Function<String, Optional<LogPlacement>> logs;
    private final DamageList damages;
    private final InstantSource clock;
    private final Map<String, CheckRun> checks = new ConcurrentSkipListMap<>();

    CubeRoutes(
            StoreCubes cubes,
            Function<String, Optional<LogPlacement>> logs,
            DamageList damages,
            InstantSource clock) {
        this.cubes = cubes;
        this.logs = logs;
        this.damages = damages;
        this.clock = clock;
    }

    List<StoreCubes.CubeInfo> infos() {
        return cubes.list();
    }

    Cubes list() {
        return new Cubes(cubes.list().stream().map(this::document).toList());
    }

    private CubeInfo document(StoreCubes.CubeInfo info) {
        return new CubeInfo(
                info.name(),
                info.number(),
                info.id().toString(),
                info.number() == 0 ? Optional.empty() : Optional.of(info.created()),
                Words.of(info.phase()),
                info.state().map(Words::of),
                Optional.of(info.why()).filter(why -> !why.isEmpty()),
                info.buckets(),
                info.state().isPresent()
                        ? logs.apply(info.name()).map(log -> document(log.status()))
                        : Optional.empty(),
                cubes.opened().stream()
                        .filter(open -> open.name().equals(info.name()))
                        .findFirst()
                        .map(open -> open.store().clock())
                        .filter(clock -> !clock.unknown().isEmpty())
                        .map(CubeRoutes::document));
    }

    private static ClockInfo document(ClockState clock) {
        return new ClockInfo(
                clock.behind().toMillis() / 1000.0,
                clock.unknown().stream()
                        .map(each -> new UnknownPast(each.from(), each.until()))
                        .toList());
    }

    private static LogInfo document(MigrationStatus status) {
        MigrationStatus.Progress progress = status.progress();
        return new LogInfo(
                Words.of(status.store()),
                Words.of(status.state()),
                status.isRunning(),
                progress.copied(),
                progress.segments(),
                progress.bytes(),
                Optional.of(progress.why()).filter(why -> !why.isEmpty()),
                Optional.of(status.underReplication())
                        .filter(missing -> missing.segments() > 0)
                        .map(missing -> new UnderReplicated(missing.segments(), missing.bytes())));
    }

    CubeInfo create(Arguments asked) throws IOException {
        return document(cubes.create(asked.neededText(CUBE)));
    }

    RemovedCube delete(Arguments asked) throws IOException {
        String name = known(asked.neededText(CUBE));
        return new RemovedCube(name, cubes.delete(name));
    }

    CubeInfo reopen(Arguments asked) throws IOException {
        String name = known(asked.neededText(CUBE));
        return document(cubes.reopen(name, asked.flag("rebuildIndex")));
    }

    /**
     * Moves the log of a cube.
     *
     * @param isNode whether this server is a node of a cluster, which needs all logs on ledgers
     */
    CubeInfo migrate(Arguments asked, boolean isNode) throws IOException {
        String name = known(asked.neededText(CUBE));
        Kind to = kind(asked.neededText("to"));
        if (isNode && to == Kind.LOCAL) {
            throw AdminException.badRequest(
                    "no other node of the cluster reaches the local disk of this one: stop all"
                            + " nodes, start one without cluster.name, then migrate");
        }
        LogPlacement log = logs.apply(opened(name).name()).orElseThrow();
        try {
            log.start(to);
        } catch (IllegalArgumentException e) {
            throw AdminException.badRequest(e.getMessage());
        } catch (CubeUnavailableException e) {
            throw e;
        } catch (IOException e) {
            throw new AdminException(409, "CannotMigrate", e.getMessage());
        }
        return document(
                cubes.list().stream()
                        .filter(each -> each.name().equals(name))
                        .findFirst()
                        .orElseThrow());
    }

    private static Kind kind(String word) {
        return Stream.of(Kind.values())
                .filter(each -> Words.of(each).equals(word))
                .findFirst()
                .orElseThrow(() -> AdminException.badRequest("to is local or bookkeeper"));
    }

    Move move(Arguments asked) throws IOException {
        String name = known(asked.neededText(CUBE));
        return document(cubes.moves().start(asked.neededBucket(), name));
    }

    Move split(Arguments asked) throws IOException {
        String name = known(asked.neededText(CUBE));
        return document(cubes.moves().split(asked.neededBucket(), asked.key(), name));
    }

    Move merge(Arguments asked) throws IOException {
        return document(cubes.moves().merge(asked.neededBucket(), asked.key()));
    }

    BucketParts parts(Arguments asked) {
        BucketName bucket = asked.neededBucket();
        if (cubes.cubeOf(bucket).isEmpty()) {
            throw StoreException.noSuchBucket(bucket);
        }
        return new BucketParts(
                cubes.moves().parts(bucket).stream()
                        .map(part -> new BucketPart(text(part.range().first()), part.cube()))
                        .toList());
    }

    private static Optional<String> text(Optional<ObjectKey> key) {
        return key.map(ObjectKey::value);
    }

    Moves moves() {
        return new Moves(cubes.moves().list().stream().map(CubeRoutes::document).toList());
    }

    private static Move document(StoreCubes.Move move) {
        return new Move(
                move.bucket().value(),
                move.from(),
                move.to(),
                text(move.range().first()),
                text(move.range().end()),
                Words.of(move.phase()),
                move.began(),
                move.isRunning(),
                move.keys(),
                move.keysTotal(),
                move.pass(),
                Optional.of(move.why()).filter(why -> !why.isEmpty()));
    }

    Check startCheck(Arguments asked) throws IOException {
        String name = name(asked);
        CheckRun check = check(name);
        check.start(opened(name), rate(asked));
        return check.check();
    }

    private CheckRun check(String name) {
        return checks.computeIfAbsent(name, same -> new CheckRun(same, damages, clock));
    }

    Checks checks(Arguments asked) {
        Optional<String> one = asked.text(CUBE).map(this::known);
        return new Checks(
                cubes.list().stream()
                        .map(StoreCubes.CubeInfo::name)
                        .filter(name -> one.isEmpty() || one.get().equals(name))
                        .map(name -> check(name).check())
                        .toList());
    }

    private String name(Arguments asked) {
        return known(String.valueOf(asked.value(CUBE, StoreCubes.SYSTEM)));
    }

    private String known(String name) {
        List<String> names = cubes.list().stream().map(StoreCubes.CubeInfo::name).toList();
        if (!names.contains(name)) {
            throw new AdminException(
                    404, "NoSuchCube", "no cube \"" + name + "\": there are " + names);
        }
        return name;
    }

    /**
     * Returns an open cube.
     *
     * @throws CubeUnavailableException when it is not open
     */
    private StoreCubes.Opened opened(String name) throws CubeUnavailableException {
        return cubes.opened().stream()
                .filter(open -> open.name().equals(name))
                .findFirst()
                .orElseThrow(
                        () ->
                                new CubeUnavailableException(
                                                CubeUnavailableException.Reason.NOT_OPEN,
                                                "cube " + name + " is not open")
                                        .in(name));
    }

    private static long rate(Arguments asked) {
        if (asked.value(RATE, Limits.CHECK_RATE_BYTES_DEFAULT) instanceof Long rate
                && rate >= Limits.CHECK_RATE_BYTES_MIN
                && rate <= Limits.CHECK_RATE_BYTES_MAX) {
            return rate;
        }
        throw AdminException.badRequest(RATE + " is a number from 1048576 (1 MiB) to 1 TiB");
    }

    Spaces space() {
        List<Space> all = new ArrayList<>();
        cubes.opened().forEach(open -> all.add(of(open.name(), open.cube())));
        return new Spaces(all);
    }

    Cleaned clean(Arguments asked) throws IOException {
        String name = name(asked);
        String text = String.valueOf(asked.value(LEVEL, ""));
        Cleaning level =
                switch (text) {
                    case "combined" -> Cleaning.COMBINED;
                    case "compact" -> Cleaning.COMPACT;
                    case String other ->
                            throw AdminException.badRequest(
                                    LEVEL + " is \"combined\" or \"compact\"");
                };
        return new Cleaned(name, text, opened(name).cube().clean(level));
    }

    /** Stops running checks. */
    @Override
    public void close() throws InterruptedException {
        for (CheckRun check : checks.values()) {
            check.close();
        }
    }

    private static Space of(String name, CubeMaintenance cube) {
        SpaceReport space = cube.space();
        CubeStats stats = cube.stats();
        SpaceReport.Totals totals = space.totals();
        return new Space(
                name,
                Words.of(cube.state()),
                totals.capacity(),
                totals.used(),
                totals.free(),
                totals.clientFree(),
                totals.live(),
                sum(space.segments(), SegmentSpace::dead),
                totals.tombstones(),
                sum(space.segments(), SegmentSpace::holes),
                totals.compactable(),
                totals.expansion(),
                space.segmentBytes(),
                space.freeSegments(),
                segments(space.segments()),
                writes(stats),
                decision(space.decision()),
                cleaner(space.cleaner()),
                images(stats.images()));
    }

    private static long sum(List<SegmentSpace> segments, ToLongFunction<SegmentSpace> figure) {
        return segments.stream().mapToLong(figure).sum();
    }

    private static List<Segments> segments(List<SegmentSpace> all) {
        List<Segments> kinds = new ArrayList<>();
        for (SpaceReport.Kind kind : SpaceReport.Kind.values()) {
            List<SegmentSpace> some =
                    all.stream().filter(segment -> segment.kind() == kind).toList();
            kinds.add(
                    new Segments(
                            Words.of(kind),
                            some.size(),
                            some.stream().filter(SegmentSpace::sealed).count(),
                            sum(some, SegmentSpace::written),
                            sum(some, SegmentSpace::live),
                            sum(some, SegmentSpace::dead),
                            sum(some, SegmentSpace::tombstones),
                            sum(some, SegmentSpace::holes)));
        }
        return kinds;
    }

    private static Writes writes(CubeStats stats) {
        long client = stats.bytesWritten().getOrDefault(WriteCause.CLIENT_DATA, 0L);
        long total = 0;
        Map<String, Cause> causes = new LinkedHashMap<>();
        for (WriteCause cause : WriteCause.values()) {
            long bytes = stats.bytesWritten().getOrDefault(cause, 0L);
            total += bytes;
            causes.put(Words.of(cause), new Cause(bytes, ratio(bytes, client)));
        }
        return new Writes(total, ratio(total, client), causes);
    }

    private static double ratio(long bytes, long client) {
        return client == 0 ? 0 : (double) bytes / client;
    }

    private static Decision decision(SpaceDecision decision) {
        return new Decision(
                Words.of(decision.action()),
                decision.words(),
                decision.capacity(),
                decision.free(),
                decision.live(),
                decision.tombstones(),
                decision.used(),
                decision.freeShare(),
                decision.liveShare(),
                decision.tombstoneShare(),
                decision.expansion());
    }

    private static Cleaner cleaner(SpaceReport.CleanerTotals totals) {
        return new Cleaner(
                totals.passes(),
                totals.freedSegments(),
                totals.copiedBytes(),
                totals.damagedSegments());
    }

    private static Images images(ImageStats images) {
        return new Images(
                images.space().budgetBytes(),
                images.space().allocatedBytes(),
                images.space().liveBytes(),
                images.reads().hits(),
                images.reads().misses(),
                images.upkeep().compactions(),
                images.upkeep().evictions(),
                images.upkeep().evictedEntries());
    }
}
