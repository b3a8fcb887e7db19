package io.volute.benchmarks.cleaning.store;

import io.volute.benchmarks.http.AdminApi;
import io.volute.benchmarks.http.AsciiBuffer;
import io.volute.benchmarks.http.KeyPage;
import io.volute.benchmarks.http.ServerProcess;
import io.volute.benchmarks.http.SignedConnection;
import io.volute.benchmarks.http.SignedConnections;
import io.volute.server.json.Json;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * Objects in a bucket without versions of a server, as S3 clients see them: with signed requests
 * over HTTP, a kept-alive connection for each thread that is at work. Space and written bytes come
 * from the admin API.
 */
public final class ServerStore implements MeasuredStore {
    private static final String BUCKET = "measured";
    private static final int KEY_DIGITS = 12;
    private static final byte[] COMBINED =
            "{\"level\":\"combined\"}".getBytes(StandardCharsets.UTF_8);
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

    private final ServerProcess server;
    private final SignedConnections connections;
    private final Content content;

    private ServerStore(ServerProcess server, Content content) {
        this.server = server;
        this.connections = new SignedConnections(server);
        this.content = content;
    }

    /**
     * Makes the bucket if it is not there.
     *
     * @param server owned from now on
     */
    static ServerStore open(ServerProcess server, Content content) throws IOException {
        ServerStore store = new ServerStore(server, content);
        boolean opened = false;
        try {
            store.makeBucket();
            opened = true;
            return store;
        } finally {
            if (!opened) {
                store.close();
            }
        }
    }

    private void makeBucket() throws IOException {
        int status =
                connections.ask(
                        connection -> {
                            connection.path().clear().put("/").put(BUCKET);
                            connection.query().clear();
                            return connection.send("PUT", NOTHING.duplicate());
                        });
        if (status != 200 && status != 409) {
            throw new IOException("the server makes no bucket: status " + status);
        }
    }

    @Override
    public void put(long key, int version, int bytes, ByteBuffer buffer) throws IOException {
        content.fill(buffer, key, version, bytes);
        connections.ask(connection -> accepted(connection, "PUT", key, buffer));
    }

    @Override
    public void delete(long key) throws IOException {
        connections.ask(connection -> accepted(connection, "DELETE", key, NOTHING.duplicate()));
    }

    private static int accepted(
            SignedConnection connection, String method, long key, ByteBuffer body)
            throws IOException {
        int status = send(connection, method, key, body);
        if (status == 200 || status == 204) {
            return status;
        }
        throw refusal(status, method + " of object " + key + ": " + connection.contentText());
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

    private static int send(SignedConnection connection, String method, long key, ByteBuffer body)
            throws IOException {
        AsciiBuffer path = connection.path().clear().put("/").put(BUCKET).put("/");
        path.putNumber(key, KEY_DIGITS);
        connection.query().clear();
        return connection.send(method, body);
    }

    @Override
    public Optional<String> check(long key, int version, int bytes, ByteBuffer buffer) {
        try {
            return connections.ask(
                    connection -> {
                        int status = send(connection, "GET", key, NOTHING.duplicate());
                        String object = "object " + key;
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
            return Optional.of("object " + key + ": " + e);
        }
    }

    @Override
    public long count() throws IOException {
        return connections.ask(
                connection -> {
                    long count = 0;
                    Optional<String> after = Optional.of("");
                    while (after.isPresent()) {
                        KeyPage page = KeyPage.list(connection, BUCKET, after.get());
                        count += page.keys();
                        after = page.next();
                    }
                    return count;
                });
    }

    @Override
    public Spaces spaces() throws IOException {
        return space().spaces();
    }

    @Override
    public List<String> implausible(long capacityBytes) throws IOException {
        SpaceAnswer space = space();
        return space.spaces().implausible(space.parts(), capacityBytes);
    }

    @Override
    public WrittenBytes written() throws IOException {
        return space().written();
    }

    @Override
    public ProcessHandle process() {
        return server.process();
    }

    @Override
    public long clean() throws IOException {
        byte[] answer =
                connections.ask(connection -> AdminApi.ask(connection, "POST", "clean", COMBINED));
        Object freed = Json.read(answer).get("freedBytes");
        if (freed instanceof Long bytes) {
            return bytes;
        }
        throw new IOException("the server says that cleaning has freed " + freed);
    }

    private SpaceAnswer space() throws IOException {
        return connections.ask(SpaceAnswer::ask);
    }

    @Override
    public void close() throws IOException {
        try (server) {
            connections.close();
        }
    }
}
