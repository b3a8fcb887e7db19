package io.volute.admin.audit;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Progress;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Verifies the signed history of keys: by the server, or of an export without one. */
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
            "0:verified, nothing is wrong",
            "1:it could not be audited, or not to the end; nothing was there",
            "2:wrong usage",
            "3:something is wrong"
        })
public final class AuditCommand implements Callable<Integer> {
    private static final String PATH = "/_volute/v1/provenance/audit";
    private static final Duration OFFLINE_SHOWN_EVERY = Duration.ofSeconds(10);

    @Spec private CommandSpec spec;
    @Mixin private ServerOptions server;
    @Mixin private ChainRange range;
    @Mixin private AuditOptions options;
    @Mixin private ExportOptions files;
    @Mixin private ReaderOptions reading;

    @Option(
            names = "--contents",
            description = {
                "Read, hash and compare what the keys hold, old versions included.",
                "With --all, compare their state with the chains as well: versions, metadata, tags,"
                        + " locks; of a key, prefix or bucket that is always done."
            })
    private boolean isOfContents;

    @Option(names = "--cancel", description = "End the audit that the server is making.")
    private boolean isCancelled;

    @Override
    public Integer call() throws InterruptedException {
        if (isCancelled) {
            return server.run(
                    client -> {
                        show(client.post(PATH + "/cancel", Map.of()));
                        return ServerOptions.OK;
                    });
        }
        range.check();
        options.check();
        files.check(range, options);
        if (reading.isGiven() && !files.isGiven()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--auditor-key and --shares go with --export: servers get no private keys");
        }
        if (!files.isGiven()) {
            return server.run(client -> end(online(client)));
        }
        if (isOfContents) {
            throw new ParameterException(
                    spec.commandLine(), "An export has no contents: leave out --contents");
        }
        return server.alone(
                () -> end(new OfflineAudit(files, range, options, reading).run(progress())));
    }

    private Map<String, Object> online(AdminClient client)
            throws IOException, InterruptedException {
        Optional<WitnessedCheckpoint> witnessed = WitnessedCheckpoint.of(files);
        Map<String, Object> audit = follow(client, client.post(PATH, asked()));
        return witnessed.isPresent() ? witnessed.get().compared(client, audit) : audit;
    }

    private Map<String, Object> asked() {
        Map<String, Object> asked = new LinkedHashMap<>(range.asked());
        asked.putAll(options.asked());
        if (isOfContents) {
            asked.put("contents", true);
        }
        return asked;
    }

    private Map<String, Object> follow(AdminClient client, Map<String, Object> begun)
            throws IOException, InterruptedException {
        Map<String, Object> audit = begun;
        Progress progress = server.progress("auditing", false);
        while ("running".equals(audit.get("state"))) {
            server.context().pause().pass();
            audit = client.get(PATH);
            if (AnswerFormat.number(audit, "id") != AnswerFormat.number(begun, "id")) {
                throw new IOException("the server forgot the audit");
            }
            progress.at(0, 0, figures(audit));
        }
        progress.end();
        return audit;
    }

    private LongConsumer progress() {
        InstantSource clock = server.context().clock();
        Instant[] next = {clock.instant().plus(OFFLINE_SHOWN_EVERY)};
        return chains -> {
            if (!server.isJson() && clock.instant().isAfter(next[0])) {
                next[0] = clock.instant().plus(OFFLINE_SHOWN_EVERY);
                server.out().println("auditing: " + chains + " chains");
                server.out().flush();
            }
        };
    }

    private static long found(Map<String, Object> audit) {
        return AnswerFormat.maps(audit, "findings").size()
                + AnswerFormat.number(audit, "moreFindings");
    }

    private static String figures(Map<String, Object> audit) {
        long removed = AnswerFormat.number(audit, "removed");
        return AnswerFormat.number(audit, "chains")
                + " chains, "
                + AnswerFormat.number(audit, "verified")
                + " of "
                + AnswerFormat.number(audit, "entries")
                + " entries verified, "
                + (removed == 0 ? "" : removed + " removed, ")
                + hidden(audit)
                + unproven(audit)
                + found(audit)
                + " findings";
    }

