package io.volute.admin.operate;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.Answer;
import io.volute.admin.client.S3Uri;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.client.WaitOption;
import io.volute.admin.grammar.Example;
import io.volute.admin.grammar.OldSpelling;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Progress;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.adminapi.CubesApi.Bucket;
import io.volute.adminapi.CubesApi.BucketPart;
import io.volute.adminapi.CubesApi.BucketParts;
import io.volute.adminapi.CubesApi.Buckets;
import io.volute.adminapi.CubesApi.BucketsRequest;
import io.volute.adminapi.CubesApi.MergeRequest;
import io.volute.adminapi.CubesApi.Move;
import io.volute.adminapi.CubesApi.PartsRequest;
import io.volute.adminapi.CubesApi.Size;
import io.volute.adminapi.CubesApi.SplitRequest;
import io.volute.adminapi.Routes;
import io.volute.adminapi.Words;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Buckets, as far as clients of S3 cannot do it. */
@Command(
        name = "bucket",
        mixinStandardHelpOptions = true,
        description =
                "Lists buckets with their sizes, creates them in a cube, and divides them over"
                        + " cubes; everything else does any client of S3.",
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:done",
            "1:the server cannot be reached or refused",
            "2:wrong usage",
            "3:the move stopped (split --wait, merge --wait)"
        })
public final class BucketCommand implements Callable<Integer> {
    private static final long PAGE = 100;

    /** Words for the state of versioning, for terminals. */
    private static final Map<String, String> BRIEF =
            Map.of("unversioned", "-", "enabled", "on", "suspended", "off");

    @Spec private CommandSpec spec;

    /** The sub-commands' as well. */
    @Mixin private ServerOptions server;

    @Example(
            value = "volute bucket create photos --cube hot",
            does = "Create a bucket in cube hot.")
    @Example(
            value = "volute bucket create records --object-lock",
            does = "Create one with Object Lock.")
    @Command(name = "create", mixinStandardHelpOptions = true, description = "Creates a bucket.")
    Integer create(
            @Parameters(
                            paramLabel = "BUCKET",
                            converter = S3Uri.BucketConverter.class,
                            description = "Its name.")
                    String bucket,
            @Option(
                            names = "--cube",
                            paramLabel = "CUBE",
                            description =
                                    "Its cube (volute cube list). Without it cubes.placement"
                                            + " decides.")
                    Optional<String> cube,
            @Option(
                            names = "--object-lock",
                            description = "Create it with Object Lock, so versioned.")
                    boolean isLocking)
            throws InterruptedException {
        Map<String, String> headers = new TreeMap<>();
        cube.ifPresent(name -> headers.put("x-volute-cube", name));
        if (isLocking) {
            headers.put("x-amz-bucket-object-lock-enabled", "true");
        }
        return server.run(
                client -> {
                    client.createBucket(bucket, headers);
                    return server.done(Map.of("bucket", bucket), "created bucket " + bucket);
                });
    }

    /** The orders in which buckets are listed. */
    enum Order {
        NAME,
        SIZE;

        /** Returns whether a bucket of unknown size comes last. */
        Comparator<Bucket> comparator() {
            return this == NAME
                    ? Comparator.comparing(Bucket::bucket)
                    : Comparator.comparingLong(BucketCommand::bytes)
                            .reversed()
                            .thenComparing(Bucket::bucket);
        }
    }

