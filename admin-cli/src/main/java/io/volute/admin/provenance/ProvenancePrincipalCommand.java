package io.volute.admin.provenance;

import io.volute.admin.audit.PublicKeyFile;
import io.volute.admin.client.Confirmation;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.grammar.OldSpelling;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Facts;
import io.volute.adminapi.ProvenanceApi.PrincipalRequest;
import io.volute.adminapi.Routes;
import io.volute.adminapi.Words;
import io.volute.provenance.keys.PublicKey;
import io.volute.provenance.record.SignatureAlgorithm;
import java.nio.file.Path;
import java.util.Base64;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** Registers the public key with which a principal signs what it does, or ends it. */
@OldSpelling(value = "--principal ACCOUNT", now = "ACCOUNT")
@Example(
        value = "volute provenance principal ann --public-key ann.pub",
        does = "Register the key with which ann signs.")
@Example(value = "volute provenance principal ann --public-key ann.pub --end", does = "End it.")
@Command(
        name = "principal",
        mixinStandardHelpOptions = true,
        description = {
            "Registers a principal's own public key. Entries include the signatures made with it"
                    + " (x-volute-signature). With --end, it signs nothing any more.",
            "Make a key with: openssl genpkey -algorithm ed25519 -out me.pem; openssl pkey -in"
                    + " me.pem -pubout -out me.pub"
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:done",
            "1:the server cannot be reached or refused, or the file is no public key",
            "2:wrong usage"
        })
final class ProvenancePrincipalCommand implements Callable<Integer> {
    @ParentCommand private ProvenanceCommand provenance;

    @Parameters(paramLabel = "ACCOUNT", description = "The principal.")
    private String principal;

    @Option(
            names = "--public-key",
            paramLabel = "FILE",
            required = true,
            description = "The public key, PEM, of Ed25519 or ML-DSA-65.")
    private Path file;

    @Option(names = "--end", description = "It signs nothing any more.")
    private boolean isEnd;

    @Mixin private Confirmation confirmation;

    @Override
    public Integer call() throws InterruptedException {
        ServerOptions server = provenance.server();
        return server.run(
                client -> {
                    if (isEnd) {
                        confirmation.require(
                                () ->
                                        "What "
                                                + AnswerFormat.visible(principal)
                                                + " signs with the key of "
                                                + file
                                                + " is refused from now on. End the key?");
                    }
                    PublicKey key = PublicKeyFile.read(file, SignatureAlgorithm.SIGNING);
                    PrincipalRequest asked =
                            new PrincipalRequest(
                                    principal,
                                    Words.of(key.algorithm()),
                                    Base64.getEncoder().encodeToString(key.bytes().toArray()),
                                    isEnd);
                    ProvenanceKeysCommand.show(server, client.ask(Routes.PRINCIPALS, asked));
                    if (!server.isJson()) {
                        server.out().println(Facts.line("this key", key.id().keyId().hex()));
                        server.out().flush();
                    }
                    return ServerOptions.OK;
                });
    }
}
