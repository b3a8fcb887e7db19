package io.volute.benchmarks.plot;

import io.volute.benchmarks.Spread;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Rows of figures on a logarithmic axis that they share: the median of the runs is a dot, a line
 * goes from the least to the most. The medians stand beside it.
 *
 * @param title with the unit
 * @param figures names of the figures that a row has
 */
public record DotPlot(String title, List<String> figures, List<Row> rows) {
    /** Of every drawing of such rows. */
    public static final int WIDTH = 860;

    private static final int LEFT = 150;
    private static final int AXIS = 500;
    private static final int ROW = 18;
    private static final int HEAD = 44;
    private static final int FOOT = 30;

    /**
     * What was measured of one thing.
     *
     * @param figures in the order of their names
     */
    public record Row(String name, List<Spread> figures) {}

    /** What it takes of a drawing. */
    public int height() {
        return HEAD + rows.size() * ROW + FOOT;
    }

    /**
     * Draws it.
     *
     * @param top where it begins
     */
    public void draw(Svg svg, int top) {
        svg.text(LEFT, top + 16, "start", title);
        for (int i = 0; figures.size() > 1 && i < figures.size(); i++) {
            int x = LEFT + 80 * i;
            svg.dot(x + 3, top + 30, Svg.colour(i));
            svg.text(x + 12, top + 34, "start", figures.get(i));
        }
        int first = decade(extreme(true));
        int last = Math.max(first + 1, decade(extreme(false)) + 1);
        int bottom = top + HEAD + rows.size() * ROW;
        for (int decade = first; decade <= last; decade++) {
            int x = LEFT + (decade - first) * AXIS / (last - first);
            svg.add(
                    "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#cccccc\"/>",
                    x, top + HEAD, x, bottom);
            String label = String.format(Locale.ROOT, "%.12g", Math.pow(10, decade));
            svg.text(x, bottom + 14, "middle", trimmed(label));
        }
        for (int i = 0; i < rows.size(); i++) {
            draw(svg, rows.get(i), top + HEAD + i * ROW + ROW / 2, first, last);
        }
    }

    private static void draw(Svg svg, Row row, int y, int first, int last) {
        svg.text(LEFT - 8, y + 4, "end", row.name());
        for (int i = 0; i < row.figures().size(); i++) {
            Spread spread = row.figures().get(i);
            if (spread.min() > 0) {
                svg.add(
                        "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"%s\""
                                + " stroke-width=\"2\"/>",
                        x(spread.min(), first, last),
                        y,
                        x(spread.max(), first, last),
                        y,
                        Svg.colour(i));
                svg.dot(x(spread.median(), first, last), y, Svg.colour(i));
            }
        }
        String text =
                row.figures().size() == 1
                        ? row.figures().getFirst().text()
                        : medians(row.figures());
        svg.text(LEFT + AXIS + 12, y + 4, "start", text);
    }

    /** The medians beside each other, for a reader. */
    public static String medians(List<Spread> figures) {
        return figures.stream()
                .map(each -> String.format(Locale.ROOT, "%.2f", each.median()))
                .collect(Collectors.joining(" / "));
    }

    private static double x(double figure, int first, int last) {
        return LEFT + (Math.log10(figure) - first) * AXIS / (last - first);
    }

    /** The least or the most of all that can be drawn; 1 without any. */
    private double extreme(boolean least) {
        var all =
                rows.stream()
                        .flatMap(row -> row.figures().stream())
                        .filter(spread -> spread.min() > 0)
                        .mapToDouble(spread -> least ? spread.min() : spread.max());
        return (least ? all.min() : all.max()).orElse(1);
    }

    private static int decade(double figure) {
        return (int) Math.floor(Math.log10(figure));
    }

    private static String trimmed(String number) {
        return number.contains(".") ? number.replaceAll("0+$", "").replaceAll("[.]$", "") : number;
    }
}
