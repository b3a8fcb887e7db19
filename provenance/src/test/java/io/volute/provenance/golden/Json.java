package io.volute.provenance.golden;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes maps, lists, plain strings, numbers and hex; one line for each element of a list. */
final class Json {
    private Json() {}

    static String of(Object value) {
        return switch (value) {
            case Bytes bytes -> quoted(bytes.hex());
            case Hash hash -> quoted(hash.hex());
            case Map<?, ?> map ->
                    map.entrySet().stream()
                            .map(
                                    each ->
                                            quoted(each.getKey().toString())
                                                    + ": "
                                                    + of(each.getValue()))
                            .collect(Collectors.joining(",\n", "{\n", "\n}"));
            case List<?> list ->
                    list.stream().map(Json::of).collect(Collectors.joining(",\n", "[", "]"));
            case Number number -> number.toString();
            case Boolean bool -> bool.toString();
            default -> quoted(value.toString());
        };
    }

    private static String quoted(String text) {
        if (text.indexOf('"') >= 0 || text.indexOf('\\') >= 0) {
            throw new IllegalArgumentException(text);
        }
        return '"' + text + '"';
    }
}