    @Example(value = "volute bucket list", does = "List the buckets with their sizes.")
    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = {
                "Lists the buckets of all cubes and nodes, with their sizes in bytes of content.",
                "VERSIONS are the bytes of noncurrent versions, HISTORY the bytes of states that"
                        + " S3 clients cannot see. The server reads the index rows of every"
                        + " version."
            })
    Integer list(
            @Option(
                            names = "--sort",
                            paramLabel = "ORDER",
                            defaultValue = "name",
                            description =
                                    "name, or size: the largest first, with versions and history"
                                            + " (default: ${DEFAULT-VALUE}).")
                    String sort)
            throws InterruptedException {
        Order order =
                Stream.of(Order.values())
                        .filter(each -> Words.of(each).equals(sort))
                        .findFirst()
                        .orElseThrow(
                                () ->
                                        new ParameterException(
                                                spec.commandLine(),
                                                "--sort is " + sort + "; write name or size"));
        return server.run(
                client -> {
                    List<Bucket> all = all(client);
                    all.sort(order.comparator());
                    if (server.isJson()) {
                        server.print(Map.of("buckets", all));
                    } else {
                        show(all);
                    }
                    return ServerOptions.OK;
                });
    }

    private List<Bucket> all(AdminClient client) throws IOException, InterruptedException {
        Progress progress = server.progress("measuring");
        List<Bucket> all = new ArrayList<>();
        Optional<String> from = Optional.empty();
        do {
            Buckets page =
                    client.ask(Routes.LIST_BUCKETS, new BucketsRequest(OptionalLong.of(PAGE), from))
                            .value();
            all.addAll(page.buckets());
            from = page.next();
            progress.at(all.size(), 0, "bucket", "");
        } while (from.isPresent());
        progress.end();
        return all;
    }

    private static long bytes(Bucket bucket) {
        return bucket.size()
                .map(size -> size.bytes() + size.versionBytes() + size.stateBytes())
                .orElse(-1L);
    }

    private void show(List<Bucket> all) {
        Table<Bucket> table =
                new Table<>(
                        Bucket.class,
                        new Column<>("BUCKET", Bucket::bucket),
                        figure("OBJECTS", size -> Long.toString(size.objects())),
                        figure("SIZE", size -> AnswerFormat.bytes(size.bytes())),
                        figure("VERSIONS", size -> AnswerFormat.bytes(size.versionBytes())),
                        figure("HISTORY", size -> AnswerFormat.bytes(size.stateBytes())),
                        Column.once(
                                new Column<>(
                                        "VERSIONING",
                                        Bucket::versioning,
                                        bucket ->
                                                BRIEF.getOrDefault(
                                                        bucket.versioning(), bucket.versioning()))),
                        Column.once(
                                new Column<>("CUBE", bucket -> String.join(",", bucket.cubes()))),
                        Column.once(new Column<>("OWNER", Bucket::owner)),
                        Column.fullOnly(Column.time("CREATED", Bucket::created)),
                        Column.fullOnly(
                                new Column<>("WHY", bucket -> AnswerFormat.text(bucket.why()))));
        table.print(all, server.tables());
        server.out()
                .println(
                        AnswerFormat.count(all.size(), "bucket")
                                + ", "
                                + AnswerFormat.bytes(
                                        all.stream()
                                                .mapToLong(each -> Math.max(0, bytes(each)))
                                                .sum())
                                + " in all");
        server.out().flush();
    }

    private static Column<Bucket> figure(String title, Function<Size, String> figure) {
        return Column.whole(
                new Column<>(title, bucket -> bucket.size().map(figure).orElse("unknown")));
    }

    @OldSpelling(value = "BUCKET --at KEY", now = "s3://BUCKET/KEY")
    @Example(
            value = "volute bucket split s3://holiday/2026/ --to hot",
            does = "Move the keys from 2026/ on to cube hot.")
    @Command(
            name = "split",
            mixinStandardHelpOptions = true,
            description = {
                "Moves the keys from one on to another cube, up to the end of the part that has"
                        + " the key. Clients can use the bucket during the split.",
                "The split goes on in the server: volute cube moves shows how far it is, and --wait"
                        + " waits for its end. Repeat the"
                        + " command to resume one that stopped; volute bucket merge at the same key"
                        + " gives it up."
            })
    Integer split(
            @Parameters(
                            paramLabel = "s3://BUCKET/KEY",
                            converter = S3Uri.Converter.class,
                            description = "The bucket, and the first key that moves.")
                    S3Uri first,
            @Option(
                            names = "--to",
                            paramLabel = "CUBE",
                            required = true,
                            description = "A cube without keys of the bucket.")
                    String cube,
            @Mixin WaitOption wait)
            throws InterruptedException {
        SplitRequest asked = new SplitRequest(first.bucket(), first.key(), cube);
        return server.run(
                client ->
                        BucketMoves.end(
                                server,
                                client,
                                client.ask(Routes.SPLIT_BUCKET, asked),
                                wait,
                                "bucket "
                                        + first.bucket()
                                        + " is being split: keys from "
                                        + AnswerFormat.visible(first.key())
                                        + " on move to cube "
                                        + cube,
                                server.command("bucket", "merge", first.toString())));
    }

    @OldSpelling(value = "BUCKET --at KEY", now = "s3://BUCKET/KEY")
    @Example(
            value = "volute bucket merge s3://holiday/2026/",
            does = "Bring the part from 2026/ on back.")
    @Command(
            name = "merge",
            mixinStandardHelpOptions = true,
            description = {
                "Moves a part back to the cube of the keys before it. Clients can use the bucket"
                        + " during the merge.",
                "The merge goes on in the server: volute cube moves shows how far it is, and --wait"
                        + " waits for its end. Repeat the"
                        + " command to resume one that stopped; volute bucket split at the same key"
                        + " to the cube of the part gives it up."
            })
    Integer merge(
            @Parameters(
                            paramLabel = "s3://BUCKET/KEY",
                            converter = S3Uri.Converter.class,
                            description =
                                    "The bucket, and the first key of the part (volute bucket"
                                            + " parts).")
                    S3Uri first,
            @Mixin WaitOption wait)
            throws InterruptedException {
        return server.run(
                client -> {
                    Answer<Move> answer =
                            client.ask(
                                    Routes.MERGE_BUCKET,
                                    new MergeRequest(first.bucket(), first.key()));
                    return BucketMoves.end(
                            server,
                            client,
                            answer,
                            wait,
                            "bucket "
                                    + first.bucket()
                                    + " is being merged: keys from "
                                    + AnswerFormat.visible(first.key())
                                    + " on move to cube "
                                    + answer.value().to(),
                            server.command(
                                    "bucket",
                                    "split",
                                    first.toString(),
                                    "--to",
                                    answer.value().from()));
                });
    }

    @Example(
            value = "volute bucket parts holiday",
            does = "List the parts of a bucket and their cubes.")
    @Command(
            name = "parts",
            mixinStandardHelpOptions = true,
            description = "Lists the parts of a bucket with their cubes, in the order of the keys.")
    Integer parts(
            @Parameters(
                            paramLabel = "BUCKET",
                            converter = S3Uri.BucketConverter.class,
                            description = "Its name.")
                    String bucket)
            throws InterruptedException {
        return server.run(
                client -> {
                    Answer<BucketParts> answer =
                            client.ask(Routes.BUCKET_PARTS, new PartsRequest(bucket));
                    if (server.isJson()) {
                        server.print(answer);
                    } else {
                        new Table<>(
                                        BucketPart.class,
                                        new Column<>("CUBE", BucketPart::cube),
                                        new Column<>(
                                                "FIRST KEY",
                                                part ->
                                                        part.first()
                                                                .map(AnswerFormat::visible)
                                                                .orElse("")))
                                .print(answer.value().parts(), server.tables());
                        server.out().flush();
                    }
                    return ServerOptions.OK;
                });
    }

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "Missing: a command");
    }
}
