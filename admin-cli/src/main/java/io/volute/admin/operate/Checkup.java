package io.volute.admin.operate;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The result of one check.
 *
 * @param found what the check observed
 * @param advice the remedy; empty if none is needed
 */
record Checkup(String name, Level level, String found, String advice) {
    /** The severity of a result, in ascending order. */
    enum Level {
        OK,
        WARN,
        FAIL
    }

    static Checkup ok(String name, String found) {
        return new Checkup(name, Level.OK, found, "");
    }

    static Checkup warn(String name, String found, String advice) {
        return new Checkup(name, Level.WARN, found, advice);
    }

    static Checkup fail(String name, String found, String advice) {
        return new Checkup(name, Level.FAIL, found, advice);
    }

    String word() {
        return level.name().toLowerCase(Locale.ROOT);
    }

    Map<String, Object> document() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("name", name);
        document.put("level", word());
        document.put("found", found);
        document.put("advice", advice);
        return document;
    }
}
