package io.volute.storage.cleaning;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.cleaning.SegmentChooser.Candidate;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SegmentChooserTest {
    private static final long SEGMENT_BYTES = 512 << 10;
    private static final long NEXT = 1000;
    private static final int SURVIVORS = 3;

    private final SegmentChooser chooser = new SegmentChooser(SEGMENT_BYTES);

    private static Candidate used(long segmentId, double share) {
        return new Candidate(segmentId, (long) (share * SEGMENT_BYTES), SEGMENT_BYTES);
    }

    /** Candidates with the first ids, so that they are the oldest. */
    private static List<Candidate> old(int count, double share) {
        List<Candidate> old = new ArrayList<>();
        for (int id = 1; id <= count; id++) {
            old.add(used(id, share));
        }
        return old;
    }

    @Test
    void ageCountsAsMuchAsEmptiness() {
        List<Candidate> candidates = old(3, 0.8);
        candidates.add(used(990, 0.2));
        assertThat(chooser.choose(candidates, NEXT, SURVIVORS).orElseThrow().segments())
                .containsExactlyInAnyOrder(1L, 2L, 3L, 990L);
        assertThat(chooser.choose(candidates, NEXT, 1).orElseThrow().segments())
                .containsExactly(1L);
    }

    @Test
    void whereTheOldAreTooFullForAFewSurvivorsTheEmptiestAreTaken() {
        List<Candidate> candidates = old(100, 0.92);
        candidates.add(used(995, 0.5));
        candidates.add(used(996, 0.6));
        SegmentChooser.Choice choice = chooser.choose(candidates, NEXT, SURVIVORS).orElseThrow();
        assertThat(choice.segments()).contains(995L, 996L);
        assertThat(choice.won()).isGreaterThan(SEGMENT_BYTES / 2);
    }

    /** At 0.94 more is filled than freed, with padding and headers. */
    @Test
    void segmentsFromWhichNothingIsWonAreLeftAlone() {
        List<Candidate> candidates = old(60, 0.94);
        assertThat(chooser.choose(candidates, NEXT, 100)).isEmpty();
        candidates.add(used(990, 0.8));
        candidates.add(used(991, 0.8));
        assertThat(chooser.choose(candidates, NEXT, 100).orElseThrow().segments())
                .containsExactlyInAnyOrder(990L, 991L);
    }

    @Test
    void aPassPlansWithTheRoomThereIs() {
        SegmentChooser.Choice choice = chooser.choose(old(100, 0.5), NEXT, SURVIVORS).orElseThrow();
        assertThat(choice.filled()).isEqualTo(SURVIVORS);
        assertThat(choice.segments()).hasSize(5);
        assertThat(choice.won())
                .isEqualTo(choice.freed() - choice.needed() * 33 / 32 - SURVIVORS * (16 << 10));
    }
}
