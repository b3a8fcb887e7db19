package io.volute.storage.cube;

import io.volute.storage.BlobId;
import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.CleaningSettings;
import io.volute.storage.Cube;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeOptions.MemorySettings;
import io.volute.storage.CubeOptions.OnDamage;
import io.volute.storage.Family;
import io.volute.storage.PendingBlob;
import io.volute.storage.Place;
import io.volute.storage.Transaction;
import io.volute.storage.commit.CommitOrder;
import io.volute.storage.health.CubeThreads;
import io.volute.storage.index.IndexBatch;
import io.volute.storage.index.IndexCursor;
import io.volute.storage.index.IndexFactory;
import io.volute.storage.index.IndexSettings;
import io.volute.storage.index.MemoryIndexFactory;
import io.volute.storage.log.LogOptions;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.log.file.SegmentLogs;
import io.volute.storage.log.ledger.SimBookies;
import io.volute.storage.recovery.StandbyIndex;
import io.volute.storage.report.SpaceReport;
import io.volute.storage.rows.AccountRows;
import io.volute.storage.rows.BlobRow;
import io.volute.storage.rows.CubeIndex;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** A cube over files and an index in memory, with everything a test may steer. */
public final class CubeFixture {
    public static final Family NAMES = new Family(1, "names");
    public static final Family OTHERS = new Family(2, "others");
    public static final List<Family> FAMILIES = List.of(NAMES, OTHERS);
    public static final UUID CUBE = new UUID(0x1234, 0x5678);
    public static final Path LOG = Path.of("/store/segments");
    public static final Path INDEX = Path.of("/store/index");
    public static final int SEGMENT_BYTES = 64 << 10;
    public static final int INLINE_BYTES = 2000;
    public static final int CHUNK_BYTES = 3000;

    SimFileSystem files = new SimFileSystem();
    Optional<SimBookies> bookies = Optional.empty();
    MemoryIndexFactory indexes = new MemoryIndexFactory();
    public UnaryOperator<IndexFactory> indexWrapper = UnaryOperator.identity();
    OnDamage onDamage = OnDamage.REFUSE;
    public HookedLog.Hooks hooks = new HookedLog.Hooks();
    public long flushLogBytes = 1L << 40;
    int inlineBytes = INLINE_BYTES;
    List<Family> families = FAMILIES;
    public MemorySettings memory = MemorySettings.OFF;
    public CleaningSettings cleaning = CleaningSettings.onlyWhenAsked();

    /** The threads of the cube opened last. */
    public final Map<String, Thread> threads = new ConcurrentHashMap<>();

    /** Enables background flushes; otherwise the index is flushed by request of a test only. */
    public boolean flushesInBackground;

    public LogSettings settings() {
        return new LogSettings(
                        SEGMENT_BYTES,
                        inlineBytes,
                        CHUNK_BYTES,
                        flushLogBytes,
                        1 << 20,
                        1 << 20,
                        onDamage)
                .with(cleaning);
    }

    private LogOptions options(SimFileSystem on) {
        return new LogOptions(LOG, on, CUBE, InstantSource.system(), settings())
                .withSpareMaker(Runnable::run);
    }

    /** The clock of standbys, which counts their steps. */
    final AtomicLong steps = new AtomicLong();

    /** Returns a standby of the cube on another machine. */
    StandbyIndex standby(SimFileSystem on, MemoryIndexFactory itsIndexes) {
        return new StandbyIndex(
                new StandbyIndex.Source(
                        bookies.orElseThrow().follower(options(on)),
                        itsIndexes,
                        new IndexSettings(INDEX, CubeIndex.tables(families), 1 << 20, 1 << 20),
                        families,
                        settings().cleaning().holeBytesMin(),
                        steps::incrementAndGet));
    }

    public SegmentLog log() throws IOException {
        LogOptions options = options(files);
        return bookies.isPresent()
                ? SegmentLogs.open(options, bookies.get().store(options))
                : SegmentLogs.open(options);
    }

    /** Creates a fixture of a cube whose segments are ledgers. */
    public static CubeFixture onLedgers(long seed) {
        CubeFixture fixture = new CubeFixture();
        fixture.bookies = Optional.of(new SimBookies(seed));
        return fixture;
    }

    public LogCube open() throws IOException {
        return new CubeOpener(
                        new HookedLog(log(), hooks),
                        indexWrapper.apply(indexes),
                        INDEX,
                        CUBE,
                        families,
                        settings(),
                        new CubeOpener.Metering(Map::of, Map::of, System::nanoTime),
                        this::thread,
                        memory,
                        new CommitOrder(),
                        InstantSource.system())
                .openCube();
    }

    private Thread thread(String name, Runnable task) {
        boolean idle = name.startsWith("index-flush") && !flushesInBackground;
        Thread thread = CubeThreads.platform().newThread(name, idle ? () -> {} : task);
        threads.put(name, thread);
        return thread;
    }

    /** Returns the state that a crash at this moment leaves. The running cube goes on. */
    public CubeFixture crashImage() {
        CubeFixture image = new CubeFixture();
        image.files = files.afterKill();
        image.bookies = bookies.map(SimBookies::afterKill);
        image.indexes = indexes.crashImage();
        image.onDamage = onDamage;
        image.flushLogBytes = flushLogBytes;
        image.inlineBytes = inlineBytes;
        image.families = families;
        image.memory = memory;
        image.cleaning = cleaning;
        image.flushesInBackground = flushesInBackground;
        return image;
    }

