package io.volute.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.cluster.hop.HopGate;
import io.volute.server.http.watch.RequestWatch;
import io.volute.server.http.watch.RequestWatch.Answered;
import io.volute.server.http.watch.RequestWatch.Bytes;
import io.volute.server.http.watch.RequestWatch.Times;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Handler;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.S3Response.About;
import io.volute.server.s3.request.S3Response.Content;
import io.volute.versioning.value.BucketName;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The place of each request, whatever this node owns, and what is refused. */
class DispatcherTest {
    private static final int HERE = 200;
    private static final int FORWARDED = 202;
    private static final int REFUSED = 503;
    private static final Answered DONE =
            new Answered(About.UNKNOWN, 200, true, new Bytes(0, 0), new Times(0, 0, 0));

    /** The lease and the requests of what this node may own. */
    private static final class Part {
        private final CubeGate gate = new CubeGate();
        private final OwnerLease.Counts counts = new OwnerLease.Counts();
        private boolean isOwned = true;
        private boolean isHeld = true;
        private boolean comesBack;
        private boolean takesWrites = true;
        private int looks;

        private final OwnerLease lease =
                new OwnerLease(
                        new OwnerLease.Source() {
                            @Override
                            public boolean isHeld() {
                                return isHeld;
                            }

                            @Override
                            public boolean await() {
                                isHeld = comesBack;
                                return isHeld;
                            }
                        },
                        () -> {
                            looks++;
                            return takesWrites;
                        },
                        counts);

        private Optional<Serving> serving() {
            return isOwned ? Optional.of(new Serving(7, lease, gate)) : Optional.empty();
        }

        private boolean isEmpty() throws InterruptedException {
            return gate.awaitNone(1);
        }
    }

    /** The placed cube "hot", which has the bucket "photos", and the store. */
    private final Map<String, Part> parts =
            new HashMap<>(Map.of("hot", new Part(), "store", new Part()));

    private final Part cube = parts.get("hot");
    private final Part store = parts.get("store");
    private boolean isElsewhere = true;
    private boolean knowsUsers = true;
    private Runnable whileHandled = () -> {};
    private int status = HERE;
    private int exchanges;
    private int forwardedStatus = FORWARDED;
    private final AtomicInteger handled = new AtomicInteger();
    private final List<String> changes = new ArrayList<>();

    private final Dispatcher dispatcher =
            new Dispatcher(
                    new RequestPlaces(
                            List.of(),
                            new TestPlaces(
                                    Map.of("photos", "hot"),
                                    Map.of(),
                                    Map.of(),
                                    Optional.of("hot"))),
                    new Dispatcher.Owned() {
                        @Override
                        public Optional<Serving> cube(String name) {
                            return parts.get(name).serving();
                        }

                        @Override
                        public Optional<Serving> store() {
                            return store.serving();
                        }

                        @Override
                        public boolean isElsewhere(String name) {
                            return isElsewhere;
                        }

                        @Override
                        public void deleted(BucketName bucket, String of) {
                            changes.add("deleted " + bucket.value() + " of " + of);
                        }

                        @Override
                        public void mayBeDeleted(String of) {
                            changes.add("unknown in " + of);
                        }
                    },
                    () -> knowsUsers,
                    () -> exchanges++);

    private final RequestWatch watch = dispatcher.watch(RequestWatch.NONE);
    private final S3Handler clients =
            dispatcher.ofClients(this::handle, (head, body) -> answer(forwardedStatus));
    private final S3Handler nodes =
            dispatcher.ofNodes(this::handle, (head, body) -> answer(forwardedStatus));

    private S3Response handle(HttpHead head, Object body) {
        handled.incrementAndGet();
        whileHandled.run();
        return answer(status);
    }

    private static S3Response answer(int status) {
        return new S3Response(status, List.of(), new Content.None(-1));
    }

    private static HttpHead head(String method, String path, String id) {
        return new HttpHead(method, path, "", new HeaderList(List.of()), false, "", 0, id);
    }

    private static HttpHead placed(String id) {
        return head("GET", "/photos/k", id);
    }

    private static HttpHead ofStore(String id) {
        return head("GET", "/notes/k", id);
    }

    private int ask(HttpHead head) {
        return clients.handle(head, null).status();
    }

    private int hop(HttpHead head) {
        return nodes.handle(head, null).status();
    }

    private void ended(String id) {
        watch.answered(ofStore(id), DONE);
    }

    private static boolean isUnavailable(S3Response response) {
        return response.status() == REFUSED
                && new String(((Content.Bytes) response.content()).bytes(), StandardCharsets.UTF_8)
                        .contains("<Code>ServiceUnavailable</Code>");
    }

