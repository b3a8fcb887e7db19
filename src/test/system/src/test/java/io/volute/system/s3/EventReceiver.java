package io.volute.system.s3;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.volute.system.ServerProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A webhook that goes down and comes back at the same port, and remembers what it answered. */
final class EventReceiver implements AutoCloseable {
    private static final Pattern RECORD =
            Pattern.compile(
                    "\"key\":\"([^\"]*)\".*\"versionId\":\"([^\"]*)\".*\"sequencer\":\"([^\"]*)\"");

    private final int port;
    private HttpServer server;
    private ExecutorService threads;

    // Under the monitor.
    private final Set<String> versions = new HashSet<>();
    private final Map<String, String> lastOfKey = new HashMap<>();
    private final List<String> disorder = new ArrayList<>();
    private final List<String> others = new ArrayList<>();
    private long repeated;

    EventReceiver() throws IOException {
        port = ServerProcess.freePort();
        up();
    }

    int port() {
        return port;
    }

    void up() throws IOException {
        server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        threads = Executors.newVirtualThreadPerTaskExecutor();
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    void down() {
        server.stop(0);
        threads.shutdownNow();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String body =
                    new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            take(body);
            exchange.sendResponseHeaders(200, -1);
        }
    }

    private synchronized void take(String body) {
        Matcher record = RECORD.matcher(body);
        if (!record.find()) {
            others.add(body);
        } else if (versions.add(record.group(2))) {
            String key = record.group(1);
            String before = lastOfKey.put(key, record.group(3));
            if (before != null && before.compareTo(record.group(3)) >= 0) {
                disorder.add(key + ": " + record.group(3) + " follows " + before);
            }
        } else {
            repeated++;
        }
        notifyAll();
    }

    /** Waits until there is a message of each of these versions; returns those without one. */
    synchronized Set<String> missing(Set<String> expected, long seconds)
            throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (!versions.containsAll(expected) && System.nanoTime() < end) {
            wait(1000);
        }
        Set<String> missing = new HashSet<>(expected);
        missing.removeAll(versions);
        return missing;
    }

    /** Returns first deliveries that came behind a later event of their key. */
    synchronized List<String> disorder() {
        return List.copyOf(disorder);
    }

    /** Returns messages that are no records. */
    synchronized List<String> others() {
        return List.copyOf(others);
    }

    synchronized long repeated() {
        return repeated;
    }

    synchronized int received() {
        return versions.size();
    }

    @Override
    public void close() {
        down();
    }
}
