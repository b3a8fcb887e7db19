package io.volute.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.Limits;
import io.volute.server.http.Admission.Entry;
import io.volute.server.http.Admission.Place;
import io.volute.server.http.Admission.Share;
import io.volute.server.http.HttpSettings.Caps;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Tests that one network or caller leaves room for others, and that all counts end at zero. */
class AdmissionTest {
    private final Admission admission = new Admission(new Caps(5, 2, 5, 2, 0), 1);

    @Test
    void oneNetworkLeavesConnectionsForOthers() {
        Share first = admission.enter("a");
        assertThat(admission.admit(first, false)).isEqualTo(Entry.ADMITTED);
        assertThat(admission.admit(admission.enter("a"), false)).isEqualTo(Entry.ADMITTED);
        Share third = admission.enter("a");
        assertThat(admission.admit(third, false)).isEqualTo(Entry.REFUSED);
        admission.leave(third, Entry.REFUSED);
        assertThat(admission.admit(admission.enter("b"), false)).isEqualTo(Entry.ADMITTED);
        admission.leave(first, Entry.ADMITTED);
        assertThat(admission.admit(admission.enter("a"), false)).isEqualTo(Entry.ADMITTED);
        assertThat(admission.connections()).isEqualTo(3);
    }

    @Test
    void fewNetworksLeaveConnectionsForOthers() {
        Admission many = new Admission(new Caps(1000, 100, 5, 2, 0), 1);
        for (int i = 0; i < 2000; i++) {
            Share share = many.enter("net" + i % 20);
            Entry entry = many.admit(share, false);
            if (entry != Entry.ADMITTED) {
                many.leave(share, entry);
            }
        }
        assertThat(many.admit(many.enter("other"), false)).isEqualTo(Entry.ADMITTED);
    }

    @Test
    void oneNetworkLeavesRequestsForOthers() {
        Share share = admission.enter("a");
        Share other = admission.enter("b");
        Place first = begin(admission, share);
        begin(admission, share);
        assertThat(admission.tryBeginRequest(share, false)).isEmpty();
        begin(admission, other);
        first.end();
        begin(admission, share);
        assertThat(admission.requests()).isEqualTo(3);
    }

    /** Few networks that come one after another do not take everything. */
    @Test
    void networksOneAfterAnotherLeavePlacesForOthers() {
        Admission many = new Admission(new Caps(1000, 400, 200, 150, 1 << 20, 50, 1 << 20), 1);
        for (int i = 0; i < 12; i++) {
            Share share = many.enter("net" + i);
            boolean isSigned = i % 2 == 0;
            while (isAdmitted(many, share, isSigned)) {
                Thread.onSpinWait();
            }
            assertThat(many.admit(share, false)).isEqualTo(Entry.ADMITTED);
            Share further = many.enter("net" + i);
            for (Entry entry = many.admit(further, false);
                    entry == Entry.ADMITTED;
                    entry = many.admit(further, false)) {
                further = many.enter("net" + i);
            }
        }
        Share other = many.enter("other");
        assertThat(isAdmitted(many, other, false)).isTrue();
        assertThat(isAdmitted(many, other, true)).isFalse();
        assertThat(isAdmitted(many, many.enter("next"), true)).isTrue();
        assertThat(many.admit(many.enter("third"), false)).isEqualTo(Entry.ADMITTED);
    }

    /** Requests that begin together take no more than requests one after another. */
    @Test
    void networksThatAskTogetherLeavePlacesForOthers() throws Exception {
        int networks = 8;
        Caps caps = new Caps(1000, 400, 50, 40, 1 << 20, 50, 1 << 20);
        try (ExecutorService threads = Executors.newFixedThreadPool(networks)) {
            for (int round = 0; round < 300; round++) {
                Admission many = new Admission(caps, round);
                boolean isSigned = round % 2 == 0;
                CyclicBarrier start = new CyclicBarrier(networks);
                List<Future<?>> asking = new ArrayList<>();
                for (int i = 0; i < networks; i++) {
                    Share share = many.enter("net" + i);
                    asking.add(
                            threads.submit(
                                    () -> {
                                        start.await();
                                        while (isAdmitted(many, share, isSigned)) {
                                            Thread.onSpinWait();
                                        }
                                        return null;
                                    }));
                }
                for (Future<?> each : asking) {
                    each.get();
                }
                assertThat(isAdmitted(many, many.enter("other"), isSigned))
                        .as("round %d", round)
                        .isTrue();
            }
        }
    }

    /** Returns whether a request is begun outside the root's reserve. */
    private static boolean isAdmitted(Admission admission, Share share, boolean isSigned) {
        return admission
                .tryBeginRequest(share, isSigned)
                .filter(place -> !place.isOnProbation())
                .isPresent();
    }

    private static Place begin(Admission admission, Share share) {
        return admission.tryBeginRequest(share, true).orElseThrow();
    }

    /** A client cannot drop a running request from its count by a new connection. */
    @Test
    void aRequestCountsUntilItEnds() {
        Share share = admission.enter("a");
        Entry entry = admission.admit(share, false);
        Place first = begin(admission, share);
        Place second = begin(admission, share);
        admission.leave(share, entry);
        Share again = admission.enter("a");
        assertThat(admission.tryBeginRequest(again, false)).isEmpty();
        first.end();
        Place third = begin(admission, again);
        admission.leave(again, Entry.CUT);
        assertThat(admission.networks()).isEqualTo(1);
        second.end();
        third.end();
        third.end();
        assertThat(admission.networks()).isZero();
        assertThat(admission.requests()).isZero();
    }

