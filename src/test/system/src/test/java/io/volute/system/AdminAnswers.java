package io.volute.system;

import io.volute.adminapi.signing.RequestSigner;
import io.volute.server.json.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

/** The state of a running server as its admin API reports it to the root user. */
public final class AdminAnswers {
    private static final HttpClient HTTP =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(Duration.ofSeconds(10))
                    .build();
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(60);
    private static final Duration CHECK_LIMIT = Duration.ofMinutes(5);
    private static final long POLL_NANOS = 20_000_000;
    private static final long CHECK_RATE = 1L << 30;

    private final URI endpoint;
    private final RequestSigner signer =
            new RequestSigner(ServerProcess.ACCESS_KEY, ServerProcess.SECRET_KEY, "us-east-1");

    public AdminAnswers(URI endpoint) {
        this.endpoint = endpoint;
    }

    /**
     * Where the bytes of the only cube are.
     *
     * @param written bytes since the server's start, by cause
     * @param document all of it, for messages
     */
    public record Space(
            long capacity,
            long used,
            long clientFree,
            long live,
            long passes,
            long copied,
            Map<String, Long> written,
            Map<String, Object> document) {

        private static Space of(Map<String, Object> cube) {
            Map<String, Object> cleaner = map(cube, "cleaner");
            Map<String, Long> written = new TreeMap<>();
            map(map(cube, "writes"), "causes")
                    .forEach((cause, is) -> written.put(cause, number(cast(is), "bytes")));
            return new Space(
                    number(cube, "capacityBytes"),
                    number(cube, "usedBytes"),
                    number(cube, "clientFreeBytes"),
                    number(cube, "liveBytes"),
                    number(cleaner, "passes"),
                    number(cleaner, "copiedBytes"),
                    written,
                    cube);
        }

        public double liveShare() {
            return (double) live / capacity;
        }

        @Override
        public String toString() {
            return document.toString();
        }
    }

    public Space space() throws IOException {
        return Space.of(cast(((List<?>) send("GET", "space", Map.of()).get("cubes")).getFirst()));
    }

    /** Has the server check everything, and waits; returns what is wrong. */
    public List<String> check() throws IOException {
        Map<String, Object> check = send("POST", "check", Map.of("bytesPerSecond", CHECK_RATE));
        long begun = System.nanoTime();
        while ("running".equals(check.get("state"))) {
            if (System.nanoTime() - begun > CHECK_LIMIT.toNanos()) {
                throw new IOException("the check does not end: " + check);
            }
            LockSupport.parkNanos(POLL_NANOS);
            check = cast(((List<?>) send("GET", "check", Map.of()).get("checks")).getFirst());
        }
        List<String> wrong = new ArrayList<>();
        if (!"finished".equals(check.get("state"))) {
            wrong.add("the check did not finish: " + check);
        }
        ((List<?>) check.get("problems")).forEach(each -> wrong.add(each.toString()));
        long more = number(check, "moreProblems");
        if (more > 0) {
            wrong.add("and " + more + " more problems");
        }
        return wrong;
    }

    /**
     * Begins to replicate what was in a bucket before its configuration.
     *
     * @param rate versions a second
     */
    public void replicateExisting(String bucket, long rate) throws IOException {
        Map<String, Object> run =
                send("POST", "replication", Map.of("bucket", bucket, "rate", rate));
        if (!"running".equals(run.get("state"))) {
            throw new IOException("the run does not begin: " + run);
        }
    }

    /**
     * Waits until no change waits for a target of replication, and no run for existing objects is
     * in progress.
     *
     * @return the number of changes that a target refused
     */
    public long awaitReplication() throws IOException {
        long begun = System.nanoTime();
        while (System.nanoTime() - begun < CHECK_LIMIT.toNanos()) {
            Map<String, Object> state = send("GET", "replication", Map.of());
            boolean isRunning =
                    ((List<?>) state.get("runs"))
                            .stream().anyMatch(run -> "running".equals(cast(run).get("state")));
            List<?> targets = (List<?>) state.get("targets");
            if (!isRunning
                    && targets.stream().allMatch(each -> number(cast(each), "waiting") == 0)) {
                return targets.stream().mapToLong(each -> number(cast(each), "refused")).sum();
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        throw new IOException("changes still wait: " + send("GET", "replication", Map.of()));
    }

    private Map<String, Object> send(String method, String what, Map<String, ?> document)
            throws IOException {
        String path = "/_volute/v1/" + what;
        byte[] body = document.isEmpty() ? new byte[0] : Json.write(document);
        HttpRequest.Builder request =
                HttpRequest.newBuilder(endpoint.resolve(path))
                        .timeout(ANSWER_LIMIT)
                        .method(method, HttpRequest.BodyPublishers.ofByteArray(body));
        signer.headers(method, endpoint.getRawAuthority(), path, body, Clock.systemUTC().instant())
                .forEach(request::header);
        try {
            HttpResponse<byte[]> answer =
                    HTTP.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
            Map<String, Object> found = Json.read(answer.body());
            if (answer.statusCode() / 100 != 2) {
                throw new IOException(what + " was refused: " + found);
            }
            return found;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> cast(Object map) {
        return (Map<String, Object>) map;
    }

    private static Map<String, Object> map(Map<String, Object> in, String name) {
        return cast(in.get(name));
    }

    private static long number(Map<String, Object> in, String name) {
        return ((Number) in.get(name)).longValue();
    }
}
