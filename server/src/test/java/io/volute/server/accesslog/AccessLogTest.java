package io.volute.server.accesslog;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.volute.server.Limits;
import io.volute.server.http.watch.RequestWatch;
import io.volute.server.http.watch.RequestWatch.Answered;
import io.volute.server.http.watch.RequestWatch.Bytes;
import io.volute.server.http.watch.RequestWatch.Refused;
import io.volute.server.http.watch.RequestWatch.Times;
import io.volute.server.json.Json;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Response.About;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Tests the promises of the access log. */
@Timeout(60)
class AccessLogTest {
    private static final InstantSource CLOCK =
            InstantSource.fixed(Instant.parse("2026-01-02T03:04:05Z"));
    private static final long SECOND = 1_000_000_000;

    private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(AccessLog.class);

    private final ListAppender<ILoggingEvent> told = new ListAppender<>();

    /** Counts the events that the log passes on, and supplies its clock. */
    private static final class Next implements RequestWatch {
        private final AtomicLong now = new AtomicLong();
        private final AtomicLong heard = new AtomicLong();

        @Override
        public long now() {
            return now.get();
        }

        @Override
        public void answered(HttpHead head, Answered how) {
            heard.incrementAndGet();
        }

        @Override
        public void refused(Refused refused) {
            heard.incrementAndGet();
        }
    }

    /** Keeps lines. The test decides when, and how often, it accepts lines. */
    private static final class Kept implements LineSink {
        private final ByteArrayOutputStream lines = new ByteArrayOutputStream();
        private final CountDownLatch asked = new CountDownLatch(1);
        private final CountDownLatch open;
        private final AtomicLong looks = new AtomicLong();
        private int failures;
        private int looksThatFail;

        Kept(CountDownLatch open, int failures) {
            this.open = open;
            this.failures = failures;
        }

        /** Creates a sink that accepts every line. */
        Kept() {
            this(new CountDownLatch(0), 0);
        }

        @Override
        public void write(ByteBuffer batch) throws IOException {
            asked.countDown();
            try {
                open.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            if (failures-- > 0) {
                throw new IOException("full");
            }
            lines.write(batch.array(), batch.position(), batch.remaining());
        }

        @Override
        public void look() throws IOException {
            if (looks.incrementAndGet() <= looksThatFail) {
                throw new IOException("gone");
            }
        }

        @Override
        public void close() {}

        String text() {
            return lines.toString(StandardCharsets.UTF_8);
        }

        List<Map<String, Object>> read() throws IOException {
            return documents(text());
        }
    }

    private static List<Map<String, Object>> documents(String text) throws IOException {
        List<Map<String, Object>> documents = new ArrayList<>();
        for (String line : text.split("\n")) {
            documents.add(Json.read(line.getBytes(StandardCharsets.UTF_8)));
        }
        return documents;
    }

    private static HttpHead head(String id, String agent) {
        return new HttpHead(
                "GET",
                "/b/k",
                "X-Amz-Signature=secret",
                new HeaderList(List.of(new Header("user-agent", agent))),
                false,
                "192.0.2.7",
                0,
                id);
    }

    private static Answered how(String key) {
        return new Answered(
                new About("GetObject", "ann", "AK", "night", "b", key, "NoSuchKey"),
                404,
                true,
                new Bytes(12, 345),
                new Times(5 * SECOND, 6 * SECOND, 7 * SECOND + 8_000));
    }

    private static void answer(AccessLog log, int... ids) {
        for (int id : ids) {
            log.answered(head("r" + id, "agent"), how("k"));
        }
    }

    /** Waits; ends when the time of the test is over. */
    private static void await(BooleanSupplier wanted) {
        while (!wanted.getAsBoolean()) {
            assertThat(Thread.currentThread().isInterrupted()).as("in time").isFalse();
            Thread.onSpinWait();
        }
    }

    private static AccessLog log(LineSink sink, int capacity) {
        return AccessLog.start(new Next(), CLOCK, sink, capacity, 1);
    }

