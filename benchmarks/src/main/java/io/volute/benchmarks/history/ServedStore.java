package io.volute.benchmarks.history;

import io.volute.benchmarks.Scratch;
import io.volute.benchmarks.Ticks;
import io.volute.benchmarks.cleaning.store.SpaceAnswer;
import io.volute.benchmarks.http.AdminApi;
import io.volute.benchmarks.http.ServerProcess;
import io.volute.benchmarks.http.SignedConnections;
import io.volute.server.json.Json;
import io.volute.storage.io.WriteCause;
import io.volute.versioning.Restore;
import io.volute.versioning.causality.HistoryPolicy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** A server with the store in a directory of its own. Each request names its actor. */
final class ServedStore implements HistoryStore {
    private static final String OWNER = "owner";
    private static final String VERSIONED =
            "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";

    private final String name;
    private final Scratch scratch;
    private final Map<String, String> settings;
    private ServerProcess server;
    private SignedConnections connections;

    private ServedStore(String name, HistoryPolicy policy, Path directory)
            throws IOException, InterruptedException {
        this.name = name;
        this.scratch = Scratch.in(directory);
        this.settings = Map.of("history.policy", policy.text());
        this.server = ServerProcess.start(scratch.directory(), settings);
        this.connections = new SignedConnections(server);
        accepted(send(OWNER, "PUT", "", "", new byte[0]), "the bucket");
    }

    /** Starts a server without S3 versioning. */
    static ServedStore of(HistoryPolicy policy, Path directory)
            throws IOException, InterruptedException {
        return new ServedStore(policy.text(), policy, directory);
    }

    static ServedStore plainVersioning(Path directory) throws IOException, InterruptedException {
        ServedStore plain = new ServedStore("plain versioning", HistoryPolicy.NONE, directory);
        byte[] enabled = VERSIONED.getBytes(StandardCharsets.US_ASCII);
        accepted(plain.send(OWNER, "PUT", "", "versioning=", enabled), "versioning");
        return plain;
    }

    /** Does something as an actor. */
    private <T> T as(String actor, SignedConnections.Use<T> use) throws IOException {
        return connections.ask(
                connection -> {
                    connection.actor(actor);
                    return use.with(connection);
                });
    }

    private record Answer(int status, byte[] content) {}

    private Answer send(String actor, String method, String key, String query, byte[] body)
            throws IOException {
        return as(
                actor,
                connection -> {
                    connection.path().clear().put("/").put(BUCKET);
                    if (!key.isEmpty()) {
                        connection.path().put("/").put(key);
                    }
                    connection.query().clear().put(query);
                    int status = connection.send(method, ByteBuffer.wrap(body));
                    return new Answer(status, connection.contentBytes());
                });
    }

    private static void accepted(Answer answer, String what) throws IOException {
        if (answer.status() != 200) {
            throw new IOException(
                    what
                            + ": status "
                            + answer.status()
                            + ", "
                            + new String(answer.content(), StandardCharsets.UTF_8));
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void put(String actor, String key, byte[] content) throws IOException {
        accepted(send(actor, "PUT", key, "", content), key);
    }

    @Override
    public Optional<byte[]> get(String actor, String key) throws IOException {
        Answer answer = send(actor, "GET", key, "", new byte[0]);
        if (answer.status() == 404) {
            return Optional.empty();
        }
        accepted(answer, key);
        return Optional.of(answer.content());
    }

    @Override
    public void endSessions() throws IOException, InterruptedException {
        connections.close();
        server.close();
        server = ServerProcess.start(scratch.directory(), settings);
        connections = new SignedConnections(server);
    }

    @Override
    public long restore(Restore.Goal goal) throws IOException {
        Map<String, Object> request =
                Map.of("bucket", BUCKET, "goal", json(goal), "onConflict", "overwrite");
        Map<?, ?> run = admin("POST", "restore", Map.of("request", request));
        Object id = run.get("id");
        while ("running".equals(run.get("phase"))) {
            Ticks.waitUntil(Ticks.nanos() + POLL_NANOS);
            run = run(id);
        }
        if ("done".equals(run.get("phase")) && run.get("restored") instanceof Long restored) {
            return restored;
        }
        throw new IOException("the restore ended as " + run);
    }

    private Map<?, ?> run(Object id) throws IOException {
        if (admin("GET", "restore", Map.of()).get("runs") instanceof List<?> runs) {
            for (Object each : runs) {
                if (each instanceof Map<?, ?> run && id.equals(run.get("id"))) {
                    return run;
                }
            }
        }
        throw new IOException("the server does not know its restore " + id);
    }

    private static Map<String, String> json(Restore.Goal goal) {
        return switch (goal) {
            case Restore.Goal.ToInstant to ->
                    Map.of("kind", "to-instant", "instant", to.instant().toString());
            case Restore.Goal.BeforeTaint before ->
                    Map.of(
                            "kind",
                            "before-taint",
                            "bucket",
                            before.bucket().value(),
                            "key",
                            before.key().value());
            default -> throw new IllegalArgumentException("no experiment wants " + goal);
        };
    }

    private Map<String, Object> admin(String method, String route, Map<String, ?> document)
            throws IOException {
        byte[] body = document.isEmpty() ? new byte[0] : Json.write(document);
        return Json.read(as(OWNER, connection -> AdminApi.ask(connection, method, route, body)));
    }

    @Override
    public Taken taken() throws IOException {
        long log = as(OWNER, SpaceAnswer::ask).written().of(WriteCause.CLIENT_DATA);
        OptionalLong untold = OptionalLong.empty();
        return new Taken(OptionalLong.of(log), untold, untold, untold);
    }

    @Override
    public List<ProcessHandle> processes() {
        return List.of(ProcessHandle.current(), server.process());
    }

    @Override
    public void close() throws IOException {
        try (scratch;
                ServerProcess ending = server) {
            connections.close();
        }
    }
}
