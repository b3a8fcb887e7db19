package io.volute.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.bookkeeper.Candidacy.Orders;
import io.volute.bookkeeper.ClusterView.Node;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CandidacyTest {
    private static final Duration SESSION = Duration.ofSeconds(8);
    private static final long QUARTER = SESSION.toNanos() / 4;
    private static final Orders NONE = new Orders(Optional.empty(), Set.of());

    private final Candidacy candidacy = new Candidacy("a", SESSION);

    private static List<Node> nodes(String... names) {
        return Stream.of(names).map(name -> new Node(name, name + ":1", "1", true)).toList();
    }

    @Test
    void withoutOrdersANodeStandsAtOnce() {
        assertThat(candidacy.standsNow(nodes("a", "b"), NONE, 0)).isTrue();
    }

    @Test
    void theWantedNodeStandsAtOnceAndOthersAfterAWhile() {
        Orders wantsB = new Orders(Optional.of("b"), Set.of());
        assertThat(new Candidacy("b", SESSION).standsNow(nodes("a", "b"), wantsB, 0)).isTrue();
        assertThat(candidacy.standsNow(nodes("a", "b"), wantsB, QUARTER - 1)).isFalse();
        assertThat(candidacy.standsNow(nodes("a", "b"), wantsB, QUARTER)).isTrue();
    }

    @Test
    void nobodyWaitsForAWantedNodeThatDoesNotRun() {
        Orders wantsC = new Orders(Optional.of("c"), Set.of());
        assertThat(candidacy.standsNow(nodes("a", "b"), wantsC, 0)).isTrue();
    }

    @Test
    void aDrainedNodeStandsAfterTheOthersHadTheirTime() {
        Orders drained = new Orders(Optional.empty(), Set.of("a"));
        assertThat(candidacy.standsNow(nodes("a", "b"), drained, QUARTER - 1)).isFalse();
        assertThat(candidacy.standsNow(nodes("a", "b"), drained, QUARTER)).isTrue();
        Orders both = new Orders(Optional.of("b"), Set.of("a"));
        assertThat(candidacy.standsNow(nodes("a", "b"), both, 2 * QUARTER - 1)).isFalse();
        assertThat(candidacy.standsNow(nodes("a", "b"), both, 2 * QUARTER)).isTrue();
    }

    @Test
    void aDrainedNodeStandsAtOnceWhenAllAreDrained() {
        Orders all = new Orders(Optional.empty(), Set.of("a", "b"));
        assertThat(candidacy.standsNow(nodes("a", "b"), all, 0)).isTrue();
        assertThat(candidacy.standsNow(nodes("a"), all, 0)).isTrue();
    }

    @Test
    void aDrainedNodeIsNotWanted() {
        Orders both = new Orders(Optional.of("a"), Set.of("a"));
        assertThat(candidacy.standsNow(nodes("a", "b"), both, 0)).isFalse();
    }

    /** A node whose take-over failed stands again after a session. Another one is faster. */
    @Test
    void everyNodeStandsWithinASession() {
        Orders both = new Orders(Optional.of("b"), Set.of("a"));
        assertThat(candidacy.standsNow(nodes("a", "b"), both, SESSION.toNanos() - 1)).isTrue();
    }

    @Test
    void aNodeThatWouldBuildAnIndexStandsBehindReadyNodes() {
        Node building = new Node("a", "a:1", "1", false);
        Node ready = new Node("b", "b:1", "1", true);
        Node other = new Node("c", "c:1", "1", false);
        assertThat(candidacy.standsNow(List.of(building, ready), NONE, QUARTER / 2 - 1)).isFalse();
        assertThat(candidacy.standsNow(List.of(building, ready), NONE, QUARTER / 2)).isTrue();
        assertThat(candidacy.standsNow(List.of(building, other), NONE, 0)).isTrue();
        assertThat(new Candidacy("b", SESSION).standsNow(List.of(building, ready), NONE, 0))
                .isTrue();
    }

    @Test
    void anOrderCountsMoreThanAReadyIndex() {
        Node building = new Node("a", "a:1", "1", false);
        Node ready = new Node("b", "b:1", "1", true);
        Orders wantsA = new Orders(Optional.of("a"), Set.of());
        assertThat(candidacy.standsNow(List.of(building, ready), wantsA, 0)).isTrue();
        Orders drainsB = new Orders(Optional.empty(), Set.of("b"));
        assertThat(candidacy.standsNow(List.of(building, ready), drainsB, 0)).isTrue();
    }

    @Test
    void otherLinesOfARegistrationAreNoLags() {
        List<String> lines =
                List.of(
                        "10.0.0.1:9100",
                        "lag 5",
                        "ready",
                        "lag default 3",
                        "lag photos 0",
                        "lag x");
        assertThat(ClusterRecord.lags(lines)).isEqualTo(Map.of("default", 3L, "photos", 0L));
        assertThat(ClusterRecord.lags(List.of("10.0.0.1:9100", "1"))).isEmpty();
    }
}
