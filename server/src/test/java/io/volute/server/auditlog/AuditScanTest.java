package io.volute.server.auditlog;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.auditlog.AuditLogVerifier.Terms;
import io.volute.storage.io.OsFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Missing, cut and changed files of the log are named at each start, and nothing else is. */
@Timeout(60)
@Tag("slow")
class AuditScanTest {
    private static final int FILE_BYTES = 2_000;

    @TempDir private Path data;

    private Path audit;

    @BeforeEach
    void someFiles() throws IOException {
        audit = data.resolve("audit");
        assertThat(run(0)).isEmpty();
        assertThat(files()).hasSizeGreaterThan(3);
    }

    /** Runs a server once, and returns the problems that its start names. */
    private List<String> run(long filesMax) throws IOException {
        return run(audit, filesMax);
    }

    private List<String> run(Path directory, long filesMax) throws IOException {
        try (AuditLog log =
                SampleLog.open(new OsFileSystem(), data, directory, FILE_BYTES, filesMax)) {
            log.started(Map.of());
            for (int i = 0; i < 10; i++) {
                SampleLog.change(log, "change-" + i);
            }
            return log.problems();
        }
    }

    private List<Path> files() throws IOException {
        return AuditLogVerifier.files(audit);
    }

    private AuditLogReport verify() throws IOException {
        return new AuditLogVerifier(new Terms(Optional.of(SampleLog.KEYS), true, Map.of()))
                .verify(files());
    }

    /** Problems of this start, which the next one has too. */
    private List<String> lasting() throws IOException {
        List<String> problems = run(0);
        assertThat(problems).isNotEmpty();
        assertThat(run(0)).isNotEmpty();
        assertThat(AuditScan.of(new OsFileSystem(), data, audit).problems()).isNotEmpty();
        return problems;
    }

    private void delete(Path file) throws IOException {
        Files.move(file, data.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
    }

    private void putBack(Path file) throws IOException {
        Files.move(data.resolve(file.getFileName()), file, StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void startsWithoutLossAreSilent() throws IOException {
        assertThat(run(0)).isEmpty();
        assertThat(run(0)).isEmpty();
    }

    @Test
    void theRemovalOfOldFilesIsSilent() throws IOException {
        for (int i = 0; i < 5; i++) {
            assertThat(run(2)).isEmpty();
        }
        assertThat(files()).hasSize(2);
        assertThat(run(0)).isEmpty();
    }

    @Test
    void aDeletedLogIsNamedAndFitsAgainWhenItIsPutBack() throws IOException {
        List<Path> all = files();
        for (Path each : all) {
            delete(each);
        }
        assertThat(lasting()).anyMatch(each -> each.contains("there is no file of the log"));
        assertThat(files().getFirst().getFileName()).isNotEqualTo(all.getFirst().getFileName());
        for (Path each : all) {
            putBack(each);
        }
        assertThat(run(0)).isEmpty();
        assertThat(verify().findings().list()).isEmpty();
    }

    @Test
    void eachMissingFileIsNamedAndFitsAgainWhenItIsPutBack() throws IOException {
        for (int i = 0; i < 3; i++) {
            List<Path> all = files();
            int middle = all.size() / 2;
            Path gone = List.of(all.getFirst(), all.get(middle), all.getLast()).get(i);
            delete(gone);
            assertThat(lasting()).as("%s", gone).anyMatch(each -> each.contains("missing"));
            putBack(gone);
            assertThat(run(0)).as("%s", gone).isEmpty();
        }
        assertThat(verify().findings().list()).isEmpty();
    }

    @Test
    void eachCutOfTheNewestFileIsNamed() throws IOException {
        Path newest = files().getLast();
        byte[] whole = Files.readAllBytes(newest);
        int lastLine = SampleLog.lines(whole).getLast().length;
        for (int cut : new int[] {1, lastLine - 1, lastLine, lastLine + 1, whole.length}) {
            Files.write(newest, Arrays.copyOf(whole, whole.length - cut));
            assertThat(AuditScan.of(new OsFileSystem(), data, audit).problems())
                    .as("less %s bytes", cut)
                    .anyMatch(each -> each.contains("missing: the end of audit-"));
        }
        Files.write(newest, Arrays.copyOf(whole, whole.length - 1));
        lasting();
        Files.write(newest, whole);
        assertThat(run(0)).isEmpty();
        assertThat(verify().findings().list()).isEmpty();
    }

    @Test
    void eachFlippedBitOfTheNewestFileIsNamed() throws IOException {
        Path newest = files().getLast();
        byte[] bytes = Files.readAllBytes(newest);
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] ^= (byte) (1 << (i % Byte.SIZE));
            Files.write(newest, bytes);
            assertThat(AuditScan.of(new OsFileSystem(), data, audit).problems())
                    .as("offset %s", i)
                    .isNotEmpty();
            bytes[i] ^= (byte) (1 << (i % Byte.SIZE));
        }
    }

    @Test
    void aLostRecordIsNamed() throws IOException {
        Files.delete(data.resolve("audit.mark"));
        assertThat(run(0)).as("the copy has it").isEmpty();
        for (Path each : files()) {
            delete(each);
        }
        Files.delete(data.resolve("audit.mark"));
        Files.delete(data.resolve("audit.mark.copy"));
        assertThat(lasting()).anyMatch(each -> each.contains("audit.mark.copy are missing"));
        Files.write(data.resolve("audit.mark"), new byte[] {1, 2, 3});
        Files.write(data.resolve("audit.mark.copy"), new byte[] {1, 2, 3});
        assertThat(lasting()).anyMatch(each -> each.contains("audit.mark cannot be read"));
    }

    @Test
    void aStoreOfAnEarlierReleaseIsSilent() throws IOException {
        withoutRecord();
        delete(files().getFirst());
        assertThat(run(0)).isEmpty();
        delete(files().getFirst());
        lasting();
    }

    @Test
    void whatAnEarlierReleaseRemovesInBetweenIsSilent() throws IOException {
        Path record = data.resolve("audit.mark");
        byte[] before = Files.readAllBytes(record);
        assertThat(run(2)).isEmpty();
        Files.write(record, before);
        Files.write(data.resolve("audit.mark.copy"), before);
        assertThat(run(0)).isEmpty();
    }

    private void withoutRecord() throws IOException {
        for (String each :
                List.of("audit.mark", "audit.mark.copy", "volute.mark", "volute.mark.copy")) {
            Files.delete(data.resolve(each));
        }
    }

    @Test
    void anotherDirectoryBeginsALogThatNamesTheOneBefore() throws IOException {
        Path other = data.resolve("other");
        assertThat(run(other, 0)).isEmpty();
        assertThat(Files.readString(AuditLogVerifier.files(other).getFirst()))
                .contains("\"formerLog\":\"audit\"", "\"formerLastHash\":\"");
        assertThat(run(other, 0)).isEmpty();
    }

    @Test
    void theLineOfTheStartHasTheProblems() throws IOException {
        delete(files().getLast());
        lasting();
        assertThat(Files.readString(files().get(files().size() - 1))).isNotEmpty();
        StringBuilder all = new StringBuilder();
        for (Path each : files()) {
            all.append(Files.readString(each));
        }
        assertThat(all.toString()).contains("\"auditLogProblems\":[\"line");
    }
}
