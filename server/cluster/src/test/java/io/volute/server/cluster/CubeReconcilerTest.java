package io.volute.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.versioning.StoreException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** When the placements are compared with the buckets of placed cubes. */
class CubeReconcilerTest {
    private final Map<String, Long> served = new TreeMap<>(Map.of("a", 1L, "b", 1L));
    private final Map<String, Long> unknown = new HashMap<>();
    private final List<String> compared = new ArrayList<>();
    private final Set<String> silent = new TreeSet<>();
    private final CubeReconciler reconciler =
            new CubeReconciler(() -> served, cube -> unknown.getOrDefault(cube, 0L), this::compare);

    private void compare(String cube) throws IOException {
        compared.add(cube);
        if (silent.contains(cube)) {
            throw new IOException("cube " + cube + " is silent");
        }
    }

    private List<String> look() throws IOException {
        compared.clear();
        reconciler.look();
        return List.copyOf(compared);
    }

    @Test
    void eachElectionIsComparedOnce() throws IOException {
        assertThat(look()).containsExactly("a", "b");
        assertThat(look()).isEmpty();
        served.put("b", 2L);
        assertThat(look()).containsExactly("b");
        served.put("c", 1L);
        assertThat(look()).containsExactly("c");
        assertThat(look()).isEmpty();
    }

    @Test
    void aCubeThatNobodyServesWaits() throws IOException {
        served.clear();
        assertThat(look()).isEmpty();
        served.put("a", 1L);
        assertThat(look()).containsExactly("a");
        served.clear();
        assertThat(look()).isEmpty();
        served.put("a", 2L);
        assertThat(look()).containsExactly("a");
    }

    @Test
    void aFailureIsTriedAgainAndDoesNotStopOthers() throws IOException {
        silent.add("a");
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(this::look)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("cube a is silent");
        }
        assertThat(compared).as("b was compared").containsExactly("a");
        silent.clear();
        assertThat(look()).containsExactly("a");
        assertThat(look()).isEmpty();
    }

    @Test
    void allFailuresAreInTheMessage() {
        silent.addAll(Set.of("a", "b"));
        assertThatThrownBy(reconciler::look)
                .hasMessageContaining("cube a is silent; cube b is silent");
        assertThat(compared).containsExactly("a", "b");
    }

    @Test
    void aRefusalIsAFailureAsWell() {
        CubeReconciler refused =
                new CubeReconciler(
                        () -> served,
                        cube -> 0,
                        cube -> {
                            compared.add(cube);
                            throw new StoreException(
                                    StoreException.Reason.INVALID_ARGUMENT, "no cube " + cube);
                        });
        assertThatThrownBy(refused::look)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no cube a");
        assertThat(compared).containsExactly("a", "b");
    }

    /** The owner can handle a call after the caller has given it up. */
    @Test
    void anUnknownOutcomeIsCompared() throws IOException {
        assertThat(look()).hasSize(2);
        unknown.put("b", 1L);
        assertThat(look()).containsExactly("b");
        assertThat(look()).isEmpty();
        unknown.put("b", 2L);
        silent.add("b");
        assertThatThrownBy(this::look).isInstanceOf(IOException.class);
        silent.clear();
        assertThat(look()).containsExactly("b");
        assertThat(look()).isEmpty();
    }

    @Test
    void aLookEndsSoon() throws IOException {
        CubeReconciler[] stopped = new CubeReconciler[1];
        stopped[0] =
                new CubeReconciler(
                        () -> served,
                        cube -> 0,
                        cube -> {
                            compared.add(cube);
                            stopped[0].stop();
                        });
        stopped[0].look();
        assertThat(compared).containsExactly("a");
    }
}
