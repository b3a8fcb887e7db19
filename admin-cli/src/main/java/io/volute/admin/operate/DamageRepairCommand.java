package io.volute.admin.operate;

import io.volute.admin.client.Answer;
import io.volute.admin.client.S3Uri;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.grammar.OldSpelling;
import io.volute.admin.output.AnswerFormat;
import io.volute.adminapi.DamageApi.Repair;
import io.volute.adminapi.DamageApi.RepairRequest;
import io.volute.adminapi.DamageApi.Repaired;
import io.volute.adminapi.Routes;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Writes right bytes in place of damaged ones. */
@OldSpelling(value = "--version ID", now = "--version-id ID")
@Example(
        value = "volute damage repair --all --from backup",
        does = "Repair everything from the backup.")
@Example(
        value = "volute damage repair s3://photos/2026/a.raw --from noncurrent",
        does = "Repair a key from its other versions.")
@Command(
        name = "repair",
        mixinStandardHelpOptions = true,
        description = {
            "Writes the bytes that were there in place of damaged ones. All versions, copies and"
                    + " states that share them are repaired with it. No version is made, and signed"
                    + " history stays as it is; the audit log records the repair.",
            "A backup gives back whole entries of the log, so it also repairs metadata, signed"
                    + " entries and rows of the store. A replica or another version of the key"
                    + " gives back content, if all of it is the same by the signed content hash or"
                    + " the MD5. A replica of an encrypted object has other bytes, and cannot."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:all of it is sound now",
            "1:the server cannot be reached or refused",
            "2:wrong usage",
            "3:something is still damaged"
        })
public final class DamageRepairCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private ServerOptions server;

    /** One key, or everything that is listed. */
    static final class Range {
        @Parameters(
                paramLabel = "s3://BUCKET/KEY",
                converter = S3Uri.Converter.class,
                description =
                        "The key: all its versions and states, unless --version-id names one.")
        private Optional<S3Uri> key = Optional.empty();

        @Option(names = "--all", description = "Everything that volute damage list shows.")
        private boolean isAll;
    }

    @ArgGroup(multiplicity = "1")
    private Range range = new Range();

    @Option(names = "--version-id", paramLabel = "ID", description = "This version alone.")
    private Optional<String> version = Optional.empty();

    @Option(
            names = "--from",
            required = true,
            paramLabel = "SOURCE",
            description =
                    "backup; replica: the same version at the destinations of the bucket's"
                            + " replication; or noncurrent: other versions and states of the same"
                            + " key.")
    private String from = "";

    @Option(
            names = "--target",
            paramLabel = "TARGET",
            description =
                    "The target of the backup: a directory on the server's machine, or"
                            + " https://HOST/BUCKET/PREFIX. Default: backup.target of the server."
                            + " Only the root user may name one.")
    private Optional<String> target = Optional.empty();

    @Override
    public Integer call() throws InterruptedException {
        if (range.isAll && version.isPresent()) {
            throw new ParameterException(spec.commandLine(), "--version-id needs a key");
        }
        RepairRequest asked =
                new RepairRequest(
                        range.key.map(S3Uri::bucket),
                        range.key.map(S3Uri::key),
                        version,
                        from,
                        target);
        return server.run(
                client -> {
                    Answer<Repair> answer = client.ask(Routes.REPAIR_DAMAGE, asked);
                    if (server.isJson()) {
                        server.print(answer);
                    } else {
                        answer.value().states().forEach(this::show);
                        server.out().flush();
                    }
                    boolean isSound =
                            answer.value().states().stream().allMatch(each -> each.left() == 0);
                    return isSound ? ServerOptions.OK : ServerOptions.FOUND_WRONG;
                });
    }

    private void show(Repaired each) {
        String outcome =
                each.damaged() == 0
                        ? "sound"
                        : each.left() == 0
                                ? AnswerFormat.count(each.damaged(), "damaged stretch")
                                        + " repaired, verified by "
                                        + each.verified()
                                : each.left()
                                        + " of "
                                        + AnswerFormat.count(each.damaged(), "damaged stretch")
                                        + " left: "
                                        + each.failure().orElse("");
        server.out().println(AnswerFormat.visible(each.state().words() + ": " + outcome));
    }
}
