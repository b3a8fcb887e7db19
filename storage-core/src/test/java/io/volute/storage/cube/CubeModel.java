package io.volute.storage.cube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.BlobId;
import io.volute.storage.BlobReader;
import io.volute.storage.Family;
import io.volute.storage.MissingBlobException;
import io.volute.storage.Place;
import io.volute.storage.RecordCursor;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.storage.accounting.SegmentRelease;
import io.volute.storage.cleaning.CleaningPass;
import io.volute.storage.cleaning.Compactor;
import io.volute.storage.format.LogEntry;
import io.volute.storage.index.MemoryIndexFactory;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.report.SpaceReport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random transactions against maps in memory, with flushes, clean restarts, crashes and rebuilds in
 * between. After each of those: every record, every blob, every reference count, the accounting
 * (against a scan of the log), and the index against one made from the segments alone.
 */
class CubeModel {
    private static final int STEPS = 260;
    private static final int KEYS = 40;

    /** Content of one transaction: a batch takes a little more. */
    private static final int TRANSACTION_BYTES = 40_000;

    private record Record(byte[] summary, byte[] detail, Set<Long> references) {}

    private record Key(Family family, String name) {}

    private final Map<Key, Record> records = new HashMap<>();
    private final Map<Long, byte[]> contents = new HashMap<>();
    private final Map<Long, List<Long>> children = new HashMap<>();
    private final List<Held> held = new ArrayList<>();
    CubeFixture fixture;
    LogCube cube;
    Random random;

