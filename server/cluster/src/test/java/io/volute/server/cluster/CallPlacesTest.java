package io.volute.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.cluster.Call.DeleteBucket;
import io.volute.server.cluster.Call.OfBucket;
import io.volute.server.cluster.Call.OfCube;
import io.volute.server.cluster.Call.OfRestore;
import io.volute.server.cluster.Call.OfStore;
import io.volute.server.s3.TestBody;
import io.volute.server.s3.request.Allowance;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.versioning.value.BucketName;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The call of each kind of request, and its place in each state of a node. */
class CallPlacesTest {
    private static final String V1 = "/_volute/v1/";
    private static final String PAST = "/photos--at-20261101t000000z";
    private static final BucketName PHOTOS = new BucketName("photos");

    /** The places of a request that is for the owner of the store in each state. */
    private static final String NEVER = "- - - - - -";

    /** The cubes in one state of a node, for the bucket photos, the restore 17 and the cube hot. */
    private enum Node {
        NO_CUBE_PLACED(true, false, Optional.empty()),
        OTHER_CUBE_PLACED(true, false, Optional.of("cold")),
        PLACED(true, false, Optional.of("hot")),
        DELETED(false, true, Optional.of("hot")),
        DELETED_OTHER_CUBE_PLACED(false, true, Optional.of("cold")),
        UNKNOWN(false, false, Optional.of("hot"));

        private final TestPlaces known;

        Node(boolean isPresent, boolean isDeleted, Optional<String> placed) {
            Map<String, String> photos = Map.of("photos", "hot");
            known =
                    new TestPlaces(
                            isPresent ? photos : Map.of(),
                            isDeleted ? photos : Map.of(),
                            isPresent || isDeleted ? Map.of("17", "hot") : Map.of(),
                            placed);
        }
    }

    /**
     * A kind of request.
     *
     * @param places the placed cubes for each {@link Node}; a dash for none
     */
    private record Row(
            String method, String path, String query, String body, Call call, String places) {
        HttpHead head() {
            return new HttpHead(
                    method, path, query, new HeaderList(List.of()), false, "", bytes().length, "1");
        }

        /** Returns the same request with the header of an instant. */
        HttpHead headOfThePast() {
            HeaderList at = new HeaderList(List.of(new Header("x-volute-at", "an instant")));
            return new HttpHead(method, path, query, at, false, "", bytes().length, "2");
        }

        byte[] bytes() {
            return body.getBytes(StandardCharsets.UTF_8);
        }
    }

    private static final List<Row> ROWS =
            List.of(
                    s3("GET", "/photos/k", "", new OfBucket(PHOTOS, false), "- - hot - - -"),
                    s3("PUT", "/photos", "acl", new OfBucket(PHOTOS, false), "- - hot - - -"),
                    s3("DELETE", "/photos/k", "", new OfBucket(PHOTOS, false), "- - hot - - -"),
                    s3("GET", PAST + "/k", "", new OfBucket(PHOTOS, true), "- - hot hot - -"),
                    s3("DELETE", "/photos", "", new DeleteBucket(PHOTOS, false), "- - hot - - -"),
                    s3("DELETE", PAST, "", new DeleteBucket(PHOTOS, true), "- - hot hot - -"),
                    s3("PUT", "/photos", "", new OfStore(), NEVER),
                    s3("GET", "/", "", new OfStore(), NEVER),
                    s3("GET", "/%zz/k", "", new OfStore(), NEVER),
                    s3("GET", "/ab/k", "", new OfStore(), NEVER),
                    s3("PUT", "/photos", "unknown", new OfStore(), NEVER),
                    s3("DELETE", "/photos", "versionId=1", new OfStore(), NEVER),
                    s3("DELETE", "/_volute", "", new OfStore(), NEVER),
                    admin("check", "cube", "hot", new OfCube("hot"), "- - hot hot - hot"),
                    admin("restore", "id", "17", new OfRestore("17"), "- - hot hot - -"),
                    admin(
                            "usage",
                            "bucket",
                            "photos",
                            new OfBucket(PHOTOS, true),
                            "- - hot hot - -"),
                    admin("usage", "bucket", "%zz", new OfStore(), NEVER),
                    admin("actors", "bucket", "photos", new OfStore(), NEVER),
                    admin("none", "bucket", "photos", new OfStore(), NEVER),
                    post("check", "{\"cube\": \"hot\"}", new OfCube("hot"), "- - hot hot - hot"),
                    post(
                            "restore/cancel",
                            "{\"id\": \"17\"}",
                            new OfRestore("17"),
                            "- - hot hot - -"),
                    post(
                            "purge",
                            "{\"bucket\": \"photos\"}",
                            new OfBucket(PHOTOS, true),
                            "- - hot hot - -"),
                    post("purge", "{\"bucket\": 1}", new OfStore(), NEVER),
                    post("purge", "{", new OfStore(), NEVER));

