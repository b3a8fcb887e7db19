package io.volute.server.cluster.placing;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes come, go and are drained by chance; the placer must settle, and move nothing in vain. */
class CubePlacerSimulationTest {
    private static final int SEEDS = 100;
    private static final int STEPS = 40;
    private static final List<String> NODES = List.of("a", "b", "c", "d", "e");

    /** One run. */
    private static final class Run {
        private final PlacerFixture cluster = new PlacerFixture();
        private final Random random;
        private final boolean isEven;
        private final Set<String> seen = new HashSet<>();
        private String self = "a";
        private CubePlacer placer;
        private Duration age = Duration.ZERO;

        Run(long seed, boolean isEven) {
            random = new Random(seed);
            this.isEven = isEven;
            cluster.running.addAll(NODES.subList(0, 2 + random.nextInt(4)));
            int cubes = 1 + random.nextInt(12);
            for (int i = 0; i < cubes; i++) {
                cluster.names.add("cube" + i);
            }
            for (int i = random.nextInt(3); i > 0; i--) {
                cluster.divide("bucket" + i, any(cluster.names), any(cluster.names));
            }
            placer = cluster.placer(self, isEven);
        }

        private String any(List<String> of) {
            return of.get(random.nextInt(of.size()));
        }

        /** Changes something. Returns whether cubes may move for another reason than that. */
        private boolean change() throws IOException {
            switch (random.nextInt(7)) {
                case 0 -> cluster.running.add(any(NODES));
                case 1 -> {
                    String gone = any(NODES);
                    if (!gone.equals(self)) {
                        cluster.running.remove(gone);
                    }
                }
                case 2 -> cluster.drained.add(any(NODES));
                case 3 -> cluster.drained.remove(any(NODES));
                case 4 -> {
                    Duration time = PlacerFixture.PATIENCE.dividedBy(1 + random.nextInt(4));
                    cluster.pass(time);
                    age = age.plus(time);
                }
                case 5 -> {
                    storeMoves();
                    return true;
                }
                default -> {
                    List<String> possible = possible();
                    if (!possible.isEmpty()) {
                        order(any(cluster.names), any(possible));
                    }
                    return true;
                }
            }
            return false;
        }

        private void order(String cube, String node) throws IOException {
            try {
                for (String each : placer.order(cube, node)) {
                    assertThat(cluster.placed).containsEntry(each, node);
                }
            } catch (StoreException e) {
                assertThat(e).hasMessageMatching(".*(cube default|already).*");
            }
        }

        private void storeMoves() {
            boolean isLost = random.nextBoolean();
            List<String> others = new ArrayList<>(cluster.running);
            others.remove(self);
            if (!others.isEmpty()) {
                if (isLost) {
                    cluster.running.remove(self);
                }
                self = any(others);
                placer = cluster.placer(self, isEven);
                seen.clear();
                age = Duration.ZERO;
            }
        }

        /** Returns the nodes that can have cubes; drained ones only when there is no other. */
        private List<String> possible() {
            List<String> usual =
                    cluster.running.stream().filter(n -> !cluster.drained.contains(n)).toList();
            return usual.isEmpty() ? List.copyOf(cluster.running) : usual;
        }

        private String nodeOf(String cube) {
            return cluster.placed.getOrDefault(cube, self);
        }

        /** Looks until nothing moves any more. */
        private void settle() throws IOException {
            seen.addAll(cluster.running);
            int looks = 0;
            do {
                cluster.done.clear();
                placer.look();
                looks++;
            } while (!cluster.done.isEmpty() && looks <= 2 * cluster.names.size());
            assertThat(cluster.done).as("moves after %d looks", looks).isEmpty();
        }

        private boolean isLost(String node) {
            return !possible().contains(node)
                    && (seen.contains(node) || age.compareTo(PlacerFixture.PATIENCE) >= 0);
        }

        private void step() throws IOException {
            boolean isOther = change();
            Map<String, String> before = new TreeMap<>(cluster.placed);
            seen.addAll(cluster.running);
            settle();
            if (possible().isEmpty()) {
                assertThat(cluster.placed).isEqualTo(before);
                return;
            }
            CubeGroups groups = new CubeGroups(cluster.names, cluster.divided.values());
            for (Set<String> group : groups.all()) {
                boolean isBound = !cluster.placed.keySet().containsAll(group);
                Set<String> nodes = new HashSet<>();
                group.forEach(cube -> nodes.add(nodeOf(cube)));
                if (isBound) {
                    assertThat(nodes).containsExactly(self);
                } else {
                    assertThat(nodes.stream().filter(this::isLost)).isEmpty();
                    boolean isWaiting = !possible().containsAll(nodes);
                    assertThat(isWaiting ? 1 : nodes.size()).isEqualTo(1);
                }
                if (!isEven && !isOther && !isBound) {
                    for (String cube : group) {
                        if (!isLost(before.get(cube))) {
                            assertThat(cluster.placed).containsEntry(cube, before.get(cube));
                        }
                    }
                }
            }
            if (isEven) {
                requireEven(groups);
            } else if (!isOther) {
                assertThat(cluster.placed.keySet()).isEqualTo(before.keySet());
            }
        }

        /** Whatever group moved from one node to another, the difference would not be less. */
        private void requireEven(CubeGroups groups) {
            for (Set<String> group : groups.all()) {
                String full = nodeOf(group.iterator().next());
                boolean canMove = !group.contains("default") && possible().contains(full);
                for (String free : possible()) {
                    if (canMove && group.stream().allMatch(each -> nodeOf(each).equals(full))) {
                        assertThat(count(full) - count(free))
                                .as("from %s to %s: %s", full, free, cluster.placed)
                                .isLessThanOrEqualTo(group.size());
                    }
                }
            }
        }

        private int count(String node) {
            return Math.toIntExact(
                    cluster.names.stream().filter(cube -> nodeOf(cube).equals(node)).count());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("slow")
    void cubesSettleOnNodesThatRun(boolean isEven) throws IOException {
        for (long seed = 0; seed < SEEDS; seed++) {
            Run run = new Run(seed, isEven);
            try {
                for (int i = 0; i < STEPS; i++) {
                    run.step();
                }
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }
}
