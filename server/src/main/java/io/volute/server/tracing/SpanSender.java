package io.volute.server.tracing;

import io.opentelemetry.common.ComponentLoader;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.HttpResponse;
import io.opentelemetry.sdk.common.export.HttpSender;
import io.opentelemetry.sdk.common.export.HttpSenderConfig;
import io.opentelemetry.sdk.common.export.HttpSenderProvider;
import io.opentelemetry.sdk.common.export.MessageWriter;
import io.volute.adminapi.tls.Authorities;
import io.volute.server.outbound.Addresses;
import io.volute.server.outbound.Content;
import io.volute.server.outbound.HttpClient;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Sends the messages of OpenTelemetry by the server's HTTP client. Thread-safe. */
final class SpanSender implements HttpSenderProvider {
    private static final int MOST_ANSWER_BYTES = 64 << 10;
    private static final List<Duration> PAUSES =
            List.of(Duration.ofSeconds(1), Duration.ofSeconds(2));

    /** Statuses after which OTLP allows another attempt. */
    private static final Set<Integer> PASSING = Set.of(429, 502, 503, 504);

    private final HttpClient http;
    private final Duration time;

    /**
     * @param time of one attempt
     * @throws IOException when TLS cannot be used
     */
    SpanSender(URI endpoint, Duration time) throws IOException {
        http =
                new HttpClient(
                        endpoint,
                        Addresses.OF_OPERATOR,
                        Authorities.trusted("tracing.endpoint", Optional.empty())
                                .getSocketFactory());
        this.time = time;
    }

    /** Returns a loader that finds this sender, and no other component. */
    ComponentLoader loader() {
        return new ComponentLoader() {
            @Override
            public <T> Iterable<T> load(Class<T> type) {
                return type.isInstance(SpanSender.this)
                        ? List.of(type.cast(SpanSender.this))
                        : List.of();
            }
        };
    }

    @Override
    public HttpSender createSender(HttpSenderConfig config) {
        return new HttpSender() {
            @Override
            public void send(
                    MessageWriter message,
                    Consumer<HttpResponse> onAnswer,
                    Consumer<Throwable> onFailure) {
                Thread.ofVirtual()
                        .name("trace-send")
                        .start(() -> attempt(request(config, message), onAnswer, onFailure));
            }

            @Override
            public CompletableResultCode shutdown() {
                http.close();
                return CompletableResultCode.ofSuccess();
            }
        };
    }

    private static HttpClient.Request request(HttpSenderConfig config, MessageWriter message) {
        Map<String, String> headers = new LinkedHashMap<>();
        config.getHeadersSupplier()
                .get()
                .forEach((name, values) -> headers.put(name, String.join(",", values)));
        headers.put("content-type", config.getContentType());
        return new HttpClient.Request(
                "POST",
                HttpClient.Request.target(config.getEndpoint()),
                headers,
                Content.unsigned(message.getContentLength(), message::writeMessage));
    }

    private void attempt(
            HttpClient.Request request,
            Consumer<HttpResponse> onAnswer,
            Consumer<Throwable> onFailure) {
        HttpClient.Answer answer;
        try {
            answer = repeated(request);
        } catch (IOException | InterruptedException | RuntimeException e) {
            onFailure.accept(e);
            return;
        }
        onAnswer.accept(new Received(answer.status(), answer.body()));
    }

    private HttpClient.Answer repeated(HttpClient.Request request)
            throws IOException, InterruptedException {
        for (Duration pause : PAUSES) {
            try {
                HttpClient.Answer answer = http.send(request, time, MOST_ANSWER_BYTES);
                if (!PASSING.contains(answer.status())) {
                    return answer;
                }
            } catch (IOException e) {
                // The last attempt reports it.
            }
            TimeUnit.MILLISECONDS.sleep(pause.toMillis());
        }
        return http.send(request, time, MOST_ANSWER_BYTES);
    }

    /** An answer of the receiver, as OpenTelemetry takes it. */
    private record Received(int status, byte[] body) implements HttpResponse {
        @Override
        public int getStatusCode() {
            return status;
        }

        @Override
        public String getStatusMessage() {
            return "";
        }

        @Override
        public byte[] getResponseBody() {
            return body;
        }
    }
}
