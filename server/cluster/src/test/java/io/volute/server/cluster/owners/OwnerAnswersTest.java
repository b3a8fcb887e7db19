package io.volute.server.cluster.owners;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.adminapi.AdminJson;
import io.volute.adminapi.CheckApi.Checks;
import io.volute.adminapi.ClusterApi.MissingOwner;
import io.volute.adminapi.DamageApi.Damages;
import io.volute.adminapi.NotificationApi.Targets;
import io.volute.adminapi.ReplicationApi.Replication;
import io.volute.adminapi.RequestsApi.Requests;
import io.volute.adminapi.SpaceApi.Spaces;
import io.volute.server.admin.AdminTestBed;
import io.volute.server.cluster.hop.Forwarder.Owner;
import io.volute.server.cluster.owners.OwnerAnswers.Owners;
import io.volute.server.cluster.owners.OwnerAnswers.Serving;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Answers that the owners of a cluster merge, over calls that the test passes. */
class OwnerAnswersTest {
    private static final String API = "/_volute/v1";
    private static final Map<String, String> NOTHING = Map.of();
    private static final Owner OWNER = new Owner("127.0.0.1:1", 7);

    @TempDir private Path first;
    @TempDir private Path second;
    private AdminTestBed store;
    private AdminTestBed other;
    private final AtomicInteger asked = new AtomicInteger();

    @BeforeEach
    void open() throws IOException {
        store = new AdminTestBed(first);
        other = new AdminTestBed(second);
        others(List.of(), (to, operation, content, limit) -> call(operation, content));
    }

    @AfterEach
    void close() throws IOException {
        store.close();
        other.close();
    }

    private void others(List<String> unserved, OtherKeyrings.Calls calls) {
        Owners owners =
                new Owners(Map.of("node2", new Serving(OWNER, List.of("papers"))), unserved);
        store.others(new OwnerAnswers(() -> owners, calls, Duration.ofSeconds(1)));
    }

    private byte[] call(String operation, byte[] content) throws IOException {
        asked.incrementAndGet();
        return OwnerAnswers.operations(() -> Optional.of(other.api()))
                .get(operation)
                .handle(content);
    }

    private <A> A read(String path, Class<A> type) throws IOException {
        return AdminJson.as(store.read(API + path, NOTHING), type);
    }

    @Test
    void mergesThePartOfEachOwner() throws IOException {
        assertThat(read("/space", Spaces.class).cubes()).hasSize(2);
        assertThat(read("/space", Spaces.class).missing()).isEmpty();
        assertThat(read("/notification/targets", Targets.class).targets())
                .singleElement()
                .satisfies(
                        each -> {
                            assertThat(each.delivered()).isEqualTo(10);
                            assertThat(each.waiting()).isEqualTo(4);
                            assertThat(each.lagMillis()).isEqualTo(3000);
                        });
        Replication replication = read("/replication", Replication.class);
        assertThat(replication.targets().getFirst().replicated()).isEqualTo(10);
        assertThat(replication.runs()).hasSize(2);
        assertThat(replication.complete()).isTrue();
        assertThat(read("/damage", Damages.class).damaged()).isEmpty();
        assertThat(read("/check", Checks.class).checks()).hasSize(2);
        assertThat(read("/requests", Requests.class).missing()).isEmpty();
        assertThat(store.read(API + "/scrub", NOTHING).get("others"))
                .isEqualTo(List.of(Map.of("node", "node2", "intervalSeconds", 1209600L)));
    }

    @Test
    void asksNoOtherOwnerAboutACubeOrBucketHere() throws IOException {
        Map<String, Object> unused = store.read(API + "/replication", Map.of("bucket", "photos"));
        assertThat(asked).hasValue(0);
    }

    @Test
    void namesAnOwnerThatDoesNotAnswer() throws IOException {
        others(
                List.of("records"),
                (to, operation, content, limit) -> {
                    throw new IOException("node 127.0.0.1:1 does not answer within 1000 ms");
                });
        Spaces spaces = read("/space", Spaces.class);
        assertThat(spaces.cubes()).hasSize(1);
        assertThat(spaces.missing())
                .containsExactly(
                        new MissingOwner(
                                Optional.empty(), List.of("records"), "no node serves it now"),
                        new MissingOwner(
                                Optional.of("node2"),
                                List.of("papers"),
                                "node 127.0.0.1:1 does not answer within 1000 ms"));
    }

    @Test
    void namesAnOwnerWithAnotherAnswer() throws IOException {
        others(List.of(), (to, operation, content, limit) -> new byte[] {'['});
        assertThat(read("/space", Spaces.class).missing())
                .singleElement()
                .satisfies(each -> assertThat(each.why()).startsWith("not the JSON of Spaces"));
    }

    @Test
    void anOwnerAnswersOnlyRoutesOfAllOwners() throws IOException {
        others(
                List.of(),
                (to, operation, content, limit) ->
                        call(
                                operation,
                                new String(content, StandardCharsets.UTF_8)
                                        .replace("\"Space\"", "\"CreateUser\"")
                                        .getBytes(StandardCharsets.UTF_8)));
        assertThat(read("/space", Spaces.class).missing())
                .singleElement()
                .satisfies(
                        each ->
                                assertThat(each.why())
                                        .startsWith("owners have no part of CreateUser"));
    }

    @Test
    void leavesOtherOwnersOutBeyondTheBoundOfRequests() throws Exception {
        CountDownLatch isFree = new CountDownLatch(1);
        CountDownLatch areWaiting = new CountDownLatch(4);
        others(
                List.of(),
                (to, operation, content, limit) -> {
                    areWaiting.countDown();
                    try {
                        isFree.await();
                    } catch (InterruptedException e) {
                        throw new IOException(e);
                    }
                    return call(operation, content);
                });
        List<Thread> threads =
                IntStream.range(0, 4)
                        .mapToObj(
                                each ->
                                        Thread.ofVirtual()
                                                .start(
                                                        () -> {
                                                            try {
                                                                Spaces unused =
                                                                        read(
                                                                                "/space",
                                                                                Spaces.class);
                                                            } catch (IOException e) {
                                                                throw new IllegalStateException(e);
                                                            }
                                                        }))
                        .toList();
        areWaiting.await();
        assertThat(read("/space", Spaces.class).missing())
                .singleElement()
                .satisfies(each -> assertThat(each.why()).isEqualTo("too many requests"));
        isFree.countDown();
        for (Thread each : threads) {
            each.join();
        }
        assertThat(read("/space", Spaces.class).cubes()).hasSize(2);
    }
}
