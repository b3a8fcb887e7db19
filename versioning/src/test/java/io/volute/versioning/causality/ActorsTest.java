package io.volute.versioning.causality;

import static io.volute.versioning.causality.Outcome.ADD;
import static io.volute.versioning.causality.Outcome.DISCARD;
import static io.volute.versioning.causality.Outcome.FREEZE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The lifetime of an actor, and the ancestors that one instance collects. */
class ActorsTest {
    private static final Duration TIMEOUT = Duration.ofMinutes(15);
    private static final long HEAP = 1 << 20;
    private static final Duration TICK = Duration.ofMillis(1);
    private static final ActorKey KEY = new ActorKey("AK1", "job-7");

    private final AtomicLong ids = new AtomicLong(100);
    private final List<Actor> ended = new ArrayList<>();
    private final Actors actors = actors(3, 4);
    private final VersioningAlgorithm algorithm = new CycleAvoidance();
    private Instant now = Instant.parse("2030-01-01T00:00:00Z");

    @Test
    void defaultsAreThoseOfTheSettings() {
        assertThat(Actors.Limits.DEFAULT)
                .isEqualTo(new Actors.Limits(Duration.ofMinutes(15), 100_000, 65_536, 64L << 20));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Actors.Limits(Duration.ZERO, 1, 1, 1))
                .withMessageContaining("PT0S");
    }

    @Test
    void aKeyIsOneActorAsLongAsItIsUsed() {
        Actor actor = actors.resolve(KEY);
        for (int i = 0; i < 4; i++) {
            now = now.plus(TIMEOUT).minus(TICK);
            assertThat(actors.resolve(new ActorKey("AK1", "job-7"))).isSameAs(actor);
        }
        assertThat(actors.resolve(new ActorKey("AK2", "job-7"))).isNotSameAs(actor);
        assertThat(actors.resolve(new ActorKey("AK1", "job-8"))).isNotSameAs(actor);
        assertThat(ended).isEmpty();
    }

    @Test
    void anIdleActorEndsAndItsKeyBeginsAnother() {
        Actor first = actors.resolve(KEY);
        first.depend(algorithm, object(1, 1));
        now = now.plus(TIMEOUT);
        Actor second = actors.resolve(KEY);
        assertThat(ended).containsExactly(first);
        assertThat(second.id()).isNotEqualTo(first.id());
        assertThat(second.standing().version()).isEqualTo(VersionNode.first(second.id()));
        assertThat(second.standing().lastAncestor()).isEmpty();
        assertThat(actors.isOpen(first.id())).isFalse();
        assertThat(actors.isOpen(second.id())).isTrue();
    }

    @Test
    void anActorIsOpenUntilItHasBeenIdleForTheTimeout() {
        Actor actor = actors.resolve(KEY);
        assertThat(actors.isOpen(actor.id() + 1)).isFalse();
        now = now.plus(TIMEOUT).minus(TICK);
        assertThat(actors.isOpen(actor.id())).isTrue();
        now = now.plus(TICK);
        assertThat(actors.isOpen(actor.id())).isFalse();
        assertThat(ended).containsExactly(actor);
        assertThat(actors.size()).isZero();
    }

    @Test
    void allThatAreIdleEndTogether() {
        Actor early = actors.resolve(KEY);
        Actor used = actors.resolve(new ActorKey("AK1", "used"));
        now = now.plus(TIMEOUT).minus(TICK);
        actors.resolve(new ActorKey("AK1", "used"));
        assertThat(actors.endIdle()).isZero();
        now = now.plus(TICK);
        assertThat(actors.endIdle()).isEqualTo(1);
        assertThat(ended).containsExactly(early);
        now = now.plus(TIMEOUT);
        assertThat(actors.endIdle()).isEqualTo(1);
        assertThat(ended).containsExactly(early, used);
    }

    @Test
    void allEndWhenAsked() {
        Actor one = actors.resolve(KEY);
        Actor other = actors.resolve(new ActorKey("AK2", "job-7"));
        assertThat(actors.endAll()).isEqualTo(2);
        assertThat(ended).containsExactlyInAnyOrder(one, other);
        assertThat(actors.resolve(KEY)).isNotSameAs(one);
    }

    @Test
    void whenThereAreTooManyTheLongestIdleEnds() {
        Actor a = actors.resolve(new ActorKey("AK1", "a"));
        Actor b = actors.resolve(new ActorKey("AK1", "b"));
        Actor c = actors.resolve(new ActorKey("AK1", "c"));
        // Requests in quick succession are noted once.
        now = now.plusSeconds(1);
        assertThat(actors.resolve(new ActorKey("AK1", "a"))).isSameAs(a);
        Actor d = actors.resolve(new ActorKey("AK1", "d"));
        assertThat(ended).containsExactly(b);
        assertThat(actors.size()).isEqualTo(3);
        assertThat(List.of(a, c, d)).allMatch(each -> actors.isOpen(each.id()));
    }

    @Test
    void aClockThatStepsBackEndsNobody() {
        Actor actor = actors.resolve(KEY);
        now = now.minus(Duration.ofHours(3));
        assertThat(actors.resolve(KEY)).isSameAs(actor);
        Actor other = actors.resolve(new ActorKey("AK1", "other"));
        now = now.plus(Duration.ofHours(3)).plus(TIMEOUT).minus(TICK);
        assertThat(actors.endIdle()).isZero();
        now = now.plus(TICK);
        assertThat(actors.endIdle()).isEqualTo(2);
        assertThat(ended).containsExactly(actor, other);
    }

    @Test
    void whatIsReadGrowsTheVersionOnceAndWaitsForTheLog() {
        Actor actor = actors.resolve(KEY);
        assertThat(actor.standing().unlogged()).isEmpty();
        assertThat(actor.depend(algorithm, object(1, 1))).isEqualTo(FREEZE);
        assertThat(actor.depend(algorithm, object(1, 1))).isEqualTo(DISCARD);
        assertThat(actor.depend(algorithm, object(2, 5))).isEqualTo(FREEZE);
        Actor.Standing standing = actor.standing();
        assertThat(standing.version()).isEqualTo(new VersionNode(actor.id(), 3));
        assertThat(standing.lastAncestor()).contains(new VersionNode(2, 5));
        assertThat(standing.unlogged())
                .containsExactly(
                        new Edge(new VersionNode(actor.id(), 2), new VersionNode(1, 1)),
                        new Edge(new VersionNode(actor.id(), 3), new VersionNode(2, 5)));
    }

    @Test
    void whatIsLoggedWaitsNoLonger() {
        Actor actor = actors.resolve(KEY);
        actor.depend(algorithm, object(1, 1));
        Actor.Standing early = actor.standing();
        actor.depend(algorithm, object(2, 1));
        Actor.Standing late = actor.standing();
        actor.depend(algorithm, object(3, 1));
        actor.logged(late.unlogged());
        assertThat(actor.unloggedCount()).isEqualTo(1);
        actor.logged(early.unlogged());
        assertThat(actor.standing().unlogged())
                .containsExactly(new Edge(actor.standing().version(), new VersionNode(3, 1)));
        actor.logged(actor.standing().unlogged());
        actor.logged(late.unlogged());
        assertThat(actor.unloggedCount()).isZero();
    }

    @Test
    void anActorsTableIsBounded() {
        Actor actor = actors.resolve(KEY);
        for (int id = 1; id <= 5; id++) {
            actor.depend(algorithm, object(id, 1));
        }
        assertThat(actor.depend(algorithm, object(5, 1))).isEqualTo(DISCARD);
        assertThat(actor.depend(algorithm, object(1, 1))).isEqualTo(FREEZE);
    }

    @Test
    void underGraphFinesseAnActorMayDependWithoutAFreeze() {
        Actor actor = actors.resolve(KEY);
        assertThat(actor.depend(new GraphFinesse(), object(1, 1))).isEqualTo(ADD);
        assertThat(actor.standing().version()).isEqualTo(VersionNode.first(actor.id()));
        assertThat(actor.unloggedCount()).isEqualTo(1);
    }

    @Test
    void aRequestThatOutlivesItsActorClosesNoCycle() {
        GraphFinesse graph = new GraphFinesse();
        Actors telling =
                new Actors(
                        ids::getAndIncrement,
                        () -> now,
                        actor -> graph.frozen(actor.standing().version()),
                        new Actors.Limits(TIMEOUT, 3, 4, HEAP));
        Actor actor = telling.resolve(KEY);
        VersionNode written = VersionNode.first(1);
        graph.offer(
                new Dependent(written, Sessions.OPEN, AncestorTable.bounded(1)),
                new Ancestor(actor.standing().version(), Sessions.OPEN, Optional.empty()));
        now = now.plus(TIMEOUT);
        assertThat(telling.endIdle()).isEqualTo(1);
        // Its version was pruned, so the graph has no path back.
        assertThat(actor.depend(graph, object(1, 1))).isEqualTo(FREEZE);
        assertThat(actor.depend(graph, object(2, 1))).isEqualTo(FREEZE);
        graph.frozen(written);
        graph.frozen(new VersionNode(2, 1));
        assertThat(graph.nodeCount()).isZero();
    }

    /** Many actors that have read much end before they fill the heap, longest idle first. */
    @Test
    void actorsWithManyAncestorsEndEarlier() {
        Actors many = actors(1000, 1000);
        Actor last = many.resolve(KEY);
        for (int i = 0; i < 100; i++) {
            last = many.resolve(new ActorKey("AK1", "reader " + i));
            for (int j = 0; j < 1000; j++) {
                last.depend(algorithm, object(j, 1));
            }
            now = now.plus(TICK);
        }
        assertThat(last.isOpen()).isTrue();
        // An entry has 128 bytes, so that a table of 1000 takes an eighth.
        assertThat(many.resolve(new ActorKey("AK1", "one more")).isOpen()).isTrue();
        assertThat(many.size()).isBetween(8, 9);
        assertThat(ended).hasSize(102 - many.size()).noneMatch(Actor::isOpen);
    }

    @Test
    void actorsThatHaveEndedTakeNoPartOfTheHeap() {
        Actors many = actors(1000, 1000);
        for (int i = 0; i < 10_000; i++) {
            Actor actor = many.resolve(new ActorKey("AK1", "reader " + i));
            assertThat(many.endAll()).isEqualTo(1);
            actor.depend(algorithm, object(1, 1));
        }
        for (int i = 0; i < 500; i++) {
            many.resolve(new ActorKey("AK1", "reader " + i));
        }
        assertThat(many.size()).isEqualTo(500);
    }

    /** Readers without an access key do not end the sessions of others. */
    @Test
    void anonymousActorsDisplaceOneAnother() {
        Actors many = actors(100, 4);
        List<Actor> signed = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            signed.add(many.resolve(new ActorKey("AK1", "reader " + i)));
        }
        for (int i = 0; i < 10_000; i++) {
            now = now.plus(TICK);
            assertThat(many.resolve(new ActorKey("", "reader " + i)).isOpen()).isTrue();
        }
        assertThat(signed).allMatch(Actor::isOpen);
        assertThat(many.size()).isEqualTo(100);
    }

    private Actors actors(int instances, int ancestors) {
        return new Actors(
                ids::getAndIncrement,
                () -> now,
                ended::add,
                new Actors.Limits(TIMEOUT, instances, ancestors, HEAP));
    }

    private static Ancestor object(long id, long version) {
        return new Ancestor(new VersionNode(id, version), Sessions.OPEN, Optional.empty());
    }
}
