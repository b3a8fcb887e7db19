package io.volute.admin.operate;

import io.volute.admin.client.Answer;
import io.volute.admin.client.S3Uri;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.client.WaitOption;
import io.volute.admin.grammar.OldSpelling;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.adminapi.CubesApi.BucketPart;
import io.volute.adminapi.CubesApi.BucketParts;
import io.volute.adminapi.CubesApi.MergeRequest;
import io.volute.adminapi.CubesApi.Move;
import io.volute.adminapi.CubesApi.PartsRequest;
import io.volute.adminapi.CubesApi.SplitRequest;
import io.volute.adminapi.Routes;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
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
                "Creates buckets in a cube, and divides them over cubes; everything else does any"
                        + " client of S3.",
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:done",
            "1:the server cannot be reached or refused",
            "2:wrong usage",
            "3:the move stopped (split --wait, merge --wait)"
        })
public final class BucketCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    /** The sub-commands' as well. */
    @Mixin private ServerOptions server;

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
            @Option(names = "--object-lock", description = "With Object Lock, so versioned.")
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

    @OldSpelling(value = "BUCKET --at KEY", now = "s3://BUCKET/KEY")
    @Command(
            name = "split",
            mixinStandardHelpOptions = true,
            description = {
                "Moves the keys from one on to another cube, up to the end of the part that has the"
                        + " key. Clients use the bucket meanwhile.",
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
        return server.run(
                client ->
                        BucketMoves.end(
                                server,
                                client,
                                client.ask(
                                        Routes.SPLIT_BUCKET,
                                        new SplitRequest(first.bucket(), first.key(), cube)),
                                wait.isAwaited(false),
                                "bucket "
                                        + first.bucket()
                                        + " is being split: keys from "
                                        + AnswerFormat.visible(first.key())
                                        + " on move to cube "
                                        + cube));
    }

    @OldSpelling(value = "BUCKET --at KEY", now = "s3://BUCKET/KEY")
    @Command(
            name = "merge",
            mixinStandardHelpOptions = true,
            description = {
                "Moves a part back to the cube of the keys before it. Clients use the bucket"
                        + " meanwhile.",
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
                            wait.isAwaited(false),
                            "bucket "
                                    + first.bucket()
                                    + " is being merged: keys from "
                                    + AnswerFormat.visible(first.key())
                                    + " on move to cube "
                                    + answer.value().to());
                });
    }

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
