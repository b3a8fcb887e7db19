package io.volute.versioning.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.versioning.SharedReads;
import io.volute.versioning.SharedReads.Position;
import io.volute.versioning.SharedReads.Progress;
import io.volute.versioning.event.ForeignReads.Read;
import io.volute.versioning.rows.CausalStamp;
import io.volute.versioning.rows.KeyVersion;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import java.time.Instant;
import java.util.Arrays;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The reads that two owners of cubes exchange. */
class SharedReadsTest {
    private static final Caller ALICE = new Caller("alice", "key-a", "laptop");
    private static final Caller BOB = new Caller("bob", "key-b", "phone");

    private final ForeignReads one = new ForeignReads(new UUID(1, 1));
    private final ForeignReads other = new ForeignReads(new UUID(1, 2));

    private static Read read(int cube, String key) {
        return new Read(
                cube,
                new KeyVersion(((long) cube << 48) + 5, new ObjectKey(key), 7),
                new CausalStamp(1L << 50, 7, ((long) cube << 48) + 9, 3),
                Instant.ofEpochSecond(-4, 123_456_789));
    }

    /** Brings all reads of a process to another; returns its position. */
    private static Position exchange(ForeignReads from, ForeignReads to, Position position) {
        Progress progress = to.add(from.since(position));
        while (progress.hasMore()) {
            progress = to.add(from.since(progress.position()));
        }
        return progress.position();
    }

    @Test
    void aReadArrivesAsItWas() {
        one.add(ALICE, read(1, "ä/b"));
        assertThat(exchange(one, other, Position.START)).isEqualTo(new Position(one.run(), 1));
        assertThat(other.take(BOB, 2)).isEmpty();
        assertThat(other.take(ALICE, 2)).containsExactly(read(1, "ä/b"));
        assertThat(other.take(ALICE, 2)).isEmpty();
        assertThat(other.take(ALICE, 3)).containsExactly(read(1, "ä/b"));
    }

    @Test
    void onlyReadsAfterThePositionAreReturned() {
        one.add(ALICE, read(1, "a"));
        Position first = exchange(one, other, Position.START);
        byte[] empty = one.since(first);
        one.add(ALICE, read(1, "b"));
        byte[] second = one.since(first);
        assertThat(second.length).isGreaterThan(empty.length);
        Position last = other.add(second).position();
        assertThat(one.since(last)).hasSameSizeAs(empty);
        assertThat(other.take(ALICE, 2)).containsExactly(read(1, "a"), read(1, "b"));
    }

    @Test
    void aRepeatedOrLateBatchHasNoEffect() {
        one.add(ALICE, read(1, "a"));
        byte[] late = one.since(Position.START);
        one.add(ALICE, read(1, "b"));
        byte[] both = one.since(Position.START);
        Position last = other.add(both).position();
        assertThat(other.take(ALICE, 2)).hasSize(2);
        assertThat(other.add(both).position()).isEqualTo(last);
        assertThat(other.add(late).position()).isEqualTo(last);
        assertThat(other.take(ALICE, 2)).isEmpty();
    }

    @Test
    void aReadThatIsRepeatedAfterAWriteCountsAgain() {
        one.add(ALICE, read(1, "a"));
        Position first = exchange(one, other, Position.START);
        assertThat(other.take(ALICE, 2)).hasSize(1);
        one.add(ALICE, read(1, "a"));
        Position unused = exchange(one, other, first);
        assertThat(other.take(ALICE, 2)).containsExactly(read(1, "a"));
    }

    @Test
    void readsOfOthersAreNotPassedOn() {
        one.add(ALICE, read(1, "a"));
        Position unused = exchange(one, other, Position.START);
        ForeignReads third = new ForeignReads(new UUID(1, 3));
        Position last = exchange(other, third, Position.START);
        assertThat(third.take(ALICE, 3)).isEmpty();
        other.add(ALICE, read(2, "b"));
        unused = exchange(other, third, last);
        assertThat(third.take(ALICE, 3)).containsExactly(read(2, "b"));
    }

    @Test
    void aNewRunIsAskedFromItsBeginning() {
        one.add(ALICE, read(1, "a"));
        one.add(ALICE, read(1, "b"));
        Position before = exchange(one, other, Position.START);
        ForeignReads next = new ForeignReads(new UUID(1, 4));
        next.add(ALICE, read(1, "c"));
        assertThat(exchange(next, other, before)).isEqualTo(new Position(next.run(), 1));
        assertThat(other.take(ALICE, 2)).containsExactly(read(1, "a"), read(1, "b"), read(1, "c"));
    }

    /** A cube that came from another owner has an actor that lacks the reads under that owner. */
    @Test
    void aReadInTheSameCubeUnderAnotherOwnerIsTaken() {
        one.add(ALICE, read(1, "a"));
        assertThat(one.take(ALICE, 1)).isEmpty();
        Position unused = exchange(one, other, Position.START);
        assertThat(other.take(ALICE, 1)).containsExactly(read(1, "a"));
    }

    @Test
    void aLongBacklogComesInBatches() {
        String name = "n".repeat(500);
        for (int i = 0; i < 9000; i++) {
            one.add(new Caller("u", "key-" + i % 10, "c"), read(1, name + i));
        }
        byte[] first = one.since(Position.START);
        assertThat(first.length)
                .isBetween(SharedReads.BATCH_BYTES_MAX - 1000, SharedReads.BATCH_BYTES_MAX);
        assertThat(other.add(first).hasMore()).isTrue();
        Position unused = exchange(one, other, other.add(first).position());
        int found = 0;
        for (int i = 0; i < 10; i++) {
            found += other.take(new Caller("u", "key-" + i, "c"), 2).size();
        }
        assertThat(found).isEqualTo(9000);
        assertThat(one.dropped()).isZero();
    }

    @Test
    void droppedReadsAreCounted() {
        for (int i = 0; i < 1500; i++) {
            one.add(ALICE, read(1, "key-" + i));
        }
        assertThat(one.dropped()).isEqualTo(1500 - 1024);
        Position unused = exchange(one, other, Position.START);
        assertThat(other.take(ALICE, 2)).hasSize(1024);
        assertThat(other.dropped()).isZero();
    }

    @Test
    void theMemoryIsBounded() {
        String name = "n".repeat(900);
        for (int i = 0; i < 20_000; i++) {
            one.add(new Caller("u", "key-" + i % 100, "c"), read(1, name + i));
        }
        assertThat(one.dropped()).isPositive();
        Position unused = exchange(one, other, Position.START);
        int kept = 0;
        for (int i = 0; i < 100; i++) {
            kept += other.take(new Caller("u", "key-" + i, "c"), 2).size();
        }
        assertThat(kept).isEqualTo(20_000 - one.dropped());
        assertThat((long) kept * 900).isLessThan(8L << 20);
    }

    @Test
    void anUnknownVersionAndADamagedBatchAreRefused() {
        one.add(ALICE, read(1, "a"));
        byte[] batch = one.since(Position.START);
        byte[] newer = batch.clone();
        newer[0]++;
        assertThatThrownBy(() -> other.add(newer))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("version 2");
        for (int length = 0; length < batch.length; length++) {
            byte[] cut = Arrays.copyOf(batch, length);
            if (length != headerBytes()) {
                assertThatThrownBy(() -> other.add(cut))
                        .isInstanceOf(IllegalArgumentException.class);
            }
        }
        assertThat(other.take(ALICE, 2)).isEmpty();
    }

    /** A batch without reads is a header. */
    private static int headerBytes() {
        return new ForeignReads(new UUID(1, 1)).since(Position.START).length;
    }
}
