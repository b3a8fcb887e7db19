package io.volute.adminapi;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The names of constants as requests and answers write them. */
public final class Words {
    private Words() {}

    /** Returns {@code undo-actor} for UNDO_ACTOR. */
    public static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns constants by that, in the order of the alphabet. */
    @SafeVarargs
    public static <E extends Enum<E>> Map<String, E> constants(E... constants) {
        Map<String, E> words = new TreeMap<>();
        for (E each : constants) {
            words.put(of(each), each);
        }
        return words;
    }
}
