package io.volute.storage.cube;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.Place;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class CollectedEntriesTest {
    private final CollectedEntries entries = new CollectedEntries();

    @Test
    void comeByAgeWhateverSegmentTheyLieIn() {
        entries.segment(3);
        for (int i = 0; i < 5000; i++) {
            entries.add(2L * i, new Place(3, 100L * i, 100), i);
        }
        entries.segment(4);
        entries.segment(9);
        for (int i = 0; i < 5000; i++) {
            entries.add(2L * i + 1, new Place(9, 50L * i, 50), 0);
        }
        assertThat(entries.size()).isEqualTo(10_000);
        entries.sort();
        List<CollectedEntries.Collected> found = new ArrayList<>();
        while (!entries.isEmpty()) {
            found.add(entries.poll());
        }
        assertThat(found).hasSize(10_000);
        for (int i = 0; i < 5000; i++) {
            assertThat(found.get(2 * i))
                    .isEqualTo(new CollectedEntries.Collected(new Place(3, 100L * i, 100), i));
            assertThat(found.get(2 * i + 1))
                    .isEqualTo(new CollectedEntries.Collected(new Place(9, 50L * i, 50), 0));
        }
    }

    @Test
    void nothingIsNothing() {
        entries.segment(1);
        entries.sort();
        assertThat(entries.isEmpty()).isTrue();
    }
}
