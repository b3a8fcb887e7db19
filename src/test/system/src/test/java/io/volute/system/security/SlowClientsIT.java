package io.volute.system.security;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import io.volute.system.RawConnection;
import io.volute.system.RawConnection.Answer;
import io.volute.system.RawRequest;
import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Clients that neither read their answers nor send their bodies, against a server with 512 MiB of
 * heap. It lives, the root is answered at once, and nothing stays when they have gone. {@code
 * -Dvolute.attackSeconds=60} is the full run, with ten times as many clients and addresses.
 */
class SlowClientsIT {
    private static final int SECONDS = Integer.getInteger("volute.attackSeconds", 2);
    private static final int TIMES = SECONDS >= 60 ? 10 : 1;
    private static final int KEYS = SECONDS >= 60 ? 1_000 : 300;
    private static final int RENEWED_AT_ONCE = 100;

    /** Connections for which this process may have file descriptors. */
    private static final int OPEN_MAX =
            (int)
                    Math.min(
                            Integer.MAX_VALUE,
                            ((UnixOperatingSystemMXBean)
                                                    ManagementFactory.getOperatingSystemMXBean())
                                            .getMaxFileDescriptorCount()
                                    - 1_000);

    private static final String USERS =
            """
            users = [
              { access-key = "ALICEKEY", secret-key = "alice-secret", principal = "alice" }
              { access-key = "BOBKEY", secret-key = "bob-secret", principal = "bob" }
            ]
            """;

    private static final String POLICY =
            "{'Version':'2012-10-17','Statement':[{'Effect':'Allow','Principal':'*','Action':"
                    + "['s3:ListBucket','s3:ListBucketVersions'],"
                    + "'Resource':'arn:aws:s3:::bucket'},"
                    + "{'Effect':'Allow','Principal':{'AWS':["
                    + "'arn:aws:iam::000000000000:user/alice',"
                    + "'arn:aws:iam::000000000000:user/bob']},'Action':'s3:*',"
                    + "'Resource':['arn:aws:s3:::bucket','arn:aws:s3:::bucket/*']}]}";

    private static TemporaryStore directory;
    private static ServerProcess server;
    private static URI endpoint;
    private static URI metrics;

    /** The kinds of requests, each with its clients and addresses. */
    private enum Attack {
        LISTINGS_OF_STRANGERS(440, 4, i -> RawRequest.of("GET", "/bucket").anonymous(endpoint)),
        VERSIONS_OF_STRANGERS(
                440,
                4,
                i -> RawRequest.of("GET", "/bucket").query("versions", "").anonymous(endpoint)),
        LISTINGS(440, 4, i -> alice("GET", "/bucket").signed(endpoint)),
        DOCUMENTS(
                200,
                4,
                i ->
                        concat(
                                text(
                                        alice("POST", "/bucket")
                                                .query("delete", "")
                                                .header("content-length", "2000000")
                                                .payloadHash("UNSIGNED-PAYLOAD")
                                                .signedHead(endpoint)),
                                new byte[1 << 20])),
        FORMS_OF_BROWSERS(
                400,
                4,
                i ->
                        text(
                                "POST /bucket HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n"
                                        + "Content-Type: multipart/form-data; boundary=x\r\n\r\n"
                                        + "--x\r\n")),
        FORMS_OF_STS_AND_IAM(
                400,
                8,
                i ->
                        text(
                                RawRequest.of("POST", "/")
                                        .scope("us-east-1", i % 2 == 0 ? "sts" : "iam")
                                        .header("content-type", "application/x-www-form-urlencoded")
                                        .header("content-length", "9000")
                                        .signedHead(endpoint))),
        UPLOADS(
                2000,
                5,
                i ->
                        text(
                                alice("PUT", "/bucket/slow-" + i)
                                        .header("content-length", "9000")
                                        .payloadHash("UNSIGNED-PAYLOAD")
                                        .signedHead(endpoint))),
        DOWNLOADS(100, 4, i -> alice("GET", "/bucket/large").signed(endpoint)),
        FORGERIES(
                440,
                4,
                i ->
                        RawRequest.of("GET", "/bucket/large")
                                .credentials("ALICEKEY", "guessed")
                                .signed(endpoint)),
        LISTENERS(
                22,
                4,
                i ->
                        alice("GET", "/bucket")
                                .query("events", "s3:ObjectCreated:*")
                                .signed(endpoint)) {
            @Override
            void besides(int round) throws IOException {
                for (int i = 0; i < 130; i++) {
                    put(endpoint, wide(i), "again");
                }
            }
        };

        private final int clients;
        private final int addresses;
        private final IntFunction<byte[]> message;

        Attack(int clients, int addresses, IntFunction<byte[]> message) {
            this.clients = clients;
            this.addresses = addresses;
            this.message = message;
        }

        /** Further requests of the attack. */
        void besides(int round) throws IOException {}

        private String address(int client) {
            int number = client % (addresses * TIMES);
            return "127.0." + (1 + number / 250) + "." + (1 + number % 250);
        }
    }

    private static RawRequest alice(String method, String path) {
        return RawRequest.of(method, path).credentials("ALICEKEY", "alice-secret");
    }

    private static byte[] text(String message) {
        return message.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] concat(byte[] first, byte[] second) {
        byte[] all = new byte[first.length + second.length];
        System.arraycopy(first, 0, all, 0, first.length);
        System.arraycopy(second, 0, all, first.length, second.length);
        return all;
    }

    /** A key that a listing shows with six times its bytes. */
    private static String wide(int number) {
        return "/bucket/" + "%22".repeat(1000) + number;
    }

