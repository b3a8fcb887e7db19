package io.volute.server.admin;

import io.volute.server.Limits;
import io.volute.storage.Cube;
import io.volute.storage.Cube.Cleaning;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the admin API does, by route. Thread-safe. */
public final class AdminApi implements AutoCloseable {
    private static final String CUBE = "cube";
    private static final String LEVEL = "level";
    private static final String RATE = "bytesPerSecond";

    private final Map<String, Cube> cubes;
    private final Map<String, CheckRun> checks = new TreeMap<>();

    /**
     * @param cubes by name; not owned
     */
    public AdminApi(Map<String, Cube> cubes, InstantSource clock) {
        this.cubes = new TreeMap<>(cubes);
        cubes.forEach((name, cube) -> checks.put(name, new CheckRun(name, cube, clock)));
    }

    /** An answer. */
    record Reply(int status, Map<String, Object> document) {}

    Reply answer(AdminRoute route, byte[] body) throws IOException {
        Map<String, Object> request = parse(body);
        return switch (route) {
            case SPACE -> {
                require(request, List.of());
                yield new Reply(200, space());
            }
            case CLEAN -> {
                require(request, List.of(CUBE, LEVEL));
                yield new Reply(200, clean(request));
            }
            case START_CHECK -> {
                require(request, List.of(CUBE, RATE));
                CheckRun check = checks.get(name(request));
                check.start(rate(request));
                yield new Reply(202, check.document());
            }
            case CHECK -> {
                require(request, List.of());
                List<Object> all = new ArrayList<>();
                checks.values().forEach(check -> all.add(check.document()));
                yield new Reply(200, Map.of("checks", all));
            }
        };
    }

    private static Map<String, Object> parse(byte[] body) {
        if (new String(body, StandardCharsets.UTF_8).isBlank()) {
            return Map.of();
        }
        try {
            return Json.read(body);
        } catch (IOException e) {
            throw AdminException.badRequest("the body is " + e.getMessage());
        }
    }

    private static void require(Map<String, Object> request, List<String> known) {
        for (String name : request.keySet()) {
            if (!known.contains(name)) {
                throw AdminException.badRequest(
                        "unknown property \""
                                + name
                                + "\": this takes "
                                + (known.isEmpty() ? "none" : String.join(", ", known)));
            }
        }
    }

    private String name(Map<String, Object> request) {
        String name = String.valueOf(request.getOrDefault(CUBE, cubes.keySet().iterator().next()));
        if (!cubes.containsKey(name)) {
            throw new AdminException(
                    404, "NoSuchCube", "no cube \"" + name + "\": there are " + cubes.keySet());
        }
        return name;
    }

    private static long rate(Map<String, Object> request) {
        if (request.getOrDefault(RATE, Limits.CHECK_RATE_BYTES_DEFAULT) instanceof Long rate
                && rate >= Limits.CHECK_RATE_BYTES_MIN
                && rate <= Limits.CHECK_RATE_BYTES_MAX) {
            return rate;
        }
        throw AdminException.badRequest(RATE + " is a number from 1048576 (1 MiB) to 1 TiB");
    }

    private Map<String, Object> space() {
        List<Object> all = new ArrayList<>();
        cubes.forEach((name, cube) -> all.add(SpaceDocument.of(name, cube)));
        return Map.of("cubes", all);
    }

    private Map<String, Object> clean(Map<String, Object> request) throws IOException {
        String name = name(request);
        String text = String.valueOf(request.getOrDefault(LEVEL, ""));
        Cleaning level =
                switch (text) {
                    case "combined" -> Cleaning.COMBINED;
                    case "compact" -> Cleaning.COMPACT;
                    case String other ->
                            throw AdminException.badRequest(
                                    LEVEL + " is \"combined\" or \"compact\"");
                };
        long freed = cubes.get(name).clean(level);
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("cube", name);
        document.put("level", text);
        document.put("freedBytes", freed);
        return document;
    }

    /** Stops running checks. */
    @Override
    public void close() throws InterruptedException {
        for (CheckRun check : checks.values()) {
            check.close();
        }
    }
}
