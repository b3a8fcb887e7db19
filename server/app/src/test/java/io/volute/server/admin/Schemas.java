package io.volute.server.admin;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.volute.adminapi.Described;
import io.volute.adminapi.Failure;
import io.volute.adminapi.IdentityApi;
import io.volute.adminapi.RestoreApi;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/** Renders the schemas of records of the admin API for OpenAPI, in the order of their names. */
final class Schemas {
    /**
     * Names of schemas that differ from those of records: others have them, or clients know them.
     */
    private static final Map<Class<?>, String> NAMES =
            Map.of(
                    Failure.class, "Error",
                    IdentityApi.Policy.class, "ManagedPolicy",
                    IdentityApi.Key.class, "UserKey");

    /** Types whose JSON differs from their fields: their schemas are written by hand. */
    private static final Set<Class<?>> BY_HAND =
            Set.of(RestoreApi.Goal.class, IdentityApi.Change.class);

    private static final String INTEGER = "type: integer, format: int64";
    private static final String NUMBER = "type: number";
    private static final String BOOLEAN = "type: boolean";

    private static final Map<Class<?>, String> SIMPLE =
            Map.ofEntries(
                    Map.entry(String.class, "type: string"),
                    Map.entry(Instant.class, "type: string, format: date-time"),
                    Map.entry(int.class, INTEGER),
                    Map.entry(long.class, INTEGER),
                    Map.entry(Long.class, INTEGER),
                    Map.entry(OptionalLong.class, INTEGER),
                    Map.entry(double.class, NUMBER),
                    Map.entry(Double.class, NUMBER),
                    Map.entry(boolean.class, BOOLEAN),
                    Map.entry(Boolean.class, BOOLEAN),
                    Map.entry(Object.class, "type: [string, object]"));

    private final Map<String, String> byName = new TreeMap<>();
    private final Set<Class<?>> added = new HashSet<>();

    static String name(Class<?> type) {
        return NAMES.getOrDefault(type, type.getSimpleName());
    }

    static String reference(Class<?> type) {
        return "{ $ref: '#/components/schemas/" + name(type) + "' }";
    }

    /** Returns a text of Markdown in quotation marks, with the texts of its links alone. */
    static String quoted(String text) {
        String plain = text.replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1");
        return '"' + plain.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /**
     * Adds the schema of a record, and of all records in it.
     *
     * @param isRequest whether flags and lists may be missing
     */
    void addRecord(Class<?> type, boolean isRequest) {
        if (BY_HAND.contains(type) || !added.add(type)) {
            return;
        }
        StringBuilder schema = new StringBuilder("    " + name(type) + ":\n      type: object\n");
        Described described = type.getAnnotation(Described.class);
        if (described != null) {
            schema.append("      description: ").append(quoted(described.value())).append('\n');
        }
        schema.append("      properties:\n");
        List<String> needed = new ArrayList<>();
        addFields(type, isRequest, true, schema, needed);
        if (!needed.isEmpty()) {
            schema.append("      required: [").append(String.join(", ", needed)).append("]\n");
        }
        String before = byName.put(name(type), schema.toString());
        if (before != null) {
            throw new AssertionError("Two records have the name " + name(type));
        }
    }

    private void addFields(
            Class<?> type,
            boolean isRequest,
            boolean isThere,
            StringBuilder schema,
            List<String> needed) {
        for (RecordComponent each : type.getRecordComponents()) {
            Described described = each.getAnnotation(Described.class);
            boolean canBeMissing = described != null && described.canBeMissing();
            if (each.getAccessor().isAnnotationPresent(JsonUnwrapped.class)) {
                addFields(each.getType(), isRequest, isThere && !canBeMissing, schema, needed);
                continue;
            }
            boolean isFlag = isRequest && each.getType() == boolean.class;
            schema.append("        ").append(each.getName()).append(": ");
            schema.append(described(of(each, isFlag), described)).append('\n');
            if (isThere && !canBeMissing && !isFlag && !isOptional(each.getType())) {
                needed.add(each.getName());
            }
            addRecords(each.getGenericType(), isRequest);
        }
    }

    private static String described(String schema, Described described) {
        return described == null || described.value().isEmpty()
                ? schema
                : schema.substring(0, schema.length() - 2)
                        + ", description: "
                        + quoted(described.value())
                        + " }";
    }

    private static boolean isOptional(Class<?> type) {
        return type == Optional.class || type == OptionalLong.class;
    }

    private void addRecords(Type type, boolean isRequest) {
        if (type instanceof ParameterizedType generic) {
            for (Type each : generic.getActualTypeArguments()) {
                addRecords(each, isRequest);
            }
        } else if (!SIMPLE.containsKey((Class<?>) type)) {
            addRecord((Class<?>) type, isRequest);
        }
    }

    String page() {
        return String.join("", byName.values());
    }

    /**
     * Returns the schema of a field.
     *
     * @param isFalse whether it is false if it is missing
     */
    static String of(RecordComponent field, boolean isFalse) {
        Described described = field.getAnnotation(Described.class);
        String shared = described == null ? "" : described.schema();
        StringBuilder terms = new StringBuilder();
        if (described != null) {
            if (described.oneOf().length > 0) {
                terms.append(", enum: [").append(String.join(", ", described.oneOf())).append(']');
            }
            if (described.min() != Long.MIN_VALUE) {
                terms.append(", minimum: ").append(described.min());
            }
            if (described.max() != Long.MAX_VALUE) {
                terms.append(", maximum: ").append(described.max());
            }
        }
        String schema = of(field.getGenericType(), shared, terms.toString());
        StringBuilder rest = new StringBuilder();
        if (isFalse) {
            rest.append(", default: false");
        }
        if (described != null && !described.byDefault().isEmpty()) {
            rest.append(", default: ").append(described.byDefault());
        }
        return schema.substring(0, schema.length() - 2) + rest + " }";
    }

    /**
     * @param shared the schema of the innermost type; empty for the one of the type itself
     * @param terms further terms of the innermost type
     */
    private static String of(Type type, String shared, String terms) {
        if (type instanceof ParameterizedType generic) {
            Type[] of = generic.getActualTypeArguments();
            if (generic.getRawType() == Optional.class) {
                return of(of[0], shared, terms);
            } else if (generic.getRawType() == List.class) {
                return "{ type: array, items: " + of(of[0], shared, terms) + " }";
            } else if (generic.getRawType() == Map.class) {
                return "{ type: object, additionalProperties: " + of(of[1], shared, terms) + " }";
            }
            throw new AssertionError("no schema for " + type);
        }
        if (!shared.isEmpty()) {
            return "{ $ref: '#/components/schemas/" + shared + "' }";
        }
        String simple = SIMPLE.get(type);
        return simple == null ? reference((Class<?>) type) : "{ " + simple + terms + " }";
    }
}
