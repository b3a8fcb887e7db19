package io.volute.distribution;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.CommandContext;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.AnswerFormat;
import io.volute.distribution.Checkup.Level;
import io.volute.server.config.ConfigException;
import io.volute.server.config.EffectiveConfig;
import io.volute.server.config.ServerConfig;
import io.volute.storage.io.OsFileSystem;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Checks the prerequisites of a store and prints a remedy for each problem. */
@Example(
        value = "volute doctor --data /srv/volute",
        does = "Look at this machine and the server of the directory.")
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        description = {
            "Checks configuration, disk, fsync, clock, limits and memory of this machine, and"
                    + " damage and space of a running server. Names the next step for each"
                    + " problem.",
            "It queries the server at the address of the configuration, or at --endpoint.",
            "Run it where the server runs, as its user. It writes a few small files into the data"
                    + " directory (or where that would be) and removes them."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:nothing fails; there may be warnings",
            "2:wrong usage",
            "3:something fails, or the server was not reached"
        })
final class DoctorCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private ConfigOptions options;
    @Mixin private ServerOptions server;

    @Override
    public Integer call() throws InterruptedException {
        List<Checkup> all = look();
        Level worst =
                all.stream().map(Checkup::level).max(Comparator.naturalOrder()).orElse(Level.OK);
        if (server.isJson()) {
            server.print(Map.of("checkups", all.stream().map(Checkup::document).toList()));
        } else {
            all.forEach(this::show);
            server.out().flush();
        }
        return worst == Level.FAIL ? ServerOptions.FOUND_WRONG : ServerOptions.OK;
    }

    private List<Checkup> look() throws InterruptedException {
        CommandContext around = server.context();
        Instant began = around.clock().instant();
        long beganNanos = around.nanos().getAsLong();
        List<Checkup> all = new ArrayList<>();
        try {
            EffectiveConfig config = options.effective(around.environment());
            config.problems().forEach(each -> all.add(configuration(each)));
            if (config.problems().isEmpty()) {
                all.add(Checkup.ok("configuration", "it can be used"));
            }
            server.useByDefault(adminAddress(config.config()));
            DiskCheckups disk = new DiskCheckups(new OsFileSystem(), around.nanos());
            all.addAll(disk.of(config.config().dataDirectory()));
            all.add(HostCheckups.store(config.config().dataDirectory()));
            HostCheckups.auditLog(new OsFileSystem(), config.config()).ifPresent(all::add);
            config.config()
                    .http()
                    .tls()
                    .ifPresent(files -> all.add(HostCheckups.certificate(files, began)));
            all.add(HostCheckups.openFiles(config.config()));
            all.add(HostCheckups.memory(config.config()));
        } catch (ConfigException e) {
            all.add(configuration(e.getMessage()));
        }
        all.addAll(ask(around));
        all.add(
                HostCheckups.drift(
                        Duration.between(began, around.clock().instant()),
                        Duration.ofNanos(around.nanos().getAsLong() - beganNanos)));
        return all;
    }

    /** Returns the address of the admin API of a configuration, as this machine reaches it. */
    private static String adminAddress(ServerConfig config) {
        InetSocketAddress address = config.adminAddress().orElse(config.http().listen());
        String host =
                address.getAddress().isAnyLocalAddress()
                        ? "127.0.0.1"
                        : address.getAddress().getHostAddress();
        return (config.http().tls().isPresent() ? "https://" : "http://")
                + (host.contains(":") ? "[" + host + "]" : host)
                + ":"
                + address.getPort();
    }

    private static Checkup configuration(String problem) {
        return Checkup.fail("configuration", problem, "volute config check lists all problems");
    }

    private List<Checkup> ask(CommandContext around) throws InterruptedException {
        List<Checkup> all = new ArrayList<>();
        try (AdminClient client = server.client()) {
            ServerCheckups checkups = new ServerCheckups(client, around.clock());
            all.addAll(checkups.unsigned());
            if (server.hasCredentials()) {
                all.addAll(checkups.signed());
            } else {
                all.add(
                        Checkup.warn(
                                "server",
                                "it was not asked: there are no credentials",
                                "set VOLUTE_ACCESS_KEY and VOLUTE_SECRET_KEY to the root user's,"
                                        + " or name a server with --server"));
            }
        } catch (AdminClient.RefusedException e) {
            all.add(
                    Checkup.fail(
                            "server",
                            "it refused: " + e.getMessage(),
                            "the root user's keys are needed, and the server's s3.region"));
        } catch (IOException e) {
            // An unreached server counts as a failure.
            all.add(
                    Checkup.fail(
                            "server",
                            e.getMessage(),
                            "start it, or say with --endpoint or --server where it is"));
        }
        return all;
    }

    private void show(Checkup each) {
        Ansi ansi = spec.commandLine().getColorScheme().ansi();
        String colour =
                switch (each.level()) {
                    case OK -> "green";
                    case WARN -> "yellow";
                    case FAIL -> "red";
                };
        String word = ansi.string("@|" + colour + " " + each.word() + "|@");
        String gap = " ".repeat(6 - each.word().length());
        server.out().println(word + gap + each.name() + ": " + AnswerFormat.visible(each.found()));
        if (!each.advice().isEmpty()) {
            server.out().println("      -> " + AnswerFormat.visible(each.advice()));
        }
    }
}
