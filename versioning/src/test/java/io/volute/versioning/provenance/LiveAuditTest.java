package io.volute.versioning.provenance;

import static io.volute.versioning.rows.Families.ENTRIES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.audit.AuditReport;
import io.volute.versioning.FakeCube;
import io.volute.versioning.Provenance;
import io.volute.versioning.Provenance.Range;
import io.volute.versioning.Provenance.Terms;
import io.volute.versioning.Signing.Signed;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An audit during writes covers the entries of its beginning, and has no findings. */
@Signed
@Timeout(value = 1, unit = TimeUnit.MINUTES)
@Tag("slow")
class LiveAuditTest extends StoreFixture {
    /** Enough chains that the walk is still running when the first of them has been verified. */
    private static final int CHAINS = 200;

    private static final Terms ONE_THREAD =
            new Terms(Provenance.AuditScopeOf.EVERYTHING, Set.of(), false, true, 1);

    private interface Change {
        void run() throws IOException;
    }

    /** Reports of an audit, with a change behind the first of them. */
    private List<AuditReport> audit(Change change) throws IOException {
        List<AuditReport> reports = new ArrayList<>();
        long chains =
                provenance()
                        .audit(
                                Range.ALL,
                                ONE_THREAD,
                                report -> {
                                    reports.add(report);
                                    if (reports.size() == 1) {
                                        change.run();
                                    }
                                    return true;
                                });
        assertThat(reports).hasSize((int) chains);
        return reports;
    }

    private void putAll() throws IOException {
        for (int i = 0; i < CHAINS; i++) {
            put("k%03d".formatted(i), "content " + i);
        }
    }

    @Test
    void keysAreRotatedMeanwhile() throws IOException {
        putAll();
        List<AuditReport> reports =
                audit(
                        () -> {
                            provenance().rotateKeys();
                            putAll();
                        });
        assertThat(reports).hasSize(CHAINS).allMatch(AuditReport::isClean);
        assertThat(reports).extracting(AuditReport::entries).containsOnly(1L);
        assertThat(audit(() -> {})).extracting(AuditReport::entries).containsOnly(2L);
    }

    @Test
    void aShortChainIsLookedUpOnce() throws IOException {
        putAll();
        putAll();
        FakeCube counted = (FakeCube) cube;
        long before = counted.scans(ENTRIES);
        assertThat(audit(() -> {})).hasSize(CHAINS);
        // One finds the chain, one its end under the key's lock; three of the store's own chain,
        // whose commits bound the times without signatures, and one that finds no more chains.
        assertThat(counted.scans(ENTRIES) - before).isEqualTo(2 * CHAINS + 4);
    }

    @Test
    void bucketsComeMeanwhile() throws IOException {
        putAll();
        List<AuditReport> reports =
                audit(
                        () -> {
                            BucketName other = new BucketName("other");
                            assertThat(store.createBucket(ALICE, other).name()).isEqualTo(other);
                            assertThat(
                                            store.put(
                                                            ALICE,
                                                            other,
                                                            key("new"),
                                                            body("new"),
                                                            attributes("new"),
                                                            WriteCondition.NONE)
                                                    .bytes())
                                    .isEqualTo(3);
                        });
        assertThat(reports).hasSize(CHAINS).allMatch(AuditReport::isClean);
        assertThat(audit(() -> {})).hasSize(CHAINS + 1);
    }

    @Test
    void anAuditThatBreaksOffSaysSo() throws IOException {
        putAll();
        assertThatThrownBy(
                        () ->
                                audit(
                                        () -> {
                                            throw new AssertionError("broken");
                                        }))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("broken");
    }
}
