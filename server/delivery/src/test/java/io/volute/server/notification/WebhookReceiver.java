package io.volute.server.notification;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.function.ToIntFunction;

/** A webhook on a loopback address, which answers as tests want. */
final class WebhookReceiver implements AutoCloseable {
    private final HttpServer server;

    /** Bodies that were answered with 200. */
    final List<String> taken = new CopyOnWriteArrayList<>();

    /** Authorization headers of all requests. */
    final List<String> authorizations = new CopyOnWriteArrayList<>();

    /** Chooses the status for a body. */
    volatile ToIntFunction<String> status = body -> 200;

    WebhookReceiver() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::answer);
        server.start();
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/hook?a=b");
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String body =
                    new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            authorizations.add(
                    String.valueOf(exchange.getRequestHeaders().getFirst("authorization")));
            int code = status.applyAsInt(body);
            if (code == 200) {
                taken.add(body);
            }
            exchange.sendResponseHeaders(code, -1);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
