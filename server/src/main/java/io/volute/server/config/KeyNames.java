package io.volute.server.config;

import io.volute.server.config.key.Key;
import java.util.LinkedHashMap;
import java.util.Map;

/** The names of keys and of their variables, and of keys that are gone. */
final class KeyNames {
    /** Keys that are gone, with what to write in their stead. */
    private static final Map<String, String> GONE =
            Map.of(
                    "history.max-age-per-version",
                    "history.resolution (default 1s) keeps the state of every whole second; remove"
                            + " this line");

    private KeyNames() {}

    /** The names of variables, of keys that are gone too, and the names of their keys. */
    static Map<String, String> variables() {
        Map<String, String> names = new LinkedHashMap<>();
        Keys.all().values().forEach(key -> names.put(key.variable(), key.name()));
        GONE.keySet().forEach(name -> names.put(Key.variable(name), name));
        return names;
    }

    /** Why a name that is no key is refused. */
    static String refusal(String name, String where) {
        if (GONE.containsKey(name)) {
            return "key " + name + " in " + where + " is gone: " + GONE.get(name);
        }
        return "unknown key "
                + name
                + " in "
                + where
                + SpellingAdvice.advice(name, Keys.all().keySet());
    }
}
