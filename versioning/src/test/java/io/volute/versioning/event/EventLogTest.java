package io.volute.versioning.event;

import static io.volute.versioning.rows.Families.ACTORS;
import static io.volute.versioning.rows.Families.EVENTS;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.CubeState;
import io.volute.storage.Family;
import io.volute.storage.RecordCursor;
import io.volute.versioning.FakeCube;
import io.volute.versioning.causality.Actor;
import io.volute.versioning.causality.ActorKey;
import io.volute.versioning.causality.Actors;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.EventRow;
import io.volute.versioning.rows.KeyVersion;
import io.volute.versioning.value.ActorName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The pending events of many readers stay within the heap budget until they are in the log. */
class EventLogTest {
    private static final long BYTES_MAX = 1 << 20;
    private static final int READERS = 5_000;
    private static final String LONG_KEY = "k".repeat(1000);

    private final FakeCube cube = new FakeCube();
    private Instant now = Instant.parse("2030-01-01T00:00:00Z");
    private final EventLog log = new EventLog(cube, () -> now, BYTES_MAX, Runnable::run);
    private Actors actors = actors(100_000);

    private Actors actors(int instances) {
        return new Actors(
                cube::allocateId,
                () -> now,
                log::ended,
                new Actors.Limits(Duration.ofMinutes(15), instances, 16, 1 << 30));
    }

    /** One object is read by an actor that was never seen before. */
    private void read(String accessKey, int number) {
        ActorName name = new ActorName(ActorName.Kind.PROGRAM, "reader/" + number, "192.0.2.7");
        Caller caller = new Caller("alice", accessKey, Optional.empty(), name, Optional.empty());
        Actor actor = actors.resolve(new ActorKey(accessKey, name.text()));
        log.present(actor, caller);
        log.add(actor.id(), new Event.Read(now, actor.id(), 2, object(number)));
        assertThat(log.pendingBytes()).isBetween(0L, BYTES_MAX);
    }

    private static KeyVersion object(long number) {
        return new KeyVersion(1, new ObjectKey(LONG_KEY), number);
    }

    /** The versions that were read, in the order of the log. */
    private List<Long> logged() throws IOException {
        List<Long> versions = new ArrayList<>();
        try (RecordCursor cursor = cube.scan(EVENTS, new byte[0], new byte[0])) {
            while (cursor.next()) {
                byte[] bytes =
                        cursor.record().detailBytes() == 0
                                ? cursor.record().summary()
                                : cube.readDetail(EVENTS, cursor.key(), cursor.record());
                for (Event event : EventRow.decode(bytes)) {
                    versions.add(((Event.Read) event).object().version());
                }
            }
        }
        return versions;
    }

    private int rows(Family family) {
        int rows = 0;
        try (RecordCursor cursor = cube.scan(family, new byte[0], new byte[0])) {
            while (cursor.next()) {
                rows++;
            }
        }
        return rows;
    }

    private static List<Long> upTo(long end) {
        return LongStream.range(0, end).boxed().toList();
    }

    @Test
    void readsOfManyActorsStayWithinTheBound() throws IOException {
        for (int i = 0; i < READERS; i++) {
            read("KEY", i);
        }
        assertThat(logged()).isEqualTo(upTo(logged().size())).hasSizeGreaterThan(READERS - 1000);
        assertThat(log.dropped()).isZero();
        log.flush();
        assertThat(logged()).isEqualTo(upTo(READERS));
        assertThat(rows(ACTORS)).isEqualTo(READERS);
        assertThat(log.pendingBytes()).isZero();
        // Many actors share a row.
        assertThat(rows(EVENTS)).isLessThan(READERS / 50);
    }

    @Test
    void readsAreDroppedAndCountedWhenTheLogTakesNone() throws IOException {
        cube.state(CubeState.READ_ONLY);
        for (int i = 0; i < READERS; i++) {
            read("KEY", i);
        }
        long kept = READERS - log.dropped();
        assertThat(kept).isBetween(100L, BYTES_MAX / LONG_KEY.length());
        cube.state(CubeState.HEALTHY);
        log.flush();
        assertThat(logged()).isEqualTo(upTo(kept));
        assertThat(log.pendingBytes()).isZero();
        read("KEY", READERS);
        assertThat(READERS - log.dropped()).isEqualTo(kept);
    }

    /** Readers without a signature leave room for others. */
    @Test
    void anonymousReadsAreDroppedFirst() throws IOException {
        cube.state(CubeState.READ_ONLY);
        for (int i = 0; i < READERS; i++) {
            read("", i);
        }
        long kept = READERS - log.dropped();
        read("KEY", READERS);
        assertThat(READERS + 1 - log.dropped()).isEqualTo(kept + 1);
        cube.state(CubeState.HEALTHY);
        log.flush();
        assertThat(logged()).hasSize((int) kept + 1).contains((long) READERS);
    }

    /** One actor that reads much does not take the room of all. */
    @Test
    void oneActorLeavesRoomForOthers() throws IOException {
        cube.state(CubeState.READ_ONLY);
        ActorName name = ActorName.of("greedy");
        Caller caller = new Caller("alice", "KEY", Optional.empty(), name, Optional.empty());
        Actor greedy = actors.resolve(new ActorKey("KEY", name.text()));
        log.present(greedy, caller);
        for (int i = 0; i < READERS; i++) {
            log.add(greedy.id(), new Event.Read(now, greedy.id(), 2, object(i)));
        }
        assertThat(log.pendingBytes()).isLessThanOrEqualTo(BYTES_MAX / 4);
        long dropped = log.dropped();
        read("KEY", READERS);
        assertThat(log.dropped()).isEqualTo(dropped);
    }

    @Test
    void whatActorsReadBeforeTheyEndedIsInTheLog() throws IOException {
        actors = actors(3);
        for (int i = 0; i < 100; i++) {
            read("KEY", i);
        }
        assertThat(logged()).isEqualTo(upTo(97));
        cube.state(CubeState.READ_ONLY);
        for (int i = 100; i < 110; i++) {
            read("KEY", i);
        }
        cube.state(CubeState.HEALTHY);
        now = now.plusSeconds(1);
        read("KEY", 110);
        assertThat(logged()).isEqualTo(upTo(108));
    }

    /** A writer is known although it ended between its request and its write. */
    @Test
    void aWriterThatHasEndedIsIntroduced() throws IOException {
        Caller caller = new Caller("alice", "KEY", "writer");
        Actor writer = actors.resolve(new ActorKey("KEY", "writer"));
        log.present(writer, caller);
        assertThat(actors.endAll()).isEqualTo(1);
        assertThat(log.take(writer, caller, false).introduction()).isPresent();
        log.present(writer, caller);
        assertThat(log.take(writer, caller, false).introduction()).isPresent();
    }
}
