package io.volute.adminapi;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.cfg.MutableConfigOverride;
import tools.jackson.databind.json.JsonMapper;

/**
 * The JSON of the records of this package. Empty optional fields are left out, fields have the
 * order of the record, fields of newer servers are ignored, and lists, maps and texts that an older
 * server does not have are empty. Thread-safe.
 */
public final class AdminJson {
    /** Rejects duplicate names, because readers could differ in the value they take. */
    private static final JsonMapper MAPPER =
            JsonMapper.builder(
                            JsonFactory.builder()
                                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                                    .build())
                    .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
                    .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                    .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                    .withConfigOverride(List.class, AdminJson::emptyWhenMissing)
                    .withConfigOverride(Map.class, AdminJson::emptyWhenMissing)
                    .withConfigOverride(String.class, AdminJson::emptyWhenMissing)
                    .changeDefaultVisibility(
                            usual -> usual.withIsGetterVisibility(JsonAutoDetect.Visibility.NONE))
                    .changeDefaultPropertyInclusion(
                            usual -> usual.withValueInclusion(JsonInclude.Include.NON_ABSENT))
                    .build();

    private AdminJson() {}

    /** An older server may not have it. */
    private static void emptyWhenMissing(MutableConfigOverride type) {
        type.setNullHandling(JsonSetter.Value.forValueNulls(Nulls.AS_EMPTY));
    }

    /** Returns a record, or a map, as JSON in one line. */
    public static byte[] write(Object value) {
        return MAPPER.writeValueAsBytes(value);
    }

    /**
     * Reads a JSON object as a record.
     *
     * @throws IOException when it is none, or has a field of another type
     */
    public static <T> T read(byte[] json, Class<T> type) throws IOException {
        try {
            return MAPPER.readValue(json, type);
        } catch (JacksonException e) {
            throw new IOException("not the JSON of " + name(type) + ": " + why(e), e);
        }
    }

    /**
     * Returns a map as a record.
     *
     * @throws IOException when a field has another type
     */
    public static <T> T as(Map<String, ?> fields, Class<T> type) throws IOException {
        try {
            return MAPPER.convertValue(fields, type);
        } catch (JacksonException e) {
            throw new IOException("not the fields of " + name(type) + ": " + why(e), e);
        }
    }

    /**
     * Returns the fields of a JSON object, by name, in their order.
     *
     * @throws IOException when it is none
     */
    @SuppressWarnings("unchecked")
    public static Map<String, Object> fields(byte[] json) throws IOException {
        return read(json, Map.class);
    }

    /** Returns the fields of a record that are not empty, by name, in their order. */
    @SuppressWarnings("unchecked")
    public static Map<String, Object> fields(Record value) {
        return MAPPER.convertValue(value, Map.class);
    }

    private static String name(Class<?> type) {
        return type.getSimpleName();
    }

    private static String why(JacksonException e) {
        return e.getOriginalMessage();
    }
}
