package io.volute.versioning.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EventKind;
import io.volute.storage.Cube;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.versioning.History;
import io.volute.versioning.PastFixture;
import io.volute.versioning.Signing;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A shred looks at all states of a key, destroys, and records. */
@Signing.Signed
class ShredTest extends PastFixture {
    private static final Caller OPERATOR = new Caller("operator", "key-o", "console");
    private static final ObjectKey KEY = new ObjectKey("a");

    private final AtomicBoolean isReadOnly = new AtomicBoolean();

    /** The calls of the erasure, in order. */
    private final List<String> told = new ArrayList<>();

    @Override
    public Cube openCube() {
        return refusing(
                transaction ->
                        isReadOnly.get()
                                ? Optional.of(
                                        new CubeUnavailableException(
                                                Reason.READ_ONLY, "as planned"))
                                : Optional.empty());
    }

    private History.Erasure erasure(boolean covers) {
        return new History.Erasure() {
            @Override
            public boolean covers(ObjectAttributes state) {
                told.add("covers");
                return covers;
            }

            @Override
            public SortedSet<Long> run(List<ObjectAttributes> states) throws IOException {
                assertThat(states).isNotEmpty();
                told.add("run with " + shreds().size() + " entries");
                return new TreeSet<>(Set.of(7L, 9L));
            }
        };
    }

    private int shred(boolean covers) throws IOException {
        return store.history().shred(OPERATOR, BUCKET, KEY, erasure(covers));
    }

    private List<Entry> shreds() throws IOException {
        List<Entry> entries = new ArrayList<>();
        store.provenance()
                .orElseThrow()
                .entries(BUCKET, KEY, record -> entries.add(record.entry()));
        return entries.stream().filter(each -> each.kind() == EventKind.PURGE).toList();
    }

    @Test
    void theEntryFollowsTheErasureOfAllStates() throws IOException {
        policy(HistoryPolicy.EVERY_WRITE);
        put(ALICE, "a", "one");
        put(ALICE, "a", "two");
        put(ALICE, "a", "three");
        assertThat(shred(true)).isEqualTo(3);
        assertThat(told).containsExactly("covers", "covers", "covers", "run with 0 entries");
        Entry entry = shreds().getFirst();
        assertThat(entry.details().get(Bytes.of("shredded")).value().text()).isEqualTo("3");
        assertThat(entry.principal().value().text()).isEqualTo("operator");
        assertThat(read(ALICE, "a")).isEqualTo("three");
    }

    @Test
    void nothingHappensIfAStateIsNotCovered() throws IOException {
        put(ALICE, "a", "one");
        assertThatThrownBy(() -> shred(false)).hasMessageContaining("1 of 1 states");
        assertThat(told).containsExactly("covers");
        assertThat(shreds()).isEmpty();
    }

    @Test
    void aKeyWithoutStatesIsTold() {
        assertThatThrownBy(() -> shred(true)).hasMessageContaining("nothing to shred");
        assertThat(told).isEmpty();
    }

    /** The caller gets no answer and repeats; the entry never claims what has not happened. */
    @Test
    void anEntryThatIsRefusedFailsTheShredBehindTheErasure() throws IOException {
        put(ALICE, "a", "one");
        isReadOnly.set(true);
        assertThatThrownBy(() -> shred(true)).isInstanceOf(CubeUnavailableException.class);
        assertThat(told).containsExactly("covers", "run with 0 entries");
        isReadOnly.set(false);
        assertThat(shred(true)).isEqualTo(1);
        assertThat(shreds()).hasSize(1);
    }
}
