package io.volute.benchmarks.cleaning.store;

import io.volute.benchmarks.http.ServerProcess;
import io.volute.benchmarks.http.SignedConnection;
import io.volute.server.json.Json;
import io.volute.storage.CleaningSettings;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.storage.io.WriteCause;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.regex.Pattern;

/**
 * Objects in a bucket without versions of a server, as S3 clients see them: with signed requests
 * over HTTP, a kept-alive connection for each thread that is at work. Space and written bytes come
 * from the admin API.
 */
public final class ServerStore implements MeasuredStore {
    /** The one cube of a server, see {@link io.volute.storage.directory.StoreDirectory}. */
    public static final Path CUBE = Path.of("cubes", "default");

    private static final String BUCKET = "/measured";
    private static final Pattern KEY = Pattern.compile("<Key>([0-9]+)<");
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

    private final ServerProcess server;
    private final Content content;

    /** Those that nobody uses now, the last used last. */
    private final ConcurrentLinkedDeque<SignedConnection> idle = new ConcurrentLinkedDeque<>();

    private ServerStore(ServerProcess server, Content content) {
        this.server = server;
        this.content = content;
    }

    /** Starts a server and makes the bucket if it is not there. */
    public static ServerStore start(Path directory, StoreSettings settings, Content content)
            throws IOException, InterruptedException {
        ServerStore store =
                new ServerStore(ServerProcess.start(directory, byKey(settings.log())), content);
        boolean opened = false;
        try {
            int status = store.ask(each -> each.send("PUT", BUCKET, "", NOTHING.duplicate()));
            if (status != 200 && status != 409) {
                throw new IOException("the server makes no bucket: status " + status);
            }
            opened = true;
            return store;
        } finally {
            if (!opened) {
                store.close();
            }
        }
    }

    /** Returns, by key, the server settings that are equivalent to the given log settings. */
    private static Map<String, String> byKey(LogSettings log) {
        CleaningSettings cleaning = log.cleaning();
        return Map.ofEntries(
                Map.entry("log.capacity", cleaning.capacityBytes() + "B"),
                Map.entry("log.segment-size", log.segmentBytes() + "B"),
                Map.entry("log.inline-limit", log.inlineLimitBytes() + "B"),
                Map.entry("log.chunk-size", log.chunkBytes() + "B"),
                Map.entry("log.expansion-factor", Double.toString(cleaning.expansionFactor())),
                Map.entry("cleaner.threads", Integer.toString(cleaning.threads())),
                Map.entry("cleaner.free-share", Double.toString(cleaning.freeShare())),
                Map.entry("cleaner.tombstone-share", Double.toString(cleaning.tombstoneShare())),
                Map.entry("cleaner.expansion-share", Double.toString(cleaning.expansionShare())),
                Map.entry("cleaner.reserve-segments", Integer.toString(cleaning.reserveSegments())),
                Map.entry("index.flush-log-size", log.indexFlushLogBytes() + "B"),
                Map.entry("index.block-cache", log.blockCacheBytes() + "B"),
                Map.entry("index.write-buffer", log.writeBufferBytes() + "B"),
                // Entries stay for good, and would fill what objects are cleaned in.
                Map.entry("provenance.signatures", "none"),
                // Connections rest while objects are read back by few of them.
                Map.entry("timeouts.idle", "1h"));
    }

    /** An operation on a connection that no other call uses at the same time. */
    private interface Use<T> {
        T with(SignedConnection connection) throws IOException;
    }

    private <T> T ask(Use<T> use) throws IOException {
        SignedConnection free = idle.pollLast();
        SignedConnection mine =
                free == null ? new SignedConnection(server.address(), ServerProcess.ACCOUNT) : free;
        try {
            return use.with(mine);
        } finally {
            // A failed connection reconnects on its next use.
            idle.addLast(mine);
        }
    }

    /** Sends a request; returns the text of its answer. */
    private String accepted(String method, String path, String query, ByteBuffer body)
            throws IOException {
        return ask(
                connection -> {
                    int status = connection.send(method, path, query, body);
                    if (status / 100 != 2) {
                        String text = method + " of " + path + ": " + connection.contentText();
                        throw refusal(status, text);
                    }
                    return connection.contentText();
                });
    }

