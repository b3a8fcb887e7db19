package io.volute.admin;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.volute.admin.client.CommandContext;
import io.volute.admin.output.Screen;
import io.volute.adminapi.AdminJson;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A server that returns prepared answers and records the requests of the commands. A test registers
 * one as an extension.
 */
public final class FakeServer implements BeforeEachCallback, AfterEachCallback {
    static final Instant NOW = Instant.parse("2026-11-21T10:00:00.123456Z");

    private record Answer(int status, byte[] body) {}

    /** The output and the exit code of a command. */
    public record Outcome(int code, String out, String err) {
        public Map<String, Object> json() throws IOException {
            return AdminJson.fields(out.getBytes(StandardCharsets.UTF_8));
        }
    }

    private final List<Class<?>> commands;
    private HttpServer http;
    private final Map<String, Deque<Answer>> answers = new HashMap<>();
    private final List<String> asked = new ArrayList<>();
    private final List<Headers> headers = new ArrayList<>();
    private Map<String, String> environment =
            Map.of("VOLUTE_ACCESS_KEY", "ROOT", "VOLUTE_SECRET_KEY", "rootsecret");
    private Optional<String> serverName = Optional.empty();
    private boolean isTerminal;
    private boolean isInterrupting;
    private int pauses;
    private long nanos;
    private long secondsApart;

    /**
     * @param others that tests run beside the commands of this module
     */
    public FakeServer(Class<?>... others) {
        commands = Stream.concat(VoluteCommand.COMMANDS.stream(), Stream.of(others)).toList();
    }

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.createContext("/", this::handle);
        http.start();
    }

    /**
     * Answers one after the other; the last one is given from then on.
     *
     * @param question method and path, below {@code /_volute/v1/}
     */
    public FakeServer answer(String question, String... documents) {
        for (String document : documents) {
            answer(question, 200, document);
        }
        return this;
    }

    public synchronized void answer(String question, int status, String document) {
        add(question, new Answer(status, document.getBytes(StandardCharsets.UTF_8)));
    }

    /** Names the server in all answers. */
    public synchronized FakeServer named(String name) {
        serverName = Optional.of(name);
        return this;
    }

    /** Answers with bytes. */
    public synchronized void answer(String question, byte[] body) {
        add(question, new Answer(200, body));
    }

    private void add(String question, Answer answer) {
        answers.computeIfAbsent(question, unused -> new ArrayDeque<>()).add(answer);
    }

    private void handle(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        Answer answer = next(exchange, body);
        serverName.ifPresent(name -> exchange.getResponseHeaders().set("Server", name));
        boolean isHead = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(answer.status(), isHead ? -1 : answer.body().length);
        exchange.getResponseBody().write(isHead ? new byte[0] : answer.body());
        exchange.close();
    }

    private synchronized Answer next(HttpExchange exchange, String body) {
        String path = exchange.getRequestURI().getRawPath().replaceFirst("^/_volute/v1/", "");
        String query = exchange.getRequestURI().getRawQuery();
        String question = exchange.getRequestMethod() + " " + path;
        headers.add(exchange.getRequestHeaders());
        asked.add(question + (query == null ? "" : "?" + query) + (body.isEmpty() ? "" : body));
        Deque<Answer> left = answers.getOrDefault(question, new ArrayDeque<>());
        if (left.isEmpty()) {
            String text = "{\"code\": \"NotExpected\", \"message\": \"" + path + "\"}";
            return new Answer(500, text.getBytes(StandardCharsets.UTF_8));
        }
        return left.size() == 1 ? left.getFirst() : left.removeFirst();
    }

    /** Returns the recorded requests: method, path, query and body. */
    public synchronized List<String> asked() {
        return List.copyOf(asked);
    }

    /** Returns a header of the last request, or an empty text. */
    public synchronized String lastHeader(String name) {
        return Objects.requireNonNullElse(headers.getLast().getFirst(name), "");
    }

    /** Has so many seconds pass each time that a command looks. */
    public FakeServer eachTimeLater(long seconds) {
        secondsApart = seconds;
        return this;
    }

    /** Runs subsequent commands at a terminal. */
    public FakeServer atTerminal() {
        isTerminal = true;
        return this;
    }

    /** Sets the environment of subsequent commands. */
    public FakeServer with(Map<String, String> other) {
        environment = Map.copyOf(other);
        return this;
    }

    /** Returns the number of pauses that commands made before they polled again. */
    public int pauses() {
        return pauses;
    }

    public Outcome run(String... arguments) {
        return runWith("", arguments);
    }

    /**
     * @param typed by the person who runs the command
     */
    public Outcome runWith(String typed, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--endpoint");
        all.add("http://127.0.0.1:" + http.getAddress().getPort());
        return runExactly(typed, all.toArray(String[]::new));
    }

    /** Runs a command as typed, without adding the option that names the server. */
    public Outcome runExactly(String typed, String... arguments) {
        return runExactly(StandardCharsets.UTF_8, typed, arguments);
    }

    /** In a locale with this charset. */
    public Outcome runExactly(Charset charset, String typed, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandContext context =
                new CommandContext(
                        "volute",
                        environment,
                        charset,
                        () -> NOW,
                        () -> nanos += secondsApart * 1_000_000_000L,
                        new ByteArrayInputStream(typed.getBytes(StandardCharsets.UTF_8)),
                        new Screen(isTerminal, isTerminal, isTerminal, ZoneId.of("Europe/Berlin")),
                        new Pauses());
        int code =
                VoluteCommand.run(
                        context, commands, new PrintWriter(out), new PrintWriter(err), arguments);
        return new Outcome(code, out.toString(), err.toString());
    }

    /** Ends commands by Ctrl-C in their first pause from here on; they go on for the test. */
    public FakeServer interrupting() {
        isInterrupting = true;
        return this;
    }

    private final class Pauses implements CommandContext.Pause {
        private Runnable last = () -> {};

        @Override
        public void pass() {
            pauses++;
            if (isInterrupting) {
                last.run();
                isInterrupting = false;
            }
        }

        @Override
        public CommandContext.Watch whenEnded(Runnable said) {
            last = said;
            return () -> last = () -> {};
        }
    }

    public String endpoint() {
        return "http://127.0.0.1:" + http.getAddress().getPort();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        http.stop(0);
    }
}
