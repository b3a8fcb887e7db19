package io.volute.admin.provenance;

import io.volute.admin.client.ServerOptions;
import io.volute.admin.output.AnswerFormat;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** Shows or chooses what of the entries about a bucket's keys is hidden. */
@Command(
        name = "hidden",
        mixinStandardHelpOptions = true,
        description = {
            "Shows which fields of new entries about a bucket's keys are hidden, or chooses them"
                    + " for this bucket: principal, access-key, actor, metadata.",
            "Entries that are there stay as they are."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:shown or set",
            "1:the server cannot be reached or refused",
            "2:wrong usage"
        })
final class ProvenanceHiddenCommand implements Callable<Integer> {
    private static final String PATH = ProvenanceCommand.PATH + "hidden";
    private static final String BUCKET = "bucket";

    @Spec private CommandSpec spec;
    @ParentCommand private ProvenanceCommand provenance;

    @Parameters(paramLabel = "BUCKET", description = "The bucket.")
    private String bucket = "";

    @Option(
            names = "--encrypt",
            paramLabel = "FIELD",
            split = ",",
            description = "Auditors alone can read these; others are not encrypted any more.")
    private List<String> encrypted = new ArrayList<>();

    @Option(
            names = "--commit",
            paramLabel = "FIELD",
            split = ",",
            description = "Exports can withhold these; others are in plain.")
    private List<String> committed = new ArrayList<>();

    @Option(names = "--nothing", description = "Hide nothing, whatever the server's settings say.")
    private boolean isNothing;

    @Option(
            names = "--inherit",
            description = "As the server's settings say (provenance.encrypt, provenance.commit).")
    private boolean isInherited;

    @Override
    public Integer call() throws InterruptedException {
        Optional<Map<String, Object>> asked = asked();
        ServerOptions server = provenance.server();
        return server.run(
                client -> {
                    Map<String, Object> answer =
                            asked.isPresent()
                                    ? client.put(PATH, asked.get())
                                    : client.get(PATH, Map.of(BUCKET, bucket));
                    return server.done(answer, lines(answer));
                });
    }

    /** Empty when it is only to be shown. */
    private Optional<Map<String, Object>> asked() {
        boolean isNamed = !encrypted.isEmpty() || !committed.isEmpty();
        if (isNamed && isNothing || isNamed && isInherited || isNothing && isInherited) {
            throw new ParameterException(
                    spec.commandLine(),
                    "One of --nothing, --inherit, and --encrypt with or without --commit");
        }
        if (!isNamed && !isNothing && !isInherited) {
            return Optional.empty();
        }
        Map<String, Object> asked = new LinkedHashMap<>();
        asked.put(BUCKET, bucket);
        if (isInherited) {
            asked.put("inherit", true);
        } else {
            asked.put("encrypt", encrypted);
            asked.put("commit", committed);
        }
        return Optional.of(asked);
    }

    private static String[] lines(Map<String, Object> answer) {
        boolean isInherited = AnswerFormat.isTrue(answer, "inherited");
        return new String[] {
            "encrypted  " + AnswerFormat.words(answer, "encrypted"),
            "committed  " + AnswerFormat.words(answer, "committed"),
            "chosen     " + (isInherited ? "by the server's settings" : "for this bucket"),
            "needed     " + ProvenanceAuditorsCommand.needed(answer)
        };
    }
}