    @Test
    void aLineSaysEverythingOfARequest() throws IOException {
        Kept kept = new Kept();
        Next next = new Next();
        try (AccessLog log = AccessLog.start(next, CLOCK, kept, 10, 1)) {
            log.answered(head("r1", "aws-cli"), how("k"));
        }
        assertThat(kept.text())
                .isEqualTo(
                        "{\"time\":\"2026-01-02T03:04:02.999Z\",\"requestId\":\"r1\","
                                + "\"user\":\"ann\",\"accessKey\":\"AK\",\"session\":\"night\","
                                + "\"remoteAddress\":\"192.0.2.7\",\"method\":\"GET\","
                                + "\"operation\":\"GetObject\",\"bucket\":\"b\",\"key\":\"k\","
                                + "\"status\":404,\"code\":\"NoSuchKey\",\"complete\":true,"
                                + "\"bytesIn\":12,\"bytesOut\":345,\"firstByteMicros\":1000000,"
                                + "\"totalMicros\":2000008,\"userAgent\":\"aws-cli\"}\n");
        assertThat(next.heard).hasValue(1);
    }

    @Test
    void whatWasRefusedHasALineToo() throws IOException {
        Kept kept = new Kept();
        Next next = new Next();
        try (AccessLog log = AccessLog.start(next, CLOCK, kept, 10, 1)) {
            log.refused(new Refused("r9", "192.0.2.8", 503, "SlowDown"));
        }
        assertThat(kept.read())
                .singleElement()
                .satisfies(
                        line ->
                                assertThat(line)
                                        .containsEntry("requestId", "r9")
                                        .containsEntry("remoteAddress", "192.0.2.8")
                                        .containsEntry("status", 503L)
                                        .containsEntry("code", "SlowDown")
                                        .containsEntry("operation", ""));
        assertThat(next.heard).hasValue(1);
    }

    @Test
    void nothingThatClientsNameEndsALineOrSteersATerminal() throws IOException {
        StringBuilder odd = new StringBuilder("\"}\n{\"user\":\"root\"\r\\\u2028\u202e\ud800");
        for (char c = 0; c < 256; c++) {
            odd.append(c);
        }
        odd.repeat(odd.toString(), 2);
        Kept kept = new Kept();
        try (AccessLog log = log(kept, 10)) {
            log.answered(head("r1", odd.toString()), how(odd.toString()));
        }
        assertThat(kept.text()).matches("[ -~]+\n");
        assertThat(kept.read())
                .singleElement()
                .satisfies(
                        line ->
                                assertThat(line)
                                        .containsEntry("user", "ann")
                                        .containsEntry("key", odd.toString())
                                        .containsEntry("userAgent", odd.toString()));
    }

    @Test
    void longTextsAreCutOff() throws IOException {
        int max = Limits.ACCESS_LOG_TEXT_CHARS_MAX;
        Kept kept = new Kept();
        try (AccessLog log = log(kept, 10)) {
            log.answered(head("r1", "u".repeat(max + 1)), how("k".repeat(max + 1)));
            log.answered(head("r2", "u".repeat(max)), how("k".repeat(max)));
        }
        for (Map<String, Object> line : kept.read()) {
            assertThat(line)
                    .containsEntry("key", "k".repeat(max))
                    .containsEntry("userAgent", "u".repeat(max));
        }
    }

    @Test
    void requestsGoOnWhileNothingIsTakenAndTheNextLineSaysHowManyWereLost() throws Exception {
        CountDownLatch open = new CountDownLatch(1);
        Kept kept = new Kept(open, 0);
        try (AccessLog log = log(kept, 2)) {
            answer(log, 1);
            kept.asked.await();
            // The sink accepts no lines: two wait, three are lost.
            answer(log, 2, 3, 4, 5, 6);
            assertThat(log.lost()).isEqualTo(3);
            assertThat(log.written()).isZero();
            open.countDown();
            await(() -> log.written() >= 3);
            answer(log, 7);
        }
        List<Map<String, Object>> lines = kept.read();
        assertThat(lines)
                .extracting(line -> line.get("requestId"))
                .containsExactly("r1", "r2", "r3", "r7");
        assertThat(lines)
                .extracting(line -> line.getOrDefault("lostBefore", 0L))
                .containsExactly(0L, 0L, 0L, 3L);
    }

