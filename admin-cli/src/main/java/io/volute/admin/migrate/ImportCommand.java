package io.volute.admin.migrate;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.S3Uri;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.grammar.OldSpelling;
import io.volute.admin.migrate.ImportReport.Problem;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.s3.S3Client;
import io.volute.admin.s3.S3Request;
import io.volute.admin.s3.XmlTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Imports buckets from another S3 store. */
@OldSpelling(value = "--bucket BUCKET", now = "--into BUCKET")
@Example(
        value = "volute import --from s3://photos --from-server minio --report photos.jsonl",
        does = "Import a bucket from another store, with a report.")
@Example(
        value = "volute import --from s3://photos/2025/ --into old --from-server minio",
        does = "Import some keys into another bucket.")
@Command(
        name = "import",
        mixinStandardHelpOptions = true,
        description = {
            "Imports buckets with all versions, delete markers, tags, metadata, locks and settings"
                    + " from another S3 store; or users, groups and policies of MinIO.",
            "Skips data that is already there, so the same command continues a run that ended"
                    + " early. --endpoint and --server name the server that receives them."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:all is there",
            "1:a server cannot be reached or refused",
            "2:wrong usage",
            "3:something was not carried over; the report names it"
        },
        footerHeading = "Environment:%n",
        footer = {
            "  SOURCE_ACCESS_KEY, SOURCE_SECRET_KEY, SOURCE_SESSION_TOKEN  the keys at the source,"
                    + " without --from-server"
        })
public final class ImportCommand implements Callable<Integer> {
    /** Also names of early days, which the target refuses with words of its own. */
    private static final String BUCKET = "[A-Za-z0-9][A-Za-z0-9._-]{1,254}";

    @Spec private CommandSpec spec;

    @Mixin private ServerOptions server;

    @Mixin private SourceOptions source;

    @Option(
            names = "--from",
            paramLabel = "s3://BUCKET[/PREFIX]",
            description = "The bucket, and the prefix of the keys (default: all).")
    private Optional<String> from = Optional.empty();

    @Option(names = "--all", description = "Import all buckets.")
    private boolean all;

    @Option(
            names = "--into",
            paramLabel = "BUCKET",
            converter = S3Uri.BucketConverter.class,
            description = "The bucket to import into (default: the same name).")
    private Optional<String> bucket = Optional.empty();

    @Option(
            names = "--workers",
            paramLabel = "N",
            defaultValue = "16",
            description = "Keys at the same time (default: ${DEFAULT-VALUE}).")
    private int workers;

    @Option(
            names = "--minio-iam",
            paramLabel = "FILE",
            description =
                    "Import policies, users and groups from a file that mc admin cluster iam export"
                            + " has written. Users get new access keys, which are written to"
                            + " --new-keys.")
    private Optional<Path> iam = Optional.empty();

    @Option(
            names = "--new-keys",
            paramLabel = "FILE",
            defaultValue = "volute-new-keys.jsonl",
            description =
                    "With --minio-iam: write each old access key with its new one into this new"
                            + " file, which only its owner may read (default: ${DEFAULT-VALUE}).")
    private Path newKeys = Path.of("");

    @Option(
            names = "--report",
            paramLabel = "FILE",
            description =
                    "Write a line of JSON for each version, with its ids here and at the source,"
                            + " and for each thing that was not carried over.")
    private Optional<Path> file = Optional.empty();

    @Override
    public Integer call() throws InterruptedException {
        int kinds = (from.isPresent() ? 1 : 0) + (all ? 1 : 0) + (iam.isPresent() ? 1 : 0);
        if (kinds != 1 || bucket.isPresent() && from.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "write --from s3://BUCKET, with --into or not, --all, or --minio-iam FILE");
        }
        if (workers < 1) {
            throw new ParameterException(spec.commandLine(), "--workers is 1 or more");
        }
        return server.run(
                client -> {
                    if (file.isEmpty()) {
                        return run(client, new ImportReport(Optional.empty()));
                    }
                    try (Writer lines =
                            Files.newBufferedWriter(file.get(), StandardCharsets.UTF_8)) {
                        return run(client, new ImportReport(Optional.of(lines)));
                    }
                });
    }

    private int run(AdminClient client, ImportReport report)
            throws IOException, InterruptedException {
        try {
            if (iam.isPresent()) {
                identities(client, MinioIam.read(iam.get()), report);
            } else {
                buckets(report);
                server.done(report.document(), report.lines().toArray(String[]::new));
            }
        } catch (UncheckedIOException e) {
            List<String> soFar = iam.isPresent() ? report.problemLines() : report.lines();
            throw new IOException(
                    e.getMessage()
                            + ". The import stopped, and its results so far stay. Run it again with"
                            + " --report on a disk with space. Until then:"
                            + System.lineSeparator()
                            + String.join(System.lineSeparator(), soFar),
                    e);
        }
        return report.figures().problems() == 0 ? ServerOptions.OK : ServerOptions.FOUND_WRONG;
    }

    /** Imports identities. Says where the new keys are also if it fails. */
    private void identities(AdminClient client, MinioIam found, ImportReport report)
            throws IOException, InterruptedException {
        KeyPairs keys = new KeyPairs(newKeys);
        try (keys) {
            new IamImport(client, report, keys).run(found);
        } finally {
            List<String> lines = new ArrayList<>();
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("newKeys", keys.count());
            if (keys.count() > 0) {
                document.put("file", keys.path().toString());
                lines.add(
                        "old and new access keys, "
                                + AnswerFormat.count(keys.count(), "pair")
                                + ": "
                                + keys.path());
                lines.add("nothing else has the new secrets: keep the file, or hand them out");
            }
            lines.addAll(report.problemLines());
            document.put("examples", report.document().get("examples"));
            server.done(document, lines.toArray(String[]::new));
        }
    }

    private void buckets(ImportReport report) throws IOException, InterruptedException {
        try (S3Client other = source.client(spec);
                S3Client own = S3Client.of(server)) {
            for (BucketPair pair : pairs(other, report)) {
                new BucketImport(other, own, pair, report, server).run(workers);
            }
        }
    }

    private List<BucketPair> pairs(S3Client other, ImportReport report)
            throws IOException, InterruptedException {
        List<BucketPair> pairs = new ArrayList<>();
        if (all) {
            XmlTree list = other.xml(S3Request.of("GET", ""));
            for (XmlTree each : list.child("Buckets").map(XmlTree::children).orElse(List.of())) {
                String name = each.text("Name");
                if (name.matches(BUCKET)) {
                    pairs.add(pair(name, ""));
                } else {
                    report.problem(new Problem("", "", "", "no name of a bucket: " + name));
                }
            }
            return pairs;
        }
        String place = from.orElseThrow();
        String scheme = "s3://";
        int slash = place.indexOf('/', scheme.length());
        if (!place.startsWith(scheme)
                || place.length() == scheme.length()
                || slash == scheme.length()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--from is " + place + "; write s3://BUCKET or s3://BUCKET/PREFIX");
        }
        String name = place.substring(scheme.length(), slash < 0 ? place.length() : slash);
        return List.of(pair(name, slash < 0 ? "" : place.substring(slash + 1)));
    }

    private BucketPair pair(String name, String prefix) throws IOException {
        return new BucketPair(source.place(spec), name, prefix, bucket.orElse(name));
    }
}
