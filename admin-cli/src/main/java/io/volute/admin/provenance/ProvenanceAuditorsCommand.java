package io.volute.admin.provenance;

import io.volute.admin.audit.PrivateKeyFile;
import io.volute.admin.audit.PublicKeyFile;
import io.volute.admin.client.Answer;
import io.volute.admin.client.Confirmation;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.grammar.OldSpelling;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Facts;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.adminapi.AuditApi.Auditor;
import io.volute.adminapi.AuditApi.AuditorRequest;
import io.volute.adminapi.AuditApi.Auditors;
import io.volute.adminapi.Routes;
import io.volute.provenance.keys.PublicKey;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.secrecy.AuditorKey;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** For whom what is secret in entries is encrypted. */
@Command(
        name = "auditors",
        mixinStandardHelpOptions = true,
        description = {
            "Shows, registers and ends auditors: they can read the fields that provenance.encrypt"
                    + " hides.",
            "An auditor makes a key pair (keygen), keeps the private key, and hands the public one"
                    + " to the administrator, who registers it (add)."
        },
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:done",
            "1:the server cannot be reached or refused, or a file cannot be used",
            "2:wrong usage"
        })
final class ProvenanceAuditorsCommand implements Callable<Integer> {
    private static final String OTHERWISE = ", unless a bucket has its own setting";

    @ParentCommand private ProvenanceCommand provenance;
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "Missing: list, add, remove or keygen");
    }

    @Example(value = "volute provenance auditors list", does = "List all auditors.")
    @Command(name = "list", description = "Shows all auditors, also those that have ended.")
    int list() throws InterruptedException {
        ServerOptions server = provenance.server();
        return server.run(client -> show(server, client.ask(Routes.AUDITORS)));
    }

    @OldSpelling(value = "--name NAME", now = "NAME")
    @Example(
            value = "volute provenance auditors add ann --public-key ann.key.pub",
            does = "Encrypt later entries for ann too.")
    @Command(
            name = "add",
            description = "Registers an auditor: later entries are encrypted for it too.")
    int add(
            @Parameters(paramLabel = "NAME", description = "Name of the auditor.") String name,
            @Option(
                            names = "--public-key",
                            paramLabel = "FILE",
                            required = true,
                            description = "The public key, X25519 in PEM.")
                    Path file)
            throws InterruptedException {
        ServerOptions server = provenance.server();
        return server.run(
                client -> {
                    PublicKey key = PublicKeyFile.read(file, List.of(SignatureAlgorithm.X25519));
                    String bytes = Base64.getEncoder().encodeToString(key.bytes().toArray());
                    AuditorRequest asked = new AuditorRequest(name, Optional.of(bytes), false);
                    return show(server, client.ask(Routes.SET_AUDITOR, asked));
                });
    }

    @OldSpelling(value = "--name NAME", now = "NAME")
    @Example(value = "volute provenance auditors remove ann", does = "End an auditor.")
    @Command(
            name = "remove",
            description = {
                "Ends an auditor: it can read nothing that is encrypted in later entries.",
                "Fields that were encrypted for it before stay readable for it."
            })
    int remove(
            @Parameters(paramLabel = "NAME", description = "Name of the auditor.") String name,
            @Mixin Confirmation confirmation)
            throws InterruptedException {
        ServerOptions server = provenance.server();
        AuditorRequest asked = new AuditorRequest(name, Optional.empty(), true);
        return server.run(
                client -> {
                    confirmation.require(
                            () ->
                                    "Auditor "
                                            + AnswerFormat.visible(name)
                                            + " cannot read data that is encrypted from now on, and"
                                            + " the key cannot be registered again. End it?");
                    return show(server, client.ask(Routes.SET_AUDITOR, asked));
                });
    }

    @Example(
            value = "volute provenance auditors keygen --output ann.key",
            does = "Make a key pair, on the auditor's machine.")
    @Command(
            name = "keygen",
            description = {
                "Makes a key pair, on the auditor's own machine, without a server.",
                "The private key (mode 0600) is never sent. Nothing that was encrypted for it can"
                        + " be read without it: keep a copy."
            })
    int keygen(
            @Option(
                            names = "--output",
                            paramLabel = "FILE",
                            required = true,
                            description = "Gets the private key; FILE.pub gets the public one.")
                    Path output) {
        ServerOptions server = provenance.server();
        return server.alone(
                () -> {
                    AuditorKey key = AuditorKey.generate(new SecureRandom());
                    PublicKey open = new PublicKey(SignatureAlgorithm.X25519, key.publicKey());
                    PrivateKeyFile.ofAuditor(output).create(key.secret());
                    return PublicKeyFile.createBeside(output, open, server);
                });
    }

    private static int show(ServerOptions server, Answer<Auditors> answer) {
        if (server.isJson()) {
            server.print(answer);
            return ServerOptions.OK;
        }
        Auditors auditors = answer.value();
        Table<Auditor> table =
                new Table<>(
                        Auditor.class,
                        new Column<>("NAME", Auditor::name),
                        new Column<>("KEY ID", Auditor::keyId),
                        Column.number("FROM COMMIT", each -> each.validFrom()),
                        Column.once(
                                new Column<>(
                                        "UNTIL", each -> AnswerFormat.text(each.validUntil()))));
        table.print(auditors.auditors(), server.tables());
        if (table.isEmpty()) {
            server.out().println("no auditors");
        }
        new Facts()
                .with("encrypted", AnswerFormat.words(auditors.encrypted()) + OTHERWISE)
                .with("committed", AnswerFormat.words(auditors.committed()) + OTHERWISE)
                .with("needed", needed(auditors.needed(), auditors.enough()))
                .print(server.tables());
        return ServerOptions.OK;
    }

    /** Returns the number of auditors that must read together. */
    static String needed(long needed, boolean isEnough) {
        return needed
                + (isEnough
                        ? ""
                        : ", more than there are: entries omit the fields that are to be"
                                + " encrypted");
    }
}
