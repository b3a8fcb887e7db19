package io.volute.admin.operate;

import io.volute.admin.client.ListOptions;
import io.volute.admin.client.S3Uri;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.grammar.Instants;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.adminapi.LifecycleApi.LifecycleRequest;
import io.volute.adminapi.LifecycleApi.Removal;
import io.volute.adminapi.Routes;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows what lifecycle rules do. */
@Command(
        name = "lifecycle",
        mixinStandardHelpOptions = true,
        description = {
            "Lists the removals by the lifecycle rules of a bucket.",
            "Rules are set with: aws s3api put-bucket-lifecycle-configuration"
        },
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:shown", "1:the server cannot be reached or refused", "2:wrong usage"})
public final class LifecycleCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    /** The sub-commands' as well. */
    @Mixin private ServerOptions server;

    @Example(value = "volute lifecycle plan photos", does = "Show the removals that are due now.")
    @Example(
            value = "volute lifecycle plan photos --at +31d",
            does = "Show the removals of the next month.")
    @Command(
            name = "plan",
            mixinStandardHelpOptions = true,
            description = {
                "Lists the removals that are due now, or will be at an instant if nothing is"
                        + " written until then. Removes nothing.",
                Instants.FORMS,
                "Locked versions are shown, and stay until their lock ends."
            })
    Integer plan(
            @Parameters(
                            paramLabel = "BUCKET",
                            converter = S3Uri.BucketConverter.class,
                            description = "The bucket.")
                    String bucket,
            @Option(names = "--at", paramLabel = "T", description = "At T (default: now).")
                    Optional<Instant> at,
            @Mixin ListOptions list)
            throws InterruptedException {
        LifecycleRequest asked =
                new LifecycleRequest(bucket, at, OptionalLong.empty(), Optional.empty());
        Table<Removal> table =
                new Table<>(
                        Removal.class,
                        Column.time("DUE", removal -> removal.due()),
                        Column.once(new Column<>("ACTION", Removal::action)),
                        new Column<>("KEY", Removal::key),
                        new Column<>(
                                "VERSION OR UPLOAD",
                                removal ->
                                        AnswerFormat.text(
                                                removal.versionId().or(removal::uploadId))),
                        Column.size("SIZE", removal -> removal.bytes()),
                        Column.once(new Column<>("RULE", Removal::rule)));
        return list.show(
                server,
                Routes.LIFECYCLE,
                asked,
                "removals",
                table.whenEmpty(
                        () ->
                                "the lifecycle rules of "
                                        + bucket
                                        + " remove nothing "
                                        + at.map(text -> "until " + text).orElse("now")));
    }

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "Missing: a command");
    }
}