    private static String unproven(Map<String, Object> audit) {
        long versions = AnswerFormat.number(audit, "unprovenVersions");
        return versions == 0 ? "" : versions + " versions from times without signatures, ";
    }

    /** Returns a summary of the verified content that remains hidden, or an empty text. */
    private static String hidden(Map<String, Object> audit) {
        long encrypted = AnswerFormat.number(audit, "encryptedFields");
        long read = AnswerFormat.number(audit, "readFields");
        long withheld = AnswerFormat.number(audit, "withheldFields");
        long sources = AnswerFormat.number(audit, "unverifiedSources");
        return (sources == 0 ? "" : sources + " sources not compared, ")
                + (encrypted == 0 ? "" : encrypted + " fields encrypted, ")
                + (read == 0 ? "" : read + " of them read, ")
                + (withheld == 0 ? "" : withheld + " fields withheld, ");
    }

    private void show(Map<String, Object> audit) {
        if (server.isJson()) {
            server.print(audit);
            return;
        }
        PrintWriter out = server.out();
        AnswerFormat.maps(audit, "findings").forEach(each -> out.println(line(each)));
        long more = AnswerFormat.number(audit, "moreFindings");
        if (more > 0) {
            out.println("and " + more + " more findings");
        }
        Map<String, Object> checkpoint = AnswerFormat.map(audit, "checkpoint");
        if (!checkpoint.isEmpty()) {
            out.println(checkpoint(checkpoint));
        }
        AnswerFormat.maps(audit, "unsignedPeriods").forEach(each -> out.println(unsigned(each)));
        if (audit.get("rules") instanceof List<?> rules) {
            out.println("rules that need settings or a checkpoint: " + applied(rules));
        }
        out.println(AnswerFormat.text(audit, "state") + ": " + figures(audit));
        out.flush();
    }

    private static String line(Map<String, Object> finding) {
        long witnesses = AnswerFormat.number(finding, "contradictedBy");
        return AnswerFormat.visible(
                AnswerFormat.text(finding, "chain")
                        + " entry "
                        + AnswerFormat.text(finding, "sequence")
                        + ": "
                        + AnswerFormat.text(finding, "promise")
                        + " broken, "
                        + AnswerFormat.text(finding, "text")
                        + ": "
                        + AnswerFormat.text(finding, "detail")
                        + (witnesses == 0 ? "" : "; " + witnesses + " later entries do not fit"));
    }

    private static String applied(List<?> rules) {
        return rules.isEmpty()
                ? "none applied"
                : AnswerFormat.visible(
                        rules.stream().map(Object::toString).collect(Collectors.joining(", ")));
    }

    private static String unsigned(Map<String, Object> period) {
        String from = "signatures were off from " + AnswerFormat.text(period, "from");
        return period.containsKey("until")
                ? from
                        + " to "
                        + AnswerFormat.text(period, "until")
                        + ": no change of then has an entry"
                : from + " on";
    }

    private static String checkpoint(Map<String, Object> checkpoint) {
        Object witnesses = checkpoint.getOrDefault("witnesses", List.of());
        return "compared with checkpoint "
                + AnswerFormat.text(checkpoint, "number")
                + " of "
                + AnswerFormat.text(checkpoint, "time")
                + ", "
                + AnswerFormat.text(checkpoint, "heads")
                + " chains, co-signed by "
                + (witnesses instanceof List<?> names && !names.isEmpty()
                        ? AnswerFormat.visible(names.toString())
                        : "nobody");
    }

    private int end(Map<String, Object> audit) throws IOException {
        show(audit);
        if (found(audit) > 0) {
            return ServerOptions.FOUND_WRONG;
        }
        if (!"finished".equals(audit.get("state"))) {
            throw new IOException(
                    "the audit did not finish: " + audit.getOrDefault("failure", "it was ended"));
        }
        if (AnswerFormat.number(audit, "chains") == 0 && options.since().isEmpty()) {
            if (!range.isAll() || files.isGiven()) {
                throw new IOException("nothing was audited: there is no such chain");
            }
            if (!server.isJson()) {
                server.out().println("no key has a signed entry yet");
            }
        }
        return ServerOptions.OK;
    }
}
