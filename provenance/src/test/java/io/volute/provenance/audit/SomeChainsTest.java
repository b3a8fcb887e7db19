package io.volute.provenance.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.Samples;
import io.volute.provenance.chain.BatchSigner;
import io.volute.provenance.chain.ChainBuilder;
import io.volute.provenance.chain.ExportWriter;
import io.volute.provenance.chain.PendingEntry;
import io.volute.provenance.record.SpiralShape;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Some chains of an export are audited, others passed over. */
class SomeChainsTest {
    private static final SpiralShape SHAPE = History.shape(SpiralShape.Construction.ONE_LINK);

    /** Two chains whose entries one batch signs; it stands in the first one. */
    private static byte[] export() throws IOException {
        History history = new History("events", SHAPE, 71).grow(3);
        BatchSigner signer = new BatchSigner(List.of(History.STORE));
        List<PendingEntry> batch = new ArrayList<>();
        for (String key : List.of("first", "second")) {
            ChainBuilder chain = new ChainBuilder(Samples.identity(key), SHAPE);
            batch.add(chain.append(history.event(), signer.ids()));
        }
        BatchSigner.Signed signed = signer.sign(batch);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ExportWriter writer = new ExportWriter(out);
        writer.chain(Samples.identity("first"));
        writer.batch(signed.batch());
        writer.entry(signed.records().get(0));
        writer.end();
        writer.chain(Samples.identity("second"));
        writer.entry(signed.records().get(1));
        writer.end();
        return out.toByteArray();
    }

    @Test
    void aChainTwiceIsFound() throws IOException {
        ByteArrayOutputStream twice = new ByteArrayOutputStream();
        twice.writeBytes(export());
        twice.write(export(), 8, export().length - 8);
        List<AuditReport> reports = new ArrayList<>();
        AuditTerms terms = AuditTerms.of(History.keys());
        assertThat(
                        new ExportAudit(chain -> terms, reports::add)
                                .read(new ByteArrayInputStream(twice.toByteArray())))
                .isEqualTo(new ExportAudit.Outcome.Complete(4));
        assertThat(reports)
                .extracting(
                        report ->
                                report.findings().stream()
                                        .anyMatch(each -> each.cause() == Cause.MISPLACED))
                .containsExactly(false, false, true, false);
    }

    @Test
    void batchesOfChainsPassedOverAreKnown() throws IOException {
        List<AuditReport> reports = new ArrayList<>();
        String wanted = Samples.identity("second").toString();
        ExportAudit audit =
                ExportAudit.ofSome(
                        chain ->
                                chain.toString().equals(wanted)
                                        ? Optional.of(AuditTerms.of(History.keys()))
                                        : Optional.empty(),
                        reports::add);
        assertThat(audit.read(new ByteArrayInputStream(export())))
                .isEqualTo(new ExportAudit.Outcome.Complete(2));
        assertThat(reports).hasSize(1).allMatch(AuditReport::isClean);
        assertThat(reports.getFirst().chain()).isEqualTo(wanted);
        assertThat(reports.getFirst().verified()).isEqualTo(1);
    }
}