    private static void put(URI to, String path, String content) throws IOException {
        Answer answer =
                RawConnection.exchange(
                        to, RawRequest.of("PUT", path).body(content).signed(to), "PUT");
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    }

    @BeforeAll
    static void start() throws IOException {
        directory = TemporaryStore.create("slow-clients");
        Path config = directory.data().resolveSibling("slow-clients.conf");
        Files.writeString(config, USERS);
        int port = ServerProcess.freePort();
        metrics = URI.create("http://127.0.0.1:" + port);
        server =
                ServerProcess.start(
                        ServerProcess.Options.of(directory.data())
                                .withMemory(512, 512)
                                .withArguments("--config", config.toString())
                                .withEnvironment(
                                        Map.of("VOLUTE_METRICS_LISTEN", "127.0.0.1:" + port)));
        endpoint = server.endpoint();
        put(endpoint, "/bucket", "");
        Answer policy =
                RawConnection.exchange(
                        endpoint,
                        RawRequest.of("PUT", "/bucket")
                                .query("policy", "")
                                .body(POLICY.replace('\'', '"'))
                                .signed(endpoint),
                        "PUT");
        assertThat(policy.status()).as(policy.body()).isEqualTo(204);
        put(endpoint, "/bucket/large", "x".repeat(5 << 20));
        for (int i = 0; i < KEYS; i++) {
            put(endpoint, wide(i), "");
        }
    }

    @AfterAll
    static void stop() {
        server.close();
        directory.close();
    }

    @ParameterizedTest
    @EnumSource(Attack.class)
    void theRootIsAnswered(Attack attack) throws Exception {
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicLong opened = new AtomicLong();
        Semaphore renewed = new Semaphore(0);
        CompletableFuture<Void> attacking =
                CompletableFuture.runAsync(() -> attack(attack, isOver, opened, renewed));
        long longest = 0;
        int answered = 0;
        try {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
            while (System.nanoTime() < end || opened.get() < attack.clients) {
                long begun = System.nanoTime();
                askAsRoot();
                renewed.release(RENEWED_AT_ONCE);
                longest = Math.max(longest, System.nanoTime() - begun);
                answered++;
                assertThat(attacking).isNotCompletedExceptionally();
            }
        } finally {
            isOver.set(true);
            renewed.release(RENEWED_AT_ONCE);
        }
        attacking.get(60, TimeUnit.SECONDS);
        System.out.printf(
                "slow clients: %s: %d clients, %d rounds of the root's requests, the longest %d"
                        + " ms%n",
                attack, opened.get(), answered, TimeUnit.NANOSECONDS.toMillis(longest));
        assertThat(server.isAlive()).isTrue();
        awaitNothingHeld();
    }

    /** Opens all clients as fast as it can, and renews some with each round of the root's. */
    private static void attack(
            Attack attack, AtomicBoolean isOver, AtomicLong opened, Semaphore renewed) {
        List<RawConnection> open = new ArrayList<>();
        int most = Math.min(attack.clients * TIMES, OPEN_MAX);
        try {
            for (int i = 0; !isOver.get(); i++) {
                if (open.size() == most) {
                    renewed.acquireUninterruptibly();
                    open.removeFirst().close();
                }
                RawConnection connection = RawConnection.openSlow(endpoint, attack.address(i));
                open.add(connection);
                try {
                    connection.send(attack.message.apply(i));
                } catch (IOException e) {
                    // The server has closed it.
                    assertThat(server.isAlive()).as(e.getMessage()).isTrue();
                }
                opened.incrementAndGet();
                if (i % RENEWED_AT_ONCE == RENEWED_AT_ONCE / 5) {
                    attack.besides(i);
                }
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        } finally {
            for (RawConnection each : open) {
                try {
                    each.close();
                } catch (IOException e) {
                    System.out.println("not closed: " + e.getMessage());
                }
            }
        }
    }

    private static void askAsRoot() throws IOException {
        put(endpoint, "/bucket/small", "content");
        for (RawRequest request :
                List.of(
                        RawRequest.of("GET", "/bucket/small"),
                        RawRequest.of("GET", "/bucket").query("max-keys", "100"),
                        RawRequest.of("POST", "/")
                                .scope("us-east-1", "sts")
                                .header("content-type", "application/x-www-form-urlencoded")
                                .body("Action=GetCallerIdentity&Version=2011-06-15"))) {
            Answer answer = RawConnection.exchange(endpoint, request.signed(endpoint), "GET");
            assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        }
        Answer bob =
                RawConnection.exchange(
                        endpoint,
                        RawRequest.of("GET", "/bucket/small")
                                .credentials("BOBKEY", "bob-secret")
                                .signed(endpoint),
                        "GET");
        assertThat(bob.status()).as(bob.body()).isEqualTo(200);
    }

    private static void awaitNothingHeld() throws IOException {
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        String held = figures();
        while (!held.equals("[0, 0, 0]") && System.nanoTime() < end) {
            held = figures();
        }
        assertThat(held).as("requests, heap, heap of unknown callers").isEqualTo("[0, 0, 0]");
    }

    private static String figures() throws IOException {
        String page =
                RawConnection.exchange(
                                metrics,
                                text("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"),
                                "GET")
                        .body();
        List<Long> found = new ArrayList<>();
        for (String name :
                List.of(
                        "volute_http_requests_in_flight",
                        "volute_http_memory_bytes",
                        "volute_http_unauthenticated_memory_bytes")) {
            for (String line : page.split("\n")) {
                if (line.startsWith(name + " ") || line.startsWith(name + "{")) {
                    found.add((long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)));
                }
            }
        }
        return found.toString();
    }
}
