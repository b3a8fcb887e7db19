package io.volute.admin.provenance;

import io.volute.admin.audit.ChainRange;
import io.volute.admin.client.S3Uri;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.client.WholeFile;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Progress;
import io.volute.adminapi.ProvenanceApi.ExportRequest;
import io.volute.adminapi.Routes;
import io.volute.provenance.chain.Withholding;
import io.volute.provenance.secrecy.EntryReader;
import io.volute.storage.io.DurableFile.Readers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** Writes chains to a file that auditors take away. */
@Example(
        value = "volute provenance export photos --output photos.vex",
        does = "Export the history of a bucket.")
@Example(
        value = "volute provenance export --all --since-checkpoint 7 --output entries-7-9",
        does = "Export the chains that a witness compares between checkpoints 7 and 9.")
@Example(
        value = "volute provenance export --all --output all.vex --withhold metadata",
        does = "Export all, without the texts of the metadata.")
@Command(
        name = "export",
        mixinStandardHelpOptions = true,
        description = {
            "Writes the signed history of keys to a file, for `volute audit --export`.",
            "The file has its name only when it is whole."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:written",
            "1:the server cannot be reached or refused, or the file cannot be written",
            "2:wrong usage"
        })
final class ProvenanceExportCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @ParentCommand private ProvenanceCommand provenance;

    @Mixin private ChainRange range;

    @Option(names = "--output", paramLabel = "FILE", required = true, description = "The file.")
    private Path output;

    @Option(
            names = "--withhold",
            paramLabel = "FIELD",
            split = ",",
            description = {
                "Leave out the texts of these fields (principal, access-key, actor, metadata)"
                        + " where entries only commit to them (provenance.commit): the chains are"
                        + " verified as before, and the texts can be put back.",
                "key-slots: the keys with which auditors read encrypted fields."
            })
    private Set<String> withheld = new TreeSet<>();

    @Option(
            names = "--openings",
            paramLabel = "FILE",
            description =
                    "Receives the withheld texts, for `volute provenance reinstate`; mode 0600.")
    private Optional<Path> openings = Optional.empty();

    @Option(
            names = "--summary",
            description = {
                "Leave out entries of chains of construction 2 (provenance.construction ="
                        + " link-per-dimension), as many as can go so that the order of the others"
                        + " is still provable; chains of construction 1 stay whole.",
                "For `volute audit --accept-summaries`, which reports the number of omitted"
                        + " entries."
            })
    private boolean isSummary;

    @Option(
            names = "--keep",
            paramLabel = "KIND",
            split = ",",
            description = "All entries of these kinds stay in a summary: delete, tags, ...")
    private List<String> kept = new ArrayList<>();

    @Option(
            names = "--for-checkpoint",
            paramLabel = "NUMBER",
            description =
                    "The checkpoint with which a summary can be compared; the newest without it.")
    private Optional<Long> checkpoint = Optional.empty();

    @Option(
            names = "--since-checkpoint",
            paramLabel = "NUMBER",
            description =
                    "Only chains that changed since this checkpoint: a witness that co-signed it"
                            + " needs no more.")
    private Optional<Long> since = Optional.empty();

    @Override
    public Integer call() throws InterruptedException {
        range.check();
        if (!isSummary && (!kept.isEmpty() || checkpoint.isPresent())) {
            throw new ParameterException(
                    spec.commandLine(), "--keep and --for-checkpoint go with --summary");
        }
        if (openings.isPresent() && withheld.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "--openings goes with --withhold");
        }
        ServerOptions server = provenance.server();
        return server.run(
                client -> {
                    ExportRequest asked = asked();
                    Progress progress = server.progress("exporting");
                    ArrivingChains arriving = new ArrivingChains(progress);
                    long bytes =
                            client.download(
                                    Routes.EXPORT,
                                    asked,
                                    answer ->
                                            WholeFile.write(
                                                    output, Readers.USUAL, answer, this::check),
                                    arriving);
                    progress.end();
                    if (openings.isPresent()) {
                        long ignored =
                                client.download(
                                        Routes.OPENINGS,
                                        asked,
                                        answer ->
                                                WholeFile.write(
                                                        openings.get(), Readers.OWNER, answer));
                    }
                    return server.done(
                            Map.of(
                                    "file",
                                    output.toString(),
                                    "bytes",
                                    bytes,
                                    "chains",
                                    arriving.chains()),
                            "wrote "
                                    + AnswerFormat.count(arriving.chains(), "chain")
                                    + ", "
                                    + bytes
                                    + " bytes to "
                                    + output);
                });
    }

    private ExportRequest asked() {
        return new ExportRequest(
                range.bucket(),
                range.prefix(),
                range.key().map(S3Uri::key),
                list(withheld),
                isSummary ? Optional.of(true) : Optional.empty(),
                list(kept),
                number(checkpoint),
                number(since),
                range.cube());
    }

    private static OptionalLong number(Optional<Long> number) {
        return number.map(OptionalLong::of).orElse(OptionalLong.empty());
    }

    private static Optional<String> list(Collection<String> words) {
        return words.isEmpty() ? Optional.empty() : Optional.of(String.join(",", words));
    }

    /** Refuses to withhold a field that an entry contains in plain text. */
    private void check(Path file) throws IOException {
        if (withheld.isEmpty()) {
            return;
        }
        Withholding asked = new Withholding(withheld, false);
        long plain = 0;
        try (ExportEntries entries = ExportEntries.open(file, new EntryReader(List.of()))) {
            for (Optional<ExportEntries.ChainEntry> next = entries.next();
                    next.isPresent();
                    next = entries.next()) {
                plain += asked.isInVain(next.get().record()) ? 1 : 0;
            }
        }
        if (plain > 0) {
            throw new IOException(
                    plain
                            + " entries have one of "
                            + String.join(", ", withheld)
                            + " in plain: that cannot be withheld. They were written when"
                            + " provenance.commit did not name it; nothing was written here");
        }
    }
}
