package io.volute.admin.provenance;

import io.volute.admin.audit.ChainRange;
import io.volute.admin.audit.ReaderOptions;
import io.volute.admin.client.ListOptions;
import io.volute.admin.client.S3Uri;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.provenance.secrecy.EntryReader;
import io.volute.server.admin.ProvenanceDocument;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** Shows the entries of a key, or of an export. */
@Command(
        name = "show",
        mixinStandardHelpOptions = true,
        description = {
            "Shows the entries of a key, the oldest first; nothing is verified.",
            "With --export, those of a file, without a server; an auditor's key or enough shares"
                    + " show what is encrypted there."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:shown",
            "1:the server cannot be reached or refused, or a file cannot be used",
            "2:wrong usage"
        })
final class ProvenanceShowCommand implements Callable<Integer> {
    @ParentCommand private ProvenanceCommand provenance;

    @Spec private CommandSpec spec;
    @Mixin private ListOptions list;
    @Mixin private ChainRange range;
    @Mixin private ReaderOptions reading;

    @Option(
            names = "--export",
            paramLabel = "FILE",
            description = "Show entries of this export; no server is asked.")
    private Optional<Path> export = Optional.empty();

    @Override
    public Integer call() throws InterruptedException {
        range.check();
        if (export.isPresent()) {
            return ofExport(export.get());
        }
        if (reading.isGiven()) {
            throw wrong("--auditor-key and --shares go with --export: servers get no private keys");
        }
        S3Uri key = range.key().orElseThrow(() -> wrong("Without --export, it is of one key"));
        return list.show(
                provenance.server(),
                ProvenanceCommand.PATH + "entries",
                Map.of("bucket", key.bucket(), "key", key.key()),
                "entries",
                new Table(columns()));
    }

    private ParameterException wrong(String text) {
        return new ParameterException(spec.commandLine(), text);
    }

    private int ofExport(Path file) throws InterruptedException {
        ServerOptions server = provenance.server();
        Table table =
                range.key().isPresent()
                        ? new Table(columns())
                        : new Table(with(new Column("KEY", ProvenanceShowCommand::key)));
        try {
            EntryReader reader = reading.reader();
            try (ExportEntries entries = ExportEntries.open(file, reader)) {
                list.show(
                        server,
                        page -> page(entries, reader, AnswerFormat.number(page, "max")),
                        "entries",
                        table);
            }
            return ServerOptions.OK;
        } catch (IOException e) {
            return server.failed(e);
        }
    }

    /** Returns one page of entries in the format of the server. */
    private Map<String, Object> page(ExportEntries entries, EntryReader reader, long max)
            throws IOException {
        List<Object> page = new ArrayList<>();
        Optional<ExportEntries.ChainEntry> next = Optional.empty();
        while (page.size() < max && (next = entries.next()).isPresent()) {
            if (range.has(next.get().chain())) {
                Map<String, Object> document = new LinkedHashMap<>();
                document.put("bucket", next.get().chain().bucket());
                document.put("key", next.get().chain().key().text());
                document.putAll(ProvenanceDocument.entry(reader.read(next.get().record())));
                page.add(document);
            }
        }
        Map<String, Object> answer = new LinkedHashMap<>(Map.of("entries", page));
        if (next.isPresent()) {
            answer.put("next", "");
        }
        return answer;
    }

    private static String key(Map<String, Object> entry) {
        return AnswerFormat.text(entry, "bucket") + "/" + AnswerFormat.text(entry, "key");
    }

    private static Column[] with(Column first) {
        List<Column> all = new ArrayList<>(List.of(columns()));
        all.addFirst(first);
        return all.toArray(new Column[0]);
    }

    private static Column[] columns() {
        return new Column[] {
            new Column("ENTRY", entry -> AnswerFormat.text(entry, "sequence")),
            new Column("TIME", entry -> AnswerFormat.text(entry, "time")),
            new Column("KIND", entry -> AnswerFormat.text(entry, "kind")),
            new Column("VERSION ID", entry -> AnswerFormat.text(entry, "versionId")),
            new Column("BY", entry -> field(AnswerFormat.map(entry, "principal"))),
            new Column("CONTENT", entry -> brief(AnswerFormat.text(entry, "content"))),
            new Column("LINK", entry -> brief(AnswerFormat.text(entry, "link"))),
            new Column("DETAILS", ProvenanceShowCommand::details)
        };
    }

    private static String field(Map<String, Object> field) {
        if (field.containsKey("text")) {
            return AnswerFormat.text(field, "text");
        }
        String hex = brief(AnswerFormat.text(field, "hex"));
        return AnswerFormat.isTrue(field, "read")
                ? hex
                : AnswerFormat.text(field, "form") + " " + hex;
    }

    private static String brief(String hex) {
        int digits = 16;
        return hex.length() <= digits ? hex : hex.substring(0, digits);
    }

    private static String details(Map<String, Object> entry) {
        List<Map<String, Object>> details = AnswerFormat.maps(entry, "details");
        return details.stream()
                .map(each -> AnswerFormat.text(each, "name") + "=" + field(each))
                .collect(Collectors.joining(", "));
    }
}
