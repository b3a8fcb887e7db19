package io.volute.admin.output;

import java.util.ArrayList;
import java.util.List;

/** Columns of a terminal that texts take, and texts that are fitted to columns. */
final class TextWidth {
    private static final String ELLIPSIS = "...";

    /** First and last characters of scripts and pictures that take two columns. */
    private static final int[][] DOUBLE = {
        {0x1100, 0x115F},
        {0x231A, 0x231B},
        {0x2329, 0x232A},
        {0x23E9, 0x23F3},
        {0x25FD, 0x25FE},
        {0x2614, 0x27BF},
        {0x2B1B, 0x2B55},
        {0x2E80, 0xA4CF},
        {0xA960, 0xA97C},
        {0xAC00, 0xD7A3},
        {0xF900, 0xFAFF},
        {0xFE10, 0xFE19},
        {0xFE30, 0xFE6B},
        {0xFF01, 0xFF60},
        {0xFFE0, 0xFFE6},
        {0x16FE0, 0x1B2FB},
        {0x1F004, 0x1FAFF},
        {0x20000, 0x3FFFD}
    };

    private TextWidth() {}

    /** Returns the number of columns that a text takes. */
    static int of(String text) {
        return text.codePoints().map(TextWidth::of).sum();
    }

    private static int of(int c) {
        int type = Character.getType(c);
        if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK) {
            return 0;
        }
        for (int[] range : DOUBLE) {
            if (c >= range[0] && c <= range[1]) {
                return 2;
            }
        }
        return 1;
    }

    /** Returns a text of at most so many columns, with an ellipsis in place of its middle. */
    static String shorten(String text, int columns) {
        if (of(text) <= columns) {
            return text;
        }
        if (columns <= ELLIPSIS.length()) {
            return ELLIPSIS.substring(0, columns);
        }
        int kept = columns - ELLIPSIS.length();
        int[] all = text.codePoints().toArray();
        int head = 0;
        for (int width = 0; width + of(all[head]) <= kept - kept / 2; head++) {
            width += of(all[head]);
        }
        int tail = all.length;
        for (int width = 0; width + of(all[tail - 1]) <= kept / 2; tail--) {
            width += of(all[tail - 1]);
        }
        return new String(all, 0, head) + ELLIPSIS + new String(all, tail, all.length - tail);
    }

    /** Returns the whole text in lines of at most so many columns, divided at spaces if it can. */
    static List<String> wrap(String text, int columns) {
        List<String> lines = new ArrayList<>();
        String rest = text;
        while (of(rest) > columns) {
            int end = 0;
            int space = 0;
            for (int width = 0; width + of(rest.codePointAt(end)) <= columns; ) {
                int c = rest.codePointAt(end);
                width += of(c);
                if (c == ' ' && end > 0) {
                    space = end;
                }
                end += Character.charCount(c);
            }
            if (rest.charAt(end) == ' ') {
                space = end;
            }
            lines.add(rest.substring(0, space > 0 ? space : end));
            rest = rest.substring(space > 0 ? space + 1 : end);
        }
        lines.add(rest);
        return lines;
    }
}
