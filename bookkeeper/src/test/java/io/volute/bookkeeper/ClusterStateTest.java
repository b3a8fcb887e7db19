package io.volute.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.bookkeeper.ClusterState.Look;
import io.volute.bookkeeper.ClusterView.Node;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ClusterStateTest {
    private static final Duration SESSION = Duration.ofSeconds(8);
    private static final Node NODE = new Node("a", "a:1", "1", true);
    private static final Look ALONE = new Look(List.of(NODE), Set.of(), Map.of());

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
    private final ClusterState state = new ClusterState(now::get, SESSION);

    private boolean isConnected() {
        return state.view(Optional.empty()).isConnected();
    }

    @Test
    void aNodeIsConnectedForASessionAfterAnAnswer() {
        state.publish(ALONE);
        now.addAndGet(Duration.ofMillis(7999).toNanos());
        assertThat(isConnected()).isTrue();
        now.addAndGet(Duration.ofMillis(1).toNanos());
        assertThat(isConnected()).isFalse();
    }

    private long changes() throws InterruptedException {
        return state.awaitPlacedChange(-1, Long.MAX_VALUE);
    }

    @Test
    void changesOfNodesAndPlacementsAreCounted() throws InterruptedException {
        state.publish(ALONE);
        long first = changes();
        state.publish(new Look(List.of(NODE), Set.of(), Map.of("c", "a")));
        assertThat(changes()).isEqualTo(first + 1);
        assertThat(state.placed()).isEqualTo(Map.of("c", "a"));
        state.publish(new Look(List.of(), Set.of(), Map.of("c", "a")));
        assertThat(changes()).isEqualTo(first + 2);
        state.publish(new Look(List.of(), Set.of("a"), Map.of("c", "a")));
        assertThat(changes()).isEqualTo(first + 3);
    }

    /**
     * A killed node is registered for the rest of its session: it may start again with this one.
     */
    @Test
    void onlyNodesThatOutliveTheDeadAreSeenToRun() {
        state.publish(
                new Look(List.of(NODE, new Node("dead", "d:1", "1", true)), Set.of(), Map.of()));
        assertThat(state.seen()).isEmpty();
        now.addAndGet(2 * SESSION.toNanos() - 1);
        state.publish(ALONE);
        assertThat(state.seen()).isEmpty();
        now.addAndGet(1);
        state.publish(ALONE);
        state.publish(new Look(List.of(), Set.of(), Map.of()));
        assertThat(state.seen()).containsExactly("a");
    }

    /** They change with each look. */
    @Test
    void theLagOfAStandbyIsNoChange() throws InterruptedException {
        state.publish(ALONE);
        long first = changes();
        Node behind = new Node("a", "a:1", "1", true, Map.of("default", 3L));
        state.publish(new Look(List.of(behind), Set.of(), Map.of()));
        assertThat(state.awaitPlacedChange(first, 1)).isEqualTo(first);
    }

    @Test
    void aNodeThatLeavesWaitsForNoChange() throws InterruptedException {
        long first = changes();
        state.leave();
        assertThat(state.awaitPlacedChange(first, Long.MAX_VALUE)).isEqualTo(first);
    }
}
