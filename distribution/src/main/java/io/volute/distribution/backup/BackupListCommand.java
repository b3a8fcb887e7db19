package io.volute.distribution.backup;

import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.server.backup.Manifest;
import io.volute.server.backup.Repository;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists the snapshots of a target. */
@Example(
        value = "volute backup list --from /mnt/backup",
        does = "List the snapshots in a directory.")
@Command(
        name = "list",
        mixinStandardHelpOptions = true,
        description = "Lists the complete snapshots in a target, the oldest first.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:done", "1:the target cannot be read", "2:wrong usage"})
final class BackupListCommand implements Callable<Integer> {
    /**
     * A line of the list.
     *
     * @param taken all writes before are in it
     * @param bytes bytes of its files
     * @param sent bytes that its backup sent
     */
    record Line(String snapshot, Instant taken, long files, long bytes, long sent) {}

    @Mixin private TargetOptions target;

    @Option(names = "--wide", description = "Show the table in full, as pipes get it.")
    private boolean isWide;

    @Override
    public Integer call() throws InterruptedException {
        return target.run(this::list);
    }

    private int list(Repository repository) throws IOException {
        List<Line> lines = new ArrayList<>();
        for (String name : repository.snapshots()) {
            Manifest each = repository.snapshot(name);
            lines.add(
                    new Line(
                            name,
                            each.taken(),
                            each.files().size(),
                            each.bytes(),
                            each.sentBytes()));
        }
        if (target.isJson()) {
            target.print(Map.of("snapshots", lines));
            return ServerOptions.OK;
        }
        Table<Line> table =
                new Table<>(
                        Line.class,
                        List.of(
                                new Column<>("SNAPSHOT", Line::snapshot),
                                Column.time(
                                        "TAKEN",
                                        line -> line.taken().truncatedTo(ChronoUnit.SECONDS)),
                                Column.number("FILES", line -> line.files()),
                                Column.size("BYTES", line -> line.bytes()),
                                Column.size("SENT", line -> line.sent())));
        if (lines.isEmpty()) {
            target.out().println("no complete snapshot yet");
        } else {
            table.print(lines, target.tables(isWide));
        }
        target.out().flush();
        return ServerOptions.OK;
    }
}