    /**
     * All routes: what this node owns, whether another node serves the cube, who asks, and what
     * for.
     */
    @Test
    void eachRequestGoesWhereItsCubeIs() {
        Map<String, String> answers = new HashMap<>();
        for (boolean hasStore : List.of(true, false)) {
            for (boolean hasCube : List.of(true, false)) {
                for (boolean isOfOther : List.of(true, false)) {
                    store.isOwned = hasStore;
                    cube.isOwned = hasCube;
                    isElsewhere = isOfOther && !hasCube;
                    String state =
                            (hasStore ? "store " : "")
                                    + (hasCube ? "cube " : "")
                                    + (isElsewhere ? "elsewhere " : "");
                    for (String what : List.of("placed", "other", "deletion", "creation")) {
                        answers.put(state + "client " + what, name(clients, what));
                        answers.put(state + "node " + what, name(nodes, what));
                    }
                }
            }
        }
        StringBuilder all = new StringBuilder();
        for (String each : new TreeSet<>(answers.keySet())) {
            all.append(each).append(": ").append(answers.get(each)).append('\n');
        }
        assertThat(all)
                .hasToString(
                        """
                        client creation: forward
                        client deletion: forward
                        client other: forward
                        client placed: forward
                        cube client creation: forward
                        cube client deletion: forward
                        cube client other: forward
                        cube client placed: here
                        cube node creation: refuse
                        cube node deletion: here
                        cube node other: refuse
                        cube node placed: here
                        elsewhere client creation: forward
                        elsewhere client deletion: forward
                        elsewhere client other: forward
                        elsewhere client placed: forward
                        elsewhere node creation: refuse
                        elsewhere node deletion: refuse
                        elsewhere node other: refuse
                        elsewhere node placed: refuse
                        node creation: refuse
                        node deletion: refuse
                        node other: refuse
                        node placed: refuse
                        store client creation: here
                        store client deletion: forward
                        store client other: here
                        store client placed: forward
                        store cube client creation: here
                        store cube client deletion: here
                        store cube client other: here
                        store cube client placed: here
                        store cube node creation: here
                        store cube node deletion: here
                        store cube node other: here
                        store cube node placed: here
                        store elsewhere client creation: here
                        store elsewhere client deletion: forward
                        store elsewhere client other: here
                        store elsewhere client placed: forward
                        store elsewhere node creation: here
                        store elsewhere node deletion: forward
                        store elsewhere node other: here
                        store elsewhere node placed: forward
                        store node creation: here
                        store node deletion: refuse
                        store node other: here
                        store node placed: refuse
                        """);
    }

    private static String name(S3Handler entry, String what) {
        HttpHead head =
                switch (what) {
                    case "placed" -> placed("id");
                    case "other" -> ofStore("id");
                    case "deletion" -> head("DELETE", "/photos", "id");
                    default -> head("PUT", "/photos", "id");
                };
        S3Response response = entry.handle(head, null);
        return switch (response.status()) {
            case HERE -> "here";
            case FORWARDED -> "forward";
            default -> {
                assertThat(response).isEqualTo(HopGate.REFUSED.handle(head, null));
                yield "refuse";
            }
        };
    }

    @Test
    void theOwnersOfARequestAreThoseOfItsCube() {
        assertThat(dispatcher.routeOf(placed("1"), null)).hasValue("hot");
        assertThat(dispatcher.routeOf(ofStore("2"), null)).isEmpty();
        HttpHead deletion = head("DELETE", "/photos", "3");
        assertThat(dispatcher.routeOf(deletion, null)).hasValue("hot");
        store.isOwned = false;
        assertThat(dispatcher.routeOf(deletion, null)).as("the owner of the store").isEmpty();
    }

    /** The owner of the cube decides, then the owner of the store removes the placement. */
    @Test
    void theOutcomeOfADeletionAtAnotherOwnerIsNoted() {
        cube.isOwned = false;
        HttpHead deletion = head("DELETE", "/photos", "1");
        forwardedStatus = 204;
        assertThat(ask(deletion)).isEqualTo(204);
        forwardedStatus = 409;
        assertThat(ask(deletion)).isEqualTo(409);
        forwardedStatus = 503;
        assertThat(ask(deletion)).isEqualTo(503);
        assertThat(changes).containsExactly("deleted photos of hot", "unknown in hot");
        assertThat(handled).hasValue(0);
    }

