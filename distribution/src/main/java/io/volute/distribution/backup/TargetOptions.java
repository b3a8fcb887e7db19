package io.volute.distribution.backup;

import io.volute.admin.client.CommandContext;
import io.volute.admin.client.Printing;
import io.volute.admin.output.Progress;
import io.volute.admin.output.TableOutput;
import io.volute.adminapi.signing.RequestSigner;
import io.volute.server.backup.Repository;
import io.volute.server.backup.Verification;
import io.volute.server.deposit.BackupPlaces;
import io.volute.server.deposit.BackupTarget;
import io.volute.server.outbound.S3Access;
import io.volute.storage.io.OsFileSystem;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The target of backups, for commands that need no server. */
final class TargetOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--from",
            required = true,
            paramLabel = "TARGET",
            description = "Directory, or https://HOST/BUCKET/PREFIX.")
    private String from;

    @Option(
            names = "--region",
            paramLabel = "REGION",
            defaultValue = "us-east-1",
            description = "Region of the bucket (default: ${DEFAULT-VALUE}).")
    private String region;

    @Option(
            names = "--ca",
            paramLabel = "FILE",
            description = "PEM file of the certificates that TLS trusts.")
    private Optional<Path> authorities = Optional.empty();

    @Option(
            names = "--passphrase-file",
            paramLabel = "FILE",
            description = "File whose first line is the passphrase of encrypted backups.")
    private Optional<Path> passphrase = Optional.empty();

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    /** Work on the backups of the target. */
    interface Work {
        int run(Repository repository) throws IOException, InterruptedException;
    }

    /** Opens the target and does the work; prints the failure. Returns the exit code. */
    int run(Work work) throws InterruptedException {
        try (BackupTarget target = places().open(from)) {
            return work.run(Repository.open(target, passphrase()));
        } catch (IOException e) {
            return new Printing(spec).failed(e);
        }
    }

    private BackupPlaces places() {
        CommandContext context = CommandContext.of(spec);
        S3Access access = new S3Access(() -> signer(context.environment()), authorities);
        return new BackupPlaces(new OsFileSystem(), context.clock(), Optional.of(access));
    }

    private RequestSigner signer(Map<String, String> environment) throws IOException {
        String accessKey = environment.getOrDefault("AWS_ACCESS_KEY_ID", "");
        String secretKey = environment.getOrDefault("AWS_SECRET_ACCESS_KEY", "");
        if (accessKey.isEmpty() || secretKey.isEmpty()) {
            throw new IOException(
                    "no credentials for "
                            + from
                            + ": set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
        }
        return new RequestSigner(accessKey, secretKey, region);
    }

    private Optional<char[]> passphrase() throws IOException {
        return passphrase.isEmpty()
                ? Optional.empty()
                : Optional.of(Repository.passphrase(passphrase.get()));
    }

    /**
     * Returns the named snapshot, or the newest one.
     *
     * @throws IOException when there is none
     */
    static String chosen(Repository repository, Optional<String> name) throws IOException {
        if (name.isPresent()) {
            return name.get();
        }
        List<String> all = repository.snapshots();
        if (all.isEmpty()) {
            throw new IOException("there is no complete snapshot yet");
        }
        return all.getLast();
    }

    /** Shows the progress of work on the files of a snapshot. */
    Verification.Watch watch(String doing) {
        Progress progress = new Printing(spec).progress(doing, json);
        return (files, total, bytes) -> {
            progress.at(files, total, "file", bytes, "");
            if (files == total) {
                progress.end();
            }
        };
    }

    /** Returns the target as it was written. */
    String from() {
        return from;
    }

    boolean isJson() {
        return json;
    }

    TableOutput tables(boolean isWide) {
        return new Printing(spec).tables(isWide);
    }

    PrintWriter out() {
        return spec.commandLine().getOut();
    }

    void print(Object document) {
        new Printing(spec).json(document);
    }
}
