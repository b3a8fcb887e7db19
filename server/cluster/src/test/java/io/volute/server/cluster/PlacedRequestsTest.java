package io.volute.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.cluster.CubeOwner.Serving;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Handler;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.S3Response.Content;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PlacedRequestsTest {
    private static final int HERE = 200;
    private static final int STORE = 201;
    private static final int ELSEWHERE = 202;

    private final CubeGate gate = new CubeGate();
    private String bucket = "photos";
    private boolean isHere = true;
    private boolean isHeld = true;
    private boolean knowsUsers = true;
    private final List<HttpHead> notOfStore = new ArrayList<>();

    private final PlacedRequests requests =
            new PlacedRequests(
                    new RequestPlaces(
                            List.of(),
                            new TestPlaces(
                                    Map.of("photos", "hot"),
                                    Map.of(),
                                    Map.of(),
                                    Optional.of("hot"))),
                    this::serving,
                    () -> knowsUsers);
    private final S3Handler handler =
            requests.handler(answer(HERE), answer(STORE), answer(ELSEWHERE), notOfStore::add);

    private static S3Handler answer(int status) {
        return (head, body) -> new S3Response(status, List.of(), new Content.None(-1));
    }

    private Optional<Serving> serving(String cube) {
        OwnerLease lease =
                new OwnerLease(
                        new OwnerLease.Source() {
                            @Override
                            public boolean isHeld() {
                                return isHeld;
                            }

                            @Override
                            public boolean await() {
                                return isHeld;
                            }
                        },
                        () -> true,
                        new OwnerLease.Counts());
        return cube.equals("hot") && isHere
                ? Optional.of(new Serving(7, lease, gate))
                : Optional.empty();
    }

    private HttpHead head(String id) {
        return new HttpHead(
                "GET", "/" + bucket + "/k", "", new HeaderList(List.of()), false, "", 0, id);
    }

    @Test
    void eachRequestGoesWhereItsCubeIs() {
        assertThat(handler.handle(head("1"), null).status()).isEqualTo(HERE);
        isHere = false;
        assertThat(handler.handle(head("2"), null).status()).isEqualTo(ELSEWHERE);
        bucket = "notes";
        assertThat(handler.handle(head("3"), null).status()).isEqualTo(STORE);
    }

    /** The next owner takes a request that this one has not seen. */
    @Test
    void aRequestWithoutALeaseGoesOn() {
        isHeld = false;
        assertThat(handler.handle(head("1"), null).status()).isEqualTo(ELSEWHERE);
    }

    /** A hand-over of the store waits for its own requests alone. */
    @Test
    void theStoreDoesNotWaitForRequestsInPlacedCubes() {
        HttpHead placed = head("1");
        assertThat(handler.handle(placed, null).status()).isEqualTo(HERE);
        assertThat(notOfStore).containsExactly(placed);
    }

    /** Otherwise the cube would wait for a request that waits for the cube. */
    @Test
    void aRequestThatGoesOnHoldsTheCubeNoLonger() throws InterruptedException {
        isHeld = false;
        assertThat(handler.handle(head("1"), null).status()).isEqualTo(ELSEWHERE);
        gate.close();
        assertThat(gate.awaitNone(1)).isTrue();
    }

    @Test
    void withoutThePresentUsersNothingIsAnswered() {
        knowsUsers = false;
        S3Response refused = handler.handle(head("1"), null);
        assertThat(refused.status()).isEqualTo(503);
        requests.ended(head("1"));
    }

    @Test
    void aCubeIsClosedBehindTheAnswers() throws InterruptedException {
        assertThat(handler.handle(head("1"), null).status()).isEqualTo(HERE);
        gate.close();
        assertThat(handler.handle(head("2"), null).status()).isEqualTo(ELSEWHERE);
        requests.ended(head("2"));
        assertThat(gate.awaitNone(1)).as("the answer of 1 is on its way").isFalse();
        requests.ended(head("1"));
        assertThat(gate.awaitNone(1)).isTrue();
    }
}