    /** A request that may write has the reads of other owners before it, and nothing else waits. */
    @Test
    void onlyRequestsThatMayWriteWaitForOtherOwners() {
        assertThat(ask(placed("1"))).isEqualTo(HERE);
        assertThat(ask(head("HEAD", "/photos/k", "2"))).isEqualTo(HERE);
        assertThat(ask(head("OPTIONS", "/photos/k", "3"))).isEqualTo(HERE);
        assertThat(exchanges).isZero();
        assertThat(ask(head("PUT", "/photos/k", "4"))).isEqualTo(HERE);
        assertThat(ask(head("POST", "/notes/k", "5"))).isEqualTo(HERE);
        assertThat(hop(head("DELETE", "/photos/k", "6"))).isEqualTo(HERE);
        assertThat(exchanges).isEqualTo(3);
        cube.isOwned = false;
        assertThat(ask(head("PUT", "/photos/k", "7"))).isEqualTo(FORWARDED);
        assertThat(ask(head("DELETE", "/photos", "8"))).isEqualTo(FORWARDED);
        assertThat(exchanges).as("their owners ask").isEqualTo(3);
    }

    @Test
    void aRequestWithoutALeaseGoesOn() {
        for (Part each : parts.values()) {
            each.isHeld = false;
        }
        assertThat(ask(placed("1"))).isEqualTo(FORWARDED);
        assertThat(ask(ofStore("2"))).isEqualTo(FORWARDED);
        assertThat(hop(ofStore("3"))).isEqualTo(REFUSED);
        assertThat(handled).hasValue(0);
        assertThat(store.counts.waited().sum()).isEqualTo(2);
        assertThat(store.counts.refused().sum()).isEqualTo(2);
    }

    /** Otherwise the owner would wait for a request that waits for the next owner. */
    @Test
    void aRequestThatGoesOnIsNotWaitedFor() throws InterruptedException {
        cube.isHeld = false;
        assertThat(ask(placed("1"))).isEqualTo(FORWARDED);
        cube.gate.close();
        assertThat(cube.isEmpty()).isTrue();
    }

    @Test
    void aRequestWaitsForALeaseThatComesBack() {
        store.isHeld = false;
        store.comesBack = true;
        assertThat(ask(ofStore("1"))).isEqualTo(HERE);
        assertThat(store.counts.waited().sum()).isEqualTo(1);
        assertThat(store.counts.refused().sum()).isZero();
    }

    @Test
    void aReadIsNotAnsweredAfterTheLease() {
        whileHandled = () -> store.isHeld = false;
        assertThat(isUnavailable(clients.handle(ofStore("1"), null))).isTrue();
        assertThat(handled).hasValue(1);
    }

    /** A request that was handled may have failed. Later ones go to the next owner. */
    @Test
    void aStoreThatBecameReadOnlyGetsNoMoreRequests() {
        store.takesWrites = false;
        assertThat(isUnavailable(clients.handle(ofStore("1"), null))).isTrue();
        assertThat(ask(ofStore("2"))).isEqualTo(FORWARDED);
        assertThat(handled).hasValue(1);
        assertThat(ask(placed("3"))).as("a placed cube goes on").isEqualTo(HERE);
    }

    @Test
    void eachRequestLooksAtTheCubesOnce() {
        for (int i = 1; i <= 3; i++) {
            assertThat(ask(ofStore("1"))).isEqualTo(HERE);
            assertThat(store.looks).isEqualTo(i);
        }
    }

    @Test
    void withoutThePresentUsersNothingIsAnswered() throws InterruptedException {
        knowsUsers = false;
        assertThat(isUnavailable(clients.handle(placed("1"), null))).isTrue();
        assertThat(handled).hasValue(0);
        ended("1");
        assertThat(cube.isEmpty()).isTrue();
    }

    /** A hand-over waits for the requests in what it closes, and for no others. */
    @Test
    void whatIsClosedWaitsForTheAnswersOfItsOwnRequests() throws InterruptedException {
        assertThat(ask(ofStore("1"))).isEqualTo(HERE);
        assertThat(ask(placed("2"))).isEqualTo(HERE);
        store.gate.close();
        assertThat(ask(ofStore("3"))).isEqualTo(FORWARDED);
        assertThat(hop(ofStore("4"))).isEqualTo(REFUSED);
        assertThat(ask(placed("5"))).isEqualTo(HERE);
        ended("3");
        assertThat(store.isEmpty()).as("the answer of 1 is on its way").isFalse();
        ended("1");
        assertThat(store.isEmpty()).isTrue();
        cube.gate.close();
        ended("2");
        assertThat(cube.isEmpty()).as("the answer of 5 is on its way").isFalse();
        ended("5");
        assertThat(cube.isEmpty()).isTrue();
    }
}
