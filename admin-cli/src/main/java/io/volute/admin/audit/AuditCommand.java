package io.volute.admin.audit;

import io.volute.admin.audit.AuditResult.Compared;
import io.volute.admin.client.AdminClient;
import io.volute.admin.client.Answer;
import io.volute.admin.client.EachCube;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.client.WaitOption;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Progress;
import io.volute.adminapi.AuditApi.Audit;
import io.volute.adminapi.AuditApi.AuditChoice;
import io.volute.adminapi.AuditApi.AuditRequest;
import io.volute.adminapi.AuditApi.Finding;
import io.volute.adminapi.AuditApi.Found;
import io.volute.adminapi.AuditApi.NotCompared;
import io.volute.adminapi.AuditApi.UnsignedPeriod;
import io.volute.adminapi.Routes;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Verifies the signed history of keys: by the server, or of an export without one. */
@Example(value = "volute audit photos", does = "Verify the signed history of a bucket.")
@Example(value = "volute audit --all --contents", does = "Verify everything, the content included.")
@Example(
        value = "volute audit photos --export photos.vex --keys keys --root-key ID",
        does = "Verify an export, without the server.")
@Command(
        name = "audit",
        mixinStandardHelpOptions = true,
        description = {
            "Verifies the signed history of keys. Reports each failed check and its entry.",
            "The server does it, or with --export this command itself, from files alone. An audit"
                    + " by the server goes on when this command is ended."
        },
        footerHeading = "Audit without the server (docs/guide/audit.md):%n",
        footer = {
            "  volute provenance checkpoint --output kept",
            "  volute provenance export --all --output export",
            "  volute audit --export export --all --complete --keys kept/keys --root-key ID"
                    + " --checkpoint kept/checkpoint-N --heads kept/heads-N"
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:everything in the scope of the audit was proved",
            "1:it could not be audited, or not to the end; nothing was there",
            "2:wrong usage",
            "3:something is wrong",
            "5:nothing is wrong, but something was not compared: the last line names it"
        })
public final class AuditCommand implements Callable<Integer> {

    @Spec private CommandSpec spec;
    @Mixin private ServerOptions server;
    @Mixin private ChainRange range;
    @Mixin private AuditOptions options;
    @Mixin private ExportOptions files;
    @Mixin private ReaderOptions reading;

    @Option(
            names = "--contents",
            description = {
                "Read, hash and compare the content of the keys, old versions included.",
                "Their state (versions, metadata, tags, locks) is always compared with the chains,"
                        + " unless only a dimension, a kind, or changes since a checkpoint are"
                        + " audited."
            })
    private boolean isOfContents;

    @Option(names = "--cancel", description = "End the audit that the server is making.")
    private boolean isCancelled;

    @Option(
            names = "--status",
            description =
                    "Show the progress of the audit by the server, or the findings of the last"
                            + " one.")
    private boolean isStatus;

    @Mixin private WaitOption wait;

    @Override
    public Integer call() throws InterruptedException {
        if (isCancelled || isStatus) {
            AuditChoice chosen = new AuditChoice(range.cube(), range.bucket());
            return server.run(
                    client ->
                            state(
                                    client.ask(
                                            isCancelled ? Routes.CANCEL_AUDIT : Routes.AUDIT,
                                            chosen)));
        }
        range.check();
        options.check();
        files.check(range, options);
        if (reading.isGiven() && !files.isGiven()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--auditor-key and --shares go with --export: servers get no private keys");
        }
        if (!files.isGiven() && !wait.isAwaited(true)) {
            AuditRequest asked = options.asked(range, range.cube(), isOfContents);
            return server.run(
                    client ->
                            server.done(
                                    client.ask(Routes.START_AUDIT, asked),
                                    "an audit has begun",
                                    work().advice()));
        }
        if (!files.isGiven()) {
            return server.run(client -> end(online(client)));
        }
        if (isOfContents) {
            throw new ParameterException(
                    spec.commandLine(), "An export has no contents: leave out --contents");
        }
        return server.alone(() -> offline());
    }

    /** Shows the latest audit by the server, whatever it found. */
    private int state(Answer<Audit> audit) {
        if (server.isJson()) {
            server.print(audit);
        } else if (audit.value().found() == null) {
            server.out().println("there was no audit since the server was started");
            server.out().flush();
        } else {
            show(AuditResult.of(audit.value()));
        }
        return ServerOptions.OK;
    }

    private WaitOption.Work work() {
        return new WaitOption.Work(command("--status"), Optional.of(command("--cancel")));
    }

    private String command(String option) {
        List<String> words = new ArrayList<>(List.of("audit", option));
        range.bucket().ifPresent(words::add);
        range.cube().ifPresent(cube -> words.addAll(List.of("--cube", cube)));
        return server.command(words.toArray(String[]::new));
    }

    private AuditResult online(AdminClient client) throws IOException, InterruptedException {
        Optional<WitnessedCheckpoint> witnessed = WitnessedCheckpoint.of(files);
        AuditResult audit =
                AuditResult.joined(
                        EachCube.ask(
                                client,
                                each -> {
                                    requireNoCheckpoint(each);
                                    return one(
                                            client,
                                            options.asked(
                                                    range,
                                                    range.cube().or(() -> each),
                                                    isOfContents));
                                }));
        return witnessed.isPresent()
                ? witnessed.get().compared(client, range.cube(), audit)
                : audit;
    }

    /** Each cube has checkpoints of its own. */
    private void requireNoCheckpoint(Optional<String> each) throws IOException {
        if (each.isPresent() && options.since().isPresent()) {
            throw new IOException(
                    "--since-checkpoint with --all needs --cube: each cube has its own"
                            + " checkpoints");
        }
    }

