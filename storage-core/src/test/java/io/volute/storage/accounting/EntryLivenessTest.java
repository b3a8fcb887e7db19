package io.volute.storage.accounting;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.Place;
import io.volute.storage.accounting.EntryLiveness.Liveness;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class EntryLivenessTest {
    private static final int BYTES_MAX = 1 << 20;

    private final EntryLiveness notes = new EntryLiveness(BYTES_MAX);
    private final EntryLiveness.Reader reader = notes.new Reader();

    private static Place entry(long segment, int number) {
        return new Place(segment, 4096 + 8L * number, 8);
    }

    private void dies(Place entry) {
        EntryLiveness.Changes changes = notes.new Changes();
        changes.dead(entry);
        changes.publish();
    }

    private void manyDie(long segment, int count) {
        for (int i = 0; i < count; i++) {
            dies(entry(segment, i));
        }
    }

    @Test
    void nothingIsKnownOfSegmentsBeforeTheFirst() {
        assertThat(reader.of(entry(1, 0))).isEqualTo(Liveness.UNKNOWN);
        notes.begin(2);
        assertThat(notes.new Reader().of(entry(1, 0))).isEqualTo(Liveness.UNKNOWN);
        assertThat(notes.new Reader().of(entry(2, 0))).isEqualTo(Liveness.LIVE);
    }

    @Test
    void nothingIsKnownOfSegmentsThatLeaveTheLogMeanwhile() {
        notes.begin(1);
        dies(entry(1, 0));
        assertThat(reader.of(entry(1, 0))).isEqualTo(Liveness.DEAD);
        dies(entry(2, 0));
        notes.forget(Set.of(1L, 2L));
        reader.refresh();
        assertThat(reader.of(entry(1, 0))).isEqualTo(Liveness.UNKNOWN);
        assertThat(reader.of(entry(2, 0))).isEqualTo(Liveness.UNKNOWN);
        assertThat(reader.of(entry(3, 0))).isEqualTo(Liveness.LIVE);
    }

    @Test
    void tellsTheDeadFromTheSharedAndFromTheRest() {
        notes.begin(1);
        EntryLiveness.Changes changes = notes.new Changes();
        for (int i = 0; i < 300; i += 3) {
            changes.dead(entry(1, i));
            changes.shared(entry(1, i + 1));
        }
        assertThat(reader.of(entry(1, 0))).isEqualTo(Liveness.LIVE);
        changes.publish();
        reader.refresh();
        for (int i = 0; i < 300; i += 3) {
            assertThat(reader.of(entry(1, i))).isEqualTo(Liveness.DEAD);
            assertThat(reader.of(entry(1, i + 1))).isEqualTo(Liveness.UNKNOWN);
            assertThat(reader.of(entry(1, i + 2))).isEqualTo(Liveness.LIVE);
        }
        assertThat(reader.of(entry(2, 0))).isEqualTo(Liveness.LIVE);
    }

    @Test
    void theSharedMayDie() {
        notes.begin(1);
        EntryLiveness.Changes changes = notes.new Changes();
        changes.shared(entry(1, 5));
        changes.dead(entry(1, 5));
        changes.publish();
        assertThat(reader.of(entry(1, 5))).isEqualTo(Liveness.DEAD);
    }

    @Test
    void aReaderFollowsWhatIsNotedLater() {
        notes.begin(1);
        assertThat(reader.of(entry(1, 7))).isEqualTo(Liveness.LIVE);
        dies(entry(1, 7));
        reader.refresh();
        assertThat(reader.of(entry(1, 7))).isEqualTo(Liveness.DEAD);
    }

    @Test
    void whereThereIsNoRoomForNotesNothingIsKnown() {
        notes.begin(1);
        dies(entry(1, 0));
        assertThat(reader.of(entry(1, 0))).isEqualTo(Liveness.DEAD);
        manyDie(2, BYTES_MAX / Integer.BYTES);
        assertThat(reader.of(entry(2, 0))).isEqualTo(Liveness.UNKNOWN);
        dies(entry(1, 1));
        reader.refresh();
        assertThat(reader.of(entry(1, 0))).isEqualTo(Liveness.DEAD);
        assertThat(reader.of(entry(1, 1))).as("room came back").isEqualTo(Liveness.DEAD);
        assertThat(reader.of(entry(2, 1))).isEqualTo(Liveness.UNKNOWN);
    }

    @Test
    void aReaderForgetsWhatHadNoRoom() {
        notes.begin(1);
        dies(entry(1, 0));
        assertThat(reader.of(entry(1, 0))).isEqualTo(Liveness.DEAD);
        manyDie(1, BYTES_MAX / Integer.BYTES);
        reader.refresh();
        assertThat(reader.of(entry(1, 9))).isEqualTo(Liveness.UNKNOWN);
    }

    @Test
    void whatHasLeftTheLogTakesNoRoom() {
        notes.begin(1);
        for (int segment = 1; segment < 100; segment++) {
            manyDie(segment, BYTES_MAX / Integer.BYTES / 4);
            assertThat(notes.new Reader().of(entry(segment, 0))).isEqualTo(Liveness.DEAD);
            notes.forget(Set.of((long) segment));
        }
    }
}
