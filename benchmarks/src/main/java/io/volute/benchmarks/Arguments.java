package io.volute.benchmarks;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Arguments of the form {@code --name value} and {@code --flag}, each taken once. */
public final class Arguments {
    private final Map<String, String> left = new LinkedHashMap<>();
    private final Set<String> flags = new HashSet<>();

    /**
     * @param known flags, without dashes
     */
    public static Arguments of(String[] given, Set<String> known) {
        Arguments arguments = new Arguments();
        for (int i = 0; i < given.length; i++) {
            String name = given[i].startsWith("--") ? given[i].substring(2) : "";
            if (known.contains(name)) {
                arguments.flags.add(name);
            } else if (!name.isEmpty() && i + 1 < given.length) {
                arguments.left.put(name, given[++i]);
            } else {
                throw new IllegalArgumentException("expected --name value at: " + given[i]);
            }
        }
        return arguments;
    }

    /** Returns whether the flag is present. */
    public boolean has(String flag) {
        return flags.contains(flag);
    }

    /** Returns the given value, or the default if it is absent. */
    public String take(String name, String otherwise) {
        String value = left.remove(name);
        return value == null ? otherwise : value;
    }

    /** Fails when something was given that nobody has taken. */
    public void requireAllTaken() {
        if (!left.isEmpty()) {
            throw new IllegalArgumentException("unknown arguments: " + left.keySet());
        }
    }

    /**
     * One of the names of a type, in lower case and with dashes.
     *
     * @throws IllegalArgumentException for any other, with all that there are
     */
    public static <E extends Enum<E>> E constant(String text, Class<E> type) {
        String name = text.toUpperCase(Locale.ROOT).replace('-', '_');
        List<E> all = List.of(type.getEnumConstants());
        return all.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no " + text + " among " + all));
    }

    /** Reads {@code 4096}, {@code 256K}, {@code 10M} or {@code 2G}. */
    public static long bytes(String text) {
        String upper = text.toUpperCase(Locale.ROOT);
        int unit = "KMG".indexOf(upper.charAt(upper.length() - 1)) + 1;
        String digits = unit == 0 ? upper : upper.substring(0, upper.length() - 1);
        return Long.parseLong(digits) << (10 * unit);
    }
}
