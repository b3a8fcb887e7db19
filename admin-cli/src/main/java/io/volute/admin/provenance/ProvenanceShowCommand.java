package io.volute.admin.provenance;

import io.volute.admin.audit.ChainRange;
import io.volute.admin.audit.ReaderOptions;
import io.volute.admin.client.ListOptions;
import io.volute.admin.client.S3Uri;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.adminapi.AdminJson;
import io.volute.adminapi.ProvenanceApi.Entries;
import io.volute.adminapi.ProvenanceApi.EntriesRequest;
import io.volute.adminapi.ProvenanceApi.Entry;
import io.volute.adminapi.ProvenanceApi.Field;
import io.volute.adminapi.ProvenanceView;
import io.volute.adminapi.Routes;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.secrecy.EntryReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
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
@Example(
        value = "volute provenance show s3://photos/2026/a.raw",
        does = "Show the signed entries of a key.")
@Command(
        name = "show",
        mixinStandardHelpOptions = true,
        description = {
            "Shows the entries of a key, the oldest first; nothing is verified.",
            "With --export: the entries of a file, without a server. An auditor's key or enough"
                    + " shares decrypt its fields."
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
            description = "Show entries of this export, without a server.")
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
                Routes.ENTRIES,
                new EntriesRequest(key.bucket(), key.key(), OptionalLong.empty(), Optional.empty()),
                "entries",
                new Table<>(Entry.class, columns()));
    }

    private ParameterException wrong(String text) {
        return new ParameterException(spec.commandLine(), text);
    }

    private int ofExport(Path file) throws InterruptedException {
        ServerOptions server = provenance.server();
        List<Column<Entry>> columns = columns();
        if (range.key().isEmpty()) {
            columns.addFirst(new Column<>("KEY", ProvenanceShowCommand::key));
        }
        Table<Entry> table = new Table<>(Entry.class, columns);
        try {
            EntryReader reader = reading.reader();
            try (ExportEntries entries = ExportEntries.open(file, reader)) {
                list.show(
                        server,
                        page -> page(entries, reader, ((Number) page.get("max")).longValue()),
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
        List<Entry> page = new ArrayList<>();
        Optional<ExportEntries.ChainEntry> next = Optional.empty();
        while (page.size() < max && (next = entries.next()).isPresent()) {
            ChainIdentity chain = next.get().chain();
            if (range.has(chain)) {
                page.add(
                        ProvenanceView.entry(reader.read(next.get().record()))
                                .of(chain.bucket(), chain.key().text()));
            }
        }
        return AdminJson.fields(new Entries(page, next.map(more -> "")));
    }

    private static String key(Entry entry) {
        return AnswerFormat.text(entry.bucket()) + "/" + AnswerFormat.text(entry.key());
    }

    private static List<Column<Entry>> columns() {
        return new ArrayList<>(
                List.of(
                        Column.number("ENTRY", entry -> entry.sequence()),
                        Column.time("TIME", entry -> entry.time()),
                        new Column<>("KIND", Entry::kind),
                        new Column<>("VERSION ID", Entry::versionId),
                        new Column<>(
                                "BY",
                                entry -> field(entry.principal(), true),
                                entry -> field(entry.principal(), false)),
                        Column.fullOnly(
                                new Column<>("CONTENT", entry -> entry.content().orElse(""))),
                        Column.fullOnly(new Column<>("LINK", Entry::link)),
                        new Column<>(
                                "DETAILS",
                                entry -> details(entry, true),
                                entry -> details(entry, false))));
    }

    private static String field(Field field, boolean isFull) {
        return field.text()
                .orElseGet(
                        () -> {
                            String whole = field.hex().orElse("");
                            String hex = isFull ? whole : brief(whole);
                            return field.read().orElse(false) ? hex : field.form() + " " + hex;
                        });
    }

    private static String brief(String hex) {
        int digits = 16;
        return hex.length() <= digits ? hex : hex.substring(0, digits);
    }

    private static String details(Entry entry, boolean isFull) {
        return entry.details().stream()
                .map(each -> each.name() + "=" + field(each.field(), isFull))
                .collect(Collectors.joining(", "));
    }
}
