package io.volute.admin.operate;

import io.volute.admin.client.ServerOptions;
import io.volute.admin.output.AnswerFormat;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows where the bytes are. */
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
                    Map<String, Object> space = client.get("/_volute/v1/space");
                    if (server.isJson()) {
                        server.print(space);
                    } else {
                        AnswerFormat.maps(space, "cubes").forEach(this::show);
                        server.out().flush();
                    }
                    return ServerOptions.OK;
                });
    }

    private void show(Map<String, Object> cube) {
        long capacity = AnswerFormat.number(cube, "capacityBytes");
        line("cube %s (%s)", cube.get("cube"), cube.get("state"));
        line("  capacity        %s", AnswerFormat.bytes(capacity));
        for (String name : new String[] {"used", "free", "live", "dead", "tombstone", "hole"}) {
            long bytes = AnswerFormat.number(cube, name + "Bytes");
            line(
                    "  %-15s %10s  %s",
                    name, AnswerFormat.bytes(bytes), AnswerFormat.share(bytes, capacity));
        }
        line(
                "  for clients     %10s",
                AnswerFormat.bytes(AnswerFormat.number(cube, "clientFreeBytes")));
        line(
                "  compactable     %10s",
                AnswerFormat.bytes(AnswerFormat.number(cube, "compactableBytes")));
        line("  %s", amplification(cube));
        line("  segments of %s", AnswerFormat.bytes(AnswerFormat.number(cube, "segmentBytes")));
        for (Map<String, Object> kind : AnswerFormat.maps(cube, "segments")) {
            line(
                    "    %-13s %10d  %s live, %s dead, %s tombstones, %s holes",
                    kind.get("kind"),
                    AnswerFormat.number(kind, "count"),
                    AnswerFormat.bytes(AnswerFormat.number(kind, "liveBytes")),
                    AnswerFormat.bytes(AnswerFormat.number(kind, "deadBytes")),
                    AnswerFormat.bytes(AnswerFormat.number(kind, "tombstoneBytes")),
                    AnswerFormat.bytes(AnswerFormat.number(kind, "holeBytes")));
        }
        writes(cube);
        Map<String, Object> cleaner = AnswerFormat.map(cube, "cleaner");
        line(
                "  cleaner         %d passes, %d segments freed, %s copied, %d damaged",
                AnswerFormat.number(cleaner, "passes"),
                AnswerFormat.number(cleaner, "freedSegments"),
                AnswerFormat.bytes(AnswerFormat.number(cleaner, "copiedBytes")),
                AnswerFormat.number(cleaner, "damagedSegments"));
        line("  last decision   %s", decision(AnswerFormat.map(cube, "decision")));
        Map<String, Object> images = AnswerFormat.map(cube, "images");
        line(
                "  memory images   %s of %s, %d hits, %d misses",
                AnswerFormat.bytes(AnswerFormat.number(images, "allocatedBytes")),
                AnswerFormat.bytes(AnswerFormat.number(images, "budgetBytes")),
                AnswerFormat.number(images, "hits"),
                AnswerFormat.number(images, "misses"));
    }

    private void writes(Map<String, Object> cube) {
        Map<String, Object> writes = AnswerFormat.map(cube, "writes");
        Map<String, Object> causes = AnswerFormat.map(writes, "causes");
        Map<String, Object> clients = AnswerFormat.map(causes, "client-data");
        // Before, the ratio is that of whole new segments to a few bytes.
        boolean isTold =
                AnswerFormat.number(clients, "bytes") >= AnswerFormat.number(cube, "segmentBytes");
        line(
                "  written since start %s, write amplification %s",
                AnswerFormat.bytes(AnswerFormat.number(writes, "bytes")),
                isTold ? ratio(writes) : "not known yet: less than one segment of client data");
        causes.forEach(
                (cause, figures) -> {
                    Map<String, Object> each = AnswerFormat.map(causes, cause);
                    line(
                            "    %-13s %10s  %s",
                            cause,
                            AnswerFormat.bytes(AnswerFormat.number(each, "bytes")),
                            isTold ? ratio(each) : "");
                });
    }

    private static String ratio(Map<String, Object> figures) {
        return String.format(
                Locale.ROOT, "%.3f", ((Number) figures.get("amplification")).doubleValue());
    }

    /**
     * Returns the space amplification. Below one live segment, the ratio depends only on the
     * segment size.
     */
    private static String amplification(Map<String, Object> cube) {
        return AnswerFormat.number(cube, "liveBytes") < AnswerFormat.number(cube, "segmentBytes")
                ? "space amplification: less than one segment is live, too little to tell"
                : String.format(
                        Locale.ROOT,
                        "space amplification %.2f (used / live)",
                        ((Number) cube.get("expansion")).doubleValue());
    }

    /** Describes the cleaner's last decision, also for {@code volute top}. */
    static String decision(Map<String, Object> decision) {
        String action = AnswerFormat.text(decision, "action");
        return (action.equals("nothing") ? "cleaner idle" : action)
                + ": "
                + AnswerFormat.text(decision, "reason");
    }

    private void line(String format, Object... values) {
        server.out().println(String.format(Locale.ROOT, format, values));
    }
}
