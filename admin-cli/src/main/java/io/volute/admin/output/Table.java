package io.volute.admin.output;

import io.volute.adminapi.AdminJson;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Entries as lines, for people: the only writer of tables. On a terminal a line has at most {@value
 * Screen#COLUMNS} columns: long texts lose their middle, times are short and local, and columns of
 * which all entries have the same value stand above the table. Elsewhere, and with {@code --wide},
 * every value is whole, and lines are as wide as they need.
 *
 * <p>Entries come in pages. What came before a page is printed already, so columns only ever grow,
 * until a line is full. A page with other values above the table begins the table anew.
 */
public final class Table<E> {
    private static final String GAP = "  ";

    /** Columns of a terminal that a long text keeps if others need the room, too. */
    private static final int TEXT_MIN = 8;

    private static final int LAST_RESORT_MIN = 3;

    private final Class<E> type;
    private final List<Column<E>> columns;
    private int[] widths = new int[0];
    private boolean isBegun;
    private boolean isZoneTold;
    private Map<String, String> above = Map.of();
    private Optional<Emptiness> emptiness = Optional.empty();

    /** The explanation of a list without entries. */
    public interface Emptiness {
        String explain() throws IOException, InterruptedException;
    }

    /** A column with its title and the function that formats its cell of an entry. */
    public static final class Column<E> {
        private final String title;
        private final TimedCell<E> cell;
        private boolean isTime;
        private boolean isWhole;
        private boolean isOnce;
        private boolean isFullOnly;
        private boolean isBriefOnly;

        private Column(String title, TimedCell<E> cell) {
            this.title = title;
            this.cell = cell;
        }

        /** A text that a terminal shows without its middle where there is no room. */
        public Column(String title, Function<E, String> text) {
            this(title, (entry, output) -> text.apply(entry));
        }

        /** A text with a shorter form for terminals. */
        public Column(String title, Function<E, String> text, Function<E, String> brief) {
            this(title, (entry, output) -> (output.isFull() ? text : brief).apply(entry));
        }

        /** A number, which is never shortened. */
        public static <E> Column<E> number(String title, Function<E, Long> number) {
            return whole(new Column<E>(title, entry -> Long.toString(number.apply(entry))));
        }

        /** A size in bytes, which is never shortened. */
        public static <E> Column<E> size(String title, Function<E, Long> bytes) {
            return whole(new Column<E>(title, entry -> AnswerFormat.bytes(bytes.apply(entry))));
        }

        /** A time that every entry has. */
        public static <E> Column<E> time(String title, Function<E, Instant> time) {
            return whole(withTime(title, (entry, output) -> output.time(time.apply(entry))));
        }

        /** A time that some entries have. */
        public static <E> Column<E> timeIfAny(String title, Function<E, Optional<Instant>> time) {
            return whole(
                    withTime(
                            title,
                            (entry, output) -> time.apply(entry).map(output::time).orElse("")));
        }

        /** A text with a time in it. */
        public static <E> Column<E> withTime(String title, TimedCell<E> text) {
            Column<E> column = new Column<>(title, text);
            column.isTime = true;
            return column;
        }

        /** Never shortens the cells of a column: people copy them into other commands. */
        public static <E> Column<E> whole(Column<E> column) {
            column.isWhole = true;
            return column;
        }

        /** Has a column stand above the table on a terminal if all entries have the same value. */
        public static <E> Column<E> once(Column<E> column) {
            column.isOnce = true;
            return column;
        }

        /** Leaves a column out on a terminal. */
        public static <E> Column<E> fullOnly(Column<E> column) {
            column.isFullOnly = true;
            return column;
        }

        /** Leaves a column out of the full table, where another one has its values. */
        public static <E> Column<E> briefOnly(Column<E> column) {
            column.isBriefOnly = true;
            return column;
        }
    }

    /** Formats a text with a time in it. */
    @FunctionalInterface
    public interface TimedCell<E> {
        /**
         * @param output formats the time
         */
        String of(E entry, TableOutput output);
    }

    @SafeVarargs
    @SuppressWarnings("varargs") // The array is copied and nothing is stored in it.
    public Table(Class<E> type, Column<E>... columns) {
        this(type, List.of(columns));
    }

    public Table(Class<E> type, List<Column<E>> columns) {
        this.type = type;
        this.columns = List.copyOf(columns);
    }

    /**
     * Prints entries of an answer, as {@link #print}.
     *
     * @throws IOException when they have fields of another type
     */
    public void printFields(List<Map<String, Object>> entries, TableOutput output)
            throws IOException {
        List<E> all = new ArrayList<>();
        for (Map<String, Object> entry : entries) {
            all.add(AdminJson.as(entry, type));
        }
        print(all, output);
    }

    /** Prints entries, and the titles before the first ones. */
    public void print(List<E> entries, TableOutput output) {
        if (entries.isEmpty()) {
            return;
        }
        List<Column<E>> shown = new ArrayList<>(columns);
        Map<String, String> shared = new LinkedHashMap<>();
        shown.removeIf(column -> output.isFull() ? column.isBriefOnly : column.isFullOnly);
        if (!output.isFull()) {
            for (Column<E> column : columns) {
                Set<String> values = new HashSet<>();
                entries.forEach(entry -> values.add(column.cell.of(entry, output.whole())));
                if (column.isOnce && values.size() == 1 && shown.remove(column)) {
                    shared.put(column.title, values.iterator().next());
                }
            }
        }
        List<List<String>> lines = new ArrayList<>();
        entries.forEach(
                entry ->
                        lines.add(
                                shown.stream()
                                        .map(column -> text(column, entry, output))
                                        .toList()));
        boolean isNew = !isBegun || !shared.equals(above);
        if (isNew) {
            begin(shown, shared, output);
            lines.addFirst(shown.stream().map(column -> column.title).toList());
        }
        lines.forEach(this::widen);
        int[] room = output.isFull() ? widths : fit(shown);
        lines.forEach(line -> printLine(line, room, output.out()));
        output.out().flush();
    }

    private static <E> String text(Column<E> column, E entry, TableOutput output) {
        return AnswerFormat.visible(column.cell.of(entry, output));
    }

    /** Prints what stands above the lines. */
    private void begin(List<Column<E>> shown, Map<String, String> shared, TableOutput output) {
        PrintWriter out = output.out();
        if (isBegun) {
            out.println();
        }
        Facts heading = new Facts();
        if (!output.isFull() && !isZoneTold && columns.stream().anyMatch(each -> each.isTime)) {
            heading.with("times", output.zone().getId());
            isZoneTold = true;
        }
        shared.forEach(
                (title, value) -> {
                    if (!value.isEmpty() && !value.equals("-")) {
                        heading.with(title.toLowerCase(Locale.ROOT), value);
                    }
                });
        heading.print(output);
        if (!heading.isEmpty()) {
            out.println();
        }
        isBegun = true;
        above = shared;
        widths = new int[shown.size()];
    }

    /**
     * Sets the line to print in place of an empty list. It is computed only if the list is empty.
     */
    public Table<E> whenEmpty(Emptiness meaning) {
        emptiness = Optional.of(meaning);
        return this;
    }

    /** The line that stands for no entries. */
    public String emptiness(String usual) throws IOException, InterruptedException {
        return emptiness.isPresent() ? emptiness.get().explain() : usual;
    }

    /** Returns true if nothing was printed. */
    public boolean isEmpty() {
        return !isBegun;
    }

    private void widen(List<String> line) {
        for (int i = 0; i < widths.length; i++) {
            widths[i] = Math.max(widths[i], TextWidth.of(line.get(i)));
        }
    }

    /** Returns the widths at which a line fits: the widest texts lose most. */
    private int[] fit(List<Column<E>> shown) {
        int room = Screen.COLUMNS - GAP.length() * (widths.length - 1);
        int[] fitted = Arrays.stream(widths).map(each -> Math.min(each, room)).toArray();
        int[] least = new int[fitted.length];
        for (int i = 0; i < least.length; i++) {
            int title = TextWidth.of(shown.get(i).title);
            least[i] = shown.get(i).isWhole ? fitted[i] : Math.max(TEXT_MIN, title);
        }
        shrink(fitted, least, room);
        // Only if numbers alone are wider than a line.
        Arrays.fill(least, LAST_RESORT_MIN);
        shrink(fitted, least, room);
        return fitted;
    }

    private static void shrink(int[] widths, int[] least, int room) {
        while (Arrays.stream(widths).sum() > room) {
            int widest = -1;
            for (int i = 0; i < widths.length; i++) {
                if (widths[i] > least[i] && (widest < 0 || widths[i] > widths[widest])) {
                    widest = i;
                }
            }
            if (widest < 0) {
                return;
            }
            widths[widest]--;
        }
    }

    private static void printLine(List<String> line, int[] widths, PrintWriter out) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String cell = TextWidth.shorten(line.get(i), widths[i]);
            text.append(cell).repeat(' ', widths[i] - TextWidth.of(cell)).append(GAP);
        }
        out.println(text.toString().stripTrailing());
    }
}
