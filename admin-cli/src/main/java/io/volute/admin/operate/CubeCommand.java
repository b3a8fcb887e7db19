package io.volute.admin.operate;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.Answer;
import io.volute.admin.client.Confirmation;
import io.volute.admin.client.S3Uri;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.client.WaitOption;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Facts;
import io.volute.admin.output.Progress;
import io.volute.admin.output.Table;
import io.volute.admin.output.Table.Column;
import io.volute.adminapi.CubesApi.ClockInfo;
import io.volute.adminapi.CubesApi.CubeInfo;
import io.volute.adminapi.CubesApi.CubeRequest;
import io.volute.adminapi.CubesApi.Cubes;
import io.volute.adminapi.CubesApi.LogInfo;
import io.volute.adminapi.CubesApi.MigrateRequest;
import io.volute.adminapi.CubesApi.Move;
import io.volute.adminapi.CubesApi.MoveRequest;
import io.volute.adminapi.CubesApi.Moves;
import io.volute.adminapi.CubesApi.RemovedCube;
import io.volute.adminapi.CubesApi.ReopenRequest;
import io.volute.adminapi.CubesApi.UnderReplicated;
import io.volute.adminapi.CubesApi.UnknownPast;
import io.volute.adminapi.Routes;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The cubes of a store. */
@Command(
        name = "cube",
        mixinStandardHelpOptions = true,
        description = {
            "Lists, creates, repairs and deletes cubes. A cube has its own log, index and signing"
                    + " keys, and fails alone.",
            "A bucket is in one cube (volute bucket create --cube), unless it was divided by volute"
                    + " bucket split."
        },
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:done",
            "1:the server cannot be reached or refused",
            "2:wrong usage",
            "3:a cube does not serve (list, show), a move or migration does not go on (moves,"
                    + " move-bucket --wait, migrate --wait)"
        })
