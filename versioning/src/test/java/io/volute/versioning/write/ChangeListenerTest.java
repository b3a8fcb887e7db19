package io.volute.versioning.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.Family;
import io.volute.storage.Transaction;
import io.volute.versioning.FakeCube;
import io.volute.versioning.body.Body;
import io.volute.versioning.body.Origin;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.commit.ChangeListener;
import io.volute.versioning.commit.StateChange;
import io.volute.versioning.rows.Families;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ChangeKind;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A new listener is one class and one line, gets each change once, and can mark the row. */
class ChangeListenerTest {
    private static final Instant NOW = Instant.ofEpochSecond(1_700_000_000);
    private static final ObjectKey KEY = new ObjectKey("key");
    private static final byte[] ROW = {1};

    private final FakeCube cube = new FakeCube();

    /** A listener with one line for each call. */
    private static final class Diary implements ChangeListener {
        final List<String> heard = new ArrayList<>();
        Optional<IOException> refusal = Optional.empty();

        @Override
        public ObjectVersion changed(StateChange change, ObjectVersion row) {
            heard.add(line(change.kind(), change.version()));
            return row.deleteMarker()
                    ? row
                    : row.with(row.attributes().withHeader("x-mark", Optional.of("" + number())));
        }

        private int number() {
            return heard.size();
        }

        @Override
        public void addCauses(Transaction transaction) {
            heard.add("causes");
            transaction.put(Families.RESTORES, ROW, ROW, new byte[0], List.of());
        }

        @Override
        public void addTo(Transaction transaction) throws IOException {
            heard.add("effects");
            if (refusal.isPresent()) {
                throw refusal.get();
            }
        }

        @Override
        public void committed() {
            heard.add("committed");
        }

        @Override
        public void release() {
            heard.add("released");
        }
    }

    private static String line(ChangeKind kind, ObjectVersion version) {
        return kind + " " + version.number();
    }

    @Test
    void aListenerHearsOfEachChangeOnceInItsOrder() throws IOException {
        for (VersioningState state : VersioningState.values()) {
            for (int seed = 0; seed < 20; seed++) {
                changesAreHeard(state, new Random(seed), state + ", seed " + seed);
            }
        }
    }

    private void changesAreHeard(VersioningState state, Random random, String name)
            throws IOException {
        BucketInfo bucket = bucket(state);
        for (int commit = 0; commit < 5; commit++) {
            Diary diary = new Diary();
            WriteBatch batch = new WriteBatch(cube, diary);
            VersionChain chain = new VersionChain(batch, bucket, KEY);
            List<String> expected = new ArrayList<>();
            for (int i = random.nextInt(1, 6); i > 0; i--) {
                expected.add(change(chain, random));
            }
            batch.commit();
            batch.abandon();
            expected.addAll(List.of("causes", "effects", "committed", "released"));
            assertThat(diary.heard).as(name).isEqualTo(expected);
        }
    }

    private static String change(VersionChain chain, Random random) throws IOException {
        Optional<VersionChain.Link> current = chain.find(VersionSelector.LATEST);
        int choice = random.nextInt(5);
        if (choice == 0 || current.isEmpty()) {
            return line(ChangeKind.PUT, put(chain));
        }
        if (choice == 1) {
            return line(ChangeKind.MARK, chain.appendMarker("alice", NOW));
        }
        if (choice == 2 || current.get().decoded().deleteMarker()) {
            return line(ChangeKind.REMOVE, chain.remove(current.get(), NOW, false));
        }
        ChangeKind kind = choice == 3 ? ChangeKind.TAG : ChangeKind.ACL;
        ObjectVersion version = chain.version(current.get());
        return line(
                kind,
                chain.rewrite(
                        current.get(),
                        version.with(version.attributes().withTags(Map.of("a", "b"))),
                        kind));
    }

    private static ObjectVersion put(VersionChain chain) {
        return chain.append(
                new VersionChain.Content(
                        new Body.InRecord(ByteBuffer.wrap(new byte[] {7})),
                        1,
                        0,
                        ObjectAttributes.ofEtag("00000000000000000000000000000000"),
                        Optional.empty(),
                        Origin.UNKNOWN),
                "alice",
                NOW);
    }

    @Test
    void theMarkOfAListenerIsInTheRow() throws IOException {
        WriteBatch batch = new WriteBatch(cube, new Diary(), new Diary());
        VersionChain chain = new VersionChain(batch, bucket(VersioningState.ENABLED), KEY);
        ObjectVersion made = put(chain);
        assertThat(made.attributes().headers()).containsEntry("x-mark", "1");
        batch.commit();
        VersionChain later =
                new VersionChain(new WriteBatch(cube), bucket(VersioningState.ENABLED), KEY);
        assertThat(later.version(later.find(VersionSelector.LATEST).orElseThrow())).isEqualTo(made);
    }

    @Test
    void nothingIsCommittedWhenAListenerRefuses() throws IOException {
        Diary diary = new Diary();
        diary.refusal = Optional.of(new IOException("refused by the test"));
        WriteBatch batch = new WriteBatch(cube, new Diary(), diary);
        ObjectVersion unused = put(new VersionChain(batch, bucket(VersioningState.ENABLED), KEY));
        assertThatThrownBy(batch::commit).hasMessage("refused by the test");
        batch.abandon();
        assertThat(diary.heard).endsWith("causes", "effects", "released");
        for (Family family : List.of(Families.CURRENT, Families.RESTORES)) {
            assertThat(cube.scan(family, new byte[0], new byte[0]).next()).isFalse();
        }
    }

    @Test
    void anAbandonedBatchIsReleasedOnce() {
        Diary diary = new Diary();
        WriteBatch batch = new WriteBatch(cube, diary);
        batch.abandon();
        batch.abandon();
        assertThat(diary.heard).containsExactly("released");
    }

    private static BucketInfo bucket(VersioningState state) {
        return new BucketInfo(9, new BucketName("photos"), "alice", NOW, state, HistoryPolicy.NONE);
    }
}
