package io.volute.provenance.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.chain.ExportWriter;
import io.volute.provenance.format.Hash;
import io.volute.provenance.record.BatchRecord;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.Source;
import io.volute.provenance.record.SpiralShape.Construction;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A signed copy cannot name a source that the export shows to be another one. */
class SourceClaimsTest {
    private static final int SOURCES = 8;

    private static History history(Construction construction, String key) {
        return new History(key, History.shape(construction), 91);
    }

    private static void copy(History history, Source source) {
        EntryRecord copy = history.add(history.event(EventKind.COPY).from(source), History.STORE);
        assertThat(copy.entry().source()).contains(source);
    }

    private static byte[] export(List<History> histories) throws IOException {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        ExportWriter writer = new ExportWriter(file);
        for (History history : histories) {
            writer.chain(history.identity);
            for (BatchRecord batch : history.batches) {
                writer.batch(batch);
            }
            for (EntryRecord record : history.records) {
                writer.entry(record);
            }
            writer.end();
        }
        return file.toByteArray();
    }

    /** Returns the findings about sources and asserts that there are no others. */
    private static List<String> found(SourceClaims[] claims, History... histories)
            throws IOException {
        byte[] export = export(List.of(histories));
        claims[0] = SourceClaims.read(new ByteArrayInputStream(export));
        List<String> found = new ArrayList<>();
        AuditTerms terms = AuditTerms.of(History.keys());
        ExportAudit.Outcome outcome =
                new ExportAudit(chain -> terms, report -> assertThat(report.findings()).isEmpty())
                        .comparing(
                                claims[0],
                                each -> {
                                    assertThat(each.finding().cause())
                                            .isEqualTo(Cause.FALSE_SOURCE);
                                    found.add(each.chain() + " " + each.finding().sequence());
                                })
                        .read(new ByteArrayInputStream(export));
        assertThat(outcome).isEqualTo(new ExportAudit.Outcome.Complete(histories.length));
        return found;
    }

    @ParameterizedTest
    @EnumSource
    void aSourceIsTheEntryThatItNames(Construction construction) throws IOException {
        SourceClaims[] claims = new SourceClaims[1];
        History source = history(construction, "m");
        for (int i = 0; i < SOURCES; i++) {
            EntryRecord write = source.add(source.event(EventKind.WRITE), History.STORE);
            assertThat(write.entry().sequence()).isEqualTo(i);
        }
        Hash chain = source.identity.chainId();
        ChainHead fourth = new ChainHead(4, History.link(source.records.get(4)));
        for (String key : List.of("a", "z")) {
            History copies = history(construction, key);
            History[] both = key.equals("a") ? of(copies, source) : of(source, copies);
            copy(copies, new Source(chain, fourth));
            assertThat(found(claims, both)).isEmpty();
            assertThat(claims[0].unverified()).isZero();
            copy(copies, new Source(chain, new ChainHead(5, fourth.link())));
            assertThat(found(claims, both)).containsExactly("photos/" + key + " 1");
            // An export reads one chain after the other: what comes meanwhile is in later ones.
            copy(copies, new Source(chain, new ChainHead(SOURCES, fourth.link())));
            boolean isLater = key.equals("a");
            assertThat(found(claims, both)).hasSize(isLater ? 2 : 1);
            assertThat(claims[0].unverified()).isEqualTo(isLater ? 0 : 1);
            copy(copies, new Source(Hash.ZERO, fourth));
            assertThat(found(claims, both)).hasSize(isLater ? 2 : 1);
            assertThat(claims[0].unverified()).isEqualTo(isLater ? 1 : 2);
        }
    }

    private static History[] of(History first, History second) {
        return new History[] {first, second};
    }
}
