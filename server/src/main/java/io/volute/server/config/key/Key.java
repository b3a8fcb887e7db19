package io.volute.server.config.key;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A key of the configuration.
 *
 * @param name as in the file, dotted
 * @param defaultText as one would write it; empty for none
 * @param meaning the meaning of a value, in Markdown; links are relative to docs/reference
 * @param occasion when to change the value, in Markdown
 */
public record Key<T>(
        String name, String defaultText, ValueType<T> type, String meaning, String occasion) {

    /** The environment variable that overrides it. */
    public String variable() {
        return variable(name);
    }

    /** Returns the environment variable of the key with this name. */
    public static String variable(String name) {
        return "VOLUTE_" + name.replace('.', '_').replace('-', '_').toUpperCase(Locale.ROOT);
    }

    /** Returns a text of Markdown without links and quotes of code, for a terminal or a file. */
    public static String plain(String markdown) {
        return markdown.replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1").replace("`", "");
    }

    /**
     * The keys of one table of docs/reference/settings.md, in its order.
     *
     * <p>Each method adds a key and returns it. The last two texts of each are its meaning and the
     * occasion to change it. Static initializers fill a section; afterwards it does not change.
     */
    public static final class Section {
        private final String name;
        private final List<Key<?>> keys = new ArrayList<>();

        /** Creates a section with the name of its table. */
        public Section(String name) {
            this.name = name;
        }

        public String name() {
            return name;
        }

        public List<Key<?>> keys() {
            return Collections.unmodifiableList(keys);
        }

        public <T> Key<T> add(
                String key, String value, ValueType<T> type, String meaning, String occasion) {
            Key<T> added = new Key<>(key, value, type, meaning, occasion);
            keys.add(added);
            return added;
        }

        /** Adds a file, by default none. */
        public Key<Optional<Path>> file(String key, String meaning, String occasion) {
            return add(key, "", ValueType.pathOrNone("the path of a file"), meaning, occasion);
        }

        /** Adds a PEM file, by default none. */
        public Key<Optional<Path>> pem(String key, String meaning, String occasion) {
            return add(key, "", ValueType.pathOrNone("the path of a PEM file"), meaning, occasion);
        }

        public Key<Boolean> flag(String key, boolean value, String meaning, String occasion) {
            return add(key, Boolean.toString(value), ValueType.FLAG, meaning, occasion);
        }

        /** Adds one of the constants of an enum. */
        public <E extends Enum<E>> Key<E> oneOf(
                String key, E value, String meaning, String occasion) {
            ValueType<E> type = ValueType.oneOf(value.getDeclaringClass());
            return add(key, ValueType.nameOf(value), type, meaning, occasion);
        }

        /** Adds a share from 0 to 1. */
        public Key<Double> share(String key, double value, String meaning, String occasion) {
            return add(key, Double.toString(value), ValueType.fraction(0, 1), meaning, occasion);
        }

        public Key<Long> number(
                String key, long value, long min, long max, String meaning, String occasion) {
            return add(key, Long.toString(value), ValueType.number(min, max), meaning, occasion);
        }

        /** Adds a number of bytes. */
        public Key<Long> size(
                String key, long value, long min, long max, String meaning, String occasion) {
            return add(key, ValueType.show(value), ValueType.size(min, max, 1), meaning, occasion);
        }

        public Key<Duration> time(
                String key,
                Duration value,
                Duration min,
                Duration max,
                String meaning,
                String occasion) {
            return add(key, ValueType.show(value), ValueType.duration(min, max), meaning, occasion);
        }

        /**
         * Adds a list of objects, which only the configuration file can have; by default empty.
         *
         * @param form of an object
         */
        public Key<List<String>> objects(String key, String form, String meaning, String occasion) {
            return add(key, "", ValueType.objects(form), meaning, occasion);
        }

        /** Adds a field of an object. */
        public <T> Key<T> field(String key, String value, ValueType<T> type, String meaning) {
            return add(key, value, type, meaning, "");
        }
    }
}
