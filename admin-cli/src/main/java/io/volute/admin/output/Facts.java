package io.volute.admin.output;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Named values, a line for each. On a terminal a long value continues in lines of its own. */
public final class Facts {
    private static final String GAP = "  ";

    private final Map<String, String> values = new LinkedHashMap<>();

    /** Adds a value. */
    public Facts with(String name, String value) {
        values.put(name, AnswerFormat.visible(value));
        return this;
    }

    /** Adds a number. */
    public Facts with(String name, long number) {
        return with(name, Long.toString(number));
    }

    /** Prints the values in the order in which they were added. */
    public void print(TableOutput output) {
        int widest = values.keySet().stream().mapToInt(String::length).max().orElse(0);
        String indent = " ".repeat(widest) + GAP;
        values.forEach(
                (name, value) -> {
                    String before = name + indent.substring(name.length());
                    List<String> lines =
                            output.isFull()
                                    ? List.of(value)
                                    : TextWidth.wrap(value, Screen.COLUMNS - indent.length());
                    output.out().println((before + lines.getFirst()).stripTrailing());
                    lines.stream().skip(1).forEach(line -> output.out().println(indent + line));
                });
        output.out().flush();
    }

    boolean isEmpty() {
        return values.isEmpty();
    }
}
