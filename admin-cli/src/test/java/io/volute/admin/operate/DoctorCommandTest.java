package io.volute.admin.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer;
import io.volute.admin.FakeServer.Outcome;
import io.volute.admin.operate.Checkup.Level;
import io.volute.admin.output.AnswerFormat;
import io.volute.storage.io.OsFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class DoctorCommandTest {
    private static final String HEALTHY =
            "{\"cubes\": [{\"cube\": \"default\", \"state\": \"healthy\", \"capacityBytes\": 100,"
                    + " \"clientFreeBytes\": 50, \"cleaner\": {\"damagedSegments\": 0}}]}";
    private static final Path WHERE = Path.of("data");

    @RegisterExtension private final FakeServer server = new FakeServer();
    @TempDir private Path directory;

    private void answer(String space, String scrub, String check) {
        server.answer("GET /health/live", "{}");
        server.answer("GET space", space);
        server.answer("GET scrub", scrub);
        server.answer("GET check", "{\"checks\": [" + check + "]}");
        server.answer("GET provenance/checkpoints", "{\"checkpoints\": []}");
    }

    private Outcome doctor(String... more) {
        Stream<String> options = Stream.of("doctor", "--data", directory.resolve("d").toString());
        return server.run(Stream.concat(options, Stream.of(more)).toArray(String[]::new));
    }

    private static Map<String, Object> named(Outcome outcome, String name) throws IOException {
        return AnswerFormat.maps(outcome.json(), "checkups").stream()
                .filter(each -> name.equals(each.get("name")))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void looksAtAllAndLeavesNothing() throws IOException {
        answer(HEALTHY, "{\"intervalSeconds\": 10}", "");
        Outcome outcome = doctor("--json");
        assertThat(AnswerFormat.maps(outcome.json(), "checkups"))
                .extracting(each -> each.get("name"))
                .containsExactly(
                        "configuration",
                        "disk space",
                        "file system",
                        "fsync",
                        "holes",
                        "open files",
                        "memory",
                        "server clock",
                        "cube default",
                        "space of default",
                        "scrub",
                        "check",
                        "signed history",
                        "clock");
        assertThat(directory).isEmptyDirectory();
        assertThat(named(outcome, "cube default")).containsEntry("level", "ok");
        assertThat(server.asked())
                .containsExactly(
                        "GET /health/live",
                        "GET space",
                        "GET scrub",
                        "GET check",
                        "GET provenance/checkpoints?max=1");
        // No colours but on a terminal.
        assertThat(doctor().out()).contains("ok    check: no problems").doesNotContain("\u001b");
    }

    @Test
    void damageIsAFailure() throws IOException {
        answer(
                HEALTHY,
                "{\"intervalSeconds\": 10, \"last\": {\"began\": \"2026-11-21T09:00:00Z\","
                        + " \"problems\": 1, \"findings\": 0}}",
                "{\"problems\": [{\"kind\": \"checksum\"}], \"moreProblems\": 2}");
        Outcome outcome = doctor("--json");
        assertThat(outcome.code()).isEqualTo(3);
        assertThat(named(outcome, "scrub").get("advice")).asString().contains("volute scrub");
        assertThat(named(outcome, "check"))
                .containsEntry("level", "fail")
                .containsEntry("found", "the last one found 3 problems");
    }

    @Test
    void chainsThatDoNotContinueAreAFailure() throws IOException {
        // Before the one that nothing is wrong with.
        server.answer(
                "GET provenance/checkpoints",
                "{\"checkpoints\": [], \"refused\": \"checkpoint 7 has other heads\"}");
        answer(HEALTHY, "{\"intervalSeconds\": 10}", "");
        Outcome outcome = doctor("--json");
        assertThat(outcome.code()).isEqualTo(3);
        assertThat(named(outcome, "signed history"))
                .containsEntry("level", "fail")
                .containsEntry("found", "checkpoint 7 has other heads");
    }

    @Test
    void aConfigurationThatIsWrongFails() throws IOException {
        answer(HEALTHY, "{\"intervalSeconds\": 10}", "");
        Path file = Files.writeString(directory.resolve("c"), "s3.regoin = x");
        Outcome outcome = doctor("--json", "--config", file.toString());
        assertThat(outcome.code()).isEqualTo(3);
        assertThat(named(outcome, "configuration").get("found"))
                .asString()
                .contains("did you mean s3.region");
        assertThat(named(doctor("--json", "--config", "none"), "configuration"))
                .containsEntry("level", "fail");
    }

    @Test
    void withoutCredentialsOrServerItWarns() throws IOException {
        answer(HEALTHY, "{\"intervalSeconds\": 10}", "");
        server.with(Map.of());
        assertThat(named(doctor("--json"), "server").get("advice"))
                .asString()
                .contains("VOLUTE_ACCESS_KEY");
        Outcome nobody =
                server.runExactly(
                        "",
                        "doctor",
                        "--json",
                        "--data",
                        directory.toString(),
                        "--endpoint",
                        "http://127.0.0.1:1");
        assertThat(named(nobody, "server"))
                .containsEntry("level", "warn")
                .extracting("advice")
                .asString()
                .contains("--endpoint");
    }

    @Test
    void theCubeTells() {
        Map<String, Object> cube = Map.of("cube", "c", "state", "read_only", "capacityBytes", 100L);
        assertThat(ServerCheckups.state(cube).level()).isEqualTo(Level.FAIL);
        Map<String, Object> damaged =
                Map.of("state", "healthy", "cleaner", Map.of("damagedSegments", 1L));
        assertThat(ServerCheckups.state(damaged).level()).isEqualTo(Level.FAIL);
        assertThat(ServerCheckups.space(cube).level()).isEqualTo(Level.FAIL);
        assertThat(
                        ServerCheckups.space(Map.of("capacityBytes", 100L, "clientFreeBytes", 10L))
                                .level())
                .isEqualTo(Level.WARN);
    }

    @Test
    void aScrubThatIsOverdueOrMissingIsTold() {
        Instant now = Instant.parse("2026-11-21T10:00:00Z");
        Map<String, Object> last =
                Map.of("began", "2026-11-21T09:59:00Z", "problems", 0L, "findings", 0L);
        assertThat(scrub(Map.of("intervalSeconds", 30L, "last", last), now)).isEqualTo(Level.OK);
        assertThat(scrub(Map.of("intervalSeconds", 29L, "last", last), now)).isEqualTo(Level.WARN);
        assertThat(scrub(Map.of("intervalSeconds", 0L), now)).isEqualTo(Level.WARN);
        assertThat(scrub(Map.of("intervalSeconds", 1L, "failure", "x"), now)).isEqualTo(Level.FAIL);
    }

    private static Level scrub(Map<String, Object> scrub, Instant now) {
        return ServerCheckups.scrub(scrub, now).level();
    }

    @Test
    void disksAreJudged() {
        assertThat(DiskCheckups.room(WHERE, 10, 100).level()).isEqualTo(Level.OK);
        assertThat(DiskCheckups.room(WHERE, 9, 100).level()).isEqualTo(Level.WARN);
        assertThat(DiskCheckups.room(WHERE, 1, 100).level()).isEqualTo(Level.FAIL);
        assertThat(DiskCheckups.kind(WHERE, "ext4").level()).isEqualTo(Level.OK);
        assertThat(DiskCheckups.kind(WHERE, "nfs4").level()).isEqualTo(Level.WARN);
        assertThat(DiskCheckups.kind(WHERE, "overlay").advice()).contains("mount a volume");
        assertThat(DiskCheckups.kind(WHERE, "tmpfs").level()).isEqualTo(Level.FAIL);
        assertThat(forces(Duration.ofNanos(1000))).isEqualTo(Level.WARN);
        assertThat(forces(Duration.ofMillis(1))).isEqualTo(Level.OK);
        assertThat(forces(Duration.ofMillis(5))).isEqualTo(Level.WARN);
        assertThat(forces(Duration.ofMillis(100))).isEqualTo(Level.FAIL);
    }

    private static Level forces(Duration median) {
        return DiskCheckups.forces(median, median).level();
    }

    @Test
    void forcesAreMeasuredByTheMonotonicClock() {
        AtomicLong nanos = new AtomicLong();
        List<Checkup> all =
                new DiskCheckups(new OsFileSystem(), () -> nanos.getAndAdd(2_000_000))
                        .of(directory);
        assertThat(all.get(2).found()).contains("2000 us (median), 2000 us (longest of 32)");
    }

    @Test
    void hostsAreJudged() {
        String limits = "Max open files            4096                 4096       files\n";
        assertThat(HostCheckups.openFiles(limits, 2048).level()).isEqualTo(Level.OK);
        assertThat(HostCheckups.openFiles(limits, 2049).advice()).contains("4097");
        assertThat(HostCheckups.openFiles(limits.replace("4096", "256"), 1).level())
                .isEqualTo(Level.FAIL);
        assertThat(HostCheckups.openFiles("", 1).level()).isEqualTo(Level.OK);
        String memory = "MemTotal:       2048 kB\nMemFree: 1 kB\nMemAvailable:   1024 kB\n";
        assertThat(HostCheckups.memory(memory, 1 << 20).level()).isEqualTo(Level.OK);
        assertThat(HostCheckups.memory(memory, 2 << 20).level()).isEqualTo(Level.WARN);
        assertThat(HostCheckups.memory(memory, 3 << 20).level()).isEqualTo(Level.FAIL);
    }

    @Test
    void clocksAreJudged() {
        Duration second = Duration.ofSeconds(1);
        assertThat(HostCheckups.drift(second, second.plusMillis(100)).level()).isEqualTo(Level.OK);
        assertThat(HostCheckups.drift(second, second.plusMillis(101)).level())
                .isEqualTo(Level.WARN);
        assertThat(HostCheckups.serverClock(second.negated()).level()).isEqualTo(Level.OK);
        assertThat(HostCheckups.serverClock(Duration.ofSeconds(-5)).level()).isEqualTo(Level.WARN);
        assertThat(HostCheckups.serverClock(Duration.ofMinutes(15)).level()).isEqualTo(Level.FAIL);
    }
}
