package io.volute.benchmarks.cleaning.store;

import io.volute.benchmarks.http.AdminApi;
import io.volute.benchmarks.http.SignedConnection;
import io.volute.server.json.Json;
import io.volute.storage.io.WriteCause;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The response of a server with one cube to a query of its space.
 *
 * @param cube {@code CubeSpace} in docs/reference/openapi.yaml
 */
public record SpaceAnswer(Map<?, ?> cube) {

    /**
     * Queries a server.
     *
     * @throws IOException also when the answer is not that of one cube
     */
    public static SpaceAnswer ask(SignedConnection connection) throws IOException {
        return read(AdminApi.ask(connection, "GET", "space", new byte[0]));
    }

    private static SpaceAnswer read(byte[] json) throws IOException {
        if (Json.read(json).get("cubes") instanceof List<?> cubes
                && cubes.size() == 1
                && cubes.getFirst() instanceof Map<?, ?> cube) {
            return new SpaceAnswer(cube);
        }
        throw new IOException("the server's space is not that of one cube");
    }

    /** The totals. */
    public Spaces spaces() throws IOException {
        long used = number(cube, "usedBytes");
        return new Spaces(
                number(cube, "liveBytes"),
                number(cube, "deadBytes"),
                number(cube, "tombstoneBytes"),
                number(cube, "holeBytes"),
                used,
                used + number(cube, "spareSegments") * number(cube, "segmentBytes"));
    }

    /** The kinds of segments. */
    List<Spaces.Part> parts() throws IOException {
        List<Spaces.Part> parts = new ArrayList<>();
        for (Object each : inner(cube, "segments", List.class)) {
            if (each instanceof Map<?, ?> kind) {
                parts.add(
                        new Spaces.Part(
                                kind.get("kind") + " segments",
                                number(kind, "writtenBytes"),
                                number(kind, "liveBytes"),
                                number(kind, "deadBytes"),
                                number(kind, "tombstoneBytes"),
                                number(kind, "holeBytes"),
                                number(kind, "count") * number(cube, "segmentBytes")));
            }
        }
        return parts;
    }

    /** Returns the bytes written since the server was started. */
    public WrittenBytes written() throws IOException {
        Map<?, ?> causes = inner(inner(cube, "writes", Map.class), "causes", Map.class);
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
}
