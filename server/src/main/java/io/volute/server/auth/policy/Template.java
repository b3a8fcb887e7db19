package io.volute.server.auth.policy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A text of a policy in which {@code *}, {@code ?} and variables such as <code>${aws:username}
 * </code> may stand. What a variable stands for is never taken for a wildcard (IAM User Guide, "IAM
 * policy elements: Variables and tags"). Immutable.
 */
final class Template {
    /** Heap bytes of the object, its texts and its lists when they are empty, rounded up. */
    private static final int HEAP_BYTES = 128;

    private final String text;

    /** The pieces of a text with variables; empty for a text without them. */
    private final List<Piece> pieces;

    /** The pattern of a text without variables; empty when there are variables. */
    private final Optional<Glob> fixed;

    /** A run of symbols, or a variable. */
    private sealed interface Piece {
        record Symbols(int[] symbols) implements Piece {}

        record Variable(String key, Optional<String> otherwise) implements Piece {}
    }

    private Template(String text, List<Piece> pieces) {
        this.text = text;
        boolean isFixed = pieces.stream().allMatch(Piece.Symbols.class::isInstance);
        this.fixed =
                isFixed
                        ? resolve(ConditionKeys.NONE, pieces, new MatchingBudget())
                        : Optional.empty();
        this.pieces = isFixed ? List.of() : List.copyOf(pieces);
    }

    /**
     * @param wildcards whether {@code *} and {@code ?} mean anything but themselves
     * @param variables whether there are any: the language of 2008 has none
     */
    static Template of(String text, boolean wildcards, boolean variables) {
        List<Piece> pieces = new ArrayList<>();
        int begin = 0;
        int open = variables ? text.indexOf("${") : -1;
        while (open >= 0) {
            int close = text.indexOf('}', open);
            if (close < 0) {
                throw new MalformedPolicyException(
                        "\"" + text + "\" has a ${ without its closing brace");
            }
            pieces.add(symbols(text.substring(begin, open), wildcards));
            pieces.add(variable(text, text.substring(open + 2, close)));
            begin = close + 1;
            open = text.indexOf("${", begin);
        }
        pieces.add(symbols(text.substring(begin), wildcards));
        return new Template(text, pieces);
    }

    private static Piece symbols(String text, boolean wildcards) {
        return new Piece.Symbols(
                text.codePoints()
                        .map(c -> wildcards && c == '*' ? Glob.ANY : c)
                        .map(c -> wildcards && c == '?' ? Glob.ONE : c)
                        .toArray());
    }

    private static Piece variable(String text, String inside) {
        if (inside.equals("*") || inside.equals("?") || inside.equals("$")) {
            return symbols(inside, false);
        }
        int comma = inside.indexOf(',');
        String name = (comma < 0 ? inside : inside.substring(0, comma)).strip();
        if (name.isEmpty() || name.indexOf('$') >= 0 || name.indexOf('{') >= 0) {
            throw new MalformedPolicyException(
                    "\"" + text + "\" has a variable without a name that could be one");
        }
        if (comma < 0) {
            return new Piece.Variable(keyOf(name), Optional.empty());
        }
        String otherwise = inside.substring(comma + 1).strip();
        if (otherwise.length() < 2 || !otherwise.startsWith("'") || !otherwise.endsWith("'")) {
            throw new MalformedPolicyException(
                    "\"" + text + "\": the default of a variable stands between single quotes");
        }
        return new Piece.Variable(
                keyOf(name), Optional.of(otherwise.substring(1, otherwise.length() - 1)));
    }

    /** The form in which {@link ConditionKeys} takes a key: tags keep their case. */
    static String keyOf(String name) {
        int slash = name.indexOf('/');
        return slash < 0
                ? name.toLowerCase(Locale.ROOT)
                : name.substring(0, slash).toLowerCase(Locale.ROOT) + name.substring(slash);
    }

    /** Returns the pattern for a request; empty when a variable has no value or several values. */
    Optional<Glob> resolve(ConditionKeys keys, MatchingBudget budget) {
        return fixed.isPresent() ? fixed : resolve(keys, pieces, budget);
    }

    /** Returns the pattern for every request; empty when the pattern depends on the request. */
    Optional<Glob> alone() {
        return resolve(ConditionKeys.NONE, new MatchingBudget());
    }

    /** Returns whether the template contains a variable whose key matches. */
    boolean dependsOn(Predicate<String> keys) {
        for (Piece piece : pieces) {
            if (piece instanceof Piece.Variable variable && keys.test(variable.key())) {
                return true;
            }
        }
        return false;
    }

    /** Heap bytes that it needs, about. */
    int heapBytes() {
        int bytes = HEAP_BYTES + 2 * text.length() + fixed.map(Glob::heapBytes).orElse(0);
        for (Piece piece : pieces) {
            bytes +=
                    switch (piece) {
                        case Piece.Symbols symbols ->
                                HEAP_BYTES + Integer.BYTES * symbols.symbols().length;
                        case Piece.Variable variable ->
                                HEAP_BYTES
                                        + 2 * variable.key().length()
                                        + 2 * variable.otherwise().orElse("").length();
                    };
        }
        return bytes;
    }

    private static Optional<Glob> resolve(
            ConditionKeys keys, List<Piece> pieces, MatchingBudget budget) {
        List<int[]> parts = new ArrayList<>();
        for (Piece piece : pieces) {
            switch (piece) {
                case Piece.Symbols symbols -> {
                    budget.spend(1 + symbols.symbols().length);
                    parts.add(symbols.symbols());
                }
                case Piece.Variable variable -> {
                    List<String> values = keys.values(variable.key());
                    if (values.size() > 1 || values.isEmpty() && variable.otherwise().isEmpty()) {
                        return Optional.empty();
                    }
                    String value =
                            values.isEmpty() ? variable.otherwise().get() : values.getFirst();
                    parts.add(Glob.points(value, budget));
                }
            }
        }
        return Optional.of(new Glob(parts.stream().flatMapToInt(Arrays::stream).toArray()));
    }

    @Override
    public String toString() {
        return text;
    }
}
