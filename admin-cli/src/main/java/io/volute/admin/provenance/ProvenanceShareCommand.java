package io.volute.admin.provenance;

import io.volute.admin.audit.ChainRange;
import io.volute.admin.audit.ReaderOptions;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.client.WholeFile;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.AnswerFormat;
import io.volute.provenance.secrecy.Auditor.Share;
import io.volute.provenance.secrecy.EntryReader;
import io.volute.provenance.secrecy.Place;
import io.volute.provenance.secrecy.ShareFile;
import io.volute.storage.io.DurableFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** Writes one auditor's part of what several must do together. */
@Example(
        value = "volute provenance share photos --export e --auditor-key ann.key --output out",
        does = "Give another auditor your shares.")
@Command(
        name = "share",
        mixinStandardHelpOptions = true,
        description = {
            "Writes an auditor's shares of the keys of entries, for others to read these entries"
                    + " together with theirs: volute provenance show --shares.",
            "With enough of them everybody can read: it is written with mode 0600."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:written",
            "1:a file cannot be used, or nothing in the export is shared with this auditor",
            "2:wrong usage"
        })
final class ProvenanceShareCommand implements Callable<Integer> {
    @ParentCommand private ProvenanceCommand provenance;
    @Spec private CommandSpec spec;
    @Mixin private ChainRange range;
    @Mixin private ReaderOptions reading;

    @Option(names = "--export", paramLabel = "FILE", required = true, description = "The export.")
    private Path export;

    @Option(names = "--output", paramLabel = "FILE", required = true, description = "The file.")
    private Path output;

    @Override
    public Integer call() {
        range.check();
        if (!reading.hasKeys()) {
            throw new ParameterException(spec.commandLine(), "--auditor-key is missing");
        }
        ServerOptions server = provenance.server();
        return server.alone(
                () -> {
                    long shares = write();
                    return server.done(
                            Map.of("file", output.toString(), "shares", shares),
                            "wrote " + AnswerFormat.count(shares, "share") + " to " + output);
                });
    }

    private long write() throws IOException {
        EntryReader reader = reading.reader();
        long[] shares = new long[1];
        WholeFile.write(
                output,
                DurableFile.Readers.OWNER,
                target -> {
                    ShareFile file = new ShareFile(target);
                    try (ExportEntries entries = ExportEntries.open(export, reader)) {
                        for (Optional<ExportEntries.ChainEntry> next = entries.next();
                                next.isPresent();
                                next = entries.next()) {
                            if (!range.has(next.get().chain())) {
                                continue;
                            }
                            Place place = Place.of(next.get().record().entry());
                            for (Share share : reader.shares(next.get().record())) {
                                file.add(place, share);
                                shares[0]++;
                            }
                        }
                    }
                    if (shares[0] == 0) {
                        throw new IOException(
                                "no entry there has a share for this key: it is not one of the"
                                        + " auditors, or each of them reads alone");
                    }
                });
        return shares[0];
    }
}
