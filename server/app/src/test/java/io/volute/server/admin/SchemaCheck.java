package io.volute.server.admin;

import io.volute.server.admin.OpenApi.Schema;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Compares answers with their schemas: all that is in an answer must be described, and all required
 * properties must be present. It records the properties that it has met.
 */
final class SchemaCheck {
    private final OpenApi api;

    /** Names of schemas with those of properties. */
    private final Set<String> met = new TreeSet<>();

    SchemaCheck(OpenApi api) {
        this.api = api;
    }

    Set<String> met() {
        return met;
    }

    /** Returns the differences of a value from a schema. */
    List<String> problems(Schema schema, Object value) {
        List<String> problems = new ArrayList<>();
        if (schema.has("oneOf")) {
            oneOf(schema, value, problems);
        } else if (!schema.properties().isEmpty() || schema.text("type").equals("object")) {
            object(schema, value, problems);
        } else if (schema.has("const")) {
            require(value.equals(schema.is().get("const")), schema, value, problems);
        } else {
            simple(schema, value, problems);
        }
        return problems;
    }

    private static void require(boolean isMet, Schema schema, Object value, List<String> problems) {
        if (!isMet) {
            problems.add(schema.name() + " is not " + schema.is() + ": " + value);
        }
    }

    private void oneOf(Schema schema, Object value, List<String> problems) {
        List<SchemaCheck> fitting = new ArrayList<>();
        for (Object option : OpenApi.list(schema.is().get("oneOf"))) {
            SchemaCheck check = new SchemaCheck(api);
            if (check.problems(api.schema(OpenApi.map(option), schema.name()), value).isEmpty()) {
                fitting.add(check);
            }
        }
        require(fitting.size() == 1, schema, value, problems);
        fitting.forEach(check -> met.addAll(check.met));
    }

    private void object(Schema schema, Object value, List<String> problems) {
        if (!(value instanceof Map<?, ?>)) {
            problems.add(schema.name() + " is no object: " + value);
            return;
        }
        Map<String, Object> object = OpenApi.map(value);
        object.forEach(
                (name, each) -> {
                    String place = schema.name() + "." + name;
                    Object described = schema.properties().get(name);
                    if (described == null
                            && schema.is().get("additionalProperties") instanceof Map) {
                        described = schema.is().get("additionalProperties");
                    }
                    if (described == null) {
                        problems.add(place + " is not described");
                    } else {
                        met.add(place);
                        problems.addAll(problems(api.schema(OpenApi.map(described), place), each));
                    }
                });
        for (String name : schema.required()) {
            if (!object.containsKey(name)) {
                problems.add(schema.name() + "." + name + " is missing");
            }
        }
    }

    private void simple(Schema schema, Object value, List<String> problems) {
        switch (schema.text("type")) {
            case "array" -> {
                require(value instanceof List, schema, value, problems);
                Schema items =
                        api.schema(OpenApi.map(schema.is().get("items")), schema.name() + "[]");
                OpenApi.list(value).forEach(each -> problems.addAll(problems(items, each)));
            }
            case "string" ->
                    require(
                            value instanceof String text && isOf(schema, text),
                            schema,
                            value,
                            problems);
            case "integer" -> require(value instanceof Long, schema, value, problems);
            case "number" ->
                    require(
                            value instanceof Long || value instanceof Double,
                            schema,
                            value,
                            problems);
            case "boolean" -> require(value instanceof Boolean, schema, value, problems);
            case String unknown -> problems.add(schema.name() + " has type " + unknown);
        }
    }

    private static boolean isOf(Schema schema, String text) {
        if (schema.has("enum") && !OpenApi.list(schema.is().get("enum")).contains(text)) {
            return false;
        }
        if (schema.has("pattern") && !text.matches(schema.text("pattern"))) {
            return false;
        }
        return !schema.text("format").equals("date-time") || isInstant(text);
    }

    private static boolean isInstant(String text) {
        try {
            return Instant.parse(text).toString().equals(text);
        } catch (DateTimeException e) {
            return false;
        }
    }

    /** Every property that an answer of this schema can have, as {@link #met} names them. */
    void describe(Schema schema, Set<String> all) {
        for (Object option : OpenApi.list(schema.is().getOrDefault("oneOf", List.of()))) {
            describe(api.schema(OpenApi.map(option), schema.name()), all);
        }
        if (schema.has("items")) {
            describe(api.schema(OpenApi.map(schema.is().get("items")), schema.name() + "[]"), all);
        }
        if (schema.is().get("additionalProperties") instanceof Map<?, ?> others) {
            describe(api.schema(OpenApi.map(others), schema.name() + ".*"), all);
        }
        schema.properties()
                .forEach(
                        (name, property) -> {
                            String place = schema.name() + "." + name;
                            if (all.add(place)) {
                                describe(api.schema(OpenApi.map(property), place), all);
                            }
                        });
    }
}
