package io.volute.system.events;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.volute.system.ServerProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A webhook, which remembers what it answered. */
final class EventReceiver implements EventTarget {
    private final EventLedger ledger = new EventLedger();
    private final int port = ServerProcess.freePort();
    private HttpServer server;
    private ExecutorService threads;

    EventReceiver() throws IOException {
        up();
    }

    @Override
    public Kind kind() {
        return Kind.WEBHOOK;
    }

    @Override
    public String settings() {
        return """
                type = webhook, url = "http://127.0.0.1:%d/events", allow-http = true,
                allow-loopback = true
                """
                .formatted(port);
    }

    @Override
    public void up() throws IOException {
        server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        threads = Executors.newVirtualThreadPerTaskExecutor();
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    @Override
    public void down() {
        server.stop(0);
        threads.shutdownNow();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            ledger.take(
                    new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            exchange.sendResponseHeaders(200, -1);
        }
    }

    @Override
    public EventLedger ledger() {
        return ledger;
    }

    @Override
    public void close() {
        down();
    }
}