    private AuditResult one(AdminClient client, AuditRequest asked)
            throws IOException, InterruptedException {
        AuditChoice same = new AuditChoice(asked.cube(), asked.bucket());
        return AuditResult.of(follow(client, same, client.ask(Routes.START_AUDIT, asked).value()));
    }

    private Audit follow(AdminClient client, AuditChoice same, Audit begun)
            throws IOException, InterruptedException {
        Progress progress = server.progress("auditing");
        Audit last =
                wait.await(
                        work(),
                        begun,
                        audit -> audit.run().isRunning(),
                        () -> {
                            Audit now = client.ask(Routes.AUDIT, same).value();
                            requireSame(begun, now);
                            show(progress, now.found());
                            return now;
                        });
        progress.end();
        return last;
    }

    /** The number counts since the start of a node, which can be another one by now. */
    private static void requireSame(Audit begun, Audit now) throws IOException {
        if (!now.run().id().equals(begun.run().id())
                || !now.run().started().equals(begun.run().started())) {
            throw new IOException(
                    "the server forgot the audit: it was started again, or another node has"
                            + " the cube now. Begin it again");
        }
    }

    private static void show(Progress progress, Found found) {
        progress.at(
                found.chains(),
                found.chainsTotal(),
                "chain",
                AnswerFormat.count(found.total(), "finding"));
    }

    private int offline() throws IOException {
        Progress progress = server.progress("auditing");
        AuditResult result = new OfflineAudit(files, range, options, reading).run(progress);
        progress.end();
        return end(result);
    }

    private static String figures(Found found) {
        return AnswerFormat.count(found.chains(), "chain")
                + ", "
                + found.verified()
                + " of "
                + AnswerFormat.count(found.entries(), "entry")
                + " verified, "
                + (found.removed() == 0 ? "" : found.removed() + " removed, ")
                + hidden(found)
                + AnswerFormat.count(found.total(), "finding");
    }

    /** Returns a summary of the verified content that remains hidden, or an empty text. */
    private static String hidden(Found found) {
        long encrypted = found.encryptedFields();
        long read = found.readFields();
        long withheld = found.withheldFields();
        return (encrypted == 0 ? "" : AnswerFormat.count(encrypted, "field") + " encrypted, ")
                + (read == 0 ? "" : read + " of them read, ")
                + (withheld == 0 ? "" : AnswerFormat.count(withheld, "field") + " withheld, ");
    }

    private void show(AuditResult audit) {
        if (server.isJson()) {
            server.print(audit);
            return;
        }
        PrintWriter out = server.out();
        Found found = audit.found();
        found.findings().forEach(each -> out.println(line(each)));
        if (found.moreFindings() > 0) {
            out.println("and " + found.moreFindings() + " more findings");
        }
        audit.checkpoint().ifPresent(checkpoint -> out.println(checkpoint(checkpoint)));
        found.unsignedPeriods().forEach(each -> out.println(unsigned(each)));
        if (found.unopenedVersions() > 0) {
            out.println(
                    AnswerFormat.count(found.unopenedVersions(), "encrypted version")
                            + " cannot be opened; signed shreds explain "
                            + found.shreddedVersions());
        }
        out.println("applied rules of settings and checkpoints: " + applied(found.rules()));
        out.println(audit.run().state() + ": " + figures(found));
        out.flush();
    }

    private static String line(Finding finding) {
        long witnesses = finding.contradictedBy();
        return AnswerFormat.visible(
                finding.chain()
                        + " entry "
                        + finding.sequence()
                        + ": "
                        + finding.promise()
                        + " broken, "
                        + finding.text()
                        + ": "
                        + finding.detail()
                        + (witnesses == 0 ? "" : "; " + witnesses + " later entries do not fit"));
    }

    private static String applied(List<String> rules) {
        return rules.isEmpty() ? "none" : AnswerFormat.visible(String.join(", ", rules));
    }

    private static String unsigned(UnsignedPeriod period) {
        String from = "signatures were off from " + period.from();
        return period.until()
                .map(until -> from + " to " + until + ": no change of then has an entry")
                .orElse(from + " on");
    }

    private static String checkpoint(Compared checkpoint) {
        return "compared with checkpoint "
                + checkpoint.number()
                + " of "
                + checkpoint.time()
                + ", "
                + AnswerFormat.count(checkpoint.heads(), "chain")
                + ", co-signed by "
                + (checkpoint.witnesses().isEmpty()
                        ? "nobody"
                        : AnswerFormat.visible(checkpoint.witnesses().toString()));
    }

    private int end(AuditResult audit) throws IOException {
        show(audit);
        if (audit.found().total() > 0) {
            return ServerOptions.FOUND_WRONG;
        }
        if (!audit.run().isFinished()) {
            throw new IOException(
                    "the audit did not finish: " + audit.run().failure().orElse("it was ended"));
        }
        if (audit.found().chains() == 0 && options.since().isEmpty()) {
            if (!range.isAll() || files.isGiven()) {
                throw new IOException("nothing was audited: there is no such chain");
            }
            if (!server.isJson()) {
                server.out().println("no key has a signed entry yet");
            }
        }
        List<NotCompared> gaps = audit.found().notCompared();
        if (gaps.isEmpty()) {
            return ServerOptions.OK;
        }
        if (!server.isJson()) {
            server.out().println("not compared: " + notCompared(gaps));
        }
        return ServerOptions.NOT_COMPARED;
    }

    private static String notCompared(List<NotCompared> gaps) {
        return AnswerFormat.visible(
                gaps.stream()
                        .map(each -> each.count() + " " + each.text())
                        .collect(Collectors.joining("; ")));
    }
}
