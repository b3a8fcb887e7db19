package io.volute.admin.client;

import io.volute.admin.output.JsonList;
import io.volute.admin.output.Table;
import io.volute.adminapi.Route;
import java.io.IOException;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options that limit the number of listed entries. */
public final class ListOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--max",
            paramLabel = "N",
            description = "Entries to show, at most (default: all).")
    private long max = Long.MAX_VALUE;

    public long max() {
        if (max < 1) {
            throw new ParameterException(spec.commandLine(), "--max is " + max + "; at least 1");
        }
        return max;
    }

    /** Asks for a list and prints it; returns the exit code. */
    public <Q extends Record> int show(
            ServerOptions server, Route<Q, ?> route, Q asked, String name, Table<?> table)
            throws InterruptedException {
        return server.run(
                client -> {
                    show(server, Pages.of(client, route, asked), name, table);
                    return ServerOptions.OK;
                });
    }

    /** Prints a list as it arrives: as a table, or as one JSON document. */
    public void show(ServerOptions server, Pages.Source source, String name, Table<?> table)
            throws IOException, InterruptedException {
        show(server, source, name, table, Map::of);
    }

    /**
     * Prints a list as it arrives: as a table, or as one JSON document.
     *
     * @param besides further members of the document, asked for when the list has ended
     */
    public void show(
            ServerOptions server,
            Pages.Source source,
            String name,
            Table<?> table,
            Supplier<Map<String, Object>> besides)
            throws IOException, InterruptedException {
        if (server.isJson()) {
            JsonList json = new JsonList(name, server.out());
            boolean isMore = Pages.follow(source, name, max(), json::print);
            json.end(isMore, besides.get());
            return;
        }
        boolean isMore =
                Pages.follow(
                        source,
                        name,
                        max(),
                        entries -> table.printFields(entries, server.tables()));
        if (table.isEmpty()) {
            server.out().println(table.emptiness("no " + name));
        }
        if (isMore) {
            server.out().println("and more: --max " + max + " was reached");
        }
        server.out().flush();
    }
}
