package io.volute.versioning.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.causality.VersionNode;
import io.volute.versioning.history.Taint.Reached;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.KeyVersion;
import io.volute.versioning.value.ChangeKind;
import io.volute.versioning.value.ObjectKey;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Versions of actors decide, not the order of rows: what an actor read a moment later may be
 * written down before what it wrote.
 */
class TaintTest {
    private static final long READER = 7;

    private static KeyVersion object(String key) {
        return new KeyVersion(1, new ObjectKey(key), 1);
    }

    static VersionNode node(KeyVersion object) {
        return new VersionNode(object.key().value().hashCode() | Long.MIN_VALUE, object.version());
    }

    private static Event read(long version, String key) {
        return new Event.Read(Instant.EPOCH, READER, version, object(key));
    }

    private static Event wrote(long version, String key) {
        return new Event.Wrote(
                Instant.EPOCH, READER, version, ChangeKind.PUT, object(key), version);
    }

    private static boolean isReached(Taint taint, Event event) {
        Optional<Reached> reached = taint.see(event);
        return reached.isPresent();
    }

    @Test
    void whatWasWrittenAtAVersionBeforeTheReadIsNotReached() {
        Taint forward = new Taint.Forward(object("root"), TaintTest::node);
        assertThat(isReached(forward, wrote(6, "too early"))).isFalse();
        assertThat(isReached(forward, read(6, "root"))).isTrue();
        assertThat(isReached(forward, wrote(5, "before"))).isFalse();
        assertThat(isReached(forward, wrote(6, "with it"))).isTrue();
        assertThat(isReached(forward, wrote(7, "later"))).isTrue();
    }

    /** Told effects first. */
    @Test
    void whatWasReadAtAVersionBehindTheWriteIsNoCause() {
        Taint back = new Taint.Back(object("result"), TaintTest::node);
        assertThat(isReached(back, wrote(5, "result"))).isTrue();
        assertThat(isReached(back, read(6, "behind"))).isFalse();
        assertThat(isReached(back, read(5, "with it"))).isTrue();
        assertThat(isReached(back, read(4, "before"))).isTrue();
    }

    @Test
    void whoRemovedAStateHasNotMadeIt() {
        Event removed =
                new Event.Wrote(Instant.EPOCH, READER, 6, ChangeKind.REMOVE, object("it"), 1);
        assertThat(isReached(new Taint.Back(object("it"), TaintTest::node), removed)).isFalse();
        Taint forward = new Taint.Forward(object("root"), TaintTest::node);
        assertThat(isReached(forward, read(6, "root"))).isTrue();
        assertThat(isReached(forward, removed)).as("what he did because of it").isTrue();
    }

    /**
     * A later read reaches no new node; an earlier one moves the version from which on the actor is
     * reached.
     */
    @Test
    void anActorIsReachedFromItsEarliestRead() {
        Taint forward = new Taint.Forward(object("root"), TaintTest::node);
        assertThat(isReached(forward, read(6, "root"))).isTrue();
        assertThat(isReached(forward, read(8, "root"))).isFalse();
        assertThat(isReached(forward, read(4, "root"))).isTrue();
        assertThat(isReached(forward, wrote(5, "between"))).isTrue();
    }

    /** The same on the way back: with the version up to which it is reached. */
    @Test
    void anActorIsReachedUpToItsLatestWrite() {
        Taint back = new Taint.Back(object("result"), TaintTest::node);
        assertThat(isReached(back, wrote(6, "result"))).isTrue();
        assertThat(isReached(back, read(6, "source"))).isTrue();
        assertThat(isReached(back, wrote(4, "source"))).isFalse();
        assertThat(isReached(back, read(7, "behind"))).isFalse();
        assertThat(isReached(back, wrote(8, "source"))).isTrue();
        assertThat(isReached(back, read(7, "between"))).isTrue();
    }
}
