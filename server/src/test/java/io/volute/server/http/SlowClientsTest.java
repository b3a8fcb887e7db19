package io.volute.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.Limits;
import io.volute.server.credentials.Credential;
import io.volute.server.http.HttpSettings.BodyRate;
import io.volute.server.http.HttpSettings.Caps;
import io.volute.server.http.HttpSettings.Timeouts;
import io.volute.server.http.MemoryBudget.Usage;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.S3Response.About;
import io.volute.server.s3.request.S3Response.Content;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Clients that do not read their answers, or do not send their forms, hold a share at most, and
 * return all of it.
 */
@Tag("slow")
class SlowClientsTest {
    private static final int ANSWER_BYTES = 2 << 20;
    private static final long MEMORY_BYTES = 32 << 20;
    private static final int UNAUTHENTICATED = 50;
    private static final Caps CAPS =
            new Caps(1000, 400, 200, 100, 1 << 20, UNAUTHENTICATED, MEMORY_BYTES);

    private final List<RawConnection> open = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        for (RawConnection each : open) {
            each.close();
        }
    }

    /** Answers as the user of the path, with many bytes or few, or to a form. */
    private static S3Response answer(HttpHead head, RequestBody body) {
        String[] path = head.rawPath().split("/");
        String user = path[1];
        try {
            if (path[2].equals("form")) {
                head.allowance().beginForm();
                S3Response read = ServerUnderTest.count(head, body);
                head.allowance().endForm();
                if (read.status() != 200) {
                    return read;
                }
            }
            if (head.isSigned() && !user.equals("forged")) {
                head.allowance()
                        .authenticated(
                                new Credential(user, "secret", user, user, isOperator(user)));
            }
        } catch (S3Exception e) {
            return refusal(503);
        }
        if (user.equals("forged")) {
            return refusal(403);
        }
        if (path[2].equals("slow")) {
            return ServerUnderTest.count(head, body);
        }
        byte[] bytes = new byte[path[2].equals("big") ? ANSWER_BYTES : 10];
        return new S3Response(200, List.of(), new Content.Bytes(bytes));
    }

    private static boolean isOperator(String user) {
        return user.equals("operator");
    }

    private static S3Response refusal(int status) {
        return new S3Response(
                status, List.of(), new Content.None(-1), About.UNKNOWN.failing("Refused"));
    }

    private static ServerUnderTest server() throws IOException {
        return new ServerUnderTest(SlowClientsTest::answer, CAPS, ServerUnderTest.patient());
    }

    private RawConnection connect(ServerUnderTest server, String from) throws IOException {
        Socket socket = new Socket();
        // Little of an answer lies in the kernel.
        socket.setReceiveBufferSize(4096);
        socket.bind(new InetSocketAddress(InetAddress.getByName(from), 0));
        RawConnection connection = new RawConnection(socket, server.server().address());
        open.add(connection);
        return connection;
    }

    private static String get(String path, boolean isSigned) {
        return "GET " + path + " HTTP/1.1\r\nHost: a\r\n" + auth(isSigned) + "\r\n";
    }

    private static String auth(boolean isSigned) {
        return isSigned ? "Authorization: signed\r\n" : "";
    }

    private static String put(String path, boolean isSigned) {
        return "PUT "
                + path
                + " HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n"
                + auth(isSigned)
                + "\r\n";
    }

    private int status(ServerUnderTest server, String from, String path, boolean isSigned)
            throws IOException {
        return connect(server, from).send(get(path, isSigned)).read().status();
    }

    private void awaitNothingHeld(ServerUnderTest server) throws IOException {
        close();
        BodyTest.awaitIdle(server);
        Usage usage = server.server().memory();
        assertThat(usage.held()).isZero();
        assertThat(usage.holders()).isZero();
        assertThat(server.server().unauthenticatedRequests()).isZero();
        assertThat(server.server().freeBudgetBytes()).isEqualTo(CAPS.bufferBytes());
    }

    @Test
    void answersThatNobodyReadsStayWithinTheBudget() throws IOException {
        try (ServerUnderTest server = server()) {
            for (int i = 0; i < 120; i++) {
                connect(server, "127.0.0." + (2 + i % 4)).send(get("/u" + i % 7 + "/big", true));
            }
            for (int i = 0; i < 60; i++) {
                connect(server, "127.0.0." + (2 + i % 4)).send(get("/nobody/big", false));
            }
            assertThat(status(server, "127.0.0.9", "/operator/small", true)).isEqualTo(200);
            assertThat(status(server, "127.0.0.9", "/operator/big", true)).isEqualTo(200);
            assertThat(status(server, "127.0.0.2", "/operator/big", true)).isEqualTo(200);
            assertThat(status(server, "127.0.0.9", "/honest/small", true)).isEqualTo(200);
            // It waits until slow readers are cut off.
            assertThat(status(server, "127.0.0.9", "/honest/big", true)).isEqualTo(200);
            assertThat(server.server().memory().held())
                    .isLessThanOrEqualTo(MEMORY_BYTES + Limits.ROOT_HEAP_BYTES_MAX);
            assertThat(server.server().directBytes()).isLessThan(64 << 20);
            awaitNothingHeld(server);
        }
    }

    @Test
    void unknownCallersTakeNothingThatOthersNeed() throws IOException {
        try (ServerUnderTest server = server()) {
            for (int i = 0; i < 90; i++) {
                connect(server, "127.0.0." + (2 + i)).send(get("/nobody/big", false));
                connect(server, "127.0.0." + (2 + i)).send(put("/nobody/form", false));
                connect(server, "127.0.0." + (2 + i)).send(put("/user/form", true));
            }
            assertThat(server.server().memory().unauthenticated())
                    .isLessThanOrEqualTo(MEMORY_BYTES * UNAUTHENTICATED / 200);
            for (int i = 0; i < 4; i++) {
                assertThat(status(server, "127.0.0." + (2 + i), "/user" + i + "/big", true))
                        .isEqualTo(200);
            }
            awaitNothingHeld(server);
        }
    }

    /** Forms of few addresses leave room for the forms of others. */
    @Test
    void formsOfFewAddressesLeaveRoomForOthers() throws IOException {
        try (ServerUnderTest server = server()) {
            for (int i = 0; i < 160; i++) {
                boolean isSigned = i % 2 == 0;
                connect(server, "127.0.0." + (2 + i % 8)).send(put("/user/form", isSigned));
            }
            for (boolean isSigned : new boolean[] {true, false}) {
                RawConnection honest = connect(server, "127.0.0.20");
                honest.send(put("/operator/form", isSigned) + "0123456789");
                assertThat(honest.read().status()).isEqualTo(200);
            }
            awaitNothingHeld(server);
        }
    }

    @Test
    void slowUploadsOfFewAddressesLeaveRoomForOthers() throws IOException {
        try (ServerUnderTest server = server()) {
            for (int i = 0; i < 400; i++) {
                connect(server, "127.0.0." + (2 + i % 5))
                        .send(put("/user" + i % 5 + "/slow", true));
            }
            assertThat(status(server, "127.0.0.20", "/honest/small", true)).isEqualTo(200);
            assertThat(status(server, "127.0.0.2", "/operator/small", true)).isEqualTo(200);
            awaitNothingHeld(server);
        }
    }

    /** Refusals that nobody reads hold no place of those who are known. */
    @Test
    void refusalsOfForgedSignaturesCountAsThoseOfUnknownCallers() throws IOException {
        try (ServerUnderTest server = server()) {
            for (int i = 0; i < 300; i++) {
                connect(server, "127.0.0." + (2 + i % 100)).send(put("/forged/x", true));
            }
            assertThat(status(server, "127.0.0.2", "/honest/big", true)).isEqualTo(200);
            assertThat(server.server().unauthenticatedRequests())
                    .isLessThanOrEqualTo(UNAUTHENTICATED);
            awaitNothingHeld(server);
        }
    }

    @Test
    void aFormHasTheTimeOfAHead() throws Exception {
        Duration time = Duration.ofMinutes(1);
        Timeouts patient = ServerUnderTest.patient();
        Timeouts timeouts =
                new Timeouts(
                        patient.handshake(),
                        time,
                        patient.idle(),
                        patient.bodyIdle(),
                        patient.writeIdle(),
                        new BodyRate(0, patient.idle()));
        MovedDeadlines deadlines = new MovedDeadlines();
        try (ServerUnderTest server =
                        new ServerUnderTest(SlowClientsTest::answer, timeouts, deadlines);
                RawConnection client = server.connect()) {
            client.send(put("/nobody/form", false) + "abc");
            while (server.heads().isEmpty()) {
                Thread.onSpinWait();
            }
            deadlines.pass(time, 1);
            assertThat(client.read().text()).contains("too slowly");
            try (RawConnection second = server.connect()) {
                second.send(put("/nobody/form", false) + "0123456789");
                assertThat(second.read().status()).isEqualTo(200);
            }
        }
    }
}
