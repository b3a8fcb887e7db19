package io.volute.versioning.past;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.PastFixture;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Reads of the past, compared with notes that were taken at the time. */
class PastModelTest extends PastFixture {
    private static final int STEPS = 120;
    private static final List<Caller> ACTORS =
            List.of(ALICE, THIEF, new Caller("alice", "key-h", "helper"));

    /** The contents at an instant. */
    private record Note(Instant at, Map<String, String> contents) {}

    /** A content and who wrote it when. */
    private record WrittenText(Instant at, String text, String actor) {}

    private final List<Note> notes = new ArrayList<>();
    private final Map<String, List<WrittenText>> written = new TreeMap<>();
    private final Map<String, String> present = new TreeMap<>();

    static LongStream seeds() {
        long seed = Long.getLong("volute.past.seed", 0);
        return seed != 0
                ? LongStream.of(seed)
                : LongStream.rangeClosed(1, Integer.getInteger("volute.past.seeds", 12));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void everyInstantIsShownExactlyUnderEveryWrite(long seed) throws IOException {
        SplittableRandom random = begin(seed);
        policy(HistoryPolicy.EVERY_WRITE);
        if (random.nextBoolean()) {
            store.setVersioning(ALICE, BUCKET, VersioningState.ENABLED);
        }
        for (int i = 0; i < STEPS; i++) {
            step(random, i);
            if (random.nextInt(20) == 0) {
                assertExact(notes.get(random.nextInt(notes.size())));
            }
        }
        for (Note note : notes) {
            assertExact(note);
        }
    }

    private void assertExact(Note note) throws IOException {
        assertThat(past(note.at())).as("at %s", note.at()).isEqualTo(note.contents());
        assertThat(
                        store.asOf(note.at())
                                .listObjects(ALICE, BUCKET, new ObjectQuery("", "", "", 1000))
                                .objects())
                .allMatch(object -> object.writtenLater().isEmpty());
    }

    /**
     * Under a policy that coalesces, the past has the state of that time, or a later one of the
     * same actor, which is marked so.
     */
    @ParameterizedTest
    @MethodSource("seeds")
    void whatIsInexactIsToldUnderCycleAvoidance(long seed) throws IOException {
        SplittableRandom random = begin(seed);
        for (int i = 0; i < STEPS; i++) {
            step(random, i);
        }
        for (Note note : notes) {
            ObjectReader past = store.asOf(note.at());
            Map<String, String> shown = contents(past);
            for (String key : written.keySet()) {
                assertShown(note, past, key, Optional.ofNullable(shown.get(key)));
            }
        }
    }

    private void assertShown(Note note, ObjectReader past, String key, Optional<String> shown)
            throws IOException {
        Optional<String> was = Optional.ofNullable(note.contents().get(key));
        Optional<Instant> later =
                past.head(ALICE, BUCKET, new ObjectKey(key), VersionSelector.LATEST)
                        .flatMap(ObjectVersion::writtenLater);
        if (later.isEmpty() && shown.equals(was)) {
            return;
        }
        assertThat(later.isPresent() || shown.isEmpty())
                .as("%s at %s is shown as %s, was %s", key, note.at(), shown, was)
                .isTrue();
        // Then one actor went on from what was there, without anybody in between.
        List<WrittenText> all = written.get(key);
        int from = 0;
        while (from + 1 < all.size() && !all.get(from + 1).at().isAfter(note.at())) {
            from++;
        }
        int to = from;
        while (to + 1 < all.size()
                && all.get(to + 1).actor().equals(all.get(from).actor())
                && !Optional.of(all.get(to).at()).equals(later)
                && !all.get(to).text().isEmpty()) {
            to++;
        }
        assertThat(Optional.of(all.get(to).text()).filter(text -> !text.isEmpty()))
                .as("%s at %s, told as of %s", key, note.at(), later)
                .isEqualTo(shown);
    }

    private SplittableRandom begin(long seed) {
        System.out.println("seed " + seed + " (again with -Dvolute.past.seed=" + seed + ")");
        return new SplittableRandom(seed);
    }

    private void step(SplittableRandom random, int number) throws IOException {
        String key = "k" + random.nextInt(5) + (random.nextBoolean() ? "" : "/x");
        Caller actor = ACTORS.get(random.nextInt(ACTORS.size()));
        switch (random.nextInt(8)) {
            case 0, 1, 2, 3 -> {
                String text = "text " + number;
                put(actor, key, text);
                note(key, text, actor);
            }
            case 4, 5 -> {
                boolean isThere = present.containsKey(key);
                delete(actor, key);
                if (isThere) {
                    note(key, "", actor);
                }
            }
            case 6 -> {
                if (present.containsKey(key)) {
                    assertThat(read(actor, key)).isEqualTo(present.get(key));
                }
            }
            default -> {
                if (random.nextInt(4) == 0) {
                    store.close();
                    store = openStore();
                }
            }
        }
        assertThat(
                        store.listVersions(
                                        ALICE,
                                        BUCKET,
                                        new VersionQuery("", "", "", Optional.empty(), 1))
                                .versions()
                                .size())
                .isLessThanOrEqualTo(1);
        notes.add(new Note(tick(), new TreeMap<>(present)));
    }

    private void note(String key, String text, Caller actor) {
        written.computeIfAbsent(key, same -> new ArrayList<>())
                .add(new WrittenText(clock.get(), text, actor.actor().label()));
        if (text.isEmpty()) {
            present.remove(key);
        } else {
            present.put(key, text);
        }
    }
}
