package io.volute.storage.cleaning;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.Place;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class CollectedEntriesTest {
    private final CollectedEntries entries = new CollectedEntries();

    @Test
    void comeByAgeWhateverSegmentTheyLieIn() {
        List<CollectedEntries.Collected> added = new ArrayList<>();
        entries.segment(3);
        for (int i = 0; i < 5000; i++) {
            Place place = new Place(3, 100L * i, 100);
            entries.addInline(2L * i, place, i + 1);
            added.add(new CollectedEntries.Collected(place, i + 1, true));
        }
        entries.segment(4);
        entries.segment(9);
        for (int i = 0; i < 5000; i++) {
            Place place = new Place(9, 50L * i, 50);
            entries.addBlob(2L * i + 1, place, 9000 + i);
            added.add(2 * i + 1, new CollectedEntries.Collected(place, 9000 + i, false));
        }
        Place last = new Place(9, 250_000, 50);
        entries.add(10_000, last);
        added.add(new CollectedEntries.Collected(last, 0, false));
        assertThat(entries.size()).isEqualTo(10_001);
        entries.sort();
        List<CollectedEntries.Collected> found = new ArrayList<>();
        while (!entries.isEmpty()) {
            found.add(entries.poll());
        }
        assertThat(found).isEqualTo(added);
    }

    @Test
    void nothingIsNothing() {
        entries.segment(1);
        entries.sort();
        assertThat(entries.isEmpty()).isTrue();
    }
}
