package io.volute.admin.operate;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.Answer;
import io.volute.admin.client.ServerOptions;
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
     * @return the exit code
     */
    static int end(
            ServerOptions server,
            AdminClient client,
            Answer<Move> begun,
            boolean isAwaited,
            String what)
            throws IOException, InterruptedException {
        if (!isAwaited) {
            return server.done(begun, what);
        }
        Optional<Move> move = Optional.of(begun.value());
        Progress progress = server.progress("moving");
        while (move.filter(Move::running).isPresent()) {
            server.context().pause().pass();
            move = find(client, begun.value());
            move.ifPresent(each -> progress.at(each.keys(), 0, "key", each.phase()));
        }
        progress.end();
        if (move.isEmpty()) {
            return server.done(begun, what, "the move has ended");
        }
        String why = move.get().why().map(text -> ": " + AnswerFormat.visible(text)).orElse("");
        int unused = server.done(move.get(), what, "the move stopped" + why);
        return ServerOptions.FOUND_WRONG;
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