    private static Admission roomy() {
        return new Admission(new Caps(10_000, 1_000, 2_000, 500, 0, 500, 0), 1);
    }

    /** Begins as many requests as it gets, as those of a caller. */
    private static List<Place> fill(Admission admission, String network, String caller) {
        List<Place> places = new ArrayList<>();
        while (true) {
            Optional<Place> place = admission.tryBeginRequest(network, true);
            if (place.isEmpty() || place.get().isOnProbation()) {
                place.ifPresent(Place::end);
                return places;
            }
            places.add(place.get());
            if (!place.get().tryBeOf(caller, false)) {
                place.get().end();
                return places;
            }
        }
    }

    @Test
    void fiveNetworksLeaveRequestsForOthers() {
        Admission admission = roomy();
        for (int i = 0; i < 5; i++) {
            fill(admission, "slow" + i, "user" + i);
        }
        Place other = admission.tryBeginRequest("other", true).orElseThrow();
        assertThat(other.isOnProbation()).isFalse();
        assertThat(other.tryBeOf("honest", false)).isTrue();
    }

    @Test
    void oneCallerOfManyNetworksLeavesRequestsForOthers() {
        Admission admission = roomy();
        for (int i = 0; i < 200; i++) {
            fill(admission, "slow" + i, "one");
        }
        assertThat(fill(admission, "other", "honest")).hasSizeGreaterThan(50);
        assertThat(admission.requests()).isLessThan(2_000);
    }

    @Test
    void unknownCallersHaveAPartAtMost() {
        Admission admission = roomy();
        for (int i = 0; i < 2_000; i++) {
            Optional<Place> unused = admission.tryBeginRequest("net" + i, false);
        }
        assertThat(admission.unauthenticated()).isEqualTo(500);
        assertThat(admission.requests()).isEqualTo(500);
        assertThat(admission.tryBeginRequest("other", true).orElseThrow().tryBeOf("a", false))
                .isTrue();
    }

    @Test
    void fewNetworksOfUnknownCallersLeaveRoomForOthers() {
        Admission admission = roomy();
        for (int i = 0; i < 4_000; i++) {
            Optional<Place> unused = admission.tryBeginRequest("net" + i % 8, false);
        }
        assertThat(admission.tryBeginRequest("other", false)).isPresent();
    }

    /** The reserve is the root's: for others it lasts until their signature is verified. */
    @Test
    void theRootHasAReserve() {
        Admission admission = new Admission(new Caps(10, 10, 2, 2, 0), 1);
        Place one = admission.tryBeginRequest("a", true).orElseThrow();
        Place two = admission.tryBeginRequest("a", true).orElseThrow();
        assertThat(admission.tryBeginRequest("a", false)).isEmpty();
        Place user = admission.tryBeginRequest("a", true).orElseThrow();
        assertThat(user.isOnProbation()).isTrue();
        assertThat(user.tryBeOf("user", false)).isFalse();
        assertThat(user.tryBeUnauthenticated()).isFalse();
        user.end();
        List<Place> roots = new ArrayList<>();
        for (int i = 0; i < Limits.REQUESTS_OF_ROOT_MAX; i++) {
            Place root = admission.tryBeginRequest("a", true).orElseThrow();
            assertThat(root.tryBeOf("root", true)).isTrue();
            assertThat(root.isAuthenticated()).isTrue();
            roots.add(root);
        }
        assertThat(admission.tryBeginRequest("a", true)).isEmpty();
        roots.forEach(Place::end);
        one.end();
        two.end();
        assertThat(admission.requests()).isZero();
    }

    @Test
    void everyScheduleEndsAtZero() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            Admission admission = new Admission(new Caps(50, 20, 30, 10, 0, 8, 0), seed);
            List<Place> places = new ArrayList<>();
            for (int step = 0; step < 500; step++) {
                boolean isSigned = random.nextBoolean();
                admission
                        .tryBeginRequest("net" + random.nextInt(6), isSigned)
                        .ifPresent(places::add);
                Collections.shuffle(places, random);
                if (!places.isEmpty()) {
                    change(places, random);
                }
                assertThat(admission.requests())
                        .as("seed %d", seed)
                        .isEqualTo(places.size())
                        .isLessThanOrEqualTo(30 + Limits.REQUESTS_OF_ROOT_MAX);
                assertThat(admission.unauthenticated()).as("seed %d", seed).isBetween(0, 8);
            }
            places.forEach(Place::end);
            assertThat(admission.requests()).as("seed %d", seed).isZero();
            assertThat(admission.unauthenticated()).as("seed %d", seed).isZero();
            assertThat(admission.networks()).as("seed %d", seed).isZero();
            assertThat(fill(admission, "x", "u1")).as("seed %d", seed).hasSize(10);
        }
    }

    private static void change(List<Place> places, Random random) {
        Place place = places.getLast();
        switch (random.nextInt(5)) {
            case 0 -> place.tryBeOf("u" + random.nextInt(4), false);
            case 1 -> place.tryBeOf("root", true);
            case 2 -> place.tryBeUnauthenticated();
            default -> places.removeLast().end();
        }
    }
}
