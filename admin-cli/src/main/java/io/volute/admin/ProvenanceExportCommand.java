package io.volute.admin;

import io.volute.admin.WholeFile.Readers;
import io.volute.provenance.chain.Withholding;
import io.volute.provenance.secrecy.EntryReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
                "key-slots: what auditors read encrypted fields with."
            })
    private Set<String> withheld = new TreeSet<>();

    @Option(
            names = "--openings",
            paramLabel = "FILE",
            description = "Gets what is withheld, for `volute provenance reinstate`; mode 0600.")
    private Optional<Path> openings = Optional.empty();

    @Override
    public Integer call() throws InterruptedException {
        range.check();
        if (openings.isPresent() && withheld.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "--openings goes with --withhold");
        }
        ServerOptions server = provenance.server();
        return server.run(
                client -> {
                    String path = ProvenanceCommand.PATH + "export";
                    Map<String, String> asked = new LinkedHashMap<>(range.asked());
                    if (!withheld.isEmpty()) {
                        asked.put("withhold", String.join(",", withheld));
                    }
                    long bytes =
                            client.download(
                                    path,
                                    asked,
                                    answer ->
                                            WholeFile.write(
                                                    output, Readers.USUAL, answer, this::check));
                    if (openings.isPresent()) {
                        String file = ProvenanceCommand.PATH + "openings";
                        long ignored =
                                client.download(
                                        file,
                                        asked,
                                        answer ->
                                                WholeFile.write(
                                                        openings.get(), Readers.OWNER, answer));
                    }
                    return server.done(
                            Map.of("file", output, "bytes", bytes),
                            "wrote " + bytes + " bytes to " + output);
                });
    }

    /** What an entry says in plain cannot be withheld. */
    private void check(Path file) throws IOException {
        Withholding asked = new Withholding(withheld, false);
        long plain = 0;
        try (ExportEntries entries = ExportEntries.open(file, new EntryReader(List.of()))) {
            for (Optional<ExportEntries.Told> next = entries.next();
                    next.isPresent() && !withheld.isEmpty();
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
