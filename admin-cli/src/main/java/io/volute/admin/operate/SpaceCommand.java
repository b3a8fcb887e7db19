package io.volute.admin.operate;

import io.volute.admin.client.Answer;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.AnswerFormat;
import io.volute.adminapi.Routes;
import io.volute.adminapi.SpaceApi.Cause;
import io.volute.adminapi.SpaceApi.Decision;
import io.volute.adminapi.SpaceApi.Segments;
import io.volute.adminapi.SpaceApi.Space;
import io.volute.adminapi.SpaceApi.Spaces;
import io.volute.adminapi.SpaceApi.Writes;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows where the bytes are. */
@Example(value = "volute space", does = "Show how full the store is.")
@Command(
        name = "space",
        mixinStandardHelpOptions = true,
        description = "Shows capacity, live and dead bytes, write amplification, and the cleaner.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:shown", "1:the server cannot be reached or refused", "2:wrong usage"})
public final class SpaceCommand implements Callable<Integer> {
    @Mixin private ServerOptions server;

    @Override
    public Integer call() throws InterruptedException {
        return server.run(
                client -> {
                    Answer<Spaces> space = client.ask(Routes.SPACE);
                    if (server.isJson()) {
                        server.print(space);
                    } else {
                        space.value().cubes().forEach(this::show);
                        server.out().flush();
                    }
                    return ServerOptions.OK;
                });
    }

    private void show(Space cube) {
        line("cube %s (%s)", cube.cube(), cube.state());
        line("  capacity        %s", AnswerFormat.bytes(cube.capacityBytes()));
        share(cube, "used", cube.usedBytes());
        share(cube, "free", cube.freeBytes());
        share(cube, "live", cube.liveBytes());
        share(cube, "dead", cube.deadBytes());
        share(cube, "tombstone", cube.tombstoneBytes());
        share(cube, "hole", cube.holeBytes());
        line("  for clients     %10s", AnswerFormat.bytes(cube.clientFreeBytes()));
        line("  compactable     %10s", AnswerFormat.bytes(cube.compactableBytes()));
        line("  %s", amplification(cube));
        line("  segments of %s", AnswerFormat.bytes(cube.segmentBytes()));
        for (Segments kind : cube.segments()) {
            line(
                    "    %-13s %10d  %s live, %s dead, %s tombstones, %s holes",
                    kind.kind(),
                    kind.count(),
                    AnswerFormat.bytes(kind.liveBytes()),
                    AnswerFormat.bytes(kind.deadBytes()),
                    AnswerFormat.bytes(kind.tombstoneBytes()),
                    AnswerFormat.bytes(kind.holeBytes()));
        }
        writes(cube);
        line(
                "  cleaner         %d passes, %d segments freed, %s copied, %d damaged",
                cube.cleaner().passes(),
                cube.cleaner().freedSegments(),
                AnswerFormat.bytes(cube.cleaner().copiedBytes()),
                cube.cleaner().damagedSegments());
        line("  last decision   %s", decision(cube.decision()));
        line(
                "  memory images   %s of %s, %d hits, %d misses",
                AnswerFormat.bytes(cube.images().allocatedBytes()),
                AnswerFormat.bytes(cube.images().budgetBytes()),
                cube.images().hits(),
                cube.images().misses());
    }

    private void share(Space cube, String name, long bytes) {
        line(
                "  %-15s %10s  %s",
                name, AnswerFormat.bytes(bytes), AnswerFormat.share(bytes, cube.capacityBytes()));
    }

    private void writes(Space cube) {
        Writes writes = cube.writes();
        Cause clients = writes.causes().getOrDefault("client-data", new Cause(0, 0));
        // Before, the ratio is that of whole new segments to a few bytes.
        boolean isTold = clients.bytes() >= cube.segmentBytes();
        line(
                "  written since start %s, write amplification %s",
                AnswerFormat.bytes(writes.bytes()),
                isTold
                        ? ratio(writes.amplification())
                        : "not known yet: less than one segment of client data");
        writes.causes()
                .forEach(
                        (cause, each) ->
                                line(
                                        "    %-13s %10s  %s",
                                        cause,
                                        AnswerFormat.bytes(each.bytes()),
                                        isTold ? ratio(each.amplification()) : ""));
    }

    private static String ratio(double amplification) {
        return String.format(Locale.ROOT, "%.3f", amplification);
    }

    /**
     * Returns the space amplification. Below one live segment, the ratio depends only on the
     * segment size.
     */
    private static String amplification(Space cube) {
        return cube.liveBytes() < cube.segmentBytes()
                ? "space amplification: less than one segment is live, too little to tell"
                : String.format(
                        Locale.ROOT, "space amplification %.2f (used / live)", cube.expansion());
    }

    /** Describes the cleaner's last decision. */
    private static String decision(Decision decision) {
        String action = decision.action();
        return (action.equals("nothing") ? "cleaner idle" : action) + ": " + decision.reason();
    }

    private void line(String format, Object... values) {
        server.out().println(String.format(Locale.ROOT, format, values));
    }
}
