package io.volute.server.admin;

import io.volute.adminapi.Route;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.schema.FailsafeSchema;

/** The description of the admin API, with its references followed. */
final class OpenApi {
    private static final String SCHEMAS = "#/components/schemas/";

    private final Map<String, Object> document;

    private OpenApi(Map<String, Object> document) {
        this.document = document;
    }

    /** Reads docs/reference/openapi.yaml. */
    static OpenApi read() throws IOException {
        Path file =
                Stream.iterate(Path.of("").toAbsolutePath(), Path::getParent)
                        .takeWhile(path -> path != null)
                        .map(path -> path.resolve("docs/reference/openapi.yaml"))
                        .filter(Files::exists)
                        .findFirst()
                        .orElseThrow();
        // The schema without types: all values are texts.
        LoadSettings texts = LoadSettings.builder().setSchema(new FailsafeSchema()).build();
        return new OpenApi(map(new Load(texts).loadFromString(Files.readString(file))));
    }

    /**
     * A schema, with its name if it has one.
     *
     * @param properties of objects, those of all parts of an {@code allOf}
     */
    record Schema(
            String name,
            Map<String, Object> is,
            Map<String, Object> properties,
            TreeSet<String> required) {
        boolean has(String keyword) {
            return is.containsKey(keyword);
        }

        String text(String keyword) {
            return String.valueOf(is.get(keyword));
        }
    }

    /** Methods and paths. */
    TreeSet<String> routes() {
        TreeSet<String> routes = new TreeSet<>();
        map(document.get("paths"))
                .forEach(
                        (path, methods) ->
                                map(methods)
                                        .keySet()
                                        .forEach(
                                                method ->
                                                        routes.add(
                                                                method.toUpperCase(Locale.ROOT)
                                                                        + " "
                                                                        + path)));
        return routes;
    }

    private Map<String, Object> operation(Route<?, ?> route) {
        Map<String, Object> methods = map(map(document.get("paths")).get(route.path()));
        return map(methods.get(route.method().toLowerCase(Locale.ROOT)));
    }

    /**
     * Returns the arguments of a route, in its query or its body, as the properties of one object.
     */
    Schema taken(Route<?, ?> route) {
        Map<String, Object> operation = operation(route);
        if (operation.containsKey("requestBody")) {
            return content(map(operation.get("requestBody")));
        }
        Map<String, Object> properties = new LinkedHashMap<>();
        TreeSet<String> required = new TreeSet<>();
        for (Object each : list(operation.getOrDefault("parameters", List.of()))) {
            Map<String, Object> parameter = followed(map(each));
            String name = parameter.get("name").toString();
            properties.put(name, parameter.get("schema"));
            if ("true".equals(parameter.get("required"))) {
                required.add(name);
            }
        }
        return new Schema(route.name(), Map.of("type", "object"), properties, required);
    }

    /** Returns the only status of a successful answer. */
    int status(Route<?, ?> route) {
        TreeSet<String> statuses = new TreeSet<>(map(operation(route).get("responses")).keySet());
        statuses.remove("default");
        return Integer.parseInt(String.join(" or ", statuses));
    }

    /** Returns the schema of a successful answer. */
    Schema answered(Route<?, ?> route) {
        Map<String, Object> responses = map(operation(route).get("responses"));
        return content(map(responses.get(Integer.toString(status(route)))));
    }

    /** Returns the schema of a refusal. */
    Schema refused(Route<?, ?> route) {
        return content(followed(map(map(operation(route).get("responses")).get("default"))));
    }

    private Schema content(Map<String, Object> of) {
        return schema(map(map(map(of.get("content")).get("application/json")).get("schema")), "");
    }

    /**
     * @param place names it where it has no name of its own
     */
    Schema schema(Map<String, Object> given, String place) {
        String reference = String.valueOf(given.get("$ref"));
        String name = reference.startsWith(SCHEMAS) ? reference.substring(SCHEMAS.length()) : place;
        Map<String, Object> is = followed(given);
        Map<String, Object> properties = new LinkedHashMap<>();
        TreeSet<String> required = new TreeSet<>();
        if (is.containsKey("allOf")) {
            for (Object each : list(is.get("allOf"))) {
                Schema part = schema(map(each), name);
                properties.putAll(part.properties());
                required.addAll(part.required());
            }
        }
        properties.putAll(map(is.getOrDefault("properties", Map.of())));
        list(is.getOrDefault("required", List.of())).forEach(each -> required.add("" + each));
        return new Schema(name, is, properties, required);
    }

    private Map<String, Object> followed(Map<String, Object> given) {
        if (!given.containsKey("$ref")) {
            return given;
        }
        Object found = document;
        for (String name : given.get("$ref").toString().substring("#/".length()).split("/")) {
            found = map(found).get(name);
        }
        return followed(map(found));
    }

    static Map<String, Object> map(Object value) {
        if (!(value instanceof Map<?, ?> map)) {
            throw new AssertionError("no map: " + value);
        }
        Map<String, Object> copy = new LinkedHashMap<>();
        map.forEach((name, each) -> copy.put(name.toString(), each));
        return copy;
    }

    static List<Object> list(Object value) {
        if (!(value instanceof List<?> list)) {
            throw new AssertionError("no list: " + value);
        }
        return new ArrayList<>(list);
    }
}
