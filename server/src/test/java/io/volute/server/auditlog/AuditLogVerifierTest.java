package io.volute.server.auditlog;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.SigningKey;
import io.volute.server.auditlog.AuditLogReport.Cause;
import io.volute.server.auditlog.AuditLogReport.Finding;
import io.volute.server.auditlog.AuditLogVerifier.Terms;
import io.volute.storage.io.OsFileSystem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The verifier detects every change of a log without the store's key. */
class AuditLogVerifierTest {
    /** Terms without signatures, whose verification would slow down many tries. */
    private static final Terms UNSIGNED = new Terms(Optional.empty(), true, Map.of());

    private static final Terms COMPLETE = new Terms(Optional.of(SampleLog.KEYS), true, Map.of());

    @TempDir private Path directory;
    private Path file;
    private byte[] good;

    @BeforeEach
    void write() throws IOException {
        try (AuditLog log = SampleLog.open(new OsFileSystem(), directory, 1 << 20, 0)) {
            log.started(Map.of("listen", "127.0.0.1:9000"));
            SampleLog.change(log, "one");
            log.look();
            SampleLog.change(log, "two");
        }
        List<Path> files = AuditLogVerifier.files(directory);
        assertThat(files).hasSize(1);
        file = files.get(0);
        good = Files.readAllBytes(file);
    }

    private record InMemory(byte[] read) implements AuditLogVerifier.Part {
        @Override
        public String name() {
            return "audit.log";
        }
    }

    private static AuditLogReport verify(byte[] bytes, Terms terms) throws IOException {
        return new AuditLogVerifier(terms).verifyParts(List.of(new InMemory(bytes)));
    }

    private static List<Cause> causes(AuditLogReport report) {
        return report.findings().list().stream().map(Finding::cause).toList();
    }

