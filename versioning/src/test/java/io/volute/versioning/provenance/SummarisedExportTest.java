package io.volute.versioning.provenance;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.audit.AuditReport;
import io.volute.provenance.audit.AuditTerms;
import io.volute.provenance.audit.ExportAudit;
import io.volute.provenance.audit.Finding;
import io.volute.provenance.audit.Promise;
import io.volute.provenance.chain.ExportReader;
import io.volute.provenance.chain.Spiral;
import io.volute.provenance.chain.Withholding;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.Frame;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SpiralShape;
import io.volute.provenance.record.SpiralShape.Construction;
import io.volute.versioning.Provenance.Range;
import io.volute.versioning.Provenance.Retention;
import io.volute.versioning.Provenance.Selection;
import io.volute.versioning.Provenance.Summarising;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.TestKeys;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Exports without the entries that need not be there. */
class SummarisedExportTest extends StoreFixture {
    private static final int REACH = 8;

    private Construction construction = Construction.LINK_PER_DIMENSION;

    @Override
    public StoreOptions options(StoreOptions usual) {
        SpiralShape shape = new SpiralShape(construction, 3);
        return usual.with(
                TestKeys.settings(shape, SignatureAlgorithm.ED25519).with(Duration.ofMillis(1)));
    }

    private void putTimes(String key, int times) throws IOException {
        for (int i = 0; i < times; i++) {
            put(key, "content " + i);
        }
    }

    private void tag(String key, String value) throws IOException {
        assertThat(store.setTags(BOB, BUCKET, key(key), LATEST, Map.of("t", value)).latest())
                .isTrue();
    }

    private void checkpoint() throws IOException {
        assertThat(provenance().checkpoint(() -> true).body().number()).isNotNegative();
    }

    private static Selection summary(EventKind... kinds) {
        return summary(new Summarising(Set.of(kinds), Optional.empty()));
    }

    private static Selection summary(Summarising terms) {
        return new Selection(Withholding.NOTHING, Optional.of(terms), Optional.empty());
    }

    private byte[] export(Selection selection) throws IOException {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        assertThat(provenance().export(Range.ALL, selection, file)).isPositive();
        return file.toByteArray();
    }

    private AuditTerms accepting() {
        return AuditTerms.of(provenance().keys()).acceptingSummaries();
    }

    private static List<AuditReport> audit(AuditTerms terms, byte[] export) throws IOException {
        List<AuditReport> reports = new ArrayList<>();
        assertThat(
                        new ExportAudit(chain -> terms, reports::add)
                                .read(new ByteArrayInputStream(export)))
                .isInstanceOf(ExportAudit.Outcome.Complete.class);
        return reports.stream().filter(each -> !each.isOfStore()).toList();
    }

    /** Those behind the store's own chain. */
    private static List<Frame> frames(byte[] export) throws IOException {
        List<Frame> all = new ArrayList<>();
        ExportReader frames = new ExportReader(new ByteArrayInputStream(export));
        for (Optional<Frame> next = frames.next(); next.isPresent(); next = frames.next()) {
            all.add(next.get());
            boolean isEnd = next.get().type() == Frame.Type.END.code();
            if (isEnd && chain(all).isOfStore()) {
                all.clear();
            }
        }
        return all;
    }

    private static ChainIdentity chain(List<Frame> frames) throws IOException {
        return ChainIdentity.decode(frames.getFirst().payload());
    }

    private static boolean isEntry(Frame frame) {
        return frame.type() == Frame.Type.ENTRY.code();
    }

    private static List<EntryRecord> entries(byte[] export) throws IOException {
        List<EntryRecord> entries = new ArrayList<>();
        for (Frame frame : frames(export)) {
            if (isEntry(frame)) {
                entries.add(EntryRecord.decode(frame.payload()));
            }
        }
        return entries;
    }

    private static List<Long> sequences(byte[] export) throws IOException {
        return entries(export).stream().map(each -> each.entry().sequence()).toList();
    }

    @Test
    void oneInReachStaysAndWhatIsGoneIsCounted() throws IOException {
        putTimes("a", 1000);
        byte[] export = export(summary());
        assertThat(sequences(export)).startsWith(0L, 8L, 16L).endsWith(992L, 996L, 998L, 999L);
        AuditReport report = audit(accepting(), export).getFirst();
        assertThat(report.findings()).isEmpty();
        assertThat(report.entries()).isEqualTo(1000 / REACH + 3);
        assertThat(report.removed()).isEqualTo(1000 - report.entries());
        assertThat(audit(AuditTerms.of(provenance().keys()), export).getFirst().findings())
                .extracting(Finding::promise)
                .contains(Promise.I1);
    }

    @Test
    void whatIsAskedForStays() throws IOException {
        putTimes("a", 30);
        tag("a", "one");
        putTimes("a", 40);
        tag("a", "two");
        putTimes("a", 10);
        checkpoint();
        putTimes("a", 50);
        byte[] export = export(summary(EventKind.TAGS));
        assertThat(audit(accepting(), export).getFirst().findings()).isEmpty();
        // From one to the next of its kind, with nothing in between.
        assertThat(sequences(export)).containsSubsequence(24L, 28L, 30L, 71L, 79L, 87L);
        assertThat(sequences(export)).doesNotContain(38L, 81L);
        checkpoint();
        Summarising older =
                new Summarising(Set.of(), Optional.of(provenance().checkpoints(0, 1).getFirst()));
        byte[] comparable = export(summary(older));
        assertThat(sequences(comparable)).contains(81L);
        assertThat(audit(accepting(), comparable).getFirst().findings()).isEmpty();
    }

