package io.volute.admin.demo;

import io.volute.admin.client.ServerOptions;
import java.io.IOException;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/**
 * A command to try.
 *
 * @param command for a shell
 */
public record DemoStep(String purpose, String command) {
    private static final DateTimeFormatter ALIAS =
            DateTimeFormatter.ofPattern("uuuuMMdd't'HHmmss'z'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    static List<DemoStep> of(DemoBucket.Story story, ServerOptions server) throws IOException {
        String bucket = story.bucket();
        String since = story.before().toString();
        String past = "s3://" + bucket + "--at-" + ALIAS.format(story.before()) + "/report.txt";
        return List.of(
                new DemoStep(
                        "Read an object as it was before the theft, with any S3 client",
                        "aws --endpoint-url "
                                + server.address()
                                + " --region "
                                + server.signer().region()
                                + " s3 cp "
                                + past
                                + " -"),
                new DemoStep(
                        "See who wrote it, and all states that are kept",
                        server.command("history", "s3://" + bucket + "/report.txt")),
                new DemoStep(
                        "See the other actions of the stolen key",
                        server.command(
                                "activity", "--access-key", story.stolenKey(), "--since", since)),
                new DemoStep(
                        "Undo all of it",
                        server.command(
                                "restore",
                                bucket,
                                "--undo-access-key",
                                story.stolenKey(),
                                "--since",
                                since,
                                "--yes")),
                new DemoStep(
                        "Verify the signed history of the bucket, the undo included",
                        server.command("audit", bucket)));
    }
}
