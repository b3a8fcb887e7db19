package io.volute.server.auth.policy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/** A pattern of code points and wildcards. Matching takes time of pattern times text at most. */
final class Glob {
    /** Stands for any run of characters, the empty one too. */
    static final int ANY = -1;

    /** Stands for one character. */
    static final int ONE = -2;

    private final int[] symbols;

    Glob(int[] symbols) {
        this.symbols = symbols;
    }

    boolean matches(String text) {
        return matches(text.codePoints().toArray(), false);
    }

    boolean matchesIgnoringCase(String text) {
        return matches(text.codePoints().toArray(), true);
    }

    private boolean matches(int[] text, boolean ignoringCase) {
        int at = 0;
        int symbol = 0;
        int star = -1;
        int resume = 0;
        while (at < text.length) {
            if (symbol < symbols.length && symbols[symbol] == ANY) {
                star = symbol++;
                resume = at;
            } else if (symbol < symbols.length && isSame(symbols[symbol], text[at], ignoringCase)) {
                symbol++;
                at++;
            } else if (star >= 0) {
                symbol = star + 1;
                at = ++resume;
            } else {
                return false;
            }
        }
        while (symbol < symbols.length && symbols[symbol] == ANY) {
            symbol++;
        }
        return symbol == symbols.length;
    }

    private static boolean isSame(int symbol, int c, boolean ignoringCase) {
        return symbol == ONE || symbol == c || ignoringCase && folded(symbol) == folded(c);
    }

    private static int folded(int c) {
        return Character.toLowerCase(Character.toUpperCase(c));
    }

    /** Whether some text that begins so is matched. */
    boolean canBeginWith(String prefix) {
        BitSet states = closed(0, new BitSet());
        for (int c : prefix.codePoints().toArray()) {
            BitSet next = new BitSet();
            states.stream()
                    .filter(state -> state < symbols.length)
                    .forEach(
                            state -> {
                                if (symbols[state] == ANY) {
                                    closed(state, next);
                                } else if (symbols[state] == ONE || symbols[state] == c) {
                                    closed(state + 1, next);
                                }
                            });
            states = next;
        }
        return !states.isEmpty();
    }

    /** Adds a state and those that are reached from it by an empty run. */
    private BitSet closed(int state, BitSet states) {
        int each = state;
        states.set(each);
        while (each < symbols.length && symbols[each] == ANY) {
            states.set(++each);
        }
        return states;
    }

    /** Cut at a symbol, into so many pieces at most. */
    List<Glob> split(int separator, int limit) {
        List<Glob> parts = new ArrayList<>();
        int begin = 0;
        for (int i = 0; i < symbols.length && parts.size() < limit - 1; i++) {
            if (symbols[i] == separator) {
                parts.add(new Glob(Arrays.copyOfRange(symbols, begin, i)));
                begin = i + 1;
            }
        }
        parts.add(new Glob(Arrays.copyOfRange(symbols, begin, symbols.length)));
        return parts;
    }

    /** As text, if nothing in it is a wildcard. */
    boolean isLiteral() {
        return Arrays.stream(symbols).allMatch(symbol -> symbol >= 0);
    }
}
