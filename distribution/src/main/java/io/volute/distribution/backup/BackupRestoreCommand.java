package io.volute.distribution.backup;

import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.grammar.Instants;
import io.volute.admin.grammar.OldSpelling;
import io.volute.admin.output.AnswerFormat;
import io.volute.server.backup.DataDirectoryRestore;
import io.volute.server.backup.Manifest;
import io.volute.server.backup.Repository;
import io.volute.storage.io.OsFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Restores a snapshot to a new data directory. */
@OldSpelling(value = "--bucket BUCKET", now = "BUCKET")
@OldSpelling(value = "--to-instant T", now = "--at T")
@Example(
        value = "volute backup restore --from /mnt/backup --data /srv/volute-new",
        does = "Write the newest snapshot to a new directory.")
@Example(
        value = "volute backup restore photos --from /mnt/backup --data /tmp/copy --server prod",
        does = "Bring one bucket back into a running server.")
@Command(
        name = "restore",
        mixinStandardHelpOptions = true,
        description = {
            "Writes a snapshot to a new data directory, with all buckets, versions, history, users"
                    + " and settings of the store. Each byte is verified.",
            "A server that starts there rebuilds the index. Never run it together with the"
                    + " original: both have one identity.",
            "With BUCKET, imports one bucket of the snapshot into a running server instead, as"
                    + " volute import does, and deletes the directory at the end.",
            Instants.FORMS
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:restored",
            "1:the target cannot be read, the snapshot is not whole, or the directory is not empty",
            "2:wrong usage",
            "3:something of the bucket was not carried over; the report names it"
        })
final class BackupRestoreCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private TargetOptions target;

    @Option(
            names = "--snapshot",
            paramLabel = "NAME",
            description = "The snapshot (default: the newest).")
    private Optional<String> snapshot = Optional.empty();

    @Option(
            names = "--data",
            required = true,
            paramLabel = "DIR",
            description = "New data directory; empty or missing.")
    private Path data;

    @ArgGroup(exclusive = false, heading = "One bucket:%n")
    private BucketRestore bucket;

    @Override
    public Integer call() throws InterruptedException {
        return target.run(this::restore);
    }

    private int restore(Repository repository) throws IOException {
        Manifest manifest = repository.snapshot(TargetOptions.chosen(repository, snapshot));
        Path directory = data.toAbsolutePath().normalize();
        DataDirectoryRestore restore =
                new DataDirectoryRestore(repository, new OsFileSystem(), target.watch("restoring"));
        if (bucket != null) {
            return bucket.run(spec, target.isJson(), manifest, directory, restore);
        }
        restore.run(manifest, directory);
        if (target.isJson()) {
            target.print(
                    Map.of(
                            "snapshot",
                            manifest.name(),
                            "taken",
                            manifest.taken().toString(),
                            "directory",
                            directory.toString(),
                            "missing",
                            manifest.leftOut()));
            return ServerOptions.OK;
        }
        target.out()
                .println(
                        "restored "
                                + manifest.name()
                                + " to "
                                + directory
                                + ": "
                                + manifest.files().size()
                                + " files, "
                                + AnswerFormat.bytes(manifest.bytes())
                                + ", as of "
                                + manifest.taken());
        if (!manifest.leftOut().isEmpty()) {
            target.out()
                    .println(
                            "Put these back from your copy before the first start: "
                                    + String.join(", ", manifest.leftOut()));
        }
        target.out().flush();
        return ServerOptions.OK;
    }
}
