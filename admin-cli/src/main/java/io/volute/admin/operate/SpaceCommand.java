package io.volute.admin.operate;

import io.volute.admin.client.ServerOptions;
import io.volute.admin.output.Shown;
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
                        Shown.maps(space, "cubes").forEach(this::show);
                        server.out().flush();
                    }
                    return ServerOptions.OK;
                });
    }

    private void show(Map<String, Object> cube) {
        long capacity = Shown.number(cube, "capacityBytes");
        line("cube %s (%s)", cube.get("cube"), cube.get("state"));
        line("  capacity        %s", Shown.bytes(capacity));
        for (String name : new String[] {"used", "free", "live", "dead", "tombstone", "hole"}) {
            long bytes = Shown.number(cube, name + "Bytes");
            line("  %-15s %10s  %s", name, Shown.bytes(bytes), Shown.share(bytes, capacity));
        }
        line("  for clients     %10s", Shown.bytes(Shown.number(cube, "clientFreeBytes")));
        line("  compactable     %10s", Shown.bytes(Shown.number(cube, "compactableBytes")));
        line("  %s", amplification(cube));
        line("  segments of %s", Shown.bytes(Shown.number(cube, "segmentBytes")));
        for (Map<String, Object> kind : Shown.maps(cube, "segments")) {
            line(
                    "    %-13s %10d  %s live, %s dead, %s tombstones, %s holes",
                    kind.get("kind"),
                    Shown.number(kind, "count"),
                    Shown.bytes(Shown.number(kind, "liveBytes")),
                    Shown.bytes(Shown.number(kind, "deadBytes")),
                    Shown.bytes(Shown.number(kind, "tombstoneBytes")),
                    Shown.bytes(Shown.number(kind, "holeBytes")));
        }
        writes(cube);
        Map<String, Object> cleaner = Shown.map(cube, "cleaner");
        line(
                "  cleaner         %d passes, %d segments freed, %s copied, %d damaged",
                Shown.number(cleaner, "passes"),
                Shown.number(cleaner, "freedSegments"),
                Shown.bytes(Shown.number(cleaner, "copiedBytes")),
                Shown.number(cleaner, "damagedSegments"));
        line("  last decision   %s", decision(Shown.map(cube, "decision")));
        Map<String, Object> images = Shown.map(cube, "images");
        line(
                "  memory images   %s of %s, %d hits, %d misses",
                Shown.bytes(Shown.number(images, "allocatedBytes")),
                Shown.bytes(Shown.number(images, "budgetBytes")),
                Shown.number(images, "hits"),
                Shown.number(images, "misses"));
    }

    private void writes(Map<String, Object> cube) {
        Map<String, Object> writes = Shown.map(cube, "writes");
        Map<String, Object> causes = Shown.map(writes, "causes");
        Map<String, Object> clients = Shown.map(causes, "client-data");
        // Before, the ratio is that of whole new segments to a few bytes.
        boolean isTold = Shown.number(clients, "bytes") >= Shown.number(cube, "segmentBytes");
        line(
                "  written since start %s, write amplification %s",
                Shown.bytes(Shown.number(writes, "bytes")),
                isTold ? ratio(writes) : "not known yet: less than one segment of client data");
        causes.forEach(
                (cause, figures) -> {
                    Map<String, Object> each = Shown.map(causes, cause);
                    line(
                            "    %-13s %10s  %s",
                            cause,
                            Shown.bytes(Shown.number(each, "bytes")),
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
        return Shown.number(cube, "liveBytes") < Shown.number(cube, "segmentBytes")
                ? "space amplification: less than one segment is live, too little to tell"
                : String.format(
                        Locale.ROOT,
                        "space amplification %.2f (used / live)",
                        ((Number) cube.get("expansion")).doubleValue());
    }

    /** Describes the cleaner's last decision, also for {@code volute top}. */
    static String decision(Map<String, Object> decision) {
        String action = Shown.text(decision, "action");
        return (action.equals("nothing") ? "cleaner idle" : action)
                + ": "
                + Shown.text(decision, "reason");
    }

    private void line(String format, Object... values) {
        server.out().println(String.format(Locale.ROOT, format, values));
    }
}
