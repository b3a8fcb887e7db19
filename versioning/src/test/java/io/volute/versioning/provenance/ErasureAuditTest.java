package io.volute.versioning.provenance;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.audit.AuditReport;
import io.volute.provenance.audit.Cause;
import io.volute.provenance.audit.Finding;
import io.volute.versioning.History;
import io.volute.versioning.Openings.Fit;
import io.volute.versioning.Openings.Opening;
import io.volute.versioning.Provenance;
import io.volute.versioning.Provenance.Range;
import io.volute.versioning.Signing;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.TestKeys;
import io.volute.versioning.value.ObjectAttributes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Audits that compare the keyring with the signed shreds of a key. */
class ErasureAuditTest extends StoreFixture {
    private static final long SECRET = 7;

    @Override
    public StoreOptions options(StoreOptions usual) {
        return usual.with(TestKeys.settings());
    }

    /** The result of an audit. */
    private record Audited(List<Cause> causes, long unopened, long explained) {}

    /** Audits with a keyring that gives the same answer for each version. */
    private Audited audit(long secret, Fit fit) throws IOException {
        List<Finding> findings = Collections.synchronizedList(new ArrayList<>());
        long[] unopened = new long[2];
        Provenance.Terms terms =
                new Provenance.Terms(
                        Signing.CONTENTS.scope(),
                        Set.of(),
                        false,
                        true,
                        2,
                        Optional.of(
                                (bucket, key, attributes) -> {
                                    assertThat(bucket).isEqualTo(BUCKET.value());
                                    return Optional.of(new Opening(secret, fit));
                                }));
        long chains =
                provenance()
                        .audit(
                                Range.ALL,
                                terms,
                                new Provenance.Reports() {
                                    @Override
                                    public boolean next(AuditReport report) {
                                        return findings.addAll(report.findings()) || true;
                                    }

                                    @Override
                                    public void unopened(long versions, long explained) {
                                        unopened[0] = versions;
                                        unopened[1] = explained;
                                    }
                                });
        assertThat(chains).isPositive();
        return new Audited(
                findings.stream().map(Finding::cause).distinct().toList(),
                unopened[0],
                unopened[1]);
    }

    private void shred(String key) throws IOException {
        History.Erasure erasure =
                new History.Erasure() {
                    @Override
                    public boolean covers(ObjectAttributes state) {
                        return true;
                    }

                    @Override
                    public SortedSet<Long> run(List<ObjectAttributes> states) {
                        return new TreeSet<>(Set.of(SECRET, -3L));
                    }
                };
        assertThat(store.history().shred(ALICE, BUCKET, key(key), erasure)).isEqualTo(1);
    }

    @Test
    void aSecretThatIsGoneWithoutAShredIsFound() throws IOException {
        put("a", "one");
        assertThat(audit(SECRET, Fit.OPENS)).isEqualTo(new Audited(List.of(), 0, 0));
        assertThat(audit(SECRET, Fit.ERASED))
                .isEqualTo(new Audited(List.of(Cause.ERASURE_CHANGED), 1, 0));
    }

    @Test
    void aKeyringWithOtherSecretsIsFound() throws IOException {
        put("a", "one");
        assertThat(audit(SECRET, Fit.OTHER))
                .isEqualTo(new Audited(List.of(Cause.ERASURE_CHANGED), 1, 0));
    }

    @Test
    void aShredExplainsTheSecretsThatItNames() throws IOException {
        put("a", "one");
        shred("a");
        for (long secret : new long[] {SECRET, -3}) {
            assertThat(audit(secret, Fit.ERASED)).isEqualTo(new Audited(List.of(), 1, 1));
            assertThat(audit(secret, Fit.OPENS))
                    .as("it is back")
                    .isEqualTo(new Audited(List.of(Cause.ERASURE_CHANGED), 0, 0));
        }
        assertThat(audit(8, Fit.ERASED).causes()).containsExactly(Cause.ERASURE_CHANGED);
        assertThat(audit(8, Fit.OPENS).causes()).isEmpty();
    }

    @Test
    void aVersionBehindTheShredHasAnotherSecret() throws IOException {
        put("a", "one");
        shred("a");
        put("a", "two");
        assertThat(audit(8, Fit.OPENS).causes()).isEmpty();
        assertThat(audit(8, Fit.ERASED).causes()).containsExactly(Cause.ERASURE_CHANGED);
    }
}
