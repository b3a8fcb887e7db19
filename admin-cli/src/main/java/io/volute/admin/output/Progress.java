package io.volute.admin.output;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * The only writer of how far long work is: percent, rate and time left. On a terminal one line is
 * rewritten, elsewhere there is a line every 30 seconds, and nothing where documents are wanted.
 * Not thread-safe.
 */
public final class Progress {
    private static final long LINE_EVERY = Duration.ofSeconds(30).toNanos();

    /** The rate is that of the last 30 to 60 seconds. */
    private static final long RATE_OVER = Duration.ofSeconds(30).toNanos();

    /** A rate of less time is left out. */
    private static final double SECONDS_MIN = 1;

    private static final long DRAWN_EVERY = Duration.ofMillis(200).toNanos();
    private static final String BYTE = "byte";
    private static final int CELLS = 10;
    private static final int PERCENT = 100;

    /** The last column stays empty: behind it some terminals begin a line. */
    private static final int COLUMNS_MAX = Screen.COLUMNS - 1;

    /** The style of the progress display. */
    public enum Kind {
        BAR,
        LINES,
        NOTHING
    }

    private record Sample(long nanos, long done, long bytes) {}

    private final PrintWriter err;
    private final Kind kind;
    private final LongSupplier nanos;
    private final String doing;
    private Sample before;
    private Sample latest;
    private long shown;
    private int drawn;

    /**
     * @param err messages of the command, not its output
     * @param nanos as {@link System#nanoTime}
     * @param doing what is done, in a word
     */
    public Progress(PrintWriter err, Kind kind, LongSupplier nanos, String doing) {
        this.err = err;
        this.kind = kind;
        this.nanos = nanos;
        this.doing = doing;
    }

    /** Shows progress of work that has no bytes, as the other one. */
    public void at(long done, long total, String noun, String more) {
        at(done, total, noun, 0, more);
    }

    /** Shows progress of work that counts bytes alone, as the other ones. */
    public void atBytes(long bytes, long total, String more) {
        at(bytes, total, BYTE, bytes, more);
    }

    /**
     * Shows how far the work is.
     *
     * @param total how much will be done; 0 if that is not known
     * @param noun what is counted, in the singular
     * @param bytes bytes that were read or written; 0 if there are none to tell
     * @param more further figures in words; empty for none
     */
    public void at(long done, long total, String noun, long bytes, String more) {
        if (kind == Kind.NOTHING) {
            return;
        }
        Sample now = new Sample(nanos.getAsLong(), done, bytes);
        // Counts of a server that was started again begin anew.
        if (before == null || done < latest.done() || bytes < latest.bytes()) {
            before = now;
            latest = now;
            shown = now.nanos() - (kind == Kind.BAR ? DRAWN_EVERY : 0);
        }
        if (now.nanos() - shown < (kind == Kind.BAR ? DRAWN_EVERY : LINE_EVERY)) {
            return;
        }
        shown = now.nanos();
        String text = text(now, total, noun, more);
        if (now.nanos() - latest.nanos() >= RATE_OVER) {
            before = latest;
            latest = now;
        }
        if (kind == Kind.BAR) {
            draw(doing + ": " + bar(done, total) + text);
        } else {
            err.println(doing + ": " + text);
            err.flush();
        }
    }

    private String text(Sample now, long total, String noun, String more) {
        List<String> parts = new ArrayList<>();
        boolean isBytes = noun.equals(BYTE);
        String all = isBytes ? AnswerFormat.bytes(total) : AnswerFormat.count(total, noun);
        String some = isBytes ? AnswerFormat.bytes(now.done()) : Long.toString(now.done());
        parts.add(
                total > 0
                        ? some + " of " + all + percent(now, total)
                        : isBytes ? some : AnswerFormat.count(now.done(), noun));
        double seconds = (now.nanos() - before.nanos()) / 1e9;
        long done = now.done() - before.done();
        if (now.bytes() > 0 && !isBytes) {
            parts.add(AnswerFormat.bytes(now.bytes()));
        }
        if (seconds >= SECONDS_MIN) {
            long bytes = now.bytes() - before.bytes();
            parts.add(
                    bytes > 0
                            ? AnswerFormat.bytes(Math.round(bytes / seconds)) + "/s"
                            : String.format(Locale.ROOT, "%.1f %ss/s", done / seconds, noun));
            if (total > now.done() && done > 0) {
                parts.add(AnswerFormat.about((total - now.done()) * seconds / done) + " left");
            }
        }
        if (!more.isEmpty()) {
            parts.add(more);
        }
        return String.join(", ", parts);
    }

    private String percent(Sample now, long total) {
        return kind == Kind.BAR ? "" : " (" + share(now.done(), total) + "%)";
    }

    private static long share(long done, long total) {
        return Math.clamp((long) ((double) done / total * PERCENT), 0, PERCENT);
    }

    private static String bar(long done, long total) {
        if (total <= 0) {
            return "";
        }
        long share = share(done, total);
        int full = (int) (share * CELLS / PERCENT);
        return "[" + "#".repeat(full) + ".".repeat(CELLS - full) + "] " + share + "%  ";
    }

    private void draw(String text) {
        String line = TextWidth.wrap(text, COLUMNS_MAX).getFirst();
        int width = TextWidth.of(line);
        String rest = " ".repeat(Math.max(0, drawn - width));
        drawn = width;
        err.print("\r" + line + rest);
        err.flush();
    }

    /** Removes the bar. The caller prints the outcome. */
    public void end() {
        if (drawn > 0) {
            draw("");
            err.print("\r");
            err.flush();
        }
    }
}
