package io.volute.admin.operate;

import io.volute.admin.client.Answer;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Facts;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.admin.output.TableOutput;
import io.volute.adminapi.Routes;
import io.volute.adminapi.SpaceApi.Cause;
import io.volute.adminapi.SpaceApi.Decision;
import io.volute.adminapi.SpaceApi.Segments;
import io.volute.adminapi.SpaceApi.Space;
import io.volute.adminapi.SpaceApi.Spaces;
import io.volute.adminapi.SpaceApi.Writes;
import java.util.ArrayList;
import java.util.List;
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

    /** A named part of the capacity. */
    private record CapacityPart(String name, long bytes) {}

    /** The bytes that were written for one cause. */
    private record WriteTotal(String cause, Cause bytes) {}

    private void show(Space cube) {
        TableOutput output = server.tables();
        output.out().println("cube " + cube.cube() + " (" + cube.state() + ")");
        new Table<>(
                        CapacityPart.class,
                        new Column<>("SPACE", CapacityPart::name),
                        Column.size("BYTES", CapacityPart::bytes),
                        new Column<>(
                                "SHARE",
                                each ->
                                        AnswerFormat.share(each.bytes(), cube.capacityBytes())
                                                .strip()))
                .print(
                        List.of(
                                new CapacityPart("capacity", cube.capacityBytes()),
                                new CapacityPart("used", cube.usedBytes()),
                                new CapacityPart("free", cube.freeBytes()),
                                new CapacityPart("live", cube.liveBytes()),
                                new CapacityPart("dead", cube.deadBytes()),
                                new CapacityPart("tombstone", cube.tombstoneBytes()),
                                new CapacityPart("hole", cube.holeBytes()),
                                new CapacityPart("for clients", cube.clientFreeBytes()),
                                new CapacityPart("compactable", cube.compactableBytes())),
                        output);
        segments(cube, output);
        writes(cube, output);
        new Facts()
                .with("segment size", AnswerFormat.bytes(cube.segmentBytes()))
                .with("overhead", amplification(cube))
                .with(
                        "cleaner",
                        cube.cleaner().passes()
                                + " passes, "
                                + cube.cleaner().freedSegments()
                                + " segments freed, "
                                + AnswerFormat.bytes(cube.cleaner().copiedBytes())
                                + " copied, "
                                + cube.cleaner().damagedSegments()
                                + " damaged")
                .with("last decision", decision(cube.decision()))
                .with(
                        "memory images",
                        AnswerFormat.bytes(cube.images().allocatedBytes())
                                + " of "
                                + AnswerFormat.bytes(cube.images().budgetBytes())
                                + ", "
                                + cube.images().hits()
                                + " hits, "
                                + cube.images().misses()
                                + " misses")
                .print(output);
    }

    private static void segments(Space cube, TableOutput output) {
        new Table<>(
                        Segments.class,
                        new Column<>("SEGMENTS", Segments::kind),
                        Column.number("COUNT", Segments::count),
                        Column.size("LIVE", Segments::liveBytes),
                        Column.size("DEAD", Segments::deadBytes),
                        Column.size("TOMBSTONES", Segments::tombstoneBytes),
                        Column.size("HOLES", Segments::holeBytes))
                .print(cube.segments(), output);
    }

    private static void writes(Space cube, TableOutput output) {
        Writes writes = cube.writes();
        Cause clients = writes.causes().getOrDefault("client-data", new Cause(0, 0));
        // Before, the ratio is that of whole new segments to a few bytes.
        boolean isTold = clients.bytes() >= cube.segmentBytes();
        List<WriteTotal> causes = new ArrayList<>();
        writes.causes().forEach((cause, each) -> causes.add(new WriteTotal(cause, each)));
        new Table<>(
                        WriteTotal.class,
                        new Column<>("WRITTEN FOR", WriteTotal::cause),
                        Column.size("BYTES", each -> each.bytes().bytes()),
                        new Column<>(
                                "AMPLIFICATION",
                                each -> isTold ? ratio(each.bytes().amplification()) : ""))
                .print(causes, output);
        new Facts()
                .with(
                        "written",
                        AnswerFormat.bytes(writes.bytes())
                                + " since start, write amplification "
                                + (isTold
                                        ? ratio(writes.amplification())
                                        : "not known yet: less than one segment of client data"))
                .print(output);
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
}
