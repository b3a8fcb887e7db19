package io.volute.distribution;

import io.volute.admin.client.CommandContext;
import io.volute.admin.client.Printing;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.adminapi.Words;
import io.volute.server.config.ConfigException;
import io.volute.server.config.EffectiveConfig;
import io.volute.server.config.EffectiveConfig.Setting;
import io.volute.server.config.ServerConfig;
import io.volute.server.config.TracingConfig;
import io.volute.server.config.cluster.ClusterConfig;
import io.volute.server.config.key.Key;
import io.volute.server.http.HttpSettings.TlsFiles;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The configuration that a server would start with here: whether it is right, and what it is. */
@Command(
        name = "config",
        mixinStandardHelpOptions = true,
        description = "Checks or prints the configuration that volute server would have here.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {ConfigCommand.Check.class, ConfigCommand.Print.class})
final class ConfigCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "One of check and print is needed");
    }

    /** The common base of the subcommands, which read the effective configuration. */
    private abstract static class Reading implements Callable<Integer> {
        @Spec private CommandSpec spec;
        @Mixin private ConfigOptions options;

        @Option(names = "--json", description = "Print JSON.")
        private boolean isJson;

        @Override
        public final Integer call() {
            List<String> problems = new ArrayList<>();
            Optional<EffectiveConfig> read = Optional.empty();
            try {
                read = Optional.of(options.effective(environment()));
                problems.addAll(read.get().problems());
            } catch (ConfigException e) {
                problems.add(e.getMessage());
            }
            Map<String, Object> document = new LinkedHashMap<>();
            read.ifPresent(each -> look(each, document, problems));
            document.put("problems", problems);
            Printing printing = new Printing(spec);
            if (isJson) {
                printing.json(document);
            } else {
                show(document, printing);
                problems.forEach(printing::error);
            }
            return problems.isEmpty() ? ServerOptions.OK : ServerOptions.FOUND_WRONG;
        }

        final CommandSpec spec() {
            return spec;
        }

        final Map<String, String> environment() {
            return CommandContext.of(spec).environment();
        }

        final Instant now() {
            return CommandContext.of(spec).clock().instant();
        }

        abstract void look(
                EffectiveConfig read, Map<String, Object> document, List<String> problems);

        abstract void show(Map<String, Object> document, Printing printing);
    }

    /** Says what is wrong. */
    @Example(
            value = "volute config check --config /etc/volute/volute.conf",
            does = "Look for errors before a restart.")
    @Command(
            name = "check",
            mixinStandardHelpOptions = true,
            description = {
                "Reports each mistake in the configuration and its correction.",
                "File, environment and flags are read as volute server reads them."
            },
            exitCodeListHeading = "Exit codes:%n",
            exitCodeList = {"0:nothing is wrong", "2:wrong usage", "3:something is wrong"})
    static final class Check extends Reading {
        @Override
        void look(EffectiveConfig read, Map<String, Object> document, List<String> problems) {
            List<String> warnings = warnings(read.config());
            document.put("warnings", warnings);
            Instant now = now();
            check(read.config().http().tls(), now, problems, warnings);
            check(read.config().cluster().flatMap(ClusterConfig::tls), now, problems, warnings);
        }

        private static void check(
                Optional<TlsFiles> files,
                Instant now,
                List<String> problems,
                List<String> warnings) {
            try {
                if (files.isPresent()) {
                    files.get().check();
                    TlsFiles.Dates dates = files.get().dates(now);
                    if (!dates.problem().isEmpty()) {
                        (dates.isInvalid() ? problems : warnings).add(dates.problem());
                    }
                }
            } catch (IOException e) {
                problems.add(e.getMessage());
            }
        }

        private static List<String> warnings(ServerConfig config) {
            List<String> warnings = new ArrayList<>();
            InetSocketAddress listen = config.http().listen();
            if (config.http().tls().isEmpty() && !listen.getAddress().isLoopbackAddress()) {
                warnings.add(
                        "server.listen is "
                                + listen
                                + " without TLS: set tls.certificate and tls.key to encrypt"
                                + " requests");
            }
            config.tracing()
                    .filter(TracingConfig::isPlainToOthers)
                    .ifPresent(
                            each ->
                                    warnings.add(
                                            "tracing.endpoint is "
                                                    + each.endpoint()
                                                    + " without TLS: names of buckets and the"
                                                    + " headers of tracing.headers-file can be read"
                                                    + " on the network; write https, or run a"
                                                    + " collector on this machine"));
            config.provenance()
                    .checkpointDirectory()
                    .filter(each -> each.normalize().startsWith(config.dataDirectory()))
                    .ifPresent(
                            each ->
                                    warnings.add(
                                            "provenance.checkpoint-directory is within the data"
                                                    + " directory: copies protect where who runs"
                                                    + " the server cannot write"));
            return warnings;
        }

        @Override
        void show(Map<String, Object> document, Printing printing) {
            if (document.get("warnings") instanceof List<?> warnings) {
                warnings.forEach(each -> printing.line("warning: " + each));
            }
            if (document.get("problems") instanceof List<?> problems && problems.isEmpty()) {
                printing.line("the configuration can be used");
            }
        }
    }

    /** Says what it is. */
    @Example(
            value = "volute config print --config /etc/volute/volute.conf",
            does = "Show each setting and where it comes from.")
    @Example(value = "volute config print log.capacity", does = "Explain a setting.")
    @Command(
            name = "print",
            mixinStandardHelpOptions = true,
            description = {
                "Prints every key with its value and where that comes from: default, file,"
                        + " environment or flag.",
                "Secrets are not shown. With KEY, explains this key."
            },
            exitCodeListHeading = "Exit codes:%n",
            exitCodeList = {"0:printed", "2:wrong usage", "3:printed, and something is wrong"})
    static final class Print extends Reading {
        @Option(names = "--wide", description = "Show the table in full, as pipes get it.")
        private boolean isWide;

        @Parameters(
                arity = "0..1",
                paramLabel = "KEY",
                description = "The key to explain: its meaning and its values.")
        private Optional<String> key = Optional.empty();

        @Override
        void look(EffectiveConfig read, Map<String, Object> document, List<String> problems) {
            List<Line> lines =
                    read.settings().stream()
                            .map(Line::of)
                            .filter(each -> key.isEmpty() || key.get().equals(each.key()))
                            .toList();
            if (lines.isEmpty()) {
                throw new ParameterException(
                        spec().commandLine(),
                        "Unknown key " + key.orElse("") + ": volute config print lists all keys");
            }
            document.put("settings", lines);
        }

        /** A setting as it is printed. */
        private record Line(
                String key,
                String value,
                String origin,
                String where,
                String defaultValue,
                String values,
                String meaning,
                String occasion) {
            static Line of(Setting setting) {
                return new Line(
                        setting.key().name(),
                        setting.value(),
                        Words.of(setting.origin()),
                        setting.where(),
                        setting.key().defaultText(),
                        setting.key().type().values(),
                        Key.plain(setting.key().meaning()),
                        Key.plain(setting.key().occasion()));
            }

            private static String shown(String text) {
                return text.isBlank() ? "none" : text;
            }

            private void explain(Printing printing) {
                printing.line(key + " = " + shown(value) + " (" + from() + ")");
                printing.line("  " + meaning);
                printing.line("  Values: " + values);
                printing.line("  Default: " + shown(defaultValue));
                printing.line("  When to change it: " + occasion);
            }

            private String from() {
                return where.isEmpty() ? origin : where;
            }

            /** Returns the source, of a file without its directory. */
            private String fromBrief() {
                return from().substring(from().lastIndexOf('/') + 1);
            }
        }

        @Override
        @SuppressWarnings("unchecked")
        void show(Map<String, Object> document, Printing printing) {
            List<Line> lines = (List<Line>) document.getOrDefault("settings", List.of());
            if (key.isPresent()) {
                lines.forEach(each -> each.explain(printing));
                return;
            }
            Table<Line> table =
                    new Table<>(
                            Line.class,
                            Column.whole(new Column<>("KEY", Line::key)),
                            new Column<>("VALUE", each -> Line.shown(each.value())),
                            new Column<>("FROM", Line::from, Line::fromBrief));
            table.print(lines, printing.tables(isWide));
        }
    }
}
