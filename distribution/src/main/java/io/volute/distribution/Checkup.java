package io.volute.distribution;

import java.util.Locale;

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

    /** A result as {@code --json} prints it. */
    record Document(String name, String level, String found, String advice) {}

    Document document() {
        return new Document(name, word(), found, advice);
    }
}
