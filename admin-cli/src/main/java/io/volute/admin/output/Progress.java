package io.volute.admin.output;

import java.io.PrintWriter;

/**
 * How far long work is: on a terminal a bar that is drawn over itself, elsewhere a line now and
 * then, and nothing where documents are wanted.
 */
public final class Progress {
    private static final int LINE_EVERY = 20;
    private static final int CELLS = 20;
    private static final int PERCENT = 100;
    private static final int COLUMNS_MAX = 100;

    /** The style of the progress display. */
    public enum Kind {
        BAR,
        LINES,
        NOTHING
    }

    private final PrintWriter out;
    private final Kind kind;
    private final String doing;
    private final int firstLine;
    private int looks;
    private int drawn;

    /**
     * @param doing what is done, in a word
     * @param isToldAtOnce the first look has a line
     */
    public Progress(PrintWriter out, Kind kind, String doing, boolean isToldAtOnce) {
        this.out = out;
        this.kind = kind;
        this.doing = doing;
        this.firstLine = isToldAtOnce ? 1 : 0;
    }

    /**
     * Shows it.
     *
     * @param total that will be done; 0 when that is not known
     * @param figures in words
     */
    public void at(long done, long total, String figures) {
        looks++;
        if (kind == Kind.BAR) {
            draw(doing + ": " + bar(done, total) + figures);
        } else if (kind == Kind.LINES && looks % LINE_EVERY == firstLine) {
            out.println(doing + ": " + figures);
            out.flush();
        }
    }

    private static String bar(long done, long total) {
        if (total <= 0) {
            return "";
        }
        double share = Math.clamp((double) done / total, 0, 1);
        int full = (int) (share * CELLS);
        return "["
                + "#".repeat(full)
                + ".".repeat(CELLS - full)
                + "] "
                + (int) (share * PERCENT)
                + "%  ";
    }

    private void draw(String text) {
        String shown = text.substring(0, Math.min(text.length(), COLUMNS_MAX));
        String rest = " ".repeat(Math.max(0, drawn - shown.length()));
        drawn = shown.length();
        out.print("\r" + shown + rest);
        out.flush();
    }

    /** Removes the bar. The caller prints the outcome. */
    public void end() {
        if (drawn > 0) {
            draw("");
            out.print("\r");
            out.flush();
        }
    }
}
