package io.volute.versioning.history;

import static io.volute.versioning.rows.Families.EVENTS;
import static io.volute.versioning.rows.Families.EVENT_INDEX;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.Transaction;
import io.volute.versioning.FakeCube;
import io.volute.versioning.History.Direction;
import io.volute.versioning.StoreException;
import io.volute.versioning.causality.VersionNode;
import io.volute.versioning.event.EventIndex;
import io.volute.versioning.event.EventNumbers;
import io.volute.versioning.event.EventRows;
import io.volute.versioning.event.EventScan;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.EventRow;
import io.volute.versioning.rows.KeyVersion;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.state.KeyLocks;
import io.volute.versioning.state.ScopedHold;
import io.volute.versioning.value.ChangeKind;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A walk by the index has the same result as a walk through all events, and reads fewer rows. */
@Tag("slow")
class GraphWalkTest {
    private static final EventIndex.Sizes SMALL = new EventIndex.Sizes(3, 5, 40);

    private final FakeCube cube = new FakeCube();
    private final EventNumbers numbers = new EventNumbers(cube);

    private static KeyVersion object(long number) {
        return new KeyVersion(1, new ObjectKey("k" + number), 1 + number % 3);
    }

    /** Exact: no two of these keys have the same number. */
    private static VersionNode node(KeyVersion object) {
        long number = Long.parseLong(object.key().value().substring(1));
        return new VersionNode(number | Long.MIN_VALUE, object.version());
    }

    private static Event read(long actor, long version, long object) {
        return new Event.Read(Instant.EPOCH, actor, version, object(object));
    }

    private static Event wrote(long actor, long version, long object) {
        return new Event.Wrote(
                Instant.EPOCH, actor, version, ChangeKind.PUT, object(object), version);
    }

    private long write(List<Event> events) throws IOException {
        long number = numbers.next();
        EventRows.write(cube, number, events);
        return number;
    }

    private EventIndex index(EventIndex.Sizes sizes) throws IOException {
        EventIndex index = new EventIndex(cube, numbers, sizes);
        index.extend();
        return index;
    }

    private GraphWalk walk(EventIndex index, Direction direction, long start) {
        return new GraphWalk(
                new EventScan(cube),
                index,
                Taint.from(object(start), direction, GraphWalkTest::node));
    }

    /** In pages, as clients ask. */
    private static List<String> all(GraphWalk walk, int page) throws IOException {
        List<String> all = new ArrayList<>();
        do {
            walk.reach(page);
            for (int i = 0; i < page && walk.hasNext(); i++) {
                all.add(walk.next().map(Taint.Reached::toString).orElseThrow());
            }
            walk.reach(1);
        } while (walk.hasNext());
        return all;
    }

    private List<String> byAllEvents(Direction direction, long start) throws IOException {
        Taint taint = Taint.from(object(start), direction, GraphWalkTest::node);
        List<String> all = new ArrayList<>();
        EventScan.Visitor visitor =
                rows -> {
                    rows.events()
                            .forEach(
                                    event ->
                                            taint.see(event)
                                                    .map(Taint.Reached::toString)
                                                    .ifPresent(all::add));
                    return true;
                };
        switch (direction) {
            case FORWARD -> new EventScan(cube).forward(0, visitor);
            case BACK -> new EventScan(cube).backward(0, Long.MAX_VALUE, visitor);
        }
        return all;
    }

    private int indexRows() {
        return count(EVENT_INDEX);
    }

    private int count(io.volute.storage.Family family) {
        int count = 0;
        try (var cursor = cube.scan(family, new byte[0], new byte[0])) {
            while (cursor.next()) {
                count++;
            }
        }
        return count;
    }

