package io.volute.server.config;

import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import io.volute.server.config.key.Key;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Reads a list of objects of the configuration file. The fields of an object are the keys of
 * sections. A secret needs a type that takes every text, because messages show wrong values.
 */
final class ObjectList {
    private final Key<List<String>> key;
    private final String where;
    private final List<String> problems;

    ObjectList(Key<List<String>> key, String where, List<String> problems) {
        this.key = key;
        this.where = where;
        this.problems = problems;
    }

    /**
     * Reads the objects; those without a problem are in the result.
     *
     * @param most the greatest number of objects
     * @param reader returns empty if a problem leaves nothing to read
     * @param name returns the name of an object, which no two of them share
     */
    <T> List<T> read(
            ConfigList list,
            int most,
            Function<Element, Optional<T>> reader,
            Function<T, String> name) {
        List<T> elements = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (ConfigValue value : list) {
            if (value instanceof ConfigObject object) {
                int before = problems.size();
                Optional<T> element = reader.apply(new Element(object));
                if (element.isPresent() && !names.add(name.apply(element.get()))) {
                    problem(name.apply(element.get()) + " is there twice");
                }
                if (problems.size() == before) {
                    element.ifPresent(elements::add);
                }
            } else {
                problem("write " + key.type().expects());
            }
        }
        if (elements.size() > most) {
            problem(elements.size() + " objects; write at most " + most);
        }
        return elements;
    }

    private void problem(String what) {
        problems.add(key.name() + " in " + where + ": " + what);
    }

    /** An object of the list. */
    final class Element {
        private final ConfigObject object;

        private Element(ConfigObject object) {
            this.object = object;
        }

        /** Adds a problem of this object. */
        void problem(String what) {
            ObjectList.this.problem(what);
        }

        /** Refuses fields of other names than those of the sections. */
        void accept(List<Key.Section> sections) {
            List<String> known =
                    sections.stream()
                            .flatMap(section -> section.keys().stream())
                            .map(Key::name)
                            .toList();
            object.keySet().stream()
                    .filter(field -> !known.contains(field))
                    .forEach(
                            field ->
                                    problem(
                                            "unknown key "
                                                    + field
                                                    + SpellingAdvice.advice(field, known)));
        }

        boolean has(Key<?> field) {
            return object.containsKey(field.name());
        }

        /** Returns the value of a field that has a default. A wrong value is a problem. */
        <T> T get(Key<T> field) {
            return get(field, field.type().parser().parse(field.defaultText()).orElseThrow());
        }

        /**
         * Returns the value of a field. A wrong value is a problem, and so is a missing one if the
         * field has no default.
         *
         * @param instead the result after a problem
         */
        <T> T get(Key<T> field, T instead) {
            String text =
                    has(field)
                            ? String.valueOf(object.get(field.name()).unwrapped())
                            : field.defaultText();
            Optional<T> value = field.type().parser().parse(text);
            if (value.isEmpty()) {
                problem(
                        (text.isBlank()
                                        ? "an object has no " + field.name()
                                        : field.name() + " is \"" + text + "\"")
                                + "; write "
                                + field.type().expects());
            }
            return value.orElse(instead);
        }
    }
}