public final class CubeCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    /** The sub-commands' as well. */
    @Mixin private ServerOptions server;

    @Example(value = "volute cube list", does = "List the cubes and their states.")
    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = "Lists the cubes with their state and the number of their buckets.")
    Integer list() throws InterruptedException {
        return server.run(
                client -> {
                    Answer<Cubes> answer = client.ask(Routes.LIST_CUBES);
                    if (server.isJson()) {
                        server.print(answer);
                    } else {
                        table().print(answer.value().cubes(), server.tables());
                        server.out().flush();
                    }
                    return exitCode(answer.value().cubes());
                });
    }

    private static Table<CubeInfo> table() {
        return new Table<>(
                CubeInfo.class,
                new Column<>("NAME", CubeInfo::cube),
                new Column<>("STATE", CubeCommand::state),
                Column.number("BUCKETS", cube -> cube.buckets()),
                Column.timeIfAny("CREATED", CubeInfo::created));
    }

    /** Returns the state of an open cube, or else its phase. */
    static String state(CubeInfo cube) {
        return cube.state().orElse(cube.phase());
    }

    /** Returns whether a cube serves reads and writes. */
    static boolean serves(CubeInfo cube) {
        return cube.state().filter("healthy"::equals).isPresent();
    }

    private static int exitCode(List<CubeInfo> cubes) {
        return cubes.stream().allMatch(each -> serves(each) || each.isElsewhere())
                ? ServerOptions.OK
                : ServerOptions.FOUND_WRONG;
    }

    @Example(
            value = "volute cube show photos",
            does = "Show cube photos, and the cause if it does not serve.")
    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = "Shows one cube, and the cause if it does not serve.")
    Integer show(@Parameters(paramLabel = "CUBE", description = "Its name.") String name)
            throws InterruptedException {
        return server.run(
                client -> {
                    CubeInfo cube = find(client, name);
                    if (server.isJson()) {
                        server.print(cube);
                    } else {
                        show(cube);
                    }
                    return exitCode(List.of(cube));
                });
    }

    private void show(CubeInfo cube) {
        Facts facts =
                new Facts()
                        .with("cube", cube.cube())
                        .with("number", cube.number())
                        .with("id", cube.id())
                        .with("state", state(cube));
        cube.why().ifPresent(why -> facts.with("why", why));
        facts.with("buckets", cube.buckets());
        cube.log().ifPresent(log -> facts.with("log", log(log)));
        cube.log()
                .flatMap(LogInfo::underReplicated)
                .ifPresent(some -> facts.with("copies", underReplicated(some)));
        cube.clock().ifPresent(clock -> facts.with("clock", clock(clock)));
        cube.created().ifPresent(created -> facts.with("created", created.toString()));
        facts.print(server.tables());
    }

    /** Describes a clock that went back. */
    public static String clock(ClockInfo clock) {
        UnknownPast last = clock.unknown().getLast();
        String what =
                "the past from "
                        + last.from()
                        + last.until().map(until -> " to " + until).orElse(" on")
                        + " is refused";
        int more = clock.unknown().size() - 1;
        return (clock.behindSeconds() > 0
                        ? "it is "
                                + Math.round(Math.max(1, clock.behindSeconds()))
                                + " s earlier than the last write; "
                        : "it went back; ")
                + what
                + (more > 0 ? ", and " + AnswerFormat.count(more, "earlier time") : "");
    }

    /** Describes segments that have fewer copies than wanted. */
    public static String underReplicated(UnderReplicated some) {
        return "fewer than wanted of "
                + some.segments()
                + (some.segments() == 1 ? " segment (" : " segments (")
                + AnswerFormat.bytes(some.bytes())
                + ")";
    }

    private static String log(LogInfo log) {
        String what =
                switch (log.state()) {
                    case "settled" -> "";
                    case "leaving" -> ", the copy in the other place is being removed";
                    default ->
                            ", moving: "
                                    + log.copied()
                                    + " of "
                                    + AnswerFormat.count(log.segments(), "segment")
                                    + AnswerFormat.percent(log.copied(), log.segments())
                                    + ", "
                                    + AnswerFormat.bytes(log.bytes())
                                    + " in this run";
                };
        return log.store() + what + log.why().map(why -> "; stopped: " + why).orElse("");
    }

    private CubeInfo find(AdminClient client, String name)
            throws IOException, InterruptedException {
        return client.ask(Routes.LIST_CUBES).value().cubes().stream()
                .filter(cube -> cube.cube().equals(name))
                .findFirst()
                .orElseThrow(
                        () ->
                                new ParameterException(
                                        spec.commandLine(), "There is no cube " + name));
    }

    @Example(value = "volute cube create hot", does = "Create cube hot.")
    @Command(name = "create", mixinStandardHelpOptions = true, description = "Creates a cube.")
    Integer create(@Parameters(paramLabel = "CUBE", description = "Its name.") String name)
            throws InterruptedException {
        return server.run(
                client ->
                        server.done(
                                client.ask(Routes.CREATE_CUBE, new CubeRequest(name)),
                                "created cube " + name));
    }

    @Example(value = "volute cube delete hot", does = "Take the empty cube hot out of the store.")
    @Command(
            name = "delete",
            mixinStandardHelpOptions = true,
            description = {
                "Takes a cube without buckets out of the store.",
                "Its directory is renamed and stays, with the history and the signed chains of its"
                        + " former buckets: delete it when they are no longer needed."
            })
    Integer delete(
            @Parameters(paramLabel = "CUBE", description = "Its name.") String name,
            @Mixin Confirmation confirmation)
            throws InterruptedException {
        return server.run(
                client -> {
                    confirmation.require(
                            () ->
                                    "Cube "
                                            + find(client, name).cube()
                                            + " leaves the store, with the history and the signed"
                                            + " chains of its former buckets. Its files stay in a"
                                            + " renamed directory. Take it out?");
                    Answer<RemovedCube> answer =
                            client.ask(Routes.DELETE_CUBE, new CubeRequest(name));
                    return server.done(
                            answer,
                            "cube "
                                    + name
                                    + " is gone; its files are in "
                                    + answer.value().directory());
                });
    }

    @Example(
            value = "volute cube reopen photos",
            does = "Open a cube again after its disk was mended.")
    @Example(
            value = "volute cube reopen photos --rebuild-index",
            does = "Make its index again from the log.")
    @Command(
            name = "reopen",
            mixinStandardHelpOptions = true,
            description = {
                "Closes a cube and opens it again, after the cause of a fault was repaired. The"
                        + " other cubes continue to serve.",
                "Opening goes on in the server: volute cube show has the outcome."
            })
    Integer reopen(
            @Parameters(paramLabel = "CUBE", description = "Its name.") String name,
            @Option(
                            names = "--rebuild-index",
                            description = "Delete its index; the server rebuilds it from the log.")
                    boolean isRebuilt)
            throws InterruptedException {
        return server.run(
                client ->
                        server.done(
                                client.ask(Routes.REOPEN_CUBE, new ReopenRequest(name, isRebuilt)),
                                "cube " + name + " is being opened"));
    }

    @Example(
            value = "volute cube migrate photos --to bookkeeper --wait",
            does = "Move the log of a cube to BookKeeper, and wait.")
    @Command(
            name = "migrate",
            mixinStandardHelpOptions = true,
            description = {
                "Moves the log of a cube to ledgers of BookKeeper or back to the local disk."
                        + " Clients can use the cube during the migration.",
                "The migration goes on in the server, also after a restart: volute cube show has"
                        + " the progress. With --wait, the command ends with 3 when the migration"
                        + " stops. Repeat the command to resume one that stopped. Naming the place"
                        + " that has the log gives the migration up."
            })
    Integer migrate(
            @Parameters(paramLabel = "CUBE", description = "Its name.") String name,
            @Option(
                            names = "--to",
                            paramLabel = "PLACE",
                            required = true,
                            description = "bookkeeper or local.")
                    String place,
            @Mixin WaitOption wait)
            throws InterruptedException {
        return server.run(
                client -> {
                    Answer<CubeInfo> begun =
                            client.ask(Routes.MIGRATE_CUBE, new MigrateRequest(name, place));
                    WaitOption.Work work = migration(name, place);
                    if (!wait.isAwaited(false)) {
                        return server.done(
                                begun,
                                "the log of cube " + name + " is being moved to " + place,
                                work.advice());
                    }
                    return end(migrated(client, begun.value(), wait, work));
                });
    }

    /** The place that has the log ends a migration to the other one. */
    private WaitOption.Work migration(String name, String place) {
        String other = place.equals("local") ? "bookkeeper" : "local";
        return new WaitOption.Work(
                server.command("cube", "show", name),
                Optional.of(server.command("cube", "migrate", name, "--to", other)));
    }

    private CubeInfo migrated(
            AdminClient client, CubeInfo begun, WaitOption wait, WaitOption.Work work)
            throws IOException, InterruptedException {
        Progress progress = server.progress("migrating");
        CubeInfo cube =
                wait.await(
                        work,
                        begun,
                        each -> each.log().filter(LogInfo::running).isPresent(),
                        () -> {
                            CubeInfo now = find(client, begun.cube());
                            now.log().ifPresent(log -> show(progress, log));
                            return now;
                        });
        progress.end();
        return cube;
    }

    private static void show(Progress progress, LogInfo log) {
        progress.at(log.copied(), log.segments(), "segment", log.bytes(), "");
    }

    private int end(CubeInfo cube) {
        if (server.isJson()) {
            server.print(cube);
        } else {
            show(cube);
        }
        return cube.log().filter(log -> log.state().equals("settled")).isPresent()
                ? ServerOptions.OK
                : ServerOptions.FOUND_WRONG;
    }

    @Example(
            value = "volute cube move-bucket holiday --to hot --wait",
            does = "Move bucket holiday to cube hot, and wait.")
    @Command(
            name = "move-bucket",
            mixinStandardHelpOptions = true,
            description = {
                "Moves a bucket to another cube, with versions, history, locks, tags and uploads."
                        + " Clients can use it during the move.",
                "The move goes on in the server: volute cube moves shows how far it is, and --wait"
                        + " waits for its end. Repeat the"
                        + " command to resume a move that stopped. A move to the cube that the"
                        + " bucket is in gives up the present one."
            })
    Integer moveBucket(
            @Parameters(
                            paramLabel = "BUCKET",
                            converter = S3Uri.BucketConverter.class,
                            description = "Its name.")
                    String bucket,
            @Option(
                            names = "--to",
                            paramLabel = "CUBE",
                            required = true,
                            description = "The cube that it moves to.")
                    String cube,
            @Mixin WaitOption wait)
            throws InterruptedException {
        return server.run(
                client -> {
                    Answer<Move> begun =
                            client.ask(Routes.MOVE_BUCKET, new MoveRequest(bucket, cube));
                    return BucketMoves.end(
                            server,
                            client,
                            begun,
                            wait,
                            "bucket " + bucket + " is being moved to cube " + cube,
                            server.command(
                                    "cube", "move-bucket", bucket, "--to", begun.value().from()));
                });
    }

    @Example(value = "volute cube moves", does = "List the moves that have not ended.")
    @Command(
            name = "moves",
            mixinStandardHelpOptions = true,
            description =
                    "Lists the moves of buckets that have not ended, and the cause of each that"
                            + " stopped.")
    Integer moves() throws InterruptedException {
        return server.run(
                client -> {
                    Answer<Moves> answer = client.ask(Routes.LIST_MOVES);
                    if (server.isJson()) {
                        server.print(answer);
                    } else {
                        Table<Move> table = moveTable();
                        table.print(answer.value().moves(), server.tables());
                        if (table.isEmpty()) {
                            server.out().println("no moves: all have ended");
                        }
                        server.out().flush();
                    }
                    return answer.value().moves().stream().allMatch(Move::running)
                            ? ServerOptions.OK
                            : ServerOptions.FOUND_WRONG;
                });
    }

    private static String keys(Move move) {
        return move.keysTotal() == 0
                ? Long.toString(move.keys())
                : move.keys()
                        + " of "
                        + move.keysTotal()
                        + AnswerFormat.percent(move.keys(), move.keysTotal());
    }

    private static Table<Move> moveTable() {
        return new Table<>(
                Move.class,
                new Column<>("BUCKET", Move::bucket),
                Column.once(new Column<>("FROM", Move::from)),
                Column.once(new Column<>("TO", Move::to)),
                new Column<>("PHASE", Move::phase),
                new Column<>("KEYS", CubeCommand::keys),
                new Column<>(
                        "FIRST KEY", move -> move.first().map(AnswerFormat::visible).orElse("")),
                Column.once(
                        new Column<>(
                                "WHY", move -> move.why().map(AnswerFormat::visible).orElse(""))));
    }

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "Missing: a command");
    }
}
