package io.volute.server.auditlog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.Limits;
import io.volute.server.auditlog.AuditLogVerifier.Terms;
import io.volute.server.auditlog.AuditTrail.IfUnwritten;
import io.volute.server.json.Json;
import io.volute.storage.io.OsFileSystem;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class AuditLogTest {
    private static final Terms COMPLETE = new Terms(Optional.of(SampleLog.KEYS), true, Map.of());

    @TempDir private Path directory;

    private AuditLog open(long fileBytesMax, long filesMax) throws IOException {
        return SampleLog.open(new OsFileSystem(), directory, fileBytesMax, filesMax);
    }

    private AuditLogReport verify() throws IOException {
        return new AuditLogVerifier(COMPLETE).verify(AuditLogVerifier.files(directory));
    }

    private List<Map<String, Object>> lines() throws IOException {
        List<Map<String, Object>> lines = new ArrayList<>();
        for (Path file : AuditLogVerifier.files(directory)) {
            for (String line : Files.readAllLines(file)) {
                lines.add(Json.read(line.getBytes(StandardCharsets.UTF_8)));
            }
        }
        return lines;
    }

    private static List<Object> of(String name, List<Map<String, Object>> lines) {
        return lines.stream().map(line -> line.get(name)).toList();
    }

    @Test
    void theBytesAreThoseOfTheFormat() throws IOException {
        try (AuditLog log = open(1 << 20, 0)) {
            log.started(Map.of("listen", "127.0.0.1:9000"));
            SampleLog.change(log, "caf\u00e9\n\u001b[31m");
            log.refused(SampleLog.head("R7"), SampleLog.ann("AdminSpace"), "AccessDenied");
            log.look();
        }
        try (InputStream golden = getClass().getResourceAsStream("/audit-log/golden.log")) {
            assertThat(Files.readString(AuditLogVerifier.files(directory).get(0)))
                    .isEqualTo(new String(golden.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @Test
    void goesOnWhereItEnded() throws IOException {
        for (int run = 0; run < 3; run++) {
            try (AuditLog log = open(1 << 20, 0)) {
                log.started(Map.of());
            }
        }
        assertThat(AuditLogVerifier.files(directory)).hasSize(1);
        assertThat(of("event", lines()))
                .containsSubsequence("ServerStarted", "ServerStopped", "Sealed", "ServerStarted");
        assertThat(verify().findings().list()).isEmpty();
        assertThat(verify().extent().last()).isEqualTo(9);
    }

    @Test
    void itsOwnerAloneReadsIt() throws IOException {
        try (AuditLog log = open(1 << 20, 0)) {
            log.started(Map.of());
        }
        Path file = AuditLogVerifier.files(directory).get(0);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void filesEndWithASealAndOldOnesGoByALineThatSaysSo() throws IOException {
        try (AuditLog log = open(2_000, 3)) {
            for (int i = 0; i < 40; i++) {
                SampleLog.change(log, "change-" + i);
            }
        }
        List<Path> files = AuditLogVerifier.files(directory);
        assertThat(files).hasSize(3);
        for (Path file : files) {
            assertThat(Files.readAllLines(file).getLast()).contains("\"event\":\"Sealed\"");
        }
        assertThat(of("event", lines())).contains("FileRemoved");
        AuditLogReport report = verify();
        assertThat(report.findings().list()).isEmpty();
        assertThat(report.extent().first()).isGreaterThan(20);
        Files.delete(files.get(0));
        assertThat(verify().findings().list()).isNotEmpty();
    }

    @Test
    void secretsAndLongTextsAreNotInIt() throws IOException {
        String text = "x".repeat(Limits.AUDIT_LOG_TEXT_CHARS_MAX + 1);
        Map<String, Object> details =
                Map.of("secretKey", "canary", "document", text, "inner", Map.of("token", "canary"));
        try (AuditLog log = open(1 << 20, 0)) {
            log.begin(SampleLog.head("1"), SampleLog.ann("A"), details, IfUnwritten.REFUSED)
                    .ended("", Map.of("list", Collections.nCopies(40, "y".repeat(1_000))));
        }
        Path file = AuditLogVerifier.files(directory).get(0);
        assertThat(Files.readString(file)).doesNotContain("canary").contains("omittedSha256");
        assertThat(lines().get(0).get("details"))
                .asString()
                .contains("1025 characters, SHA-256 ")
                .contains("secretKey=withheld");
    }

    @Test
    void manyRefusalsAreOneLine() throws IOException {
        try (AuditLog log = open(1 << 20, 0)) {
            for (int i = 0; i < 10_000; i++) {
                log.refused(SampleLog.head("R" + i), SampleLog.ann("A" + i % 100), "AccessDenied");
            }
            log.look();
            log.look();
        }
        List<Map<String, Object>> refusals =
                lines().stream().filter(line -> line.get("event").equals("Refusals")).toList();
        assertThat(refusals).hasSize(1);
        assertThat((Map<?, ?>) refusals.get(0).get("details"))
                .satisfies(
                        details -> {
                            assertThat((List<?>) details.get("refused"))
                                    .hasSize(Limits.AUDIT_LOG_REFUSALS_MAX);
                            assertThat(details.get("others"))
                                    .isEqualTo(10_000L - 100L * Limits.AUDIT_LOG_REFUSALS_MAX);
                        });
    }

    @Test
    void withoutRoomChangesAreRefusedAndTheLossIsTold() throws IOException {
        SimFileSystem disk = new SimFileSystem(1);
        Path data = Path.of("/data/audit");
        try (AuditLog log = SampleLog.open(disk, data, 1 << 20, 0)) {
            SampleLog.change(log, "one");
            var begun =
                    log.begin(
                            SampleLog.head("2"), SampleLog.ann("B"), Map.of(), IfUnwritten.REFUSED);
            disk.limitCapacity(0);
            begun.ended("", Map.of());
            assertThatThrownBy(() -> SampleLog.change(log, "three"))
                    .isInstanceOf(AuditUnavailableException.class)
                    .hasMessageContaining("make room");
            log.begin(
                            SampleLog.head("4"),
                            SampleLog.ann("AdminClean"),
                            Map.of(),
                            IfUnwritten.DONE_ALL_THE_SAME)
                    .ended("", Map.of());
            assertThat(log.lost()).isEqualTo(3);
            assertThat(log.failures()).isEqualTo(4);
            disk.limitCapacity(1 << 30);
            SampleLog.change(log, "five");
        }
        Path copy = CopiedLog.of(disk, data, directory);
        AuditLogReport report = new AuditLogVerifier(COMPLETE).verify(AuditLogVerifier.files(copy));
        assertThat(report.findings().list()).isEmpty();
        assertThat(report.gaps().lost()).isEqualTo(3);
        assertThat(report.gaps().torn()).isEqualTo(1);
    }

    @Test
    void linesOfManyAreAllThereOnce() throws Exception {
        int threads = 8;
        int each = 20;
        try (AuditLog log = open(8_000, 0)) {
            CountDownLatch start = new CountDownLatch(1);
            List<Thread> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int number = i;
                all.add(
                        Thread.ofVirtual()
                                .start(
                                        () -> {
                                            try {
                                                start.await();
                                            } catch (InterruptedException e) {
                                                Thread.currentThread().interrupt();
                                            }
                                            for (int k = 0; k < each; k++) {
                                                SampleLog.change(log, number + "-" + k);
                                            }
                                        }));
            }
            start.countDown();
            for (Thread thread : all) {
                thread.join();
            }
        }
        assertThat(verify().findings().list()).isEmpty();
        assertThat(of("outcome", lines())).filteredOn("begun"::equals).hasSize(threads * each);
        assertThat(of("requestId", lines()))
                .filteredOn(id -> !String.valueOf(id).isEmpty())
                .hasSize(2 * threads * each);
    }
}
