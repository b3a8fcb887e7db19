package io.volute.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.adminapi.ClusterApi.Cluster;
import io.volute.adminapi.ClusterApi.ClusterCube;
import io.volute.adminapi.ClusterApi.CubeLag;
import io.volute.adminapi.ClusterApi.HandOver;
import io.volute.bookkeeper.ClusterView.Owner;
import io.volute.server.cluster.ClusterOrders.Placed;
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
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class ClusterOrdersTest {
    private final List<String> done = new ArrayList<>();
    private final Set<String> drained = new TreeSet<>();
    private final Map<String, Placed> placed = new TreeMap<>();
    private final List<String> running = new ArrayList<>(List.of("a", "b"));
    private Optional<TakeOver> takeOver = Optional.of(new TakeOver(Instant.EPOCH, 12));
    private final ClusterOrders orders =
            new ClusterOrders(
                    new Nodes(),
                    "a",
                    () -> takeOver,
                    () -> done.add("hand over"),
                    (cube, node) -> {
                        done.add(cube + " to " + node);
                        return new TreeSet<>(Set.of(cube, "also"));
                    });

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
        public Map<String, Placed> placed() {
            return placed;
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
        assertThat(orders.moveTo("b")).isEqualTo(new HandOver("b", "a", true, List.of()));
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
        assertThat(orders.drain("a", false)).isEqualTo(new HandOver("a", "a", true, List.of()));
        assertThat(done).containsExactly("a drained true", "hand over");
    }

    @Test
    void anotherNodeIsDrainedWhileTheOwnerStays() throws IOException {
        HandOver nothing = new HandOver("b", "a", false, List.of());
        assertThat(orders.drain("b", false)).isEqualTo(nothing);
        assertThat(orders.drain("b", true)).isEqualTo(nothing);
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
        Cluster cluster =
                orders.cluster(List.of(cube("default", Phase.OPEN), cube("one", Phase.FAILED)))
                        .orElseThrow();
        assertThat(cluster.cubes())
                .containsExactly(
                        new ClusterCube("default", "a", 3, "healthy", Optional.empty()),
                        new ClusterCube("one", "a", 0, "failed", Optional.empty()));
        assertThat(cluster.drained()).containsExactly("b");
        assertThat(cluster.nodes()).hasSize(2);
        assertThat(cluster.nodes().getFirst().lags()).containsExactly(new CubeLag("photos", 3));
        takeOver = Optional.empty();
        assertThat(orders.cluster(List.of())).isEmpty();
    }

    private static CubeInfo cube(String name, Phase phase) {
        return new CubeInfo(
                name,
                1,
                new UUID(0, 1),
                Instant.EPOCH,
                phase,
                phase == Phase.OPEN ? Optional.of(CubeState.HEALTHY) : Optional.empty(),
                "",
                1);
    }

    private static Placed at(String node, String owner, boolean isServing) {
        return new Placed(node, Optional.of(new Owner(owner, owner + ":1", isServing, 7)));
    }

    /** Returns owner and state of a cube, as the cluster shows them. */
    private String shown(Phase phase) throws IOException {
        ClusterCube cube =
                orders.cluster(List.of(cube("photos", phase))).orElseThrow().cubes().getFirst();
        assertThat(cube.placed())
                .isEqualTo(Optional.ofNullable(placed.get("photos")).map(Placed::node));
        return cube.owner() + " " + cube.state();
    }

    @Test
    void showsTheOwnerOfAPlacedCubeAndItsState() throws IOException {
        // It was released, and its placement is not seen yet.
        assertThat(shown(Phase.ELSEWHERE)).isEqualTo("a opening");
        placed.put("photos", new Placed("b", Optional.empty()));
        assertThat(shown(Phase.ELSEWHERE)).isEqualTo("b opening");
        placed.put("photos", at("b", "b", false));
        assertThat(shown(Phase.ELSEWHERE)).isEqualTo("b opening");
        placed.put("photos", at("b", "b", true));
        assertThat(shown(Phase.ELSEWHERE)).isEqualTo("b serving");
        // Another node shall have it, and it has not been given up.
        placed.put("photos", at("a", "b", true));
        assertThat(shown(Phase.ELSEWHERE)).isEqualTo("b serving");
        placed.put("photos", at("a", "a", false));
        assertThat(shown(Phase.OPEN)).isEqualTo("a opening");
        placed.put("photos", at("a", "a", true));
        assertThat(shown(Phase.OPEN)).isEqualTo("a healthy");
    }

    @Test
    void aCubeMovesWithThoseThatHaveItsOwner() throws IOException {
        assertThat(orders.moveCube("photos", "b"))
                .isEqualTo(new HandOver("b", "a", false, List.of("also", "photos")));
        assertThat(done).containsExactly("photos to b");
    }

    @Test
    void aCubeMovesOnlyToANodeThatCanHaveIt() {
        drained.add("b");
        isRefused(() -> orders.moveCube("photos", "b"), "volute cluster drain b --off");
        isRefused(() -> orders.moveCube("photos", "c"), "no node c runs: there are [a, b]");
    }

    @Test
    void aDrainNamesTheCubesThatLeave() throws IOException {
        placed.put("films", at("b", "b", true));
        placed.put("films2", at("a", "a", true));
        placed.put("leaving", at("a", "b", true));
        placed.put("photos", new Placed("b", Optional.empty()));
        assertThat(orders.drain("b", false))
                .isEqualTo(new HandOver("b", "a", false, List.of("films", "leaving", "photos")));
    }
}
