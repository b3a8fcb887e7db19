package io.volute.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.volute.admin.VoluteCommand;
import io.volute.admin.client.CommandContext;
import io.volute.admin.client.Confirmation;
import io.volute.admin.grammar.Example;
import io.volute.admin.grammar.Grammar;
import io.volute.admin.output.Screen;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Each command that takes something away does nothing where nobody can confirm it. {@code
 * GrammarTest} finds the commands that need a confirmation.
 */
class ConfirmationTest {
    /** Commands that confirm a loss in their plan: {@code RestoreCommandTest}. */
    private static final Set<String> LOOKS_FIRST = Set.of("volute restore");

    /** Commands that take something away with this option alone. */
    private static final Map<String, String> WITH_OPTION =
            Map.of("volute demo", "--remove", "volute provenance principal", "--end");

    private record Asking(String name, Example example) {}

    private static List<Asking> asking(CommandLine line) {
        List<Asking> all = new ArrayList<>();
        CommandSpec spec = line.getCommandSpec();
        boolean asks =
                spec.mixins().values().stream()
                        .anyMatch(each -> each.userObject() instanceof Confirmation);
        String name = spec.qualifiedName();
        if (asks && !LOOKS_FIRST.contains(name)) {
            Grammar.examples(spec).stream()
                    .filter(each -> each.value().contains(WITH_OPTION.getOrDefault(name, "")))
                    .filter(each -> !each.value().contains("--yes"))
                    .forEach(each -> all.add(new Asking(name, each)));
        }
        new LinkedHashSet<>(line.getSubcommands().values())
                .forEach(each -> all.addAll(asking(each)));
        return all;
    }

    @Test
    void nothingIsTakenAwayWhereNobodyCanBeAsked(@TempDir Path work) throws IOException {
        AtomicLong requests = new AtomicLong();
        HttpServer http =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.createContext(
                "/",
                exchange -> {
                    requests.incrementAndGet();
                    exchange.sendResponseHeaders(500, -1);
                    exchange.close();
                });
        http.start();
        Set<String> tried = new TreeSet<>();
        try {
            CommandContext context =
                    new CommandContext(
                            "volute",
                            Map.of(
                                    "VOLUTE_ACCESS_KEY",
                                    "ROOT",
                                    "VOLUTE_SECRET_KEY",
                                    "rootsecret",
                                    "VOLUTE_ENDPOINT",
                                    "http://127.0.0.1:" + http.getAddress().getPort(),
                                    "XDG_CONFIG_HOME",
                                    work.toString()),
                            StandardCharsets.UTF_8,
                            Clock.systemUTC(),
                            System::nanoTime,
                            InputStream.nullInputStream(),
                            new Screen(false, true, true, ZoneOffset.UTC),
                            () -> {});
            for (Asking each : asking(VoluteCommand.commandLine(context, Main.COMMANDS))) {
                StringWriter text = new StringWriter();
                PrintWriter out = new PrintWriter(text, true);
                String[] words = each.example().value().split(" ");
                String[] arguments = List.of(words).subList(1, words.length).toArray(new String[0]);
                int code = Main.run(context, out, out, arguments);
                assertThat(code).as("%s: %s", each.example().value(), text).isEqualTo(2);
                assertThat(text.toString()).as(each.name()).contains("Add --yes");
                tried.add(each.name());
            }
        } finally {
            http.stop(0);
        }
        assertThat(requests).as("requests").hasValue(0);
        assertThat(tried)
                .contains(
                        "volute user remove",
                        "volute backup prune",
                        "volute shred",
                        "volute demo",
                        "volute provenance principal")
                .hasSizeGreaterThan(12);
    }
}
