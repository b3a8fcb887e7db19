package io.volute.distribution.backup;

import io.volute.admin.VoluteCommand;
import io.volute.admin.client.CommandContext;
import io.volute.admin.client.S3Uri;
import io.volute.admin.migrate.ImportCommand;
import io.volute.server.backup.DataDirectoryRestore;
import io.volute.server.backup.Manifest;
import io.volute.server.config.ConfigException;
import io.volute.server.config.ConfigSource;
import io.volute.server.startup.Server;
import io.volute.versioning.value.BucketAlias;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Options and work of a restore of one bucket: restores the snapshot to a directory, serves it on a
 * free port of the loopback address, and imports the bucket from there into a running server.
 */
final class BucketRestore {
    private static final int KEY_BYTES = 20;

    /** No background work on the copy, whatever the environment sets. */
    private static final Map<String, String> AT_REST =
            Map.of(
                    "server.listen", "127.0.0.1:0",
                    "cleaner.threads", "0",
                    "scrub.interval", "0s",
                    "backup.schedule", "0s",
                    "provenance.checkpoint-interval", "0s",
                    "log.audit", "false");

    @Parameters(
            paramLabel = "BUCKET",
            converter = S3Uri.BucketConverter.class,
            description = "The bucket, of which all versions are restored.")
    private String bucket;

    @Option(
            names = "--into",
            paramLabel = "BUCKET",
            converter = S3Uri.BucketConverter.class,
            description = "The bucket to restore into (default: the same name).")
    private Optional<String> into = Optional.empty();

    @Option(
            names = "--at",
            paramLabel = "T",
            description =
                    "Restore the bucket as it was then, which the history of the snapshot must"
                            + " have.")
    private Optional<Instant> instant = Optional.empty();

    @Option(
            names = "--keys",
            paramLabel = "DIR",
            description =
                    "Directory with your copies of the private files that are not in the snapshot,"
                            + " such as provenance.key.")
    private Optional<Path> keys = Optional.empty();

    @Option(
            names = {"--endpoint", "--server"},
            required = true,
            paramLabel = "URL|NAME",
            description = "The server that receives the bucket, by address or name (volute alias).")
    private String server;

    /** Returns the name of the bucket in the restored copy. */
    private String source() {
        return instant.map(at -> new BucketAlias(bucket, at).name()).orElse(bucket);
    }

    /**
     * Restores the bucket. The directory is deleted at the end, also after a failure.
     *
     * @return the exit code of the import
     */
    int run(
            CommandSpec spec,
            boolean isJson,
            Manifest manifest,
            Path directory,
            DataDirectoryRestore restore)
            throws IOException {
        requireKeys(manifest);
        restore.run(manifest, directory);
        try {
            for (String path : manifest.leftOut()) {
                Optional<Path> copy = copy(path).filter(Files::exists);
                if (copy.isPresent()) {
                    Files.copy(copy.get(), directory.resolve(path));
                }
            }
            return serve(spec, isJson, directory);
        } finally {
            delete(directory);
        }
    }

    private Optional<Path> copy(String path) {
        return keys.map(where -> where.resolve(Path.of(path).getFileName()));
    }

    /** The root credential may be missing: the copy gets one of its own. */
    private void requireKeys(Manifest manifest) throws IOException {
        for (String path : manifest.leftOut()) {
            if (!path.endsWith("root.credential") && copy(path).filter(Files::exists).isEmpty()) {
                throw new IOException(
                        path
                                + " is not in the snapshot: name the directory of your copy with"
                                + " --keys");
            }
        }
    }

    private int serve(CommandSpec spec, boolean isJson, Path directory) throws IOException {
        CommandContext context = CommandContext.of(spec);
        String accessKey = random();
        String secretKey = random();
        Map<String, String> flags = new HashMap<>(AT_REST);
        flags.put("data.directory", directory.toString());
        Map<String, String> environment = new HashMap<>(context.environment());
        environment.put("VOLUTE_ACCESS_KEY", accessKey);
        environment.put("VOLUTE_SECRET_KEY", secretKey);
        Server copy;
        try {
            copy =
                    Server.startForReading(
                            ConfigSource.read(Optional.empty(), environment, flags), environment);
        } catch (ConfigException e) {
            throw new IOException("the copy cannot be served: " + e.getMessage(), e);
        }
        try (copy) {
            Map<String, String> forImport = new HashMap<>(context.environment());
            forImport.put("SOURCE_ACCESS_KEY", accessKey);
            forImport.put("SOURCE_SECRET_KEY", secretKey);
            CommandLine line = spec.commandLine();
            return VoluteCommand.run(
                    context.with(forImport),
                    List.of(ImportCommand.class),
                    new PrintWriter(line.getOut(), true),
                    new PrintWriter(line.getErr(), true),
                    arguments(isJson, copy.address().getPort()));
        }
    }

    private String[] arguments(boolean isJson, int port) {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "import",
                                "--from",
                                "s3://" + source(),
                                "--into",
                                into.orElse(bucket),
                                "--from-endpoint",
                                "http://127.0.0.1:" + port,
                                server.contains("://") ? "--endpoint" : "--server",
                                server));
        if (isJson) {
            arguments.add("--json");
        }
        return arguments.toArray(String[]::new);
    }

    private static String random() {
        byte[] bytes = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
