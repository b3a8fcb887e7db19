package io.volute.admin.operate;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.Answer;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.client.WaitOption;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Progress;
import io.volute.adminapi.CubesApi.Move;
import io.volute.adminapi.Routes;
import java.io.IOException;
import java.util.Optional;

/** Ends the commands that move a bucket or a part of it, after the server has begun. */
final class BucketMoves {
    private BucketMoves() {}

    /**
     * Reports a move that has begun, or waits for its end.
     *
     * @param what the move, as a sentence
     * @param cancel the command that gives it up
     * @return the exit code
     */
    static int end(
            ServerOptions server,
            AdminClient client,
            Answer<Move> begun,
            WaitOption wait,
            String what,
            String cancel)
            throws IOException, InterruptedException {
        WaitOption.Work work =
                new WaitOption.Work(server.command("cube", "moves"), Optional.of(cancel));
        if (!wait.isAwaited(false)) {
            return server.done(begun, what, work.advice());
        }
        Progress progress = server.progress("moving");
        Optional<Move> move =
                wait.await(
                        work,
                        Optional.of(begun.value()),
                        each -> each.filter(Move::running).isPresent(),
                        () -> {
                            Optional<Move> now = find(client, begun.value());
                            now.ifPresent(each -> show(progress, each));
                            return now;
                        });
        progress.end();
        if (move.isEmpty()) {
            return server.done(begun, what, "the move has ended");
        }
        String why = move.get().why().map(text -> ": " + AnswerFormat.visible(text)).orElse("");
        int unused = server.done(move.get(), what, "the move stopped" + why);
        return ServerOptions.FOUND_WRONG;
    }

    private static void show(Progress progress, Move move) {
        String more = move.phase() + (move.pass() > 1 ? ", pass " + move.pass() : "");
        progress.at(move.keys(), move.keysTotal(), "key", more);
    }

    /** Returns the move as it is now; empty after its end. */
    private static Optional<Move> find(AdminClient client, Move begun)
            throws IOException, InterruptedException {
        return client.ask(Routes.LIST_MOVES).value().moves().stream()
                .filter(
                        each ->
                                each.bucket().equals(begun.bucket())
                                        && each.first().equals(begun.first())
                                        && each.to().equals(begun.to()))
                .findFirst();
    }
}
