package io.volute.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.adminapi.ClusterApi.Cluster;
import io.volute.adminapi.ClusterApi.ClusterCube;
import io.volute.adminapi.ClusterApi.CubeLag;
import io.volute.adminapi.ClusterApi.HandOver;
import io.volute.server.cluster.ClusterOrders.Registered;
import io.volute.server.cluster.ClusterOrders.TakeOver;
import io.volute.storage.CubeState;
import io.volute.versioning.StoreCubes.CubeInfo;
import io.volute.versioning.StoreCubes.Phase;
import io.volute.versioning.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class ClusterOrdersTest {
    private final List<String> done = new ArrayList<>();
    private final Set<String> drained = new TreeSet<>();
    private final List<String> running = new ArrayList<>(List.of("a", "b"));
    private Optional<TakeOver> takeOver = Optional.of(new TakeOver(Instant.EPOCH, 12));
    private final ClusterOrders orders =
            new ClusterOrders(new Nodes(), "a", () -> takeOver, () -> done.add("hand over"));

    private final class Nodes implements ClusterOrders.Membership {
        @Override
        public List<Registered> nodes() {
            return running.stream()
                    .map(name -> new Registered(name, name + ":1", "v", true, Map.of("photos", 3L)))
                    .toList();
        }

        @Override
        public Set<String> drained() {
            return drained;
        }

        @Override
        public void setDrained(String node, boolean isDrained) {
            done.add(node + " drained " + isDrained);
            if (isDrained) {
                drained.add(node);
            } else {
                drained.remove(node);
            }
        }

        @Override
        public void wantNext(String node) {
            done.add("want " + node);
        }

        @Override
        public Map<String, Long> epochs() {
            return Map.of("default", 3L);
        }

        @Override
        public Duration session() {
            return Duration.ofSeconds(4);
        }
    }

    private void isRefused(ThrowingCallable order, String why) {
        assertThatThrownBy(order).isInstanceOf(StoreException.class).hasMessageContaining(why);
        assertThat(done).isEmpty();
    }

    @Test
    void aMoveNamesTheNextOwnerBeforeTheStoreIsHandedOver() throws IOException {
        assertThat(orders.moveTo("b")).isEqualTo(new HandOver("b", "a", true));
        assertThat(done).containsExactly("want b", "hand over");
    }

    @Test
    void aMoveToANodeThatCannotHaveTheStoreIsRefused() {
        drained.add("b");
        isRefused(() -> orders.moveTo("b"), "volute cluster drain b --off");
        isRefused(() -> orders.moveTo("a"), "has the store already");
        isRefused(() -> orders.moveTo("c"), "no node c runs: there are [a, b]");
    }

    @Test
    void aDrainedOwnerHandsTheStoreOver() throws IOException {
        assertThat(orders.drain("a", false)).isEqualTo(new HandOver("a", "a", true));
        assertThat(done).containsExactly("a drained true", "hand over");
    }

    @Test
    void anotherNodeIsDrainedWhileTheOwnerStays() throws IOException {
        assertThat(orders.drain("b", false)).isEqualTo(new HandOver("b", "a", false));
        assertThat(orders.drain("b", true)).isEqualTo(new HandOver("b", "a", false));
        assertThat(done).containsExactly("b drained true", "b drained false");
    }

    @Test
    void theLastNodeThatIsNotDrainedStaysSo() {
        drained.add("b");
        isRefused(() -> orders.drain("a", false), "no other node could have the store");
        running.remove("b");
        drained.clear();
        isRefused(() -> orders.drain("a", false), "no other node could have the store");
    }

    @Test
    void onlyADrainOfANodeThatDoesNotRunCanEnd() throws IOException {
        isRefused(() -> orders.drain("c", false), "no node c runs");
        isRefused(() -> orders.drain("c", true), "node c is not drained");
        drained.add("c");
        assertThat(orders.drain("c", true).handsOver()).isFalse();
    }

    @Test
    void showsEachCubeWithItsEpochAndState() throws IOException {
        drained.add("b");
        CubeInfo system =
                new CubeInfo(
                        "default",
                        0,
                        new UUID(0, 1),
                        Instant.EPOCH,
                        Phase.OPEN,
                        Optional.of(CubeState.HEALTHY),
                        "",
                        1);
        CubeInfo other =
                new CubeInfo(
                        "one",
                        1,
                        new UUID(0, 2),
                        Instant.EPOCH,
                        Phase.FAILED,
                        Optional.empty(),
                        "damaged",
                        0);
        Cluster cluster = orders.cluster(List.of(system, other)).orElseThrow();
        assertThat(cluster.cubes())
                .containsExactly(
                        new ClusterCube("default", "a", 3, "healthy"),
                        new ClusterCube("one", "a", 0, "failed"));
        assertThat(cluster.drained()).containsExactly("b");
        assertThat(cluster.nodes()).hasSize(2);
        assertThat(cluster.nodes().getFirst().lags()).containsExactly(new CubeLag("photos", 3));
        takeOver = Optional.empty();
        assertThat(orders.cluster(List.of())).isEmpty();
    }
}
