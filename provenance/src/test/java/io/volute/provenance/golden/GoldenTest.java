package io.volute.provenance.golden;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.audit.AuditReport;
import io.volute.provenance.audit.AuditTerms;
import io.volute.provenance.audit.ChainAudit;
import io.volute.provenance.audit.ExportAudit;
import io.volute.provenance.audit.Finding;
import io.volute.provenance.audit.History;
import io.volute.provenance.audit.SourceClaims;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.record.Frame;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The bytes of version 1, and forgeries with the auditor's verdict, for other verifiers to agree
 * with. When one of these fails, chains of earlier releases would not verify: raise the version
 * instead. The files were written by this test with {@code -Dgolden.write=DIRECTORY}.
 */
@Tag("slow")
class GoldenTest {
    @Test
    void vectorsAreAsTheyWere() throws IOException {
        golden("vectors.json", Json.of(Vectors.all()));
    }

    @Test
    void honestChainsAreAsTheyWere() throws IOException {
        Map<String, Object> chains = new LinkedHashMap<>();
        chains.put("keys", Base.keysJson());
        chains.put("chains", Base.all().stream().map(Base::json).toList());
        golden("chains.json", Json.of(chains));
    }

    @Test
    void forgeriesAreJudgedAsTheyWere() throws IOException {
        List<Object> cases = new ArrayList<>();
        int clean = 0;
        for (Base base : Base.all()) {
            for (Forgeries.Case each : Forgeries.of(base)) {
                Map<String, Object> json = json(each);
                clean += json.get("promises").equals(List.of()) ? 1 : 0;
                cases.add(json);
            }
        }
        for (Forgeries.Case each : ExportForgeries.all()) {
            cases.add(json(each));
        }
        assertThat(cases).hasSizeGreaterThan(200);
        assertThat(clean).as("honest ones among them").isBetween(15, 41);
        golden("forgeries.json", Json.of(cases));
    }

    private static Map<String, Object> json(Forgeries.Case each) throws IOException {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", each.name());
        json.put("base", each.base().name);
        json.put("identity", each.expected().encode());
        json.put("knowsHead", each.head().isPresent());
        each.head()
                .filter(head -> !head.equals(each.base().history.head()))
                .ifPresent(
                        head -> {
                            json.put("headSequence", head.sequence());
                            json.put("headLink", head.link());
                        });
        json.put("acceptsSummaries", each.acceptsSummaries());
        if (each.isWhole()) {
            json.put("isWhole", true);
        }
        each.checkpoint().ifPresent(commit -> json.put("checkpointCommit", commit));
        // A number stands for that frame of the base.
        json.put(
                "frames",
                each.frames().stream()
                        .map(
                                frame -> {
                                    int index = each.base().frames.indexOf(frame);
                                    return index >= 0 ? (Object) index : frame.encode();
                                })
                        .toList());
        json.put("promises", promises(each));
        return json;
    }

    /** The promises that the auditor finds broken. */
    private static List<String> promises(Forgeries.Case each) throws IOException {
        AuditTerms terms = AuditTerms.of(History.keys());
        terms = each.head().isPresent() ? terms.with(each.head().get()) : terms;
        terms = each.acceptsSummaries() ? terms.acceptingSummaries() : terms;
        ChainAudit asked = new ChainAudit(each.expected(), terms);
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        file.writeBytes(Frame.MAGIC.toArray());
        for (Frame frame : each.frames()) {
            file.writeBytes(frame.encode().toArray());
            switch (frame.type()) {
                case 2 -> asked.batch(frame.payload());
                case 3 -> asked.entry(frame.payload());
                default -> {}
            }
        }
        AuditTerms others = AuditTerms.of(History.keys());
        if (each.checkpoint().isPresent()) {
            terms = terms.at(each.checkpoint().getAsLong());
            others = others.at(each.checkpoint().getAsLong());
        }
        AuditTerms same = terms;
        AuditTerms ofOthers = others;
        List<AuditReport> reports = new ArrayList<>();
        List<Finding> findings = new ArrayList<>();
        ExportAudit audit =
                new ExportAudit(
                        identity ->
                                each.isWhole() && !identity.equals(each.expected())
                                        ? ofOthers
                                        : same,
                        reports::add);
        if (each.isWhole()) {
            SourceClaims claims = SourceClaims.read(new ByteArrayInputStream(file.toByteArray()));
            audit.comparing(claims, found -> findings.add(found.finding()));
        }
        ExportAudit.Outcome outcome = audit.read(new ByteArrayInputStream(file.toByteArray()));
        if (!each.isWhole()) {
            findings.addAll(asked.finish().findings());
        }
        reports.forEach(report -> findings.addAll(report.findings()));
        List<String> promises =
                new ArrayList<>(
                        findings.stream().map(it -> it.promise().name()).distinct().toList());
        if (outcome instanceof ExportAudit.Outcome.BrokenOff && promises.isEmpty()) {
            promises.add("I2");
        }
        return promises.stream().sorted().toList();
    }

    private static void golden(String name, String text) throws IOException {
        Bytes written = Bytes.of(text + "\n");
        String directory = System.getProperty("golden.write", "");
        if (!directory.isEmpty()) {
            Files.createDirectories(Path.of(directory));
            Files.write(Path.of(directory, name), written.toArray());
        }
        try (InputStream file = GoldenTest.class.getResourceAsStream("/golden/" + name)) {
            assertThat(file).as(name).isNotNull();
            String expected = new String(file.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(expected.equals(written.text())).as(name + " is as it was").isTrue();
        }
    }
}