    /** Returns a {@link #crashImage} without its index; the next start rebuilds it. */
    public CubeFixture imageWithoutIndex() {
        CubeFixture image = crashImage();
        image.indexes = new MemoryIndexFactory();
        return image;
    }

    public static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    public static PendingBlob blob(Cube cube, byte[] content) throws IOException {
        try (BlobWriter writer = cube.newBlob(OptionalLong.empty())) {
            writer.write(ByteBuffer.wrap(content));
            return writer.finish();
        }
    }

    /** A blob of this content, committed with a record that refers to it. */
    public static BlobId stored(Cube cube, String key, byte[] content) throws IOException {
        PendingBlob blob = blob(cube, content);
        cube.commit(put(key, "", blob.id()).add(blob)).join();
        return blob.id();
    }

    public static byte[] bytes(Random random, int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }

    public static Transaction put(String key, String summary, BlobId... references) {
        return new Transaction()
                .put(NAMES, utf8(key), utf8(summary), new byte[0], List.of(references));
    }

    public static Transaction delete(String key) {
        return new Transaction().delete(NAMES, utf8(key));
    }

    /** The segment that is appended to. */
    public static long head(Cube cube) {
        return cube.space().segments().stream()
                .filter(each -> each.kind() == SpaceReport.Kind.HEAD)
                .mapToLong(SpaceReport.SegmentSpace::segmentId)
                .max()
                .orElseThrow();
    }

    /** Rolls the head by records that are deleted at once. */
    public static void roll(Cube cube) {
        long before = head(cube);
        while (head(cube) == before) {
            cube.commit(put("filler", "f".repeat(3000))).join();
            cube.commit(delete("filler")).join();
        }
    }

    public static byte[] read(Cube cube, BlobId blob) throws IOException {
        try (BlobReader reader = cube.openBlob(blob)) {
            return readRange(reader, 0, reader.bytes());
        }
    }

    public static byte[] readRange(BlobReader reader, long from, long to) throws IOException {
        byte[] bytes = new byte[(int) (to - from)];
        long at = from;
        while (at < to) {
            ByteBuffer target = ByteBuffer.allocate(reader.bufferBytes(at));
            reader.read(at, to, target);
            int count = target.remaining();
            target.get(bytes, (int) (at - from), count);
            at += count;
        }
        return bytes;
    }

    /** Every row of the index but those about the index itself, in readable form. */
    public static Map<String, String> dump(LogCube cube) {
        CubeIndex index = cube.index();
        Map<String, String> rows = new TreeMap<>();
        for (int family : index.familyIds()) {
            dump("record " + family, index.allRecords(family), rows);
        }
        dump("blob", index.allBlobs(), rows);
        rows.putAll(accounts(cube));
        Map<Long, Long> pages = index.deadPages().load();
        for (SpaceReport.SegmentSpace each : cube.space().segments()) {
            long segment = each.segmentId();
            long dead = pages.getOrDefault(segment, 0L);
            if (dead != 0) {
                rows.put("pages " + segment, String.valueOf(dead));
            }
            List<Place> live = index.extents().live(segment);
            if (!live.isEmpty()) {
                rows.put("extents " + segment, live.toString());
            }
        }
        return rows;
    }

    private static void dump(String name, IndexCursor rows, Map<String, String> into) {
        try (rows) {
            while (rows.next()) {
                into.put(
                        name + " " + HexFormat.of().formatHex(rows.key()),
                        HexFormat.of().formatHex(rows.value()));
            }
        }
    }

    /** The accounting rows that are not zero. */
    public static Map<String, String> accounts(LogCube cube) {
        Map<String, String> rows = new TreeMap<>();
        cube.index()
                .accounts()
                .visit(
                        new AccountRows.Visitor() {
                            @Override
                            public void account(long segment, long live, long dead, long applied) {
                                if (live != 0 || dead != 0) {
                                    rows.put("account " + segment, live + " live " + dead);
                                }
                            }

                            @Override
                            public void victims(long segment, long victim, long tombstones) {
                                rows.put(
                                        "victims " + segment + " in " + victim,
                                        String.valueOf(tombstones));
                            }

                            @Override
                            public void origin(long survivor, long origin) {
                                rows.put("origin of " + survivor, "segment " + origin);
                            }
                        });
        return rows;
    }

    /** Reference counts of all blobs. */
    public static Map<Long, Long> references(LogCube cube) {
        Map<Long, Long> counts = new HashMap<>();
        try (IndexCursor rows = cube.index().allBlobs()) {
            while (rows.next()) {
                counts.put(CubeIndex.blobId(rows.key()), BlobRow.decode(rows.value()).references());
            }
        }
        return counts;
    }

    /** Changes index rows behind the cube's back. */
    public static void spoil(LogCube cube, Consumer<IndexBatch> change) throws IOException {
        IndexBatch batch = new IndexBatch();
        change.accept(batch);
        cube.index().write(batch);
        cube.index().flush();
    }
}
