package io.volute.versioning.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EventKind;
import io.volute.storage.Cube;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.storage.Transaction;
import io.volute.versioning.PastFixture;
import io.volute.versioning.Signing;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.rows.Families;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A purge is recorded in the chains by the commits that remove the states. */
@Signing.Signed
@Tag("slow")
class PurgeTest extends PastFixture {
    private static final Caller OPERATOR = new Caller("operator", "key-o", "console");

    /** Commits that remove kept states and may still pass; later ones are refused. */
    private final AtomicInteger removals = new AtomicInteger(Integer.MAX_VALUE);

    @Override
    public Cube openCube() {
        return refusing(
                transaction ->
                        removesStates(transaction) && removals.getAndDecrement() <= 0
                                ? Optional.of(
                                        new CubeUnavailableException(
                                                Reason.READ_ONLY, "as planned"))
                                : Optional.empty());
    }

    private static boolean removesStates(Transaction transaction) {
        return transaction.changes().stream()
                .anyMatch(
                        change ->
                                change instanceof Transaction.Delete delete
                                        && delete.family().equals(Families.HISTORY));
    }

    private List<Entry> purges(String key) throws IOException {
        List<Entry> entries = new ArrayList<>();
        store.provenance()
                .orElseThrow()
                .entries(BUCKET, new ObjectKey(key), record -> entries.add(record.entry()));
        return entries.stream().filter(each -> each.kind() == EventKind.PURGE).toList();
    }

    private static String detail(Entry entry, String name) {
        return entry.details().get(Bytes.of(name)).value().text();
    }

    private static long states(List<Entry> purges) {
        return purges.stream().mapToLong(each -> Long.parseLong(detail(each, "states"))).sum();
    }

    private long purge(Instant before) throws IOException {
        return store.history().purge(OPERATOR, BUCKET, before);
    }

    @Test
    void eachKeyIsToldHowManyOfItsStatesWent() throws IOException {
        policy(HistoryPolicy.EVERY_WRITE);
        put(ALICE, "a", "one");
        put(ALICE, "a", "two");
        put(ALICE, "a", "three");
        put(ALICE, "deleted", "one");
        delete(ALICE, "deleted");
        put(ALICE, "whole", "one");
        Instant until = tick();
        put(ALICE, "a", "four");
        assertThat(purge(until)).isEqualTo(3);
        Entry told = purges("a").getFirst();
        assertThat(told.principal().value().text()).isEqualTo("operator");
        assertThat(told.versionId().text()).isEmpty();
        assertThat(told.content()).isEmpty();
        assertThat(detail(told, "states")).isEqualTo("2");
        assertThat(detail(told, "until")).isEqualTo(Long.toString(until.toEpochMilli()));
        assertThat(states(purges("deleted"))).isEqualTo(1);
        assertThat(purges("whole")).isEmpty();
        put(ALICE, "a", "five");
        assertThat(purge(tick())).isEqualTo(2);
        assertThat(states(purges("a"))).isEqualTo(4);
        assertThat(purge(tick())).isZero();
        assertThat(purges("a")).hasSize(2);
    }

    @Test
    void theEndOfARetentionIsNobodysDeed() throws IOException {
        policy(HistoryPolicy.EVERY_WRITE);
        put(ALICE, "a", "one");
        put(ALICE, "a", "two");
        tick();
        clock.updateAndGet(now -> now.plus(Duration.ofDays(30)));
        assertThat(store.retention().trim()).isPositive();
        assertThat(store.history().kept(BUCKET).states()).isZero();
        assertThat(purges("a")).isEmpty();
    }

    /** A purge takes many commits; each records exactly the states that it removes. */
    @Test
    void whatDidNotGoIsNotTold() throws IOException {
        policy(HistoryPolicy.EVERY_WRITE);
        int keys = 1_200;
        for (int i = 0; i < keys; i++) {
            put(ALICE, "key-" + i, "one");
            delete(ALICE, "key-" + i);
        }
        // A millisecond has no room for the sequences of so many commits.
        Instant until = clock.updateAndGet(now -> now.plusSeconds(1));
        removals.set(1);
        assertThatThrownBy(() -> purge(until)).hasMessageContaining("as planned");
        long left = store.history().kept(BUCKET).states();
        assertThat(left).isStrictlyBetween(0L, (long) keys);
        assertThat(toldOf(keys)).isEqualTo(keys - left);
        removals.set(Integer.MAX_VALUE);
        assertThat(purge(until)).isEqualTo(left);
        assertThat(toldOf(keys)).isEqualTo(keys);
    }

    private long toldOf(int keys) throws IOException {
        long told = 0;
        for (int i = 0; i < keys; i++) {
            told += states(purges("key-" + i));
        }
        return told;
    }
}
