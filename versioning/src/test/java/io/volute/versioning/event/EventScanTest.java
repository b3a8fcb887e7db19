package io.volute.versioning.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.FakeCube;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.KeyVersion;
import io.volute.versioning.value.ChangeKind;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** From the number of an instant on a scan finds all that was then or later, and little else. */
class EventScanTest {
    private static final Instant START = Instant.parse("2026-03-01T12:00:00Z");
    private static final int ROWS = 300;

    private final AtomicReference<Instant> clock = new AtomicReference<>(START);
    private final FakeCube cube = new FakeCube(Runnable::run, clock::get);
    private final EventNumbers numbers = new EventNumbers(cube);

    private void write(long number, Instant at) throws IOException {
        KeyVersion object = new KeyVersion(1, new ObjectKey("k"), 1);
        EventRows.write(
                cube, number, List.of(new Event.Wrote(at, 1, 1, ChangeKind.PUT, object, number)));
    }

    private List<Instant> from(long number) throws IOException {
        List<Instant> found = new ArrayList<>();
        new EventScan(cube)
                .forward(
                        number,
                        rows -> {
                            rows.events().forEach(event -> found.add(event.at()));
                            return true;
                        });
        return found;
    }

    @Test
    void skipsWhatIsLongOver() throws IOException {
        for (int i = 0; i < ROWS; i++) {
            write(numbers.next(), clock.get());
            clock.updateAndGet(now -> now.plus(Duration.ofMinutes(1)));
        }
        Instant since = START.plus(Duration.ofMinutes(ROWS - 20));
        assertThat(from(new EventScan(cube).since(since)))
                .hasSizeBetween(20, 40)
                .endsWith(clock.get().minus(Duration.ofMinutes(1)));
        assertThat(from(new EventScan(cube).since(Instant.EPOCH))).hasSize(ROWS);
        assertThat(from(new EventScan(cube).since(clock.get().plus(Duration.ofDays(1))))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void missesNothingThoughCommitsOvertakeEachOther(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        List<Instant> all = new ArrayList<>();
        List<Runnable> late = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            Instant at = clock.get();
            long number = numbers.next();
            all.add(at);
            if (random.nextInt(4) == 0) {
                late.add(() -> writeUnchecked(number, at));
            } else {
                write(number, at);
            }
            // Back as well, as a clock that is set.
            clock.set(at.plusSeconds(random.nextInt(-30, 90)));
            if (random.nextInt(8) == 0) {
                late.forEach(Runnable::run);
                late.clear();
            }
        }
        late.forEach(Runnable::run);
        for (int i = 0; i < 50; i++) {
            Instant since = all.get(random.nextInt(all.size()));
            assertThat(from(new EventScan(cube).since(since)))
                    .containsAll(all.stream().filter(at -> !at.isBefore(since)).toList());
        }
    }

    private void writeUnchecked(long number, Instant at) {
        try {
            write(number, at);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
