package io.volute.admin.operate;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.Answer;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.grammar.OldSpelling;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Facts;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.adminapi.CheckApi.Scrub;
import io.volute.adminapi.RequestsApi.Requests;
import io.volute.adminapi.Routes;
import io.volute.adminapi.SpaceApi.Cause;
import io.volute.adminapi.SpaceApi.Space;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Shows again and again what a server is doing, as rates between two looks. */
@OldSpelling(value = "--every NUMBER", now = "--every NUMBERs")
@Example(value = "volute top", does = "Look every two seconds until Ctrl-C.")
@Example(
        value = "volute top --every 10s --count 6 --json",
        does = "Collect the figures of a minute.")
@Command(
        name = "top",
        mixinStandardHelpOptions = true,
        description = {
            "Shows the requests, writes, cleaning, fill level and scrub progress of a server. Ends"
                    + " with Ctrl-C, or after --count displays."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:shown", "1:the server cannot be reached or refused", "2:wrong usage"})
public final class TopCommand implements Callable<Integer> {
    private static final String HOME_AND_CLEAR = "\u001b[H\u001b[2J";

    @Spec private CommandSpec spec;
    @Mixin private ServerOptions server;

    @Option(
            names = "--every",
            paramLabel = "DURATION",
            defaultValue = "2s",
            description = "Time between two displays (default: ${DEFAULT-VALUE}).")
    private Duration every;

    @Option(
            names = "--count",
            paramLabel = "N",
            defaultValue = "0",
            description = "Number of displays; 0 for no end (default: ${DEFAULT-VALUE}).")
    private int count;

    /**
     * A look.
     *
     * @param nanos when, by a time that is never moved
     */
    private record Look(long nanos, Requests requests, List<Space> cubes, Answer<Scrub> scrub) {}

    /** The rates between two looks. */
    private record LookRates(
            double seconds, RequestRates.Rates requests, List<CubeRates> cubes, Object scrub) {}

    /** The rates of a cube between two looks. */
    private record CubeRates(
            String cube,
            String state,
            long capacityBytes,
            long clientFreeBytes,
            Map<String, Long> bytesPerSecond,
            long copiedBytesPerSecond,
            String decision,
            long hitsPerSecond,
            long missesPerSecond) {}

    @Override
    public Integer call() throws InterruptedException {
        if (every.compareTo(Duration.ofSeconds(1)) < 0 || count < 0) {
            throw new ParameterException(
                    spec.commandLine(), "--every is at least 1s, --count at least 0");
        }
        return server.run(
                client -> {
                    Look before = look(client);
                    for (int shown = 0; count == 0 || shown < count; shown++) {
                        pass();
                        Look now = look(client);
                        show(before, now);
                        before = now;
                    }
                    return ServerOptions.OK;
                });
    }

    private void pass() throws InterruptedException {
        long until = server.context().nanos().getAsLong() + every.toNanos();
        do {
            server.context().pause().pass();
        } while (server.context().nanos().getAsLong() < until);
    }

    private Look look(AdminClient client) throws IOException, InterruptedException {
        return new Look(
                server.context().nanos().getAsLong(),
                client.ask(Routes.REQUESTS).value(),
                client.ask(Routes.SPACE).value().cubes(),
                client.ask(Routes.SCRUB));
    }

    private void show(Look before, Look now) {
        double passed = Math.max(1e-3, (now.nanos() - before.nanos()) / 1e9);
        List<CubeRates> cubes = new ArrayList<>();
        for (Space each : now.cubes()) {
            before.cubes().stream()
                    .filter(earlier -> earlier.cube().equals(each.cube()))
                    .forEach(earlier -> cubes.add(rates(earlier, each, passed)));
        }
        RequestRates.Rates requests =
                RequestRates.between(before.requests(), now.requests(), passed);
        if (server.isJson()) {
            server.print(new LookRates(passed, requests, cubes, now.scrub().fields()));
            return;
        }
        PrintWriter out = server.out();
        if (server.context().screen().isOutTerminal()) {
            out.print(HOME_AND_CLEAR);
        }
        RequestRates.show(requests, server.tables());
        cubes.forEach(this::show);
        new Facts()
                .with(
                        "scrub",
                        now.scrub()
                                .value()
                                .running()
                                .map(
                                        running ->
                                                running.segments()
                                                        + " of "
                                                        + AnswerFormat.count(
                                                                running.segmentsTotal(), "segment")
                                                        + ", "
                                                        + running.found()
                                                        + " found")
                                .orElse("not running"))
                .print(server.tables());
        out.flush();
    }

    private static CubeRates rates(Space before, Space now, double passed) {
        Map<String, Long> written = new LinkedHashMap<>();
        Cause none = new Cause(0, 0);
        now.writes()
                .causes()
                .forEach(
                        (cause, later) -> {
                            Cause earlier = before.writes().causes().getOrDefault(cause, none);
                            written.put(cause, rate(earlier.bytes(), later.bytes(), passed));
                        });
        return new CubeRates(
                now.cube(),
                now.state(),
                now.capacityBytes(),
                now.clientFreeBytes(),
                written,
                rate(before.cleaner().copiedBytes(), now.cleaner().copiedBytes(), passed),
                now.decision().action(),
                rate(before.images().hits(), now.images().hits(), passed),
                rate(before.images().misses(), now.images().misses(), passed));
    }

    private static long rate(long before, long now, double passed) {
        return Math.round(AnswerFormat.more(before, now) / passed);
    }

    /** The bytes that are written for one cause in a second. */
    private record WriteRate(String cause, long bytes) {}

    private void show(CubeRates cube) {
        server.out()
                .println(
                        "cube "
                                + cube.cube()
                                + "   "
                                + cube.state()
                                + "   "
                                + AnswerFormat.bytes(cube.clientFreeBytes())
                                + " of "
                                + AnswerFormat.bytes(cube.capacityBytes())
                                + " free for clients ("
                                + AnswerFormat.share(cube.clientFreeBytes(), cube.capacityBytes())
                                        .strip()
                                + ")");
        List<WriteRate> rates = new ArrayList<>();
        cube.bytesPerSecond().forEach((cause, bytes) -> rates.add(new WriteRate(cause, bytes)));
        new Table<>(
                        WriteRate.class,
                        new Column<>("WRITTEN FOR", WriteRate::cause),
                        Column.whole(
                                new Column<>(
                                        "RATE", rate -> AnswerFormat.bytes(rate.bytes()) + "/s")))
                .print(rates, server.tables());
        new Facts()
                .with(
                        "cleaner",
                        AnswerFormat.bytes(cube.copiedBytesPerSecond())
                                + "/s copied   "
                                + cube.decision())
                .with(
                        "memory images",
                        cube.hitsPerSecond() + "/s hits   " + cube.missesPerSecond() + "/s misses")
                .print(server.tables());
    }
}
