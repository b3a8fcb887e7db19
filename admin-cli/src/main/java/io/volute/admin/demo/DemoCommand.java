package io.volute.admin.demo;

import io.volute.admin.client.Confirmation;
import io.volute.admin.client.S3Uri;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.grammar.OldSpelling;
import io.volute.admin.output.AnswerFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a bucket with a small history, and shows what to do with it. */
@OldSpelling(value = "--bucket BUCKET", now = "BUCKET")
@Example(value = "volute demo", does = "Make bucket volute-demo.")
@Example(value = "volute demo --remove", does = "Remove it again.")
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description = {
            "Makes a bucket with versions, a deletion and the damage of a stolen key.",
            "Prints five commands: look at the past, find the damage, undo it and audit it."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:made or removed", "1:the server cannot be reached or refused"})
public final class DemoCommand implements Callable<Integer> {
    @Mixin private ServerOptions server;

    @Parameters(
            arity = "0..1",
            paramLabel = "BUCKET",
            converter = S3Uri.BucketConverter.class,
            defaultValue = "volute-demo",
            description = "The bucket to make (default: ${DEFAULT-VALUE}).")
    private String bucket;

    @Option(names = "--remove", description = "Remove the bucket and its users again.")
    private boolean remove;

    @Mixin private Confirmation confirmation;

    @Override
    public Integer call() throws InterruptedException {
        return server.run(
                client -> {
                    DemoBucket demo = new DemoBucket(server, client, bucket);
                    if (remove) {
                        confirmation.require(
                                () ->
                                        "Bucket "
                                                + bucket
                                                + " goes with all its versions, and its users with"
                                                + " their keys. Remove them?");
                        demo.remove();
                        return server.done(
                                Map.of("bucket", bucket),
                                "removed bucket " + bucket + " and its users");
                    }
                    DemoBucket.Story story = demo.make();
                    List<DemoStep> steps = DemoStep.of(story, server);
                    return server.done(
                            Map.of("bucket", bucket, "steps", steps), lines(story, steps));
                });
    }

    private String[] lines(DemoBucket.Story story, List<DemoStep> steps) {
        String begin =
                "Bucket "
                        + bucket
                        + " has a history. User "
                        + story.owner()
                        + " wrote 4 objects, one of them three times, and deleted one. Since "
                        + story.before()
                        + " a thief with the stolen key "
                        + story.stolenKey()
                        + " of user "
                        + story.victim()
                        + " overwrote 2 objects, deleted 1 and added 1. Five things to try:";
        StringBuilder text = new StringBuilder(AnswerFormat.wrapped(begin)).append('\n');
        for (int i = 0; i < steps.size(); i++) {
            text.append('\n').append(i + 1).append(". ").append(steps.get(i).purpose());
            text.append(":\n   ").append(steps.get(i).command()).append('\n');
        }
        text.append('\n')
                .append(
                        AnswerFormat.wrapped(
                                "The aws command needs the root user's keys in AWS_ACCESS_KEY_ID"
                                        + " and AWS_SECRET_ACCESS_KEY."))
                .append("\nRemove all of it: ");
        text.append(server.command("demo", bucket, "--remove"));
        return new String[] {text.toString()};
    }
}