    private static Row s3(String method, String path, String query, Call call, String places) {
        return new Row(method, path, query, "", call, places);
    }

    private static Row admin(String route, String name, String value, Call call, String places) {
        return new Row("GET", V1 + route, name + "=" + value, "", call, places);
    }

    private static Row post(String route, String body, Call call, String places) {
        return new Row("POST", V1 + route, "", body, call, places);
    }

    private static RequestPlaces places(Node node) {
        return new RequestPlaces(List.of(), node.known);
    }

    @Test
    void eachRequestIsACall() {
        Set<Class<?>> kinds = new HashSet<>();
        for (Row row : ROWS) {
            RequestPlaces places = places(Node.PLACED);
            HttpHead head = row.head();
            RequestBody body = places.read(head, new TestBody(row.bytes(), 7));
            assertThat(places.call(head, body)).as("%s", row).isEqualTo(row.call());
            kinds.add(row.call().getClass());
        }
        assertThat(kinds).containsExactlyInAnyOrder(Call.class.getPermittedSubclasses());
    }

    @Test
    void eachCallHasItsPlace() {
        for (Row row : ROWS) {
            List<String> found = new ArrayList<>();
            for (Node node : Node.values()) {
                found.add(RequestPlaces.place(row.call(), node.known).orElse("-"));
            }
            assertThat(String.join(" ", found)).as("%s", row).isEqualTo(row.places());
        }
    }

    /** The past of a bucket has two names: the alias, and the header for its present name. */
    @Test
    void aRequestOfThePastByItsHeaderIsOneByItsAlias() {
        RequestPlaces places = places(Node.DELETED);
        for (Row row : ROWS) {
            if (row.call() instanceof OfBucket && !row.path().startsWith(V1)) {
                assertThat(places.call(row.headOfThePast(), new TestBody(row.bytes(), 7)))
                        .as("%s", row)
                        .isEqualTo(new OfBucket(PHOTOS, true));
                assertThat(places.cubeOf(row.headOfThePast(), new TestBody(row.bytes(), 7)))
                        .as("%s", row)
                        .hasValue("hot");
            }
        }
    }

    /** The owner of the store gets a deletion first, and passes it to the owner of the cube. */
    @Test
    void eachRequestGoesToThePlaceOfItsCall() {
        for (Row row : ROWS) {
            for (Node node : Node.values()) {
                RequestPlaces places = places(node);
                HttpHead head = row.head();
                RequestBody body = places.read(head, new TestBody(row.bytes(), 7));
                Optional<String> place = RequestPlaces.place(row.call(), node.known);
                boolean isDeletion = row.call() instanceof DeleteBucket;
                assertThat(places.cubeOf(head, body))
                        .as("%s %s", row, node)
                        .isEqualTo(isDeletion ? Optional.empty() : place);
                assertThat(places.deletionIn(head))
                        .as("%s %s", row, node)
                        .isEqualTo(isDeletion ? place : Optional.empty());
                assertThat(places.cubeOf(head, body).or(() -> places.deletionIn(head)))
                        .as("%s %s, from the owner of the store on", row, node)
                        .isEqualTo(place);
            }
        }
    }

    /** Cubes move while a request waits: it is parsed no second time to find the new place. */
    @Test
    void aRequestIsParsedOnce() {
        for (Row row : ROWS) {
            HttpHead head = row.head();
            RequestPlaces first = places(Node.PLACED);
            RequestBody body = first.read(head, new TestBody(row.bytes(), 7));
            Call call = first.call(head, body);
            assertThat(places(Node.UNKNOWN).call(head.with(Allowance.UNLIMITED), body))
                    .as("%s", row)
                    .isSameAs(call);
        }
    }

    /** A server alone, and a cluster without placed cubes, pay nothing for the places. */
    @Test
    void withoutAPlacedCubeNothingIsParsed() {
        for (Row row : ROWS) {
            HttpHead head = row.head();
            RequestPlaces places = places(Node.NO_CUBE_PLACED);
            TestBody body = new TestBody(row.bytes(), 7);
            assertThat(places.read(head, body)).isSameAs(body);
            assertThat(places.cubeOf(head, body)).isEmpty();
            assertThat(places.deletionIn(head)).isEmpty();
            Call unparsed = new OfCube("none");
            assertThat(head.parsed(Call.class, List.of(), () -> unparsed)).isSameAs(unparsed);
        }
    }
}