    /** Seeds that have found something, and as many more as are asked for. */
    static LongStream seeds() {
        return LongStream.concat(
                LongStream.of(49, 54, 72, 105, 169, 254, 301, 440, 442),
                LongStream.rangeClosed(1, Integer.getInteger("volute.model.seeds", 24)));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void agreesWithMapsInMemory(long seed) throws IOException {
        random = new Random(seed);
        fixture = newFixture(seed);
        // Some with inline blobs that cover whole pages.
        fixture.inlineBytes = seed % 2 == 0 ? CubeFixture.INLINE_BYTES : 16_000;
        cube = fixture.open();
        for (int step = 0; step < STEPS; step++) {
            if (random.nextInt(8) == 0) {
                hold();
            }
            transact();
            beside();
            if (random.nextInt(10) == 0) {
                compact("seed " + seed + " step " + step);
            }
            if (random.nextInt(20) == 0) {
                letGo(0);
                disturb();
                check("seed " + seed + " step " + step);
            }
        }
        check("seed " + seed + " end");
        letGo(0);
        cube.close();
    }

    CubeFixture newFixture(long seed) {
        return new CubeFixture();
    }

    /** A reader with what it must read, whatever happens to the blob. */
    private record Held(BlobReader reader, byte[] content) {}

    private void hold() throws IOException {
        List<Long> alive = reachable(records).stream().sorted().toList();
        if (!alive.isEmpty()) {
            long blob = alive.get(random.nextInt(alive.size()));
            held.add(new Held(cube.openBlob(new BlobId(blob)), contents.get(blob)));
        }
    }

    private void letGo(int rest) {
        while (held.size() > rest) {
            held.remove(random.nextInt(held.size())).reader().close();
        }
    }

    /** Punches all that may be punched; readers that are open must not notice. */
    private void compact(String where) throws IOException {
        letGo(random.nextInt(4));
        Compactor compactor = cube.compactor();
        for (SpaceReport.SegmentSpace space : cube.space().segments()) {
            long segment = space.segmentId();
            long punchable = compactor.punchable(segment);
            long given = compactor.compact(segment);
            if (fixture.bookies.isPresent()) {
                assertThat(given).as("a ledger has no holes").isZero();
                continue;
            }
            if (held.isEmpty()) {
                assertThat(given).as(where).isEqualTo(punchable);
            }
            assertThat(compactor.punchable(segment)).as(where).isEqualTo(punchable - given);
            assertThat(compactor.holeBytes(segment)).isEqualTo(space.holes() + given);
        }
        for (Held each : held) {
            assertThat(CubeFixture.readRange(each.reader(), 0, each.reader().bytes()))
                    .as(where)
                    .isEqualTo(each.content());
        }
    }

    /** Other machines, which act between the transactions. */
    void beside() throws IOException {}

    /** Closes the cube, and opens one whose machine or services may have crashed. */
    void reopen(CubeFixture next) throws IOException {
        cube.close();
        fixture = next;
        cube = fixture.open();
    }

    void disturb() throws IOException {
        switch (random.nextInt(10)) {
            case 0, 5, 6 -> cube.flushIndex();
            case 1 -> {
                cube.close();
                cube = fixture.open();
                assertThat(cube.report().cleanStart()).isTrue();
            }
            case 2 -> {
                reopen(fixture.crashImage());
            }
            case 3 -> {
                cube.close();
                fixture.indexes = new MemoryIndexFactory();
                cube = fixture.open();
                assertThat(cube.report().indexRebuilt()).isTrue();
            }
            case 4 -> abandonUpload();
            default -> clean();
        }
    }

    /** Any segments, not only those that are worth it; with everything else in between. */
    private void clean() throws IOException {
        Set<Long> some = new HashSet<>();
        for (SpaceReport.SegmentSpace each : cube.space().segments()) {
            if (random.nextInt(3) > 0) {
                some.add(each.segmentId());
            }
        }
        try {
            cube.cleaner().cleanThese(some, new SmallSteps());
        } catch (CrashHere crash) {
            reopen(crash.image);
        }
    }

    /** Ends a pass in the middle. */
    private static final class CrashHere extends IOException {
        private static final long serialVersionUID = 1L;
        private final transient CubeFixture image;

        CrashHere(CubeFixture image) {
            super("crash");
            this.image = image;
        }
    }

    private final class SmallSteps implements CleaningPass.Pace {
        private final int entries = 1 + random.nextInt(12);
        private final int forceBytes = 1 + random.nextInt(64 << 10);

        @Override
        public void await(long ignored) throws IOException {
            betweenBatches();
        }

        @Override
        public boolean isEnough(int pending, long bytes) {
            return pending >= entries;
        }

        @Override
        public long forceBytes() {
            return forceBytes;
        }

        @Override
        public boolean copiesMeanwhile() {
            return entries % 2 == 0;
        }
    }

    private void betweenBatches() throws IOException {
        for (int i = random.nextInt(3); i > 0; i--) {
            transact();
            beside();
        }
        if (random.nextInt(8) == 0) {
            cube.flushIndex();
        }
        if (random.nextInt(20) == 0) {
            checkCrash("crash while cleaning", fixture.crashImage());
            CubeFixture withoutIndex = fixture.imageWithoutIndex();
            checkCrash("crash while cleaning, index lost", withoutIndex);
        }
        if (random.nextInt(25) == 0) {
            CubeFixture image = fixture.crashImage();
            if (random.nextInt(3) == 0) {
                image.indexes = new MemoryIndexFactory();
            }
            throw new CrashHere(image);
        }
    }

    /** A crash leaves the same store, and its accounting equals that of a scan. */
    private void checkCrash(String where, CubeFixture image) throws IOException {
        try (LogCube again = image.open()) {
            checkRecords(where, again);
            Set<Long> alive = reachable(records);
            for (long id : alive) {
                assertThat(CubeFixture.read(again, new BlobId(id)))
                        .as("%s: blob %s", where, id)
                        .isEqualTo(contents.get(id));
            }
            assertThat(CubeFixture.references(again)).as(where).isEqualTo(references(alive));
            checkAccounts(where, image.crashImage(), again);
        }
    }

    private void abandonUpload() throws IOException {
        CubeFixture.blob(cube, bytes(9000)).close();
    }

    private byte[] bytes(int count) {
        return CubeFixture.bytes(random, count);
    }

    private void transact() throws IOException {
        Transaction transaction = new Transaction();
        Map<Key, Record> after = new HashMap<>(records);
        Set<Long> alive = reachable(records);
        int changes = 1 + random.nextInt(4);
        for (int i = 0; i < changes; i++) {
            Key key = randomKey();
            if (random.nextInt(10) < 3) {
                transaction.delete(key.family(), CubeFixture.utf8(key.name()));
                after.remove(key);
            } else {
                after.put(key, put(transaction, key, alive));
            }
        }
        Set<Long> stillAlive = reachable(after);
        boolean wastes =
                transaction.changes().stream()
                        .flatMap(CubeModel::newBlob)
                        .anyMatch(id -> !stillAlive.contains(id));
        if (wastes) {
            // A later change of the same record took the only reference away.
            assertThatThrownBy(() -> cube.commit(transaction).join())
                    .hasCauseInstanceOf(IllegalArgumentException.class);
            return;
        }
        long sequence = cube.commit(transaction).join();
        assertThat(sequence).isGreaterThanOrEqualTo(0);
        records.clear();
        records.putAll(after);
    }

    private static Stream<Long> newBlob(Transaction.Change change) {
        return switch (change) {
            case Transaction.AddBlob add -> Stream.of(add.blob().id().value());
            case Transaction.Compose compose -> Stream.of(compose.blob().value());
            case Transaction.Put put -> Stream.empty();
            case Transaction.Delete delete -> Stream.empty();
        };
    }

    private Key randomKey() {
        Family family = random.nextInt(3) == 0 ? CubeFixture.OTHERS : CubeFixture.NAMES;
        return new Key(family, "key" + random.nextInt(KEYS));
    }

    private Record put(Transaction transaction, Key key, Set<Long> alive) throws IOException {
        Set<Long> references = new HashSet<>();
        List<Long> old = alive.stream().sorted().toList();
        int route = random.nextInt(10);
        if (route < 5) {
            references.add(add(transaction));
        } else if (route < 7 && !old.isEmpty()) {
            references.add(old.get(random.nextInt(old.size())));
        } else if (route < 9) {
            references.add(compose(transaction, old));
        }
        Record record =
                new Record(
                        bytes(random.nextInt(60)),
                        random.nextBoolean() ? bytes(random.nextInt(300)) : new byte[0],
                        references);
        byte[] name = CubeFixture.utf8(key.name());
        List<BlobId> blobs = references.stream().map(BlobId::new).toList();
        if (records.containsKey(key)) {
            transaction.put(key.family(), name, record.summary(), record.detail(), blobs);
        } else {
            transaction.putNew(key.family(), name, record.summary(), record.detail(), blobs);
        }
        return record;
    }

    private long add(Transaction transaction) throws IOException {
        byte[] wanted =
                switch (random.nextInt(6)) {
                    case 0 -> bytes(random.nextInt(3) == 0 ? 9000 + random.nextInt(9000) : 0);
                    case 1 -> bytes(CubeFixture.INLINE_BYTES);
                    case 2 -> bytes(CubeFixture.INLINE_BYTES + 1);
                    case 3 -> bytes(2 * CubeFixture.CHUNK_BYTES + random.nextInt(9000));
                    default -> bytes(1 + random.nextInt(500));
                };
        boolean fits = bytes(transaction) + wanted.length <= TRANSACTION_BYTES;
        byte[] content = fits ? wanted : Arrays.copyOf(wanted, Math.min(wanted.length, 100));
        var blob = CubeFixture.blob(cube, content);
        transaction.add(blob);
        contents.put(blob.id().value(), content);
        return blob.id().value();
    }

    private static long bytes(Transaction transaction) {
        return transaction.changes().stream()
                .mapToLong(
                        change ->
                                change instanceof Transaction.AddBlob add ? add.blob().bytes() : 0)
                .sum();
    }

    private long compose(Transaction transaction, List<Long> old) throws IOException {
        List<Long> parts = new ArrayList<>();
        int count = random.nextInt(4);
        for (int i = 0; i < count; i++) {
            parts.add(
                    old.isEmpty() || random.nextInt(4) == 0
                            ? add(transaction)
                            : old.get(random.nextInt(old.size())));
        }
        // Bounded: parts of parts double their bytes otherwise.
        parts.removeIf(part -> contents.get(part).length > 60_000);
        BlobId id = new BlobId(cube.allocateId());
        int bytes = 0;
        List<Transaction.Part> list = new ArrayList<>();
        for (long part : parts) {
            byte[] content = contents.get(part);
            bytes += content.length;
            list.add(new Transaction.Part(new BlobId(part), content.length, new byte[] {7}));
        }
        byte[] whole = new byte[bytes];
        int at = 0;
        for (long part : parts) {
            byte[] content = contents.get(part);
            System.arraycopy(content, 0, whole, at, content.length);
            at += content.length;
        }
        contents.put(id.value(), whole);
        children.put(id.value(), parts);
        transaction.compose(id, list);
        return id.value();
    }

    private Set<Long> reachable(Map<Key, Record> from) {
        Set<Long> alive = new HashSet<>();
        from.values().forEach(record -> record.references().forEach(id -> reach(id, alive)));
        return alive;
    }

    private void reach(long id, Set<Long> alive) {
        if (alive.add(id)) {
            children.getOrDefault(id, List.of()).forEach(child -> reach(child, alive));
        }
    }

    private void check(String where) throws IOException {
        checkRecords(where, cube);
        Set<Long> alive = reachable(records);
        for (long id : contents.keySet()) {
            if (alive.contains(id)) {
                assertThat(CubeFixture.read(cube, new BlobId(id)))
                        .as("%s: blob %s", where, id)
                        .isEqualTo(contents.get(id));
            } else if (random.nextInt(4) == 0) {
                assertThatThrownBy(() -> cube.openBlob(new BlobId(id)))
                        .as("%s: blob %s", where, id)
                        .isInstanceOf(MissingBlobException.class);
            }
        }
        assertThat(CubeFixture.references(cube)).as(where).isEqualTo(references(alive));
        assertThat(cube.check(1L << 50, progress -> true).problems()).as(where).isEmpty();
        CubeFixture image = fixture.crashImage();
        checkAccounts(where, image, cube);
        image.indexes = new MemoryIndexFactory();
        if (CubeFixture.accounts(cube).keySet().stream().anyMatch(row -> row.startsWith("or"))) {
            // A pass was cut off: of two copies a rebuild may take the other one.
            checkCrash(where, image);
            return;
        }
        try (LogCube again = image.open()) {
            assertThat(CubeFixture.dump(again)).as(where).isEqualTo(CubeFixture.dump(cube));
        }
    }

    private void checkRecords(String where, LogCube cube) throws IOException {
        for (Family family : CubeFixture.FAMILIES) {
            Map<String, Record> expected = new TreeMap<>();
            records.forEach(
                    (key, record) -> {
                        if (key.family().equals(family)) {
                            expected.put(key.name(), record);
                        }
                    });
            List<String> found = new ArrayList<>();
            try (RecordCursor cursor = cube.scan(family, new byte[0], new byte[0])) {
                while (cursor.next()) {
                    found.add(new String(cursor.key(), java.nio.charset.StandardCharsets.UTF_8));
                }
            }
            assertThat(found).as(where).isEqualTo(List.copyOf(expected.keySet()));
            for (Map.Entry<String, Record> each : expected.entrySet()) {
                byte[] key = CubeFixture.utf8(each.getKey());
                StoredRecord stored = cube.get(family, key).orElseThrow();
                assertThat(stored.summary()).as(where).isEqualTo(each.getValue().summary());
                assertThat(cube.readDetail(family, key, stored))
                        .as(where)
                        .isEqualTo(each.getValue().detail());
                assertThat(new HashSet<>(stored.references()))
                        .as(where)
                        .isEqualTo(asIds(each.getValue().references()));
            }
        }
    }

    private static Set<BlobId> asIds(Set<Long> ids) {
        Set<BlobId> blobs = new HashSet<>();
        ids.forEach(id -> blobs.add(new BlobId(id)));
        return blobs;
    }

    private Map<Long, Long> references(Set<Long> alive) {
        Map<Long, Long> counts = new HashMap<>();
        records.values()
                .forEach(
                        record ->
                                record.references().forEach(id -> counts.merge(id, 1L, Long::sum)));
        for (long id : alive) {
            new HashSet<>(children.getOrDefault(id, List.of()))
                    .forEach(child -> counts.merge(child, 1L, Long::sum));
        }
        return counts;
    }

    /** Live, dead and tombstone bytes of each segment, from a scan and the model alone. */
    private void checkAccounts(String where, CubeFixture image, LogCube cube) throws IOException {
        Map<Long, long[]> sums = new TreeMap<>();
        try (SegmentLog log = image.log()) {
            Set<Long> inLog = SegmentRelease.ids(log.segments());
            inLog.forEach(segment -> sums.put(segment, new long[3]));
            log.scanAll(
                    batch -> {
                        for (SegmentLog.LoggedEntry each : batch.entries()) {
                            count(cube, each, inLog, sums);
                        }
                    });
        }
        Map<Long, long[]> found = new TreeMap<>();
        for (SpaceReport.SegmentSpace space : cube.space().segments()) {
            boolean isStream = space.kind() == SpaceReport.Kind.STREAM;
            long dead = isStream ? 0 : space.dead();
            found.put(space.segmentId(), new long[] {space.live(), dead, space.tombstones()});
            assertThat(space.live() + space.dead() + space.tombstones())
                    .as(where)
                    .isLessThanOrEqualTo(space.written());
            // Padding of pages is part of no extent.
            assertThat(space.holes()).as(where).isLessThanOrEqualTo(isStream ? space.dead() : dead);
        }
        assertThat(readable(found)).as(where).isEqualTo(readable(sums));
    }

    private static Map<Long, String> readable(Map<Long, long[]> figures) {
        Map<Long, String> text = new TreeMap<>();
        figures.forEach((segment, sums) -> text.put(segment, Arrays.toString(sums)));
        return text;
    }

    private static void count(
            LogCube cube, SegmentLog.LoggedEntry logged, Set<Long> inLog, Map<Long, long[]> sums) {
        Place place = logged.place();
        long[] segment = sums.get(place.segmentId());
        switch (logged.entry()) {
            case LogEntry.RecordPut put ->
                    segment[isCurrent(cube, put, place) ? 0 : 1] += place.bytes();
            case LogEntry.Tombstone tombstone ->
                    segment[inLog.contains(tombstone.victim().segmentId()) ? 2 : 1] +=
                            place.bytes();
            case LogEntry.KeptTombstone kept ->
                    segment[inLog.contains(kept.victim().segmentId()) ? 2 : 1] += place.bytes();
            case LogEntry.InlineBlob blob ->
                    segment[isCurrent(cube, blob.blobId(), place) ? 0 : 1] += place.bytes();
            case LogEntry.ComposedBlob blob ->
                    segment[isCurrent(cube, blob.blobId(), place) ? 0 : 1] += place.bytes();
            case LogEntry.StreamBlob blob -> {
                boolean isCurrent = isCurrent(cube, blob.blobId(), place);
                segment[isCurrent ? 0 : 1] += place.bytes();
                if (isCurrent) {
                    blob.extents().forEach(each -> sums.get(each.segmentId())[0] += each.bytes());
                }
            }
            case LogEntry.Hole hole -> segment[1] += place.bytes();
            case LogEntry.Digest digest -> {}
            case LogEntry.Origins origins -> {}
        }
    }

    /** Which blobs live is checked against the model elsewhere. */
    private static boolean isCurrent(LogCube cube, long blob, Place place) {
        return cube.index().blob(blob).filter(row -> row.entry().equals(place)).isPresent();
    }

    private static boolean isCurrent(LogCube cube, LogEntry.RecordPut put, Place place) {
        Family family = put.family() == 1 ? CubeFixture.NAMES : CubeFixture.OTHERS;
        return cube.get(family, put.key())
                .filter(record -> record.sequence() == put.sequence())
                .filter(record -> record.place().equals(place))
                .isPresent();
    }
}
