package io.volute.admin.operate;

import io.volute.admin.client.ServerOptions;
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
        description = "Creates buckets in a cube; everything else does any client of S3.",
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:done", "1:the server cannot be reached or refused", "2:wrong usage"})
public final class BucketCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    /** The sub-commands' as well. */
    @Mixin private ServerOptions server;

    @Command(name = "create", mixinStandardHelpOptions = true, description = "Creates a bucket.")
    Integer create(
            @Parameters(paramLabel = "BUCKET", description = "Its name.") String bucket,
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

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "Missing: a command");
    }
}
