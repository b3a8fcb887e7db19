package io.volute.admin.provenance;

import io.volute.admin.client.ServerOptions;
import io.volute.admin.client.WholeFile;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.AnswerFormat;
import io.volute.provenance.chain.ExportReader;
import io.volute.provenance.chain.OpeningsFile;
import io.volute.provenance.chain.Reinstatement;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.Opening;
import io.volute.storage.io.DurableFile;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** Puts back what an export withholds. */
@Example(
        value = "volute provenance reinstate --export e --openings e.open --output whole",
        does = "Put withheld texts back.")
@Command(
        name = "reinstate",
        mixinStandardHelpOptions = true,
        description =
                "Puts the texts that were withheld (volute provenance export --withhold) back into"
                        + " an export, where they are those that the signed entries commit to.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:written",
            "1:a file cannot be read or written",
            "2:wrong usage",
            "3:a text is not the one that was withheld, or a file is damaged; nothing is written"
        })
final class ProvenanceReinstateCommand implements Callable<Integer> {
    @ParentCommand private ProvenanceCommand provenance;

    @Option(names = "--export", paramLabel = "FILE", required = true, description = "The export.")
    private Path export;

    @Option(
            names = "--openings",
            paramLabel = "FILE",
            required = true,
            description = "The file with the withheld texts.")
    private Path openings;

    @Option(
            names = "--output",
            paramLabel = "FILE",
            required = true,
            description = "Gets the export with it.")
    private Path output;

    @Override
    public Integer call() {
        ServerOptions server = provenance.server();
        try {
            long done = copy();
            return server.done(
                    Map.of("file", output.toString(), "reinstated", done),
                    "reinstated " + AnswerFormat.count(done, "text") + " in " + output);
        } catch (RefusedException e) {
            int ignored = server.failed(e);
            return ServerOptions.FOUND_WRONG;
        } catch (IOException e) {
            return server.failed(e);
        }
    }

    private long copy() throws IOException {
        Map<OpeningsFile.Of, SortedMap<Integer, Opening>> withheld;
        try (InputStream in = open(openings)) {
            withheld = OpeningsFile.read(in);
        }
        long[] done = new long[1];
        WholeFile.write(
                output,
                DurableFile.Readers.USUAL,
                target -> {
                    try (InputStream in = open(export)) {
                        done[0] = new Reinstatement(withheld).copy(new ExportReader(in), target);
                    }
                });
        return done[0];
    }

    private static InputStream open(Path file) throws IOException {
        return new BufferedInputStream(Files.newInputStream(file));
    }
}
