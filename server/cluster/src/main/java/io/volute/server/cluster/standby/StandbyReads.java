package io.volute.server.cluster.standby;

import io.volute.server.s3.call.StandbyRead;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Handler;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.S3Response.Content;
import java.util.Optional;

/**
 * Answers reads that accept the state of a standby on this node. Other requests, and reads that the
 * standby cannot answer, go to their owner.
 *
 * @param owner forwards to the owner of the store, or of the cube of the request
 * @param views the views of the standby
 */
public record StandbyReads(S3Handler owner, StandbyViews views) implements S3Handler {
    private static final String ADMIN = "/_volute/";

    @Override
    public S3Response handle(HttpHead head, RequestBody body) {
        return answer(head, body).orElseGet(() -> owner.handle(head, body));
    }

    private Optional<S3Response> answer(HttpHead head, RequestBody body) {
        boolean reads = head.method().equals("GET") || head.method().equals("HEAD");
        if (!reads
                || head.contentLength() != 0
                || head.rawPath().startsWith(ADMIN)
                || !StandbyRead.isAccepted(head)) {
            return Optional.empty();
        }
        try {
            Optional<StandbyViews.Use> use = views.use();
            return use.isEmpty() ? Optional.empty() : answer(head, body, use.get());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /** The body of an answer has its segments pinned, so it does not need the view. */
    private static Optional<S3Response> answer(
            HttpHead head, RequestBody body, StandbyViews.Use use) {
        try (use) {
            S3Response answer = use.s3().handle(head, body);
            if (answer.status() < 500 && !(answer.content() instanceof Content.Stream)) {
                return Optional.of(answer);
            }
            if (answer.content() instanceof Content.Blob blob) {
                blob.reader().close();
            }
            return Optional.empty();
        }
    }
}