    private static byte[] joined(List<byte[]> lines) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        lines.forEach(bytes::writeBytes);
        return bytes.toByteArray();
    }

    @Test
    void whatWasWrittenIsRight() throws IOException {
        AuditLogReport report = verify(good, COMPLETE);
        assertThat(report.findings().list()).isEmpty();
        assertThat(report.extent().first()).isEqualTo(1);
        assertThat(report.extent().last()).isEqualTo(8);
        assertThat(report.extent().lines()).isEqualTo(8);
        assertThat(report.seals()).isEqualTo(2);
        assertThat(report.sealing().orElseThrow().sequence()).isEqualTo(7);
        assertThat(report.sealing().orElseThrow().isVerified()).isTrue();
    }

    @Test
    @Tag("slow")
    void everyByteThatIsAnotherIsSeen() throws IOException {
        for (int i = 0; i < good.length; i++) {
            for (int bit : new int[] {0, 5, 7}) {
                byte[] bad = good.clone();
                bad[i] ^= (byte) (1 << bit);
                assertThat(causes(verify(bad, UNSIGNED)))
                        .as("byte %d, bit %d", i, bit)
                        .isNotEmpty()
                        .doesNotContain(Cause.MISPLACED);
            }
        }
    }

    @Test
    @Tag("slow")
    void everyByteThatIsMissingOrTooManyIsSeen() throws IOException {
        for (int i = 0; i < good.length; i++) {
            ByteArrayOutputStream less = new ByteArrayOutputStream();
            less.write(good, 0, i);
            less.write(good, i + 1, good.length - i - 1);
            assertThat(causes(verify(less.toByteArray(), UNSIGNED))).as("byte %d", i).isNotEmpty();
            ByteArrayOutputStream more = new ByteArrayOutputStream();
            more.write(good, 0, i);
            more.write(' ');
            more.write(good, i, good.length - i);
            assertThat(causes(verify(more.toByteArray(), UNSIGNED))).as("at %d", i).isNotEmpty();
        }
    }

    @Test
    void everyLineThatIsMissingIsSeen() throws IOException {
        List<byte[]> lines = SampleLog.lines(good);
        for (int i = 0; i < lines.size() - 1; i++) {
            List<byte[]> less = new ArrayList<>(lines);
            less.remove(i);
            assertThat(causes(verify(joined(less), COMPLETE)))
                    .as("line %d", i + 1)
                    .contains(Cause.REMOVED);
        }
    }

    @Test
    void everyLineThatIsThereTwiceIsSeen() throws IOException {
        List<byte[]> lines = SampleLog.lines(good);
        for (int i = 0; i < lines.size(); i++) {
            for (int at = i + 1; at <= lines.size(); at++) {
                List<byte[]> more = new ArrayList<>(lines);
                more.add(at, lines.get(i));
                assertThat(causes(verify(joined(more), COMPLETE)))
                        .as("line %d at %d", i + 1, at + 1)
                        .contains(Cause.MISPLACED);
            }
        }
    }

    @Test
    void everyTwoLinesThatAreSwappedAreSeen() throws IOException {
        List<byte[]> lines = SampleLog.lines(good);
        for (int i = 0; i < lines.size(); i++) {
            for (int k = i + 1; k < lines.size(); k++) {
                List<byte[]> swapped = new ArrayList<>(lines);
                Collections.swap(swapped, i, k);
                assertThat(causes(verify(joined(swapped), COMPLETE)))
                        .as("lines %d and %d", i + 1, k + 1)
                        .contains(Cause.MISPLACED);
            }
        }
    }

    /**
     * Returns a line with a valid hash of its own, and the place and link of the line that it
     * replaces.
     */
    private byte[] forged(int at, long sequenceMore) {
        AuditLine line = AuditFileLines.of(good).chunks().get(at).line().orElseThrow();
        AuditLine forged =
                AuditLine.of(
                        new AuditLine.Place(
                                line.sequence() + sequenceMore,
                                line.sequence() + sequenceMore,
                                sequenceMore == 0 ? line.previous() : line.hash()),
                        SampleLog.CLOCK.instant(),
                        AuditEvent.of(AuditEvent.Kind.DAMAGE, Map.of()),
                        0);
        return joined(List.of(forged.text(), new byte[] {'\n'}));
    }

    @Test
    void everyLineThatIsReplacedOrPutInIsSeen() throws IOException {
        List<byte[]> lines = SampleLog.lines(good);
        for (int i = 0; i < lines.size() - 1; i++) {
            List<byte[]> other = new ArrayList<>(lines);
            other.set(i, forged(i, 0));
            assertThat(causes(verify(joined(other), COMPLETE)))
                    .as("line %d", i + 1)
                    .contains(Cause.REPLACED);
            List<byte[]> more = new ArrayList<>(lines);
            more.add(i + 1, forged(i, 1));
            assertThat(causes(verify(joined(more), COMPLETE)))
                    .as("behind %d", i + 1)
                    .contains(Cause.MISPLACED);
        }
    }

    /** A forger who recomputes all hashes has no seals for them. */
    @Test
    void aChainThatIsMadeAnewHasNoSeals() throws IOException {
        List<byte[]> anew = new ArrayList<>();
        Hash hash = Hash.ZERO;
        for (AuditFileLines.Chunk chunk : AuditFileLines.of(good).chunks()) {
            AuditLine was = chunk.line().orElseThrow();
            AuditEvent event =
                    was.details(AuditEvent.Kind.SEALED)
                            .map(details -> Map.of("seal", String.valueOf(details.get("seal"))))
                            .map(details -> AuditEvent.of(AuditEvent.Kind.SEALED, details))
                            .orElse(AuditEvent.of(AuditEvent.Kind.SERVER_STARTED, Map.of()));
            AuditLine line =
                    AuditLine.of(
                            new AuditLine.Place(was.sequence(), was.batch(), hash),
                            SampleLog.CLOCK.instant(),
                            event,
                            0);
            anew.add(joined(List.of(line.text(), new byte[] {'\n'})));
            hash = line.hash();
        }
        assertThat(causes(verify(joined(anew), COMPLETE)))
                .containsExactly(Cause.SEAL, Cause.SEAL, Cause.SEAL);
        anew.remove(anew.size() - 1);
        anew.remove(4 - 1);
        assertThat(causes(verify(joined(anew), new Terms(Optional.empty(), true, Map.of()))))
                .as("lines of which a seal was taken out")
                .contains(Cause.REMOVED);
    }

    @Test
    void anEndThatWasCutOffIsSeenByWhoKeptALineOnly() throws IOException {
        List<byte[]> lines = SampleLog.lines(good);
        Hash last = verify(good, COMPLETE).extent().lastHash();
        byte[] cut = joined(lines.subList(0, 6));
        assertThat(causes(verify(cut, COMPLETE))).isEmpty();
        Terms seen = new Terms(Optional.empty(), false, Map.of(8L, last));
        assertThat(causes(verify(good, seen))).isEmpty();
        assertThat(causes(verify(cut, seen))).containsExactly(Cause.REMOVED);
        Terms other = new Terms(Optional.empty(), false, Map.of(7L, last));
        assertThat(causes(verify(good, other))).containsExactly(Cause.REPLACED);
    }

    @Test
    void anEndWithinALineIsTold() throws IOException {
        List<byte[]> lines = SampleLog.lines(good);
        int whole = good.length - lines.getLast().length;
        for (int bytes = whole + 1; bytes < good.length; bytes++) {
            assertThat(causes(verify(Arrays.copyOf(good, bytes), COMPLETE)))
                    .containsExactly(Cause.UNFINISHED);
        }
    }

    @Test
    void otherKeysAreNotTheStores() throws IOException {
        Files.write(file, good);
        AuditLogReport report = new AuditLogVerifier(UNSIGNED).verify(List.of(file));
        assertThat(report.findings().list()).isEmpty();
        assertThat(report.sealing().orElseThrow().isVerified()).isFalse();
        KeyList other =
                KeyList.begin(
                        SampleLog.KEYS.storeId(),
                        List.of(
                                SigningKey.ofSeed(
                                        SampleLog.STORE.id().algorithm(), Bytes.of(new byte[32]))),
                        0);
        assertThat(causes(verify(good, new Terms(Optional.of(other), true, Map.of()))))
                .containsExactly(Cause.SEAL, Cause.SEAL, Cause.SEAL);
    }
}
