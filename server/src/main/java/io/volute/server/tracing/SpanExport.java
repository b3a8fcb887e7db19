package io.volute.server.tracing;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.exporter.internal.FailedExportException.HttpExportException;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.volute.server.Limits;
import io.volute.server.LogText;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.Level;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends spans to a receiver, on threads of its own. Few wait; those for which there is no room are
 * counted, and no request waits for any. Thread-safe.
 */
final class SpanExport implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SpanExport.class);

    /** Tells of every failure by itself; held, so that its level stays. */
    private static final java.util.logging.Logger THEIRS =
            java.util.logging.Logger.getLogger("io.opentelemetry");

    private static final Duration ANSWER_TIME = Duration.ofSeconds(5);
    private static final Duration BATCH_TIME = Duration.ofSeconds(1);
    private final URI endpoint;
    private final SdkTracerProvider provider;
    private final Tracer tracer;
    private final AtomicInteger waiting = new AtomicInteger();
    private final LongAdder sent = new LongAdder();
    private final LongAdder lost = new LongAdder();
    private final AtomicBoolean isFailing = new AtomicBoolean();

    /**
     * @param headers that the receiver wants besides
     * @throws IOException when TLS cannot be used
     */
    SpanExport(URI endpoint, Map<String, String> headers) throws IOException {
        THEIRS.setLevel(Level.OFF);
        this.endpoint = endpoint;
        SpanSender sender = new SpanSender(endpoint, ANSWER_TIME);
        SpanExporter http =
                OtlpHttpSpanExporter.builder()
                        .setEndpoint(endpoint.toString())
                        .setHeaders(() -> headers)
                        .setComponentLoader(sender.loader())
                        .build();
        provider =
                SdkTracerProvider.builder()
                        .setResource(resource())
                        // Whether a request is traced was decided when it began.
                        .setSampler(Sampler.alwaysOn())
                        .addSpanProcessor(
                                BatchSpanProcessor.builder(new ReportingExporter(http))
                                        .setMaxQueueSize(Limits.TRACE_SPANS_MAX)
                                        .setScheduleDelay(BATCH_TIME)
                                        .build())
                        .build();
        tracer = provider.get("io.volute.server");
    }

    /** Identifies this server, as several servers may send to one receiver. */
    private static Resource resource() {
        AttributesBuilder known = Attributes.builder().put("service.name", "volute");
        try {
            known.put("host.name", InetAddress.getLocalHost().getHostName());
        } catch (UnknownHostException e) {
            LOG.debug("this machine does not know its name: {}", e.getMessage());
        }
        return Resource.getDefault().merge(Resource.create(known.build()));
    }

    /** Makes spans; those that end are sent. Take room for them first. */
    Tracer tracer() {
        return tracer;
    }

    /** Room for spans, all or none; none is counted. */
    boolean tryTake(int spans) {
        if (waiting.addAndGet(spans) <= Limits.TRACE_SPANS_MAX) {
            return true;
        }
        waiting.addAndGet(-spans);
        lost.add(spans);
        return false;
    }

    long sent() {
        return sent.sum();
    }

    long lost() {
        return lost.sum();
    }

    private void ended(int spans, CompletableResultCode result) {
        waiting.addAndGet(-spans);
        if (result.isSuccess()) {
            sent.add(spans);
            if (isFailing.compareAndSet(true, false)) {
                LOG.info("spans are sent to {} again", endpoint);
            }
            return;
        }
        lost.add(spans);
        if (isFailing.compareAndSet(false, true)) {
            LOG.warn(
                    "spans cannot be sent to {}, and are lost until they can (tracing.endpoint):"
                            + " {}",
                    endpoint,
                    why(result));
        }
    }

    /** Returns the receiver's answer, or the reason for its absence. */
    private static String why(CompletableResultCode result) {
        Throwable failure = result.getFailureThrowable();
        if (failure instanceof HttpExportException http && http.getResponse() != null) {
            return "it answered with status " + http.getResponse().getStatusCode();
        }
        // Exceptions of the network are wrapped, and the outermost one often has no useful message.
        while (!(failure instanceof IOException) && failure != null && failure.getCause() != null) {
            failure = failure.getCause();
        }
        return failure == null ? "no answer in time" : LogText.of(failure);
    }

    /** Tells what became of spans. */
    private final class ReportingExporter implements SpanExporter {
        private final SpanExporter exporter;

        ReportingExporter(SpanExporter exporter) {
            this.exporter = exporter;
        }

        @Override
        public CompletableResultCode export(Collection<SpanData> spans) {
            int count = spans.size();
            CompletableResultCode result = send(spans);
            return result.whenComplete(() -> ended(count, result));
        }

        /** Sends spans. They do not wait any more, also after a failure. */
        private CompletableResultCode send(Collection<SpanData> spans) {
            try {
                return exporter.export(spans);
            } catch (RuntimeException e) {
                return CompletableResultCode.ofExceptionalFailure(e);
            }
        }

        @Override
        public CompletableResultCode flush() {
            return exporter.flush();
        }

        @Override
        public CompletableResultCode shutdown() {
            return exporter.shutdown();
        }
    }

    /** Sends the waiting spans, if there is time for it, and ends. */
    @Override
    public void close() {
        provider.shutdown().join(Limits.TRACE_STOP_SECONDS_MAX, TimeUnit.SECONDS);
        int unsent = waiting.get();
        if (unsent > 0) {
            LOG.warn("{} spans were lost at the end", unsent);
        }
    }
}
