package io.volute.admin.operate;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.output.AnswerFormat;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Shows again and again what a server is doing, as rates between two looks. */
@Command(
        name = "top",
        mixinStandardHelpOptions = true,
        description = {
            "Shows what a server answers, writes and cleans, how full it is, and what it looks"
                    + " through, until it is ended (Ctrl-C) or has shown it often enough."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:shown", "1:the server cannot be reached or refused", "2:wrong usage"})
public final class TopCommand implements Callable<Integer> {
    private static final String HOME_AND_CLEAR = "\u001b[H\u001b[2J";

    @Spec private CommandSpec spec;
    @Mixin private ServerOptions server;

    @Option(
            names = "--every",
            paramLabel = "SECONDS",
            defaultValue = "2",
            description = "Seconds between two looks (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(
            names = "--count",
            paramLabel = "N",
            defaultValue = "0",
            description = "How often to show it; 0 for no end (default: ${DEFAULT-VALUE}).")
    private int count;

    /**
     * A look.
     *
     * @param nanos when, by a time that is never moved
     */
    private record Look(
            long nanos,
            Map<String, Object> requests,
            List<Map<String, Object>> cubes,
            Map<String, Object> scrub) {}

    @Override
    public Integer call() throws InterruptedException {
        if (seconds < 1 || count < 0) {
            throw new ParameterException(
                    spec.commandLine(), "--every is at least 1, --count at least 0");
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
        long until = server.context().nanos().getAsLong() + seconds * 1_000_000_000L;
        do {
            server.context().pause().pass();
        } while (server.context().nanos().getAsLong() < until);
    }

    private Look look(AdminClient client) throws IOException, InterruptedException {
        return new Look(
                server.context().nanos().getAsLong(),
                client.get("/_volute/v1/requests"),
                AnswerFormat.maps(client.get("/_volute/v1/space"), "cubes"),
                client.get("/_volute/v1/scrub"));
    }

    private void show(Look before, Look now) {
        double passed = Math.max(1e-3, (now.nanos() - before.nanos()) / 1e9);
        List<Map<String, Object>> cubes = new ArrayList<>();
        for (int i = 0; i < Math.min(before.cubes().size(), now.cubes().size()); i++) {
            cubes.add(document(before.cubes().get(i), now.cubes().get(i), passed));
        }
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("seconds", passed);
        document.put("requests", RequestRates.between(before.requests(), now.requests(), passed));
        document.put("cubes", cubes);
        document.put("scrub", now.scrub());
        if (server.isJson()) {
            server.print(document);
            return;
        }
        PrintWriter out = server.out();
        if (spec.commandLine().getColorScheme().ansi().enabled()) {
            out.print(HOME_AND_CLEAR);
        }
        RequestRates.show(AnswerFormat.map(document, "requests"), out);
        cubes.forEach(this::show);
        Map<String, Object> running = AnswerFormat.map(now.scrub(), "running");
        out.println(
                "scrub      "
                        + (running.isEmpty()
                                ? "not running"
                                : AnswerFormat.number(running, "segments")
                                        + " of "
                                        + AnswerFormat.number(running, "segmentsTotal")
                                        + " segments, "
                                        + AnswerFormat.number(running, "found")
                                        + " found"));
        out.flush();
    }

    private static Map<String, Object> document(
            Map<String, Object> before, Map<String, Object> now, double passed) {
        Map<String, Object> document = new LinkedHashMap<>();
        for (String same : List.of("cube", "state", "capacityBytes", "clientFreeBytes")) {
            document.put(same, now.get(same));
        }
        Map<String, Object> earlier =
                AnswerFormat.map(AnswerFormat.map(before, "writes"), "causes");
        Map<String, Object> later = AnswerFormat.map(AnswerFormat.map(now, "writes"), "causes");
        Map<String, Object> written = new LinkedHashMap<>();
        for (String cause : later.keySet()) {
            written.put(
                    cause,
                    rate(
                            AnswerFormat.map(earlier, cause),
                            AnswerFormat.map(later, cause),
                            "bytes",
                            passed));
        }
        document.put("bytesPerSecond", written);
        Map<String, Object> cleaned = AnswerFormat.map(now, "cleaner");
        document.put(
                "copiedBytesPerSecond",
                rate(AnswerFormat.map(before, "cleaner"), cleaned, "copiedBytes", passed));
        document.put("decision", AnswerFormat.text(AnswerFormat.map(now, "decision"), "action"));
        Map<String, Object> images = AnswerFormat.map(now, "images");
        Map<String, Object> imagesBefore = AnswerFormat.map(before, "images");
        document.put("hitsPerSecond", rate(imagesBefore, images, "hits", passed));
        document.put("missesPerSecond", rate(imagesBefore, images, "misses", passed));
        return document;
    }

    private static long rate(
            Map<String, Object> before, Map<String, Object> now, String name, double passed) {
        return Math.round(AnswerFormat.more(before, now, name) / passed);
    }

    private void show(Map<String, Object> cube) {
        long capacity = AnswerFormat.number(cube, "capacityBytes");
        long free = AnswerFormat.number(cube, "clientFreeBytes");
        PrintWriter out = server.out();
        out.println(
                String.format(
                        Locale.ROOT,
                        "cube %s   %s   %s of %s free for clients (%s)",
                        AnswerFormat.text(cube, "cube"),
                        AnswerFormat.text(cube, "state"),
                        AnswerFormat.bytes(free),
                        AnswerFormat.bytes(capacity),
                        AnswerFormat.share(free, capacity).strip()));
        AnswerFormat.map(cube, "bytesPerSecond")
                .forEach(
                        (cause, rate) ->
                                out.println(
                                        String.format(
                                                Locale.ROOT,
                                                "  %-14s %12s/s",
                                                cause,
                                                AnswerFormat.bytes(((Number) rate).longValue()))));
        out.println(
                String.format(
                        Locale.ROOT,
                        "  cleaner        %12s/s copied   %s",
                        AnswerFormat.bytes(AnswerFormat.number(cube, "copiedBytesPerSecond")),
                        AnswerFormat.text(cube, "decision")));
        out.println(
                String.format(
                        Locale.ROOT,
                        "  memory images  %12d/s hits   %d/s misses",
                        AnswerFormat.number(cube, "hitsPerSecond"),
                        AnswerFormat.number(cube, "missesPerSecond")));
    }
}
