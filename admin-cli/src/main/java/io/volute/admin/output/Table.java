package io.volute.admin.output;

import io.volute.adminapi.AdminJson;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Entries as lines, for people. Columns are as wide as a page needs; what came before a page is
 * printed already, so they only ever grow.
 */
public final class Table<E> {
    private static final String GAP = "  ";

    /** A column with its title and the function that formats its cell of an entry. */
    public record Column<E>(String title, Function<E, String> cell) {}

    private final Class<E> type;
    private final List<Column<E>> columns;
    private final int[] widths;
    private boolean isBegun;
    private Optional<Emptiness> emptiness = Optional.empty();

    /** The explanation of a list without entries. */
    public interface Emptiness {
        String explain() throws IOException, InterruptedException;
    }

    @SafeVarargs
    @SuppressWarnings("varargs") // The array is copied and nothing is stored in it.
    public Table(Class<E> type, Column<E>... columns) {
        this(type, List.of(columns));
    }

    public Table(Class<E> type, List<Column<E>> columns) {
        this.type = type;
        this.columns = List.copyOf(columns);
        this.widths = new int[columns.size()];
    }

    /**
     * Prints entries of an answer, as {@link #print}.
     *
     * @throws IOException when they have fields of another type
     */
    public void printFields(List<Map<String, Object>> entries, PrintWriter out) throws IOException {
        List<E> all = new ArrayList<>();
        for (Map<String, Object> entry : entries) {
            all.add(AdminJson.as(entry, type));
        }
        print(all, out);
    }

    /** Prints entries, and the titles before the first ones. */
    public void print(List<E> entries, PrintWriter out) {
        if (entries.isEmpty()) {
            return;
        }
        List<List<String>> lines = entries.stream().map(this::line).toList();
        lines.forEach(this::widen);
        if (!isBegun) {
            List<String> titles = columns.stream().map(Column::title).toList();
            widen(titles);
            printLine(titles, out);
            isBegun = true;
        }
        lines.forEach(line -> printLine(line, out));
        out.flush();
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

    private List<String> line(E entry) {
        return columns.stream()
                .map(column -> AnswerFormat.visible(column.cell().apply(entry)))
                .toList();
    }

    private void widen(List<String> line) {
        for (int i = 0; i < widths.length; i++) {
            widths[i] = Math.max(widths[i], length(line.get(i)));
        }
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }

    private void printLine(List<String> line, PrintWriter out) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            text.append(line.get(i)).repeat(' ', widths[i] - length(line.get(i))).append(GAP);
        }
        out.println(text.toString().stripTrailing());
    }
}
