package io.volute.server.tracing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Takes spans by OTLP over HTTP, and remembers them. */
final class SpanReceiver implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final CountDownLatch answering;
    private final List<Received> requests = new CopyOnWriteArrayList<>();
    private volatile int status = 200;

    /** A request that came. */
    record Received(ExportTraceServiceRequest document, Map<String, List<String>> headers) {}

    /** Creates a receiver on this port, or on a free one for 0; it answers at once. */
    SpanReceiver(int port) throws IOException {
        this(port, new CountDownLatch(0));
    }

    /**
     * @param answering nothing is answered before it is open
     */
    SpanReceiver(int port, CountDownLatch answering) throws IOException {
        this.answering = answering;
        server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.setExecutor(threads);
        server.createContext("/v1/traces", this::take);
        server.start();
    }

    private void take(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        requests.add(
                new Received(
                        ExportTraceServiceRequest.parseFrom(body),
                        Map.copyOf(exchange.getRequestHeaders())));
        try {
            answering.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        exchange.getResponseHeaders().add("content-type", "application/x-protobuf");
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }

    void answer(int with) {
        status = with;
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** Returns the endpoint without a path, the form that people usually write. */
    String endpoint() {
        return "http://127.0.0.1:" + port();
    }

    List<Received> requests() {
        return requests;
    }

    List<ResourceSpans> resources() {
        return requests.stream()
                .flatMap(each -> each.document().getResourceSpansList().stream())
                .toList();
    }

    List<Span> spans() {
        return resources().stream()
                .flatMap(each -> each.getScopeSpansList().stream())
                .flatMap(each -> each.getSpansList().stream())
                .toList();
    }

    /** The only one of this name. */
    Span span(String name) {
        List<Span> all = spans().stream().filter(each -> each.getName().equals(name)).toList();
        if (all.size() != 1) {
            throw new AssertionError(all.size() + " spans are called " + name + ": " + spans());
        }
        return all.getFirst();
    }

    /** Returns the spans directly within another one, by name. */
    Map<String, Span> within(Span parent) {
        Map<String, Span> children = new TreeMap<>();
        for (Span each : spans()) {
            if (each.getParentSpanId().equals(parent.getSpanId())
                    && children.put(each.getName(), each) != null) {
                throw new AssertionError("twice: " + each);
            }
        }
        return children;
    }

    static String traceId(Span span) {
        return HexFormat.of().formatHex(span.getTraceId().toByteArray());
    }

    static String parentId(Span span) {
        return HexFormat.of().formatHex(span.getParentSpanId().toByteArray());
    }

    /** Texts and numbers as they are. */
    static Map<String, Object> attributes(List<KeyValue> attributes) {
        Map<String, Object> values = new TreeMap<>();
        for (KeyValue each : attributes) {
            AnyValue value = each.getValue();
            values.put(
                    each.getKey(),
                    value.hasIntValue() ? value.getIntValue() : value.getStringValue());
        }
        return values;
    }

    @Override
    public void close() {
        answering.countDown();
        server.stop(0);
        threads.close();
    }
}