    @Test
    void longLinesWaitOnlyAsFarAsThereIsRoomForTheirBytes() throws Exception {
        int count = 1000;
        String odd = "\0".repeat(Limits.ACCESS_LOG_TEXT_CHARS_MAX);
        CountDownLatch open = new CountDownLatch(1);
        Kept kept = new Kept(open, 0);
        try (AccessLog log = log(kept, count)) {
            answer(log, 1);
            kept.asked.await();
            for (int id = 0; id < count; id++) {
                log.answered(head("r" + id, odd), how(odd));
            }
            assertThat(log.lost()).isPositive();
            open.countDown();
            await(() -> log.written() + log.lost() == 1 + count);
        }
        assertThat((long) kept.text().length())
                .isBetween(
                        (long) Limits.ACCESS_LOG_WAITING_BYTES_MAX,
                        Limits.ACCESS_LOG_WAITING_BYTES_MAX + 20_000L);
    }

    @Test
    void whatCannotBeWrittenIsToldOnceAndTriedAgain() throws Exception {
        listen();
        Kept kept = new Kept(new CountDownLatch(0), 5);
        try (AccessLog log = log(kept, 10)) {
            answer(log, 1, 2);
            await(() -> log.written() >= 2);
        }
        assertThat(kept.read())
                .extracting(line -> line.get("requestId"))
                .containsExactly("r1", "r2");
        assertThat(told.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .satisfiesExactly(
                        first -> assertThat(first).contains("cannot be written", "full"),
                        second -> assertThat(second).contains("again"));
    }

    @Test
    @Tag("slow")
    void aFileThatIsGoneForLongIsToldOnceWhileNobodyAsksAnything() throws Exception {
        listen();
        Kept kept = new Kept();
        kept.looksThatFail = 5;
        try (AccessLog log = log(kept, 10)) {
            // The clock stands still: only the failure makes it look again.
            await(() -> kept.looks.get() >= 6);
            answer(log, 1);
        }
        assertThat(kept.read()).hasSize(1);
        assertThat(told.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .satisfiesExactly(
                        first -> assertThat(first).contains("cannot be written", "gone"),
                        second -> assertThat(second).contains("again"));
    }

    /** Collects log messages until the test is over. */
    private void listen() {
        told.start();
        LOGGER.addAppender(told);
    }

    @AfterEach
    void listenNoMore() {
        LOGGER.detachAppender(told);
    }

    @Test
    void theFileIsLookedAtEachSecond(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("access.log");
        Path moved = directory.resolve("access.log.1");
        Next next = new Next();
        try (AccessLog log = AccessLog.start(next, CLOCK, new RotatedFile(file), 10, 1)) {
            answer(log, 1);
            await(() -> log.written() >= 1);
            Files.move(file, moved);
            next.now.addAndGet(SECOND);
            answer(log, 2);
        }
        assertThat(documents(Files.readString(moved)))
                .extracting(line -> line.get("requestId"))
                .containsExactly("r1");
        assertThat(documents(Files.readString(file)))
                .extracting(line -> line.get("requestId"))
                .containsExactly("r2");
    }

    @Test
    void standardOutputGetsTheSameLinesAndStaysOpen() throws Exception {
        AtomicLong closes = new AtomicLong();
        ByteArrayOutputStream out =
                new ByteArrayOutputStream() {
                    @Override
                    public void close() {
                        closes.incrementAndGet();
                    }
                };
        try (AccessLog log = AccessLog.toStandardOutput(out, new Next(), CLOCK)) {
            answer(log, 1, 2);
        }
        assertThat(documents(out.toString(StandardCharsets.UTF_8)))
                .extracting(line -> line.get("requestId"))
                .containsExactly("r1", "r2");
        assertThat(closes).hasValue(0);
    }

    @Test
    void aStopWritesWhatWaits() throws Exception {
        Kept kept = new Kept();
        AccessLog log = log(kept, 5000);
        for (int id = 0; id < 5000; id++) {
            answer(log, id);
        }
        log.close();
        assertThat(kept.read()).hasSize(5000);
        assertThat(log.lost()).isZero();
    }
}
