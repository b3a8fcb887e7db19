package io.volute.admin.output;

import java.util.ArrayList;
import java.util.List;

/** Named values, a line for each. On a terminal a long value continues in lines of its own. */
public final class Facts {
    private static final String GAP = "  ";

    private final List<Fact> facts = new ArrayList<>();

    private record Fact(String name, String value) {}

    /** Adds a value. */
    public Facts with(String name, String value) {
        facts.add(new Fact(name, AnswerFormat.visible(value)));
        return this;
    }

    /** Returns the line of one value, which is printed among others. */
    public static String line(String name, String value) {
        return name + GAP + value;
    }

    /** Adds a number. */
    public Facts with(String name, long number) {
        return with(name, Long.toString(number));
    }

    /** Prints the values in the order in which they were added. */
    public void print(TableOutput output) {
        int widest = facts.stream().mapToInt(fact -> fact.name().length()).max().orElse(0);
        String indent = " ".repeat(widest) + GAP;
        for (Fact fact : facts) {
            String before = fact.name() + indent.substring(fact.name().length());
            List<String> lines =
                    output.isFull()
                            ? List.of(fact.value())
                            : TextWidth.wrap(fact.value(), Screen.COLUMNS - indent.length());
            output.out().println((before + lines.getFirst()).stripTrailing());
            lines.stream().skip(1).forEach(line -> output.out().println(indent + line));
        }
        output.out().flush();
    }

    boolean isEmpty() {
        return facts.isEmpty();
    }
}
