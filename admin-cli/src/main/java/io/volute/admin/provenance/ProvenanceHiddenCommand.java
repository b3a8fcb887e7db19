package io.volute.admin.provenance;

import io.volute.admin.client.Answer;
import io.volute.admin.client.S3Uri;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Facts;
import io.volute.adminapi.AuditApi.Hidden;
import io.volute.adminapi.AuditApi.HiddenRequest;
import io.volute.adminapi.AuditApi.SetHiddenRequest;
import io.volute.adminapi.Routes;
import java.util.ArrayList;
import java.util.List;
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
@Example(value = "volute provenance hidden photos", does = "Show the hidden fields of a bucket.")
@Example(
        value = "volute provenance hidden photos --encrypt principal",
        does = "Let auditors alone read the principal.")
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
    @Spec private CommandSpec spec;
    @ParentCommand private ProvenanceCommand provenance;

    @Parameters(
            paramLabel = "BUCKET",
            converter = S3Uri.BucketConverter.class,
            description = "The bucket.")
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

    @Option(names = "--nothing", description = "Hide nothing, regardless of the server's settings.")
    private boolean isNothing;

    @Option(
            names = "--inherit",
            description = "Follow the server's settings (provenance.encrypt, provenance.commit).")
    private boolean isInherited;

    @Override
    public Integer call() throws InterruptedException {
        Optional<SetHiddenRequest> asked = asked();
        ServerOptions server = provenance.server();
        return server.run(
                client -> {
                    Answer<Hidden> answer =
                            asked.isPresent()
                                    ? client.ask(Routes.SET_HIDDEN, asked.get())
                                    : client.ask(Routes.HIDDEN, new HiddenRequest(bucket));
                    return server.done(answer, facts(answer.value()));
                });
    }

    /** Empty when it is only to be shown. */
    private Optional<SetHiddenRequest> asked() {
        boolean isNamed = !encrypted.isEmpty() || !committed.isEmpty();
        if (isNamed && isNothing || isNamed && isInherited || isNothing && isInherited) {
            throw new ParameterException(
                    spec.commandLine(),
                    "One of --nothing, --inherit, and --encrypt with or without --commit");
        }
        if (!isNamed && !isNothing && !isInherited) {
            return Optional.empty();
        }
        return Optional.of(
                isInherited
                        ? new SetHiddenRequest(
                                bucket, Optional.empty(), Optional.empty(), Optional.of(true))
                        : new SetHiddenRequest(
                                bucket,
                                Optional.of(encrypted),
                                Optional.of(committed),
                                Optional.empty()));
    }

    private static Facts facts(Hidden hidden) {
        return new Facts()
                .with("encrypted", AnswerFormat.words(hidden.encrypted()))
                .with("committed", AnswerFormat.words(hidden.committed()))
                .with("chosen", hidden.inherited() ? "by the server's settings" : "for this bucket")
                .with("needed", ProvenanceAuditorsCommand.needed(hidden.needed(), hidden.enough()));
    }
}