    @Test
    void aSummaryIsComparedWithItsCheckpoint() throws IOException {
        putTimes("a", 20);
        checkpoint();
        putTimes("a", 20);
        Summarising compared = new Summarising(Set.of(), provenance().lastCheckpoint());
        byte[] with = export(summary(compared));
        EntryRecord last =
                entries(with).stream()
                        .filter(each -> each.entry().sequence() == 19)
                        .findFirst()
                        .orElseThrow();
        ChainHead head = head(last);
        assertThat(audit(accepting().with(head), with).getFirst().findings()).isEmpty();
        byte[] without = export(summary());
        assertThat(sequences(without)).doesNotContain(19L);
        assertThat(audit(accepting().with(head), without).getFirst().findings())
                .singleElement()
                .satisfies(finding -> assertThat(finding.sequence()).isEqualTo(19));
    }

    private static ChainHead head(EntryRecord last) {
        SpiralShape shape = last.entry().placement().shape();
        Hash link = Spiral.signedLink(shape, Entry.hash(last.encoded()), last.links());
        return new ChainHead(last.entry().sequence(), link);
    }

    /** A chain whose beginning the store removed can also be summarised. */
    @Test
    void bothKindsOfGoneAreCounted() throws IOException {
        putTimes("a", 60);
        checkpoint();
        long removed =
                provenance()
                        .removeOld(new Retention(Instant.parse("2100-01-01T00:00:00Z"), 1000, 1))
                        .entries();
        assertThat(removed).isEqualTo(60 - REACH);
        putTimes("a", 100);
        byte[] export = export(summary());
        AuditReport report = audit(accepting(), export).getFirst();
        assertThat(report.findings()).isEmpty();
        // 100 new entries, the last of the earlier ones, and the entry that records the removal.
        assertThat(report.removed() + report.entries()).isEqualTo(100 + 60 + 1);
        assertThat(report.entries()).isLessThan(30);
    }

    @Test
    void chainsOfConstruction1StayWhole() throws IOException {
        construction = Construction.ONE_LINK;
        store.close();
        store = reopen();
        putTimes("one", 40);
        assertThat(provenance().isSummarisable(Range.ALL)).isFalse();
        construction = Construction.LINK_PER_DIMENSION;
        store.close();
        store = reopen();
        putTimes("one", 1);
        putTimes("two", 40);
        assertThat(provenance().isSummarisable(Range.ALL)).isTrue();
        assertThat(provenance().isSummarisable(Range.ofKey(BUCKET, key("one")))).isFalse();
        assertThat(provenance().isSummarisable(Range.ofKey(BUCKET, key("two")))).isTrue();
        assertThat(provenance().isSummarisable(Range.ofKey(BUCKET, key("none")))).isTrue();
        List<AuditReport> reports = audit(accepting(), export(summary()));
        assertThat(reports).allMatch(AuditReport::isClean);
        assertThat(reports).extracting(AuditReport::entries).containsExactly(41L, 8L);
        assertThat(reports).extracting(AuditReport::removed).containsExactly(0L, 32L);
    }

    /** One more gone, another order, a bit: all of it is found. */
    @Test
    void forgedSummariesAreFound() throws IOException {
        putTimes("a", 100);
        List<Frame> honest = frames(export(summary()));
        List<Integer> places =
                IntStream.range(0, honest.size())
                        .filter(i -> isEntry(honest.get(i)))
                        .boxed()
                        .toList();
        assertThat(isClean(honest)).isTrue();
        List<Integer> harmless = new ArrayList<>();
        for (int i = 0; i < places.size(); i++) {
            int at = places.get(i);
            List<Frame> without = new ArrayList<>(honest);
            without.remove(at);
            if (isClean(without)) {
                harmless.add(i);
            }
            List<Frame> twice = new ArrayList<>(honest);
            twice.add(at, honest.get(at));
            assertThat(isClean(twice)).as("%s twice", i).isFalse();
            List<Frame> flipped = new ArrayList<>(honest);
            byte[] payload = honest.get(at).payload().toArray();
            payload[payload.length / 2] ^= 1;
            flipped.set(at, new Frame(Frame.Type.ENTRY.code(), Bytes.of(payload)));
            assertThat(isClean(flipped)).as("a bit of %s", i).isFalse();
            List<Frame> swapped = new ArrayList<>(honest);
            Collections.swap(swapped, at, places.get((i + 1) % places.size()));
            assertThat(isClean(swapped)).as("order of %s", i).isFalse();
        }
        // That the end was cut off is for a checkpoint to show.
        assertThat(harmless).containsExactly(places.size() - 1);
    }

    /** Returns whether an export of these frames, with a matching entry count, is clean. */
    private boolean isClean(List<Frame> frames) throws IOException {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        file.writeBytes(Frame.MAGIC.toArray());
        long entries = frames.stream().filter(SummarisedExportTest::isEntry).count();
        Bytes end = new ByteWriter().u64(entries).toBytes();
        for (Frame frame : frames) {
            boolean isEnd = frame.type() == Frame.Type.END.code();
            Frame written = isEnd ? new Frame(frame.type(), end) : frame;
            file.writeBytes(written.encode().toArray());
        }
        return audit(accepting(), file.toByteArray()).stream().allMatch(AuditReport::isClean);
    }
}
