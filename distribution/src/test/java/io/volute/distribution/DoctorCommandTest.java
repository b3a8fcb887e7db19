package io.volute.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer;
import io.volute.admin.FakeServer.Outcome;
import io.volute.adminapi.AdminJson;
import io.volute.adminapi.CheckApi.Scrub;
import io.volute.adminapi.CheckApi.ScrubPass;
import io.volute.adminapi.CubesApi.ClockInfo;
import io.volute.adminapi.CubesApi.UnderReplicated;
import io.volute.adminapi.CubesApi.UnknownPast;
import io.volute.adminapi.DamageApi.Damages;
import io.volute.adminapi.SpaceApi.Space;
import io.volute.distribution.Checkup.Level;
import io.volute.storage.directory.StoreDirectory;
import io.volute.storage.io.OsFileSystem;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class DoctorCommandTest {
    private static final String HEALTHY =
            "{\"cubes\": [{\"cube\": \"default\", \"state\": \"healthy\", \"capacityBytes\": 100,"
                    + " \"clientFreeBytes\": 50, \"cleaner\": {\"damagedSegments\": 0}}]}";
    private static final Damages NONE = new Damages(List.of(), 0, Map.of());
    private static final Path WHERE = Path.of("data");

    @RegisterExtension private final FakeServer server = new FakeServer(DoctorCommand.class);
    @TempDir private Path directory;

    /** The answer about the list of cubes. */
    private String cubes = cube("default", "open\", \"state\": \"healthy");

    private static String cube(String name, String phase) {
        return "{\"cubes\": [{\"cube\": \""
                + name
                + "\", \"created\": \"2026-11-21T09:00:00Z\", \"phase\": \""
                + phase
                + "\"}]}";
    }

    @Test
    void aCubeThatIsNotOpenIsAFailure() throws IOException {
        cubes = cube("photos", "failed\", \"why\": \"the disk is gone");
        answer(HEALTHY, "{\"intervalSeconds\": 10}", "");
        Outcome outcome = doctor("--json");
        assertThat(outcome.code()).isEqualTo(3);
        assertThat(named(outcome, "cube photos"))
                .containsEntry("level", "fail")
                .containsEntry("found", "it is failed: the disk is gone")
                .containsEntry("advice", "repair the cause, then volute cube reopen photos");
    }

    private void answer(String space, String scrub, String check) {
        server.answer("GET /health/live", "{}");
        server.answer("GET space", space);
        server.answer("GET damage", "{\"damaged\": []}");
        server.answer("GET cubes", cubes);
        server.answer("GET scrub", scrub);
        server.answer("GET check", "{\"checks\": [" + check + "]}");
        server.answer("GET provenance/checkpoints", "{\"checkpoints\": []}");
        server.answer("GET encryption/keys", "{\"keys\": []}");
    }

    private Outcome doctor(String... more) {
        Stream<String> options = Stream.of("doctor", "--data", directory.resolve("d").toString());
        return server.run(Stream.concat(options, Stream.of(more)).toArray(String[]::new));
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> checkups(Outcome outcome) throws IOException {
        return (List<Map<String, Object>>) outcome.json().get("checkups");
    }

    private static Map<String, Object> named(Outcome outcome, String name) throws IOException {
        return checkups(outcome).stream()
                .filter(each -> name.equals(each.get("name")))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aCubeOfAnotherNodeIsAsItsOwnerHasIt() throws IOException {
        cubes = cube("photos", "elsewhere");
        answer(HEALTHY, "{\"intervalSeconds\": 10}", "");
        String cluster =
                "{\"owner\": \"node1\", \"nodes\": [], \"drained\": [],"
                        + " \"cubes\": [{\"cube\": \"photos\", \"owner\": \"node2\","
                        + " \"epoch\": 3, \"state\": \"%s\"}]}";
        server.answer(
                "GET cluster", cluster.replace("%s", "serving"), cluster.replace("%s", "opening"));
        assertThat(named(doctor("--json"), "cube photos"))
                .containsEntry("level", "ok")
                .containsEntry("found", "it is serving at node node2");
        assertThat(named(doctor("--json"), "cube photos")).containsEntry("level", "warn");
        // Its node has its checks.
        assertThat(server.asked()).contains("GET check?cube=photos", "GET check");
    }

    @Test
    void looksAtAllAndLeavesNothing() throws IOException {
        answer(HEALTHY, "{\"intervalSeconds\": 10}", "");
        Outcome outcome = doctor("--json");
        assertThat(checkups(outcome))
                .extracting(each -> each.get("name"))
                .containsExactly(
                        "configuration",
                        "disk space",
                        "file system",
                        "fsync",
                        "holes",
                        "data directory",
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
                        "GET damage",
                        "GET space",
                        "GET cubes",
                        "GET scrub",
                        "GET check",
                        "GET provenance/checkpoints?max=1",
                        "GET encryption/keys");
        // No colours but on a terminal.
        assertThat(doctor().out()).contains("ok    check: no problems").doesNotContain("\u001b");
    }

    /** Missing files show without the server. */
    @Test
    void aMissingAuditLogIsAFailure() throws IOException {
        answer(HEALTHY, "{\"intervalSeconds\": 10}", "");
        Path data = directory.resolve("d");
        try (StoreDirectory store =
                StoreDirectory.open(data, new OsFileSystem(), InstantSource.fixed(Instant.EPOCH))) {
            store.remember(
                    "audit",
                    Map.of(
                            "directory", "audit",
                            "first", "1",
                            "last", "7",
                            "hash", "00".repeat(32),
                            "unproven", "0"));
        }
        Outcome outcome = doctor("--json");
        assertThat(outcome.code()).isEqualTo(3);
        assertThat(named(outcome, "audit log"))
                .containsEntry("level", "fail")
                .containsEntry("found", "lines 1 to 7 are missing: there is no file of the log");
    }

    @Test
    void damageIsAFailure() throws IOException {
        answer(
                HEALTHY,
                "{\"intervalSeconds\": 10, \"last\": {\"began\": \"2026-11-21T09:00:00Z\","
                        + " \"problems\": 1, \"findings\": 0}}",
                "{\"state\": \"finished\", \"id\": 1, \"problems\": [{\"kind\": \"checksum\"}],"
                        + " \"moreProblems\": 2}");
        Outcome outcome = doctor("--json");
        assertThat(outcome.code()).isEqualTo(3);
        assertThat(named(outcome, "scrub").get("advice")).asString().contains("volute scrub");
        assertThat(named(outcome, "check"))
                .containsEntry("level", "fail")
                .containsEntry("found", "the last one found 3 problems");
    }

    @Test
    void aKeyServiceThatFailsIsAFailure() throws IOException {
        server.answer(
                "GET encryption/keys",
                "{\"keys\": [], \"service\": {\"address\": \"https://vault:8200\","
                        + " \"keys\": [\"a\"], \"failure\": \"Vault is sealed\"}}");
        answer(HEALTHY, "{\"intervalSeconds\": 10}", "");
        Outcome outcome = doctor("--json");
        assertThat(outcome.code()).isEqualTo(3);
        assertThat(named(outcome, "key service"))
                .containsEntry("level", "fail")
                .containsEntry("found", "https://vault:8200 fails: Vault is sealed");
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
    void asksTheServerOfTheConfiguration() throws IOException {
        answer(HEALTHY, "{\"intervalSeconds\": 10}", "");
        String address = URI.create(server.endpoint()).getAuthority();
        Path file =
                Files.writeString(
                        directory.resolve("c"),
                        "server.listen = \"127.0.0.1:1\"\nadmin.address = \"" + address + "\"");
        Outcome outcome =
                server.runExactly(
                        "",
                        "doctor",
                        "--json",
                        "--data",
                        directory.resolve("d").toString(),
                        "--config",
                        file.toString());
        assertThat(named(outcome, "cube default")).containsEntry("level", "ok");
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
        assertThat(nobody.code()).isEqualTo(3);
        assertThat(named(nobody, "server"))
                .containsEntry("level", "fail")
                .extracting("advice")
                .asString()
                .contains("--endpoint");
    }

    private static Space cube(String fields) throws IOException {
        String text = "{\"cube\": \"c\", \"state\": \"healthy\", " + fields + "}";
        return AdminJson.read(text.getBytes(StandardCharsets.UTF_8), Space.class);
    }

    @Test
    void theCubeTells() throws IOException {
        String sound = "\"cleaner\": {}, \"capacityBytes\": 100, \"clientFreeBytes\": ";
        assertThat(ServerCheckups.state(cube(sound + 15), NONE).level()).isEqualTo(Level.OK);
        assertThat(ServerCheckups.space(cube(sound + 15)).level()).isEqualTo(Level.OK);
        assertThat(ServerCheckups.space(cube(sound + 10)).level()).isEqualTo(Level.WARN);
        assertThat(ServerCheckups.space(cube(sound + 4)).level()).isEqualTo(Level.FAIL);
        Space healthy = cube(sound + 15);
        Damages met = new Damages(List.of(), 0, Map.of("c", 3L));
        assertThat(ServerCheckups.state(healthy, met).level()).isEqualTo(Level.FAIL);
        Damages listed = new Damages(List.of(), 2, Map.of());
        assertThat(ServerCheckups.state(healthy, listed).level()).isEqualTo(Level.FAIL);
        Damages elsewhere = new Damages(List.of(), 0, Map.of("other", 3L));
        assertThat(ServerCheckups.state(healthy, elsewhere).level()).isEqualTo(Level.OK);
        Space readOnly =
                AdminJson.as(Map.of("state", "read_only", "cleaner", Map.of()), Space.class);
        assertThat(ServerCheckups.state(readOnly, NONE).level()).isEqualTo(Level.FAIL);
    }

    @Test
    void missingCopiesAreTold() {
        Checkup copies = ServerCheckups.copies("c", new UnderReplicated(1, 4096));
        assertThat(copies.level()).isEqualTo(Level.WARN);
        assertThat(copies.found()).isEqualTo("fewer than wanted of 1 segment (4.0 KiB)");
    }

    @Test
    void aClockThatWentBackIsTold() {
        Instant from = Instant.parse("2026-11-21T10:00:00Z");
        UnknownPast open = new UnknownPast(from, Optional.empty());
        Checkup behind = ServerCheckups.clock("c", new ClockInfo(59.7, List.of(open)));
        assertThat(behind.level()).isEqualTo(Level.WARN);
        assertThat(behind.found())
                .isEqualTo(
                        "it is 60 s earlier than the last write; the past from 2026-11-21T10:00:00Z"
                                + " on is refused");
        UnknownPast over = new UnknownPast(from, Optional.of(from.plusSeconds(60)));
        Checkup good = ServerCheckups.clock("c", new ClockInfo(0, List.of(over, over)));
        assertThat(good.level()).isEqualTo(Level.OK);
        assertThat(good.found())
                .isEqualTo(
                        "it went back; the past from 2026-11-21T10:00:00Z to 2026-11-21T10:01:00Z"
                                + " is refused, and 1 earlier time");
    }

    @Test
    void aScrubThatIsOverdueOrMissingIsTold() {
        Instant now = Instant.parse("2026-11-21T10:00:00Z");
        Instant began = Instant.parse("2026-11-21T09:59:00Z");
        Optional<ScrubPass> last = Optional.of(new ScrubPass(began, began, 0, 0, List.of(), 0));
        assertThat(scrub(30, last, Optional.empty(), now)).isEqualTo(Level.OK);
        assertThat(scrub(29, last, Optional.empty(), now)).isEqualTo(Level.WARN);
        assertThat(scrub(0, Optional.empty(), Optional.empty(), now)).isEqualTo(Level.WARN);
        assertThat(scrub(1, Optional.empty(), Optional.of("x"), now)).isEqualTo(Level.FAIL);
    }

    private static Level scrub(
            long seconds, Optional<ScrubPass> last, Optional<String> failure, Instant now) {
        Scrub scrub = new Scrub(seconds, Optional.empty(), last, Optional.empty(), failure);
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
