package io.volute.distribution;

import io.volute.admin.audit.CheckpointFiles;
import io.volute.admin.audit.ExportOptions;
import io.volute.admin.client.Printing;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.AnswerFormat;
import io.volute.adminapi.Words;
import io.volute.provenance.format.Hash;
import io.volute.provenance.keys.KeyList;
import io.volute.server.auditlog.AuditLogReport;
import io.volute.server.auditlog.AuditLogReport.Finding;
import io.volute.server.auditlog.AuditLogVerifier;
import io.volute.server.auditlog.AuditLogVerifier.Terms;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Verifies an audit log with nothing but its files. */
@Example(
        value = "volute log verify /srv/volute/audit",
        does = "Verify the audit log in a directory.")
@Example(
        value = "volute log verify /mnt/copy/audit --complete --keys keys --root-key ID",
        does = "Verify a whole copy, with the keys of the store.")
@Command(
        name = "verify",
        mixinStandardHelpOptions = true,
        description = {
            "Verifies an audit log: that no line was changed, taken out, put in or moved.",
            "Needs no server. Keep the printed number and hash of the last line in another place."
                    + " With --seen, the next verification then detects a cut-off end."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:verified, nothing is wrong",
            "1:a file cannot be read, or there is no line in it",
            "2:wrong usage",
            "3:something is wrong"
        })
final class LogVerifyCommand implements Callable<Integer> {
    private static final Pattern SEEN = Pattern.compile("([0-9]{1,18}):([0-9a-f]{64})");

    @Spec private CommandSpec spec;

    @Parameters(
            arity = "1..*",
            paramLabel = "FILE",
            description = "Files of the log in their order, or a directory of them.")
    private List<Path> files = new ArrayList<>();

    @Option(
            names = "--keys",
            paramLabel = "FILE",
            description =
                    "The public keys of the store (volute provenance keys --output): seals are"
                            + " verified by them.")
    private Optional<Path> keys = Optional.empty();

    @Option(
            names = "--root-key",
            paramLabel = "HEX",
            description = "Id of the store's first key, from a source other than the files.")
    private Optional<String> rootKey = Optional.empty();

    @Option(
            names = "--complete",
            description =
                    "Require that the files are the whole log: lines missing before them are a"
                            + " fault.")
    private boolean isComplete;

    @Option(
            names = "--seen",
            paramLabel = "NUMBER:HASH",
            description = "A line that was seen earlier, and must be there.")
    private List<String> seen = new ArrayList<>();

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    public Integer call() {
        Map<Long, Hash> lines = seenLines();
        if (keys.isPresent() != rootKey.isPresent()) {
            throw wrong("--keys and --root-key go together");
        }
        rootKey.ifPresent(each -> ExportOptions.requireKeyId(spec, each));
        try {
            AuditLogReport report =
                    new AuditLogVerifier(new Terms(keyList(), isComplete, lines)).verify(all());
            if (report.extent().lines() == 0 && report.findings().isEmpty()) {
                throw new IOException("there is no line of an audit log");
            }
            show(report);
            return report.findings().isEmpty() ? ServerOptions.OK : ServerOptions.FOUND_WRONG;
        } catch (IOException e) {
            return new Printing(spec).failed(e);
        }
    }

    private ParameterException wrong(String text) {
        return new ParameterException(spec.commandLine(), text);
    }

    private Map<Long, Hash> seenLines() {
        Map<Long, Hash> lines = new HashMap<>();
        for (String each : seen) {
            Matcher matcher = SEEN.matcher(each);
            if (!matcher.matches()) {
                throw wrong("--seen is NUMBER:HASH, as this command prints the last line");
            }
            lines.put(Long.parseLong(matcher.group(1)), Hash.ofHex(matcher.group(2)));
        }
        return lines;
    }

    private Optional<KeyList> keyList() throws IOException {
        return keys.isEmpty()
                ? Optional.empty()
                : Optional.of(CheckpointFiles.keys(keys.get(), rootKey.orElseThrow()));
    }

    private List<Path> all() throws IOException {
        List<Path> all = new ArrayList<>();
        for (Path each : files) {
            if (Files.isDirectory(each)) {
                all.addAll(AuditLogVerifier.files(each));
            } else {
                all.add(each);
            }
        }
        return all;
    }

    private void show(AuditLogReport report) {
        Printing printing = new Printing(spec);
        if (json) {
            printing.json(document(report));
            return;
        }
        report.findings().list().forEach(each -> printing.line(line(each)));
        if (report.findings().more() > 0) {
            printing.line("and " + report.findings().more() + " more findings");
        }
        AuditLogReport.Gaps gaps = report.gaps();
        if (gaps.torn() > 0) {
            printing.line(
                    "recorded in the log: "
                            + gaps.torn()
                            + " writes were not finished, "
                            + gaps.tornBytes()
                            + " bytes are no part of it");
        }
        if (gaps.lost() > 0) {
            printing.line("recorded in the log: " + gaps.lost() + " lines could not be written");
        }
        printing.line(sealing(report));
        AuditLogReport.Extent extent = report.extent();
        printing.line(
                (report.findings().isEmpty() ? "verified: " : "wrong: ")
                        + extent.lines()
                        + " lines in "
                        + report.files()
                        + " files, from "
                        + extent.first()
                        + " to "
                        + extent.last());
        printing.line("last line: " + extent.last() + ":" + extent.lastHash());
    }

    private static String line(Finding finding) {
        return AnswerFormat.visible(
                finding.file()
                        + (finding.line() == 0 ? "" : " line " + finding.line())
                        + ": "
                        + Words.of(finding.cause())
                        + ": "
                        + finding.detail()
                        + " (behind line "
                        + finding.after()
                        + " of the log)");
    }

    private static String sealing(AuditLogReport report) {
        if (report.sealing().isEmpty()) {
            return "no line is sealed by the store: a person with write access to the files can"
                    + " forge them";
        }
        AuditLogReport.Sealing sealing = report.sealing().get();
        return (sealing.isVerified()
                        ? "sealed by the store up to line "
                        : "seals not verified (--keys); the last one is of line ")
                + sealing.sequence()
                + ", at "
                + sealing.time();
    }

    private static Map<String, Object> document(AuditLogReport report) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("verified", report.findings().isEmpty());
        document.put("files", report.files());
        document.put("lines", report.extent().lines());
        document.put("first", report.extent().first());
        document.put("last", report.extent().last());
        document.put("lastHash", report.extent().lastHash().hex());
        document.put("tornWrites", report.gaps().torn());
        document.put("tornBytes", report.gaps().tornBytes());
        document.put("lostLines", report.gaps().lost());
        document.put("seals", report.seals());
        report.sealing()
                .ifPresent(
                        sealing -> {
                            document.put("sealedLine", sealing.sequence());
                            document.put("sealedAt", sealing.time());
                            document.put("sealsVerified", sealing.isVerified());
                        });
        List<Map<String, Object>> findings = new ArrayList<>();
        for (Finding each : report.findings().list()) {
            Map<String, Object> finding = new LinkedHashMap<>();
            finding.put("file", each.file());
            finding.put("line", each.line());
            finding.put("after", each.after());
            finding.put("cause", Words.of(each.cause()));
            finding.put("detail", each.detail());
            findings.add(finding);
        }
        document.put("findings", findings);
        document.put("moreFindings", report.findings().more());
        return document;
    }
}