    /** Returns the exception for a response that is not a success. */
    public static IOException refusal(int status, String text) {
        if (status == 503 && text.contains("<Code>SlowDown</Code>")) {
            return new CubeUnavailableException(Reason.BUSY, text);
        }
        return status == 507
                ? new CubeUnavailableException(Reason.FULL, text)
                : new IOException("status " + status + ", " + text);
    }

    private static String path(long key) {
        return String.format(Locale.ROOT, "%s/%012d", BUCKET, key);
    }

    @Override
    public void put(long key, int version, int bytes, ByteBuffer buffer) throws IOException {
        content.fill(buffer, key, version, bytes);
        accepted("PUT", path(key), "", buffer);
    }

    @Override
    public void delete(long key) throws IOException {
        accepted("DELETE", path(key), "", NOTHING.duplicate());
    }

    @Override
    public Optional<String> check(long key, int version, int bytes, ByteBuffer buffer) {
        String object = "object " + key;
        try {
            return ask(
                    connection -> {
                        int status = connection.send("GET", path(key), "", NOTHING.duplicate());
                        if (status != 200) {
                            return Optional.of(
                                    object + " version " + version + ": status " + status);
                        }
                        return content.isOf(connection.content(), key, version, bytes)
                                ? Optional.empty()
                                : Optional.of(
                                        object + " is not version " + version + " of " + bytes);
                    });
        } catch (IOException e) {
            return Optional.of(object + ": " + e);
        }
    }

    @Override
    public long count() throws IOException {
        long count = 0;
        String last = "";
        while (true) {
            String query = "list-type=2&max-keys=1000&start-after=" + last;
            String page = accepted("GET", BUCKET, query, NOTHING.duplicate());
            List<String> keys = KEY.matcher(page).results().map(key -> key.group(1)).toList();
            if (keys.isEmpty()) {
                return count;
            }
            count += keys.size();
            last = keys.getLast();
        }
    }

    /** Returns the {@code Space} of docs/reference/openapi.yaml. */
    private Map<?, ?> cube() throws IOException {
        String answer = accepted("GET", "/_volute/v1/space", "", NOTHING.duplicate());
        Map<String, Object> space = Json.read(answer.getBytes(StandardCharsets.UTF_8));
        List<?> cubes = inner(space, "cubes", List.class);
        if (cubes.size() == 1 && cubes.getFirst() instanceof Map<?, ?> cube) {
            return cube;
        }
        throw new IOException("the server's space is not that of one cube");
    }

    @Override
    public Spaces spaces() throws IOException {
        Map<?, ?> cube = cube();
        long segmentBytes = number(cube, "segmentBytes");
        List<Spaces.Segments> segments = new ArrayList<>();
        for (Object each : inner(cube, "segments", List.class)) {
            if (each instanceof Map<?, ?> kind) {
                segments.add(
                        new Spaces.Segments(
                                kind.get("kind") + " segments",
                                number(kind, "writtenBytes"),
                                number(kind, "liveBytes"),
                                number(kind, "deadBytes"),
                                number(kind, "tombstoneBytes"),
                                number(kind, "holeBytes"),
                                number(kind, "count") * segmentBytes));
            }
        }
        long spares = number(cube, "spareSegments") * segmentBytes;
        return Spaces.of(segments, number(cube, "usedBytes"), spares);
    }

    @Override
    public WrittenBytes written() throws IOException {
        Map<?, ?> causes = inner(inner(cube(), "writes", Map.class), "causes", Map.class);
        Map<WriteCause, Long> bytes = new EnumMap<>(WriteCause.class);
        for (WriteCause cause : WriteCause.values()) {
            String name = cause.name().toLowerCase(Locale.ROOT).replace('_', '-');
            bytes.put(cause, number(inner(causes, name, Map.class), "bytes"));
        }
        return new WrittenBytes(bytes, OptionalLong.empty());
    }

    private static long number(Map<?, ?> document, String name) throws IOException {
        return inner(document, name, Long.class);
    }

    private static <T> T inner(Map<?, ?> document, String name, Class<T> type) throws IOException {
        Object value = document.get(name);
        if (!type.isInstance(value)) {
            throw new IOException("in the server's space, " + name + " is " + value);
        }
        return type.cast(value);
    }

    @Override
    public ProcessHandle process() {
        return server.process();
    }

    @Override
    public void close() throws IOException {
        try (server) {
            for (SignedConnection each = idle.poll(); each != null; each = idle.poll()) {
                each.close();
            }
        }
    }
}
