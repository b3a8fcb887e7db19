package io.volute.server.json;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

/**
 * JSON as maps, lists, strings, numbers and booleans. Small documents only: everything is in
 * memory.
 */
public final class Json {
    /**
     * Rejects duplicate names in an object, because readers could differ in the value they take.
     */
    private static final JsonFactory FACTORY =
            JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

    private Json() {}

    /** The document as bytes. */
    public static byte[] write(Map<String, ?> document) {
        return write(document, FACTORY);
    }

    /** Writes a document in one line without a line end, in visible ASCII alone. */
    public static byte[] writeVisible(Map<String, ?> document) {
        return write(document, VisibleText.FACTORY);
    }

    private static byte[] write(Map<String, ?> document, JsonFactory factory) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator out = factory.createGenerator(ObjectWriteContext.empty(), bytes)) {
            value(document, out);
        }
        return bytes.toByteArray();
    }

    private static void value(Object value, JsonGenerator out) {
        switch (value) {
            case Map<?, ?> map -> {
                out.writeStartObject();
                map.forEach(
                        (name, inner) -> {
                            out.writeName(String.valueOf(name));
                            value(inner, out);
                        });
                out.writeEndObject();
            }
            case List<?> list -> {
                out.writeStartArray();
                list.forEach(inner -> value(inner, out));
                out.writeEndArray();
            }
            case Boolean answer -> out.writeBoolean(answer);
            case Integer number -> out.writeNumber(number);
            case Long number -> out.writeNumber(number);
            case Double number -> out.writeNumber(number);
            case Object text -> out.writeString(text.toString());
        }
    }

    /**
     * Reads a document, which must be an object.
     *
     * @throws IOException when it is not; the message has the position
     */
    public static Map<String, Object> read(byte[] document) throws IOException {
        try (JsonParser in = FACTORY.createParser(ObjectReadContext.empty(), document)) {
            if (in.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("not a JSON object");
            }
            Map<String, Object> object = object(in);
            if (in.nextToken() != null) {
                throw new IOException("something follows the JSON object");
            }
            return object;
        } catch (JacksonException e) {
            throw new IOException("not JSON: " + e.getOriginalMessage(), e);
        }
    }

    private static Map<String, Object> object(JsonParser in) {
        Map<String, Object> object = new LinkedHashMap<>();
        while (in.nextToken() != JsonToken.END_OBJECT) {
            String name = in.currentName();
            object.put(name, value(in.nextToken(), in));
        }
        return object;
    }

    private static List<Object> list(JsonParser in) {
        List<Object> list = new ArrayList<>();
        for (JsonToken token = in.nextToken();
                token != JsonToken.END_ARRAY;
                token = in.nextToken()) {
            list.add(value(token, in));
        }
        return list;
    }

    /** A null is an empty text. */
    private static Object value(JsonToken token, JsonParser in) {
        if (token == JsonToken.START_OBJECT) {
            return object(in);
        }
        if (token == JsonToken.START_ARRAY) {
            return list(in);
        }
        if (token == JsonToken.VALUE_NUMBER_INT) {
            return in.getLongValue();
        }
        if (token == JsonToken.VALUE_NUMBER_FLOAT) {
            return in.getDoubleValue();
        }
        if (token == JsonToken.VALUE_TRUE || token == JsonToken.VALUE_FALSE) {
            return token == JsonToken.VALUE_TRUE;
        }
        return token == JsonToken.VALUE_NULL ? "" : in.getString();
    }
}
