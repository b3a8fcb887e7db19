package io.volute.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpObject;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpHead;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * The two answers that need no signature: is the process alive, is it ready for requests. A request
 * that carries credentials is never one of them, so that a bucket may be called "health".
 */
final class Health {
    private Health() {}

    /** The answer, with connection close; empty when the request is not about health. */
    static Optional<HttpObject> answer(ServerParts parts, HttpHead head) {
        boolean reads = head.method().equals("GET") || head.method().equals("HEAD");
        if (!reads
                || head.contentLength() != 0
                || !head.rawQuery().isEmpty()
                || head.headers().first("authorization").isPresent()) {
            return Optional.empty();
        }
        return switch (head.rawPath()) {
            // The paths of MinIO are for mc ready and for probes that were written for it.
            case "/health/live", "/minio/health/live" ->
                    Optional.of(page(parts, head, 200, "alive\n"));
            case "/health/ready", "/minio/health/ready", "/minio/health/cluster" -> {
                HttpServer.Readiness service = parts.service().ready();
                boolean ready = service.isReady() && !parts.isDraining();
                String degraded = service.degraded();
                String text =
                        degraded.isEmpty() ? "ready\n" : "ready, degraded: " + degraded + "\n";
                yield Optional.of(
                        ready
                                ? page(parts, head, 200, text)
                                : page(parts, head, 503, "not ready\n"));
            }
            default -> Optional.empty();
        };
    }

    private static HttpObject page(ServerParts parts, HttpHead head, int status, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        ByteBuf body =
                head.method().equals("HEAD")
                        ? Unpooled.EMPTY_BUFFER
                        : Unpooled.wrappedBuffer(bytes);
        List<HeaderList.Header> headers =
                List.of(new HeaderList.Header("content-type", "text/plain; charset=utf-8"));
        return parts.heads.full(
                parts.heads.head(status, headers, head.requestId(), false, bytes.length), body);
    }
}
