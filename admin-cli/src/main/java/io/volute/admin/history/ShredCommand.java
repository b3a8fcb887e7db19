package io.volute.admin.history;

import io.volute.admin.client.Answer;
import io.volute.admin.client.Confirmation;
import io.volute.admin.client.S3Uri;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.AnswerFormat;
import io.volute.adminapi.EncryptionApi.ShredRequest;
import io.volute.adminapi.EncryptionApi.Shredded;
import io.volute.adminapi.Routes;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Destroys the data keys of all states of a key. */
@Example(
        value = "volute shred s3://hr-files/ann.pdf",
        does = "Destroy the content of a key in all its states.")
@Command(
        name = "shred",
        mixinStandardHelpOptions = true,
        description = {
            "Destroys the data keys of all states of a key. Their content can never be read again,"
                    + " not even with the server's files and master key.",
            "The states stay listed, and the signed history records the caller and the time. All"
                    + " states must be encrypted, and none may be locked."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:shredded",
            "1:the server cannot be reached or refused, or the confirmation is missing",
            "2:wrong usage"
        })
public final class ShredCommand implements Callable<Integer> {
    @Mixin private ServerOptions server;

    @Parameters(
            paramLabel = "s3://BUCKET/KEY",
            converter = S3Uri.Converter.class,
            description = "The key.")
    private S3Uri key = new S3Uri("", "");

    @Mixin private Confirmation confirmation;

    @Override
    public Integer call() throws InterruptedException {
        return server.run(
                client -> {
                    confirmation.require(
                            () ->
                                    "All states of "
                                            + AnswerFormat.visible(key.toString())
                                            + " become unreadable, for good. Shred them?");
                    Answer<Shredded> answer =
                            client.ask(Routes.SHRED, new ShredRequest(key.bucket(), key.key()));
                    return server.done(
                            answer,
                            AnswerFormat.count(answer.value().shreddedStates(), "state")
                                    + " shredded");
                });
    }
}
