package io.volute.admin.operate;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Progress;
import io.volute.adminapi.CubesApi.CubeInfo;
import io.volute.adminapi.Routes;
import io.volute.adminapi.SpaceApi.CleanRequest;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Reclaims space now. */
@Example(value = "volute clean --now", does = "Reclaim space in all cubes.")
@Example(value = "volute clean --now --cube hot", does = "Reclaim space in cube hot alone.")
@Command(
        name = "clean",
        mixinStandardHelpOptions = true,
        description = {
            "Reclaims space in all cubes now, regardless of the thresholds, until no segment is"
                    + " worth cleaning.",
            "Without a level: compaction, then combined cleaning."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:cleaned, or nothing to clean",
            "1:the server cannot be reached or refused",
            "2:wrong usage"
        })
public final class CleanCommand implements Callable<Integer> {
    private static final String COMPACT = "compact";
    private static final String COMBINED = "combined";

    @Spec private CommandSpec spec;

    @Mixin private ServerOptions server;

    @Option(names = "--now", required = true, description = "Clean now.")
    private boolean now;

    @ArgGroup(exclusive = true)
    private Level level = new Level();

    @Option(
            names = "--passes",
            paramLabel = "N",
            defaultValue = "10000",
            description = "Passes of each level in each cube, at most (default: ${DEFAULT-VALUE}).")
    private int passes;

    @Option(names = "--cube", paramLabel = "CUBE", description = "Clean this cube alone.")
    private Optional<String> cube = Optional.empty();

    /** One of them, or none for both. */
    private static final class Level {
        @Option(
                names = "--combined",
                description = "Copies the live entries of several segments to survivors.")
        private boolean combined;

        @Option(
                names = "--compact",
                description = "Returns dead ranges to the file system, if it supports holes.")
        private boolean compact;
    }

    @Override
    public Integer call() throws InterruptedException {
        if (!now) {
            throw new ParameterException(
                    spec.commandLine(), "cleaning by itself is configured in the server: --now");
        }
        List<String> levels =
                level.combined
                        ? List.of(COMBINED)
                        : level.compact ? List.of(COMPACT) : List.of(COMPACT, COMBINED);
        return server.run(
                client -> {
                    List<String> cubes = cube.isPresent() ? List.of(cube.get()) : all(client);
                    Map<String, Object> totals = new LinkedHashMap<>();
                    for (String each : levels) {
                        totals.put(each, clean(client, cubes, each));
                    }
                    if (server.isJson()) {
                        server.print(Map.of("levels", totals));
                    }
                    return ServerOptions.OK;
                });
    }

    /** Returns the cubes that can be cleaned. */
    private static List<String> all(AdminClient client) throws IOException, InterruptedException {
        return client.ask(Routes.LIST_CUBES).value().cubes().stream()
                .filter(CubeInfo::isOpenSomewhere)
                .map(CubeInfo::cube)
                .toList();
    }

    private Map<String, Object> clean(AdminClient client, List<String> cubes, String name)
            throws IOException, InterruptedException {
        long freed = 0;
        int done = 0;
        Progress progress = server.progress("cleaning (" + name + ")");
        for (String each : cubes) {
            CleanRequest asked = new CleanRequest(Optional.of(each), name);
            long more = 1;
            for (int pass = 0; pass < passes && more > 0; pass++) {
                more = client.ask(Routes.CLEAN, asked).value().freedBytes();
                freed += Math.max(0, more);
                done += more > 0 ? 1 : 0;
                progress.at(done, 0, "pass", AnswerFormat.bytes(freed) + " freed in all");
            }
        }
        progress.end();
        if (!server.isJson()) {
            server.out()
                    .println(
                            name
                                    + ": "
                                    + AnswerFormat.bytes(freed)
                                    + " freed in "
                                    + (done == 1 ? "1 pass" : done + " passes"));
            server.out().flush();
        }
        return Map.of("freedBytes", freed, "passes", done);
    }
}
