package io.volute.server.auth.policy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A pattern of code points and wildcards. Matching takes time in proportion to pattern and text
 * together. Only a run with {@link #ONE} between two {@link #ANY} takes the product of its length
 * and the text's; the caller's budget bounds that. Immutable.
 */
final class Glob {
    /** Stands for any run of characters, the empty one too. */
    static final int ANY = -1;

    /** Stands for one character. */
    static final int ONE = -2;

    /** Shorter runs are searched without a table. */
    private static final int SHORT = 8;

    private final int[] symbols;

    Glob(int[] symbols) {
        this.symbols = symbols;
    }

    /** The code points of a text of a request, which the budget pays for. */
    static int[] points(String text, MatchingBudget budget) {
        budget.spendOn(text);
        return text.codePoints().toArray();
    }

    boolean matches(int[] text, MatchingBudget budget) {
        return new Match(text, false, budget).isFound();
    }

    boolean matchesIgnoringCase(int[] text, MatchingBudget budget) {
        return new Match(text, true, budget).isFound();
    }

    /**
     * A single match: the pattern is split at its stars, and each run is searched behind the last.
     */
    private final class Match {
        private final int[] text;
        private final boolean ignoringCase;
        private final MatchingBudget budget;

        Match(int[] text, boolean ignoringCase, MatchingBudget budget) {
            this.text = text;
            this.ignoringCase = ignoringCase;
            this.budget = budget;
        }

        boolean isFound() {
            int first = 0;
            while (first < symbols.length && symbols[first] != ANY) {
                if (first == text.length || !isSame(symbols[first], text[first])) {
                    budget.spend(1 + first);
                    return false;
                }
                first++;
            }
            budget.spend(1 + first);
            if (first == symbols.length) {
                return first == text.length;
            }
            int last = symbols.length;
            int end = text.length;
            while (symbols[last - 1] != ANY) {
                if (end == first || !isSame(symbols[last - 1], text[end - 1])) {
                    budget.spend(1 + symbols.length - last);
                    return false;
                }
                last--;
                end--;
            }
            budget.spend(1 + symbols.length - last);
            int at = first;
            int begin = first + 1;
            while (begin < last) {
                budget.spend(1);
                int stop = star(begin);
                if (stop > begin) {
                    at = find(begin, stop, at, end);
                    if (at < 0) {
                        return false;
                    }
                    at += stop - begin;
                }
                begin = stop + 1;
            }
            return true;
        }

        /** The next star from a symbol on, or the end of the pattern. */
        private int star(int from) {
            int at = from;
            while (at < symbols.length && symbols[at] != ANY) {
                at++;
            }
            return at;
        }

        /**
         * Returns whether the run of symbols matches the text at a place, which has room for it.
         */
        private boolean isAt(int place, int begin, int stop) {
            int at = begin;
            while (at < stop && isSame(symbols[at], text[place + at - begin])) {
                at++;
            }
            budget.spend(1 + at - begin);
            return at == stop;
        }

        /** Returns where the run stands first in {@code [from, end)} of the text, or -1. */
        private int find(int begin, int stop, int from, int end) {
            boolean simple = stop - begin > SHORT;
            for (int i = begin; i < stop && simple; i++) {
                simple = symbols[i] != ONE;
            }
            if (simple) {
                return findByTable(begin, stop, from, end);
            }
            for (int place = from; place <= end - (stop - begin); place++) {
                if (isAt(place, begin, stop)) {
                    return place;
                }
            }
            return -1;
        }

        /**
         * Finds the run with the algorithm of Knuth, Morris and Pratt, which never goes back in the
         * text.
         */
        private int findByTable(int begin, int stop, int from, int end) {
            int length = stop - begin;
            budget.spend(length + Math.max(0, end - from));
            int[] border = new int[length];
            for (int i = 1; i < length; i++) {
                int known = border[i - 1];
                while (known > 0 && !isSame(symbols[begin + known], symbols[begin + i])) {
                    known = border[known - 1];
                }
                border[i] = isSame(symbols[begin + known], symbols[begin + i]) ? known + 1 : 0;
            }
            int known = 0;
            for (int i = from; i < end; i++) {
                while (known > 0 && !isSame(symbols[begin + known], text[i])) {
                    known = border[known - 1];
                }
                known += isSame(symbols[begin + known], text[i]) ? 1 : 0;
                if (known == length) {
                    return i + 1 - length;
                }
            }
            return -1;
        }

        private boolean isSame(int symbol, int c) {
            return symbol == ONE || symbol == c || ignoringCase && folded(symbol) == folded(c);
        }
    }

    private static int folded(int c) {
        return Character.toLowerCase(Character.toUpperCase(c));
    }

    /** Returns whether the pattern matches at least one text with this prefix. */
    boolean canBeginWith(String prefix) {
        int[] text = prefix.codePoints().toArray();
        for (int i = 0; i < text.length; i++) {
            if (i < symbols.length && symbols[i] == ANY) {
                return true;
            }
            if (i == symbols.length || symbols[i] != ONE && symbols[i] != text[i]) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the pattern matches every extension of a text that it matches. */
    boolean endsOpen() {
        return symbols.length > 0 && symbols[symbols.length - 1] == ANY;
    }

    int length() {
        return symbols.length;
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

    /** Heap bytes that it needs, about. */
    int heapBytes() {
        return HEAP_BYTES + Integer.BYTES * symbols.length;
    }

    /** Heap bytes of the object and of an empty array, rounded up. */
    private static final int HEAP_BYTES = 48;
}