    private Event anyEvent(SplittableRandom random) {
        long actor = 1L + random.nextInt(12);
        long version = 1L + random.nextInt(6);
        long object = random.nextInt(40);
        return switch (random.nextInt(4)) {
            case 0, 1 -> read(actor, version, object);
            case 2 -> wrote(actor, version, object);
            default -> new Event.Copied(Instant.EPOCH, object(object), object(random.nextInt(40)));
        };
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void randomGraphsAreWalkedAsByAllEvents(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        EventIndex index = new EventIndex(cube, numbers, SMALL);
        for (int i = 0; i < 200; i++) {
            List<Event> events = new ArrayList<>();
            for (int j = random.nextInt(3); j >= 0; j--) {
                events.add(anyEvent(random));
            }
            write(events);
            if (random.nextInt(20) == 0) {
                index.extend();
            }
            if (random.nextInt(90) == 0) {
                index = new EventIndex(cube, numbers, SMALL);
            }
        }
        assertThat(indexRows()).isGreaterThan(10);
        for (long start = 0; start < 40; start++) {
            for (Direction direction : Direction.values()) {
                List<String> wanted = byAllEvents(direction, start);
                for (int page : new int[] {1, 7, 1000}) {
                    assertThat(all(walk(index, direction, start), page))
                            .as("%s from %d in pages of %d", direction, start, page)
                            .isEqualTo(wanted);
                }
            }
        }
    }

    /** A million edges, of which the walks follow a hundred. */
    @Test
    void aLargeGraphIsWalkedByLookingAtFewRows() throws IOException {
        int chains = 10_000;
        int length = 50;
        long rows = 0;
        for (int link = 0; link < length; link++) {
            for (int chain = 0; chain < chains; chain += 8) {
                List<Event> events = new ArrayList<>();
                for (int each = chain; each < chain + 8; each++) {
                    long actor = 1 + (long) link * chains + each;
                    events.add(read(actor, 1, (long) link * chains + each));
                    events.add(wrote(actor, 1, (long) (link + 1) * chains + each));
                }
                write(events);
                rows++;
            }
        }
        assertThat(rows * 16).isEqualTo(1_000_000);
        EventIndex index = index(EventIndex.Sizes.USUAL);
        for (Direction direction : Direction.values()) {
            long start = 77 + (direction == Direction.FORWARD ? 0 : (long) length * chains);
            GraphWalk walk = walk(index, direction, start);
            assertThat(all(walk, 100)).hasSize(2 * length);
            // A block for each link of the chain, and what is not indexed yet.
            assertThat(walk.looked()).isLessThan(128L * 2 * length + 8192).isLessThan(rows / 2);
        }
    }

    @Test
    void whatMayReachTooMuchIsRefused() throws IOException {
        for (int i = 0; i < 1_000_000; i += 500) {
            List<Event> events = new ArrayList<>();
            events.add(read(1, 1, 0));
            for (int j = 1; j <= 500; j++) {
                events.add(wrote(1, 1, i + j));
            }
            write(events);
        }
        GraphWalk walk = walk(index(EventIndex.Sizes.USUAL), Direction.FORWARD, 0);
        walk.reach(1000);
        assertThat(walk.looked()).as("rows for a page").isLessThan(10);
        assertThatThrownBy(() -> walk.reach(Integer.MAX_VALUE))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("1000000 states and actors");
    }

    /** A commit may be overtaken by one with a greater number: its row is in no run too early. */
    @Test
    void whatIsUnderWayIsIndexedLater() throws IOException {
        write(List.of(read(9, 1, 30)));
        EventIndex index = new EventIndex(cube, numbers, new EventIndex.Sizes(1, 1, 1));
        ScopedHold slow = numbers.hold();
        long number = numbers.next();
        write(List.of(wrote(1, 1, 2)));
        index.extend();
        assertThat(index.runs()).hasSize(1);
        cube.commit(
                        new Transaction()
                                .put(
                                        EVENTS,
                                        RowKeys.number(number),
                                        EventRow.encode(List.of(read(1, 1, 1))).summary(),
                                        new byte[0],
                                        List.of()))
                .join();
        slow.close();
        index.extend();
        assertThat(index.runs()).hasSize(3);
        assertThat(all(walk(index, Direction.BACK, 2), 10)).hasSize(2);
    }

    @Test
    void theIndexGoesWithTheEvents() throws IOException {
        for (int i = 0; i < 100; i++) {
            write(List.of(wrote(1, 1, i)));
        }
        EventIndex index = index(SMALL);
        assertThat(indexRows()).isPositive();
        HistoryTrim trim = new HistoryTrim(cube, index, new KeyLocks(), Optional.empty());
        assertThat(trim.trimOldest(1)).isZero();
        assertThat(count(EVENTS)).isZero();
        assertThat(indexRows()).isZero();
        assertThat(index.run(index.runs().stream().findFirst().orElse(1L)))
                .isEqualTo(Optional.empty());
    }
}
