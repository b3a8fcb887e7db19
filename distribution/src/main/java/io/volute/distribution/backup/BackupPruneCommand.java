package io.volute.distribution.backup;

import io.volute.admin.client.Confirmation;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.AnswerFormat;
import io.volute.server.backup.Prune;
import io.volute.server.backup.Prune.Pruned;
import io.volute.server.backup.Repository;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Deletes old snapshots. */
@Example(
        value = "volute backup prune --from /mnt/backup --keep 7",
        does = "Keep the seven newest snapshots.")
@Example(
        value = "volute backup prune --from /mnt/backup --keep 7 --yes",
        does = "Run it from a timer, without a prompt.")
@Command(
        name = "prune",
        mixinStandardHelpOptions = true,
        description = {
            "Deletes old snapshots, and packs that no snapshot needs any more.",
            "The others stay restorable. It may run while a backup is made; the space returns with"
                    + " the next prune then."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:done", "1:the target cannot be read or changed", "2:wrong usage"})
final class BackupPruneCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private TargetOptions target;

    @Mixin private Confirmation confirmation;

    @Option(
            names = "--keep",
            required = true,
            paramLabel = "NUMBER",
            description = "Snapshots to keep, the newest; at least 1.")
    private int keep;

    @Override
    public Integer call() throws InterruptedException {
        if (keep < 1) {
            throw new ParameterException(spec.commandLine(), "--keep is at least 1");
        }
        confirmation.requireAnswer();
        return target.run(this::prune);
    }

    private int prune(Repository repository) throws IOException, InterruptedException {
        List<String> names = repository.snapshots();
        List<String> old = names.subList(0, Math.max(0, names.size() - keep));
        if (!old.isEmpty()) {
            confirmation.require(
                    () ->
                            old.size()
                                    + " of "
                                    + AnswerFormat.count(names.size(), "snapshot")
                                    + " in "
                                    + target.from()
                                    + (old.size() == 1 ? " goes: " : " go: ")
                                    + Confirmation.names(old)
                                    + ". Delete "
                                    + (old.size() == 1 ? "it?" : "them?"));
        }
        Pruned pruned = new Prune(repository).run(keep);
        if (target.isJson()) {
            target.print(pruned);
            return ServerOptions.OK;
        }
        pruned.snapshots().forEach(name -> target.out().println("deleted " + name));
        target.out()
                .println(
                        pruned.isBesideBackup()
                                ? "A backup is unfinished, so no pack was deleted. Prune again"
                                        + " after the next complete backup."
                                : pruned.packs() + " packs deleted");
        target.out().flush();
        return ServerOptions.OK;
    }
}
