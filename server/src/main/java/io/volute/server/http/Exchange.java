package io.volute.server.http;

import io.volute.server.http.message.Refusal;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.S3Response.About;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request and its response, on a virtual thread until everything is on its way. It ends when
 * the socket has taken the last byte, on whichever thread sees that: the own one would only be
 * woken for it.
 */
final class Exchange implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);

    private static final About FAILED = About.UNKNOWN.failing(Refusal.internal().code());

    private final ServerParts parts;
    private final HttpServer.Service service;
    private final Connection connection;
    private final RequestAllowance allowance;
    private final HttpHead head;
    private final QueuedBody body;
    private final ResponseSender sender;
    private final long begun;

    /**
     * Creates an exchange when its head has arrived.
     *
     * @param service answers it
     * @param allowance returned when the request has ended
     */
    Exchange(
            ServerParts parts,
            HttpServer.Service service,
            Connection connection,
            RequestAllowance allowance,
            HttpHead head,
            QueuedBody body,
            ResponseSender sender) {
        this.parts = parts;
        this.service = service;
        this.connection = connection;
        this.allowance = allowance;
        this.head = head;
        this.body = body;
        this.sender = sender;
        this.begun = service.watch().now();
    }

    @Override
    public void run() {
        About about = FAILED;
        try {
            Optional<S3Response> response = answer();
            if (!allowance.answers(response.isEmpty() || isRefusal(response.get()))) {
                // The caller of such a request takes no room with the answer either.
                response.ifPresent(ResponseSender::drop);
                allowance.leave();
                about = about.failing(Refusal.busy().code());
                sender.sendRefusal(Refusal.busy());
            } else if (response.isPresent()) {
                about = response.get().about();
                sender.send(response.get());
            } else {
                sender.sendRefusal(Refusal.internal());
            }
        } catch (IOException e) {
            LOG.warn("request {}: response cut off: {}", head.requestId(), e.getMessage());
            connection.abort();
        } catch (RuntimeException | Error e) {
            LOG.error("request {}: response cut off", head.requestId(), e);
            connection.abort();
        } finally {
            About answered = about;
            sender.whenWritten(() -> ended(answered));
        }
    }

    private void ended(About about) {
        try {
            service.watch().answered(head, sender.sent(about, body.takenBytes(), begun));
        } finally {
            parts.requestEnded(allowance);
        }
    }

    private static boolean isRefusal(S3Response response) {
        return !response.about().code().isEmpty();
    }

    /** Returns the handler's response; empty when the handler failed. */
    private Optional<S3Response> answer() {
        try {
            return Optional.of(
                    Objects.requireNonNull(
                            service.handler().handle(head, service.watch().begun(head, body))));
        } catch (RuntimeException | Error e) {
            LOG.error("request {}: {} failed unexpectedly", head.requestId(), head.method(), e);
            return Optional.empty();
        } finally {
            body.close();
        }
    }
}
