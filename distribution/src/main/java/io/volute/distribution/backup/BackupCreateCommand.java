package io.volute.distribution.backup;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.Answer;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.client.WaitOption;
import io.volute.admin.grammar.Example;
import io.volute.admin.operate.DamageCommand;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Progress;
import io.volute.adminapi.BackupApi.Backup;
import io.volute.adminapi.BackupApi.BackupRequest;
import io.volute.adminapi.Routes;
import io.volute.server.deposit.BackupPlaces;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Starts a backup in the server, and follows it. */
@Example(
        value = "volute backup create --to /mnt/backup",
        does = "Make a snapshot in a directory of the server.")
@Example(
        value = "volute backup create --to https://s3.example/backup/volute",
        does = "Make one in a bucket of another store.")
@Command(
        name = "create",
        mixinStandardHelpOptions = true,
        description = {
            "Makes a snapshot of the whole store while the server serves. Only bytes that no"
                    + " earlier snapshot in the target has are sent.",
            "The bytes that it sends are verified. Damaged versions are named; repair them, and"
                    + " make another snapshot.",
            "The backup goes on in the server when this command is ended. Only the root user may"
                    + " name a target."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:the snapshot is complete",
            "1:the server cannot be reached, refused, or the backup failed",
            "2:wrong usage",
            "3:the snapshot is complete, and some versions in it are damaged"
        })
final class BackupCreateCommand implements Callable<Integer> {
    @Mixin private ServerOptions server;

    @Option(
            names = "--to",
            paramLabel = "TARGET",
            description =
                    "Directory on the server's machine, or https://HOST/BUCKET/PREFIX (default:"
                            + " backup.target of the server).")
    private Optional<String> to = Optional.empty();

    @Option(
            names = "--status",
            description = "Show how far the running backup is, or how the last one ended.")
    private boolean isStatus;

    @Mixin private WaitOption wait;

    @Override
    public Integer call() throws InterruptedException {
        Optional<String> target =
                to.map(
                        text ->
                                BackupPlaces.isServer(text)
                                        ? text
                                        : Path.of(text).toAbsolutePath().normalize().toString());
        return server.run(
                client -> {
                    if (isStatus) {
                        return status(client.ask(Routes.BACKUP));
                    }
                    BackupRequest asked = new BackupRequest(target);
                    Answer<Backup> begun = client.ask(Routes.START_BACKUP, asked);
                    return wait.isAwaited(true)
                            ? end(follow(client, begun.value()))
                            : server.done(begun, "a backup has begun", work().advice());
                });
    }

    private WaitOption.Work work() {
        return new WaitOption.Work(
                server.command("backup", "create", "--status"), Optional.empty());
    }

    private int status(Answer<Backup> backup) throws IOException {
        if (backup.value().isRunning()) {
            return server.done(backup, "running: " + figures(backup.value()));
        }
        return backup.value().snapshot().isEmpty() && backup.value().failure().isEmpty()
                ? server.done(backup, "there was no backup since the server was started")
                : end(backup.value());
    }

    private Backup follow(AdminClient client, Backup begun)
            throws IOException, InterruptedException {
        Progress progress = server.progress("backing up");
        Backup last =
                wait.await(
                        work(),
                        begun,
                        Backup::isRunning,
                        () -> {
                            Backup now = client.ask(Routes.BACKUP).value();
                            if (!now.snapshot().equals(begun.snapshot())) {
                                throw new IOException(
                                        "the server was started again: run the command again");
                            }
                            progress.at(
                                    now.files(),
                                    now.filesTotal(),
                                    "file",
                                    now.bytesRead(),
                                    AnswerFormat.bytes(now.bytesSent()) + " sent");
                            return now;
                        });
        progress.end();
        return last;
    }

    private static String figures(Backup backup) {
        return backup.files()
                + " of "
                + AnswerFormat.count(backup.filesTotal(), "file")
                + AnswerFormat.percent(backup.files(), backup.filesTotal())
                + ", "
                + AnswerFormat.bytes(backup.bytesRead())
                + " read, "
                + AnswerFormat.bytes(backup.bytesSent())
                + " sent";
    }

    private int end(Backup backup) throws IOException {
        if (!backup.isFinished()) {
            throw new IOException("the backup failed: " + backup.failure().orElse("no reason"));
        }
        if (server.isJson()) {
            server.print(backup);
            return code(backup);
        }
        server.out().println("snapshot " + backup.snapshot().orElseThrow());
        server.out().println(figures(backup));
        if (!backup.leftOut().isEmpty()) {
            server.out()
                    .println(
                            "Missing in it: "
                                    + String.join(", ", backup.leftOut())
                                    + ". Keep a copy of keys/provenance.key on another machine: a"
                                    + " restore needs it.");
        }
        if (code(backup) != ServerOptions.OK) {
            server.out().println("The store is damaged, and the snapshot has the damage:");
            DamageCommand.show(server.out(), backup.damaged(), backup.moreDamaged());
        }
        server.out().flush();
        return code(backup);
    }

    private static int code(Backup backup) {
        boolean isSound = backup.damaged().size() + backup.moreDamaged() == 0;
        return isSound ? ServerOptions.OK : ServerOptions.FOUND_WRONG;
    }
}
