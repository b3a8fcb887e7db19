package io.volute.server.cluster.placing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.versioning.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CubePlacerTest {
    private final PlacerFixture cluster = new PlacerFixture();
    private final CubePlacer placer = cluster.placer("a", false);

    @BeforeEach
    void nodes() {
        cluster.running.addAll(List.of("a", "b", "c"));
        cluster.names.addAll(List.of("one", "two", "three"));
    }

    private void isRefused(String cube, String node, String why) {
        assertThatThrownBy(() -> placer.order(cube, node))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(why);
        assertThat(cluster.done).isEmpty();
    }

    private void look(CubePlacer by) throws IOException {
        cluster.done.clear();
        by.look();
    }

    @Test
    void theStoreClosesACubeBeforeItIsPlacedForTheFirstTime() throws IOException {
        assertThat(placer.order("one", "b")).containsExactly("one");
        assertThat(cluster.done).containsExactly("close one", "one to b behind 7");
        cluster.done.clear();
        assertThat(placer.order("one", "a")).containsExactly("one");
        assertThat(cluster.done).containsExactly("one to a behind 7");
    }

    /** Its requests wait for the next owner from before it is closed. */
    @Test
    void aCubeLeavesFromBeforeItIsClosedUntilItsPlacementIsKnown() throws IOException {
        List<Boolean> whileClosing = new ArrayList<>();
        cluster.closing = () -> whileClosing.add(placer.isLeaving("one"));
        assertThat(placer.isSomeLeaving()).isFalse();
        assertThat(placer.order("one", "b")).containsExactly("one");
        assertThat(whileClosing).containsExactly(true);
        assertThat(placer.isSomeLeaving()).isFalse();
    }

    @Test
    void aCubeThatWasClosedAndNotPlacedIsPlacedHere() throws IOException {
        cluster.isRefusing = true;
        assertThatThrownBy(() -> placer.order("one", "b")).isInstanceOf(IOException.class);
        assertThat(cluster.done).containsExactly("close one");
        assertThatThrownBy(() -> look(placer)).isInstanceOf(IOException.class);
        assertThat(placer.isLeaving("one")).isTrue();
        cluster.isRefusing = false;
        look(placer);
        assertThat(cluster.done).containsExactly("one to a behind 7");
        assertThat(placer.isLeaving("one")).isFalse();
    }

    /** Otherwise its node would try to open it, and no cube could have its name again. */
    @Test
    void thePlacementOfADeletedCubeEnds() throws IOException {
        assertThat(placer.order("one", "b")).containsExactly("one");
        assertThat(placer.order("one", "a")).containsExactly("one");
        cluster.names.remove("one");
        look(placer);
        assertThat(cluster.done).containsExactly("one is placed no more");
        look(placer);
        assertThat(cluster.done).isEmpty();
    }

    /** A new owner of the store can open a cube before it sees that it is placed. */
    @Test
    void aCubeThatIsPlacedElsewhereIsClosedHere() throws IOException {
        assertThat(placer.order("one", "b")).containsExactly("one");
        cluster.open("one");
        look(placer);
        assertThat(cluster.done).containsExactly("close one");
        look(placer);
        assertThat(cluster.done).isEmpty();
    }

    @Test
    void aDrainedNodeTakesACubeThatNoOtherNodeCanHave() throws IOException {
        assertThat(placer.order("one", "b")).containsExactly("one");
        cluster.drained.add("a");
        cluster.running.retainAll(Set.of("a", "b"));
        look(placer);
        cluster.running.remove("b");
        look(placer);
        assertThat(cluster.placed).containsEntry("one", "a");
    }

    @Test
    void anOrderThatCannotBeCarriedOutNamesTheRemedy() {
        isRefused("four", "b", "no cube four: there are [default, one, two, three]");
        isRefused("default", "b", "run 'volute cluster move b' to move the store");
        isRefused("one", "a", "node a has cube one already");
        cluster.move("photos", "two", "one");
        isRefused("one", "b", "bucket photos is being moved from cube two to cube one: wait");
        isRefused("two", "b", "volute cube moves");
        cluster.divide("films", "three", "default");
        isRefused("three", "b", "bucket films is divided over cube default. Merge its parts");
    }

    @Test
    void cubesOfADividedBucketHaveOneOwner() throws IOException {
        cluster.divide("films", "one", "two");
        cluster.divide("photos", "three", "two");
        assertThat(placer.order("two", "b")).containsExactly("one", "three", "two");
        assertThat(cluster.placed).isEqualTo(Map.of("one", "b", "two", "b", "three", "b"));
        cluster.placed.put("three", "c");
        // An order that has failed in between can be repeated.
        assertThat(placer.order("two", "b")).containsExactly("one", "three", "two");
        assertThat(cluster.placed).containsEntry("three", "b");
        assertThatCubesStay();
        cluster.running.remove("b");
        look(placer);
        assertThat(Set.copyOf(cluster.placed.values())).containsExactly("c");
    }

    @Test
    void cubesOfADividedBucketThatAreApartMeetAgain() throws IOException {
        cluster.placed.putAll(Map.of("one", "b", "two", "c", "three", "c"));
        assertThatCubesStay();
        cluster.divide("films", "one", "two");
        cluster.release("one");
        cluster.release("two");
        look(placer);
        assertThat(cluster.placed).isEqualTo(Map.of("one", "b", "two", "b", "three", "c"));
        // A cube that is not placed is where the store is.
        cluster.placed.remove("one");
        cluster.open("one");
        look(placer);
        assertThat(cluster.placed).isEqualTo(Map.of("two", "a", "three", "c"));
        assertThatCubesStay();
    }

    private void assertThatCubesStay() throws IOException {
        look(placer);
        assertThat(cluster.done).isEmpty();
    }

    @Test
    void theCubesOfALostNodeGoToThoseWithFewest() throws IOException {
        placer.order("one", "b");
        placer.order("two", "b");
        placer.order("three", "b");
        look(placer);
        cluster.running.remove("b");
        look(placer);
        assertThat(cluster.placed).isEqualTo(Map.of("one", "c", "two", "a", "three", "c"));
        cluster.running.add("b");
        assertThatCubesStay();
    }

    @Test
    void theCubesOfADrainedNodeLeaveIt() throws IOException {
        placer.order("one", "b");
        placer.order("two", "c");
        cluster.drained.add("b");
        look(placer);
        assertThat(cluster.placed).isEqualTo(Map.of("one", "c", "two", "c"));
        cluster.drained.add("c");
        look(placer);
        assertThat(cluster.placed).isEqualTo(Map.of("one", "a", "two", "a"));
        cluster.drained.add("a");
        assertThatCubesStay();
    }

    @Test
    void aNodeThatHasNotJoinedYetKeepsItsCubesForAWhile() throws IOException {
        placer.order("one", "b");
        placer.order("two", "c");
        cluster.running.removeAll(List.of("b", "c"));
        CubePlacer next = cluster.placer("a", false);
        cluster.pass(PlacerFixture.PATIENCE.minusMillis(1));
        look(next);
        assertThat(cluster.done).isEmpty();
        cluster.running.add("c");
        look(next);
        assertThat(cluster.done).isEmpty();
        // One that has joined is lost at once.
        cluster.running.remove("c");
        look(next);
        assertThat(cluster.placed).isEqualTo(Map.of("one", "b", "two", "a"));
        cluster.pass(Duration.ofMillis(1));
        look(next);
        assertThat(cluster.placed).isEqualTo(Map.of("one", "a", "two", "a"));
    }

    /** Else the cubes of the last owner of the store would have no node for that time. */
    @Test
    void cubesOfANodeThatHasRunBeforeTheElectionDoNotWaitForIt() throws IOException {
        placer.order("one", "b");
        cluster.running.remove("b");
        CubePlacer next = cluster.placer("a", false);
        look(next);
        assertThat(cluster.done).isEmpty();
        cluster.seen.add("b");
        look(next);
        assertThat(cluster.placed).isEqualTo(Map.of("one", "c"));
    }

    @Test
    void cubesStayTogetherUnlessTheySpread() throws IOException {
        assertThatCubesStay();
        CubePlacer even = cluster.placer("a", true);
        look(even);
        assertThat(cluster.placed).isEqualTo(Map.of("one", "b"));
        look(even);
        assertThat(cluster.placed).isEqualTo(Map.of("one", "b", "two", "c"));
        look(even);
        assertThat(cluster.done).isEmpty();
    }

    @Test
    void aCubeGoesByItselfOnlyToANodeThatFollowsIt() throws IOException {
        CubePlacer even = cluster.placer("a", true);
        cluster.unfollowed.put("b", Set.of("one", "two", "three"));
        cluster.unfollowed.put("c", Set.of("one"));
        cluster.move("photos", "three", "default");
        look(even);
        assertThat(cluster.placed).isEqualTo(Map.of("two", "c"));
        look(even);
        assertThat(cluster.done).isEmpty();
        cluster.unfollowed.remove("b");
        look(even);
        assertThat(cluster.placed).isEqualTo(Map.of("two", "c", "one", "b"));
    }

    @Test
    void theNodeWithMostGivesNothingIfItsCubesAreBound() throws IOException {
        cluster.names.add("four");
        cluster.divide("films", "default", "one", "two");
        cluster.release("three");
        cluster.release("four");
        cluster.placed.putAll(Map.of("three", "b", "four", "b"));
        CubePlacer even = cluster.placer("a", true);
        look(even);
        assertThat(cluster.placed).isEqualTo(Map.of("three", "c", "four", "b"));
        look(even);
        assertThat(cluster.done).isEmpty();
    }
}
