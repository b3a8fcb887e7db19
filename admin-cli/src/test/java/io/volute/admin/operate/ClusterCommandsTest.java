package io.volute.admin.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer;
import io.volute.admin.FakeServer.Outcome;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ClusterCommandsTest {
    private static final String CLUSTER = "GET cluster";
    private static final String MOVE = "POST cluster/move";
    private static final String DRAIN = "POST cluster/drain";
    private static final String SYSTEM = cube("default", "a", "healthy", "");

    @RegisterExtension
    private final FakeServer server =
            new FakeServer(
                    ClusterStatusCommand.class,
                    ClusterNodesCommand.class,
                    ClusterMoveCommand.class,
                    ClusterDrainCommand.class);

    /**
     * @param placed empty if the cube is not
     */
    private static String cube(String name, String owner, String state, String placed) {
        return "{\"cube\": \"%s\", \"owner\": \"%s\", \"epoch\": 3, \"state\": \"%s\"%s}"
                .formatted(
                        name,
                        owner,
                        state,
                        placed.isEmpty() ? "" : ", \"placed\": \"" + placed + "\"");
    }

    private static String cluster(String owner, String... cubes) {
        String nodes =
                Stream.of("a", "b", "c")
                        .map(
                                name ->
                                        """
                                        {"name": "%s", "address": "%s:1", "version": "1",
                                          "owner": %s, "ready": true, "lags": []}\
                                        """
                                                .formatted(name, name, name.equals(owner)))
                        .collect(Collectors.joining(", "));
        return """
        {"owner": "%s", "since": "2026-11-21T10:00:00Z", "takeOverMillis": 5,
          "sessionMillis": 4000, "nodes": [%s], "drained": [], "cubes": [%s]}\
        """
                .formatted(owner, nodes, String.join(", ", cubes));
    }

    private static String order(String node, boolean handsOver, String... cubes) {
        String names = Stream.of(cubes).collect(Collectors.joining("\", \"", "[\"", "\"]"));
        return "{\"node\": \"%s\", \"owner\": \"a\", \"handsOver\": %s, \"cubes\": %s}"
                .formatted(node, handsOver, cubes.length == 0 ? "[]" : names);
    }

    private void succeeds(Outcome outcome, String out) {
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.out()).isEqualTo(out);
    }

    @Test
    void showsTheOwnerOfEachCube() {
        server.answer(CLUSTER, cluster("a", SYSTEM, cube("photos", "b", "serving", "b")));
        Outcome outcome = server.run("status");
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.out())
                .contains("CUBE     OWNER  EPOCH  STATE    PLACED")
                .contains("default  a      3      healthy")
                .contains("photos   b      3      serving  b");
    }

    @Test
    void countsTheCubesOfEachNode() {
        server.answer(
                CLUSTER,
                cluster(
                        "a",
                        SYSTEM,
                        cube("films", "b", "opening", "b"),
                        cube("photos", "b", "serving", "b")));
        Outcome outcome = server.run("nodes");
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.out().lines().map(line -> line.replaceAll(" +", " ").strip()))
                .containsExactly(
                        "NAME ADDRESS VERSION ROLE CUBES LAG",
                        "a a:1 1 owner 1",
                        "b b:1 1 standby 2",
                        "c c:1 1 standby 0");
    }

    @Test
    void waitsUntilTheNodeHasTheStore() {
        server.answer(MOVE, 202, order("b", true));
        server.answer(CLUSTER, cluster("a"));
        server.answer(CLUSTER, 503, "{\"code\": \"ServiceUnavailable\", \"message\": \"m\"}");
        server.answer(CLUSTER, cluster("b"));
        succeeds(server.run("move", "b"), "node b has the store\n");
        assertThat(server.asked().getFirst()).isEqualTo(MOVE + "{\"node\":\"b\"}");
        assertThat(server.pauses()).isEqualTo(2);
    }

    @Test
    void waitsForNobodyWithNoWait() {
        server.answer(MOVE, 202, order("b", true));
        server.answer(DRAIN, 202, order("a", true, "photos"));
        succeeds(
                server.run("move", "b", "--no-wait"), "the store is being handed over to node b\n");
        succeeds(
                server.run("move", "photos", "b", "--no-wait"),
                "cube photos is being handed over to node b\n");
        succeeds(server.run("drain", "a", "--no-wait"), "node a is drained\n");
        assertThat(server.pauses()).isZero();
    }

    @Test
    void anotherNodeThatHasTheStoreIsAFailure() {
        server.answer(MOVE, 202, order("b", true));
        server.answer(CLUSTER, cluster("c"));
        Outcome outcome = server.run("move", "b");
        assertThat(outcome.code()).isEqualTo(3);
        assertThat(outcome.out()).isEqualTo("node c has the store\n");
    }

    @Test
    void waitsUntilTheNodeServesTheCubesOfTheOrder() {
        server.answer(MOVE, 202, order("c", false, "films", "photos"));
        String films = cube("films", "c", "serving", "c");
        server.answer(
                CLUSTER,
                cluster("a", SYSTEM, films, cube("photos", "b", "serving", "c")),
                cluster("a", SYSTEM, films, cube("photos", "c", "opening", "c")),
                cluster("a", SYSTEM, films, cube("photos", "c", "serving", "c")));
        succeeds(server.run("move", "photos", "c"), "node c has cube films, photos\n");
        assertThat(server.asked().getFirst())
                .isEqualTo(MOVE + "{\"node\":\"c\",\"cube\":\"photos\"}");
        assertThat(server.pauses()).isEqualTo(2);
    }

    @Test
    void anotherNodeThatHasTheCubeIsAFailure() {
        server.answer(MOVE, 202, order("b", false, "photos"));
        server.answer(CLUSTER, cluster("a", SYSTEM, cube("photos", "a", "healthy", "a")));
        Outcome outcome = server.run("move", "photos", "b");
        assertThat(outcome.code()).isEqualTo(3);
        assertThat(outcome.out()).isEqualTo("node a has cube photos\n");
    }

    @Test
    void anOrderThatNobodyCarriesOutEnds() {
        server.eachTimeLater(200);
        server.answer(MOVE, 202, order("b", false, "photos"));
        server.answer(CLUSTER, cluster("a", SYSTEM, cube("photos", "b", "opening", "b")));
        Outcome outcome = server.run("move", "photos", "b");
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.err()).contains("not finished after 5 min", "cluster status");
    }

    @Test
    void aRefusedOrderIsAFailure() {
        server.answer(MOVE, 400, "{\"code\": \"InvalidArgument\", \"message\": \"no cube x\"}");
        Outcome outcome = server.run("move", "x", "b");
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.err()).contains("no cube x");
        assertThat(server.run("move").code()).isEqualTo(2);
        assertThat(server.run("move", "x", "y", "z").code()).isEqualTo(2);
    }

    @Test
    void aDrainWaitsUntilOtherNodesHaveTheStoreAndTheCubes() {
        server.answer(DRAIN, 202, order("a", true, "films", "photos"));
        String films = cube("films", "c", "serving", "c");
        server.answer(
                CLUSTER,
                cluster("a", films, cube("photos", "a", "healthy", "a")),
                cluster("b", films, cube("photos", "a", "serving", "a")),
                cluster("b", films, cube("photos", "b", "opening", "b")),
                cluster("b", films, cube("photos", "b", "healthy", "b")));
        succeeds(
                server.run("drain", "a"),
                """
                node a is drained
                node b has the store
                node b has cube photos
                node c has cube films
                """);
        assertThat(server.asked().getFirst()).isEqualTo(DRAIN + "{\"node\":\"a\",\"off\":false}");
    }

    @Test
    void aDrainOfANodeWithoutAnythingEndsAtOnce() {
        server.answer(DRAIN, 202, order("c", false));
        succeeds(server.run("drain", "c"), "node c is drained\n");
        succeeds(server.run("drain", "c", "--off"), "node c can have the store\n");
        assertThat(server.asked()).hasSize(2).last().asString().contains("\"off\":true");
    }
}
