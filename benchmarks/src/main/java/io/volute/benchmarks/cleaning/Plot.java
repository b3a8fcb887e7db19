package io.volute.benchmarks.cleaning;

import io.volute.benchmarks.cleaning.UtilizationSeries.Point;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;

/**
 * Draws throughput, and what the cleaner writes for a new byte, against utilisation: a column for
 * each size of objects, a line for each variant and distribution.
 */
final class Plot {
    private static final int WIDTH = 300;
    private static final int HEIGHT = 220;
    private static final int MARGIN = 60;
    private static final String[] COLOURS = {
        "#1b6ca8", "#d1495b", "#2e8b57", "#8d5fd3", "#c98a1b", "#555555"
    };

    private final List<Point> points;
    private final List<String> captions;
    private final List<String> names;
    private final StringBuilder svg = new StringBuilder();

    /**
     * @param captions lines below it
     */
    Plot(List<Point> points, List<String> captions) {
        this.points = List.copyOf(points);
        this.captions = List.copyOf(captions);
        this.names = points.stream().map(Plot::name).distinct().sorted().toList();
    }

    private static String name(Point point) {
        return point.plan().variant().title()
                + ", "
                + point.plan().distribution().name().toLowerCase(Locale.ROOT);
    }

    String svg() {
        TreeSet<Integer> sizes = new TreeSet<>();
        points.forEach(point -> sizes.add(point.plan().objectBytes()));
        int width = Math.max(1, sizes.size()) * (WIDTH + MARGIN) + MARGIN;
        int height = 2 * (HEIGHT + MARGIN) + 2 * MARGIN;
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\""
                        + " font-family=\"sans-serif\" font-size=\"11\">",
                width, height);
        add("<rect width=\"%d\" height=\"%d\" fill=\"white\"/>", width, height);
        int left = MARGIN;
        for (int size : sizes) {
            panel(left, 40, size, "puts/s", Point::writesPerSecond);
            panel(left, 40 + HEIGHT + MARGIN, size, "cleaning/new byte", Point::cleaningPerNew);
            left += WIDTH + MARGIN;
        }
        int y = 2 * (HEIGHT + MARGIN) + MARGIN;
        for (int i = 0; i < names.size(); i++) {
            int x = MARGIN + i * 170;
            add("<rect x=\"%d\" y=\"%d\" width=\"14\" height=\"4\" fill=\"%s\"/>", x, y, colour(i));
            text(x + 20, y + 6, "start", names.get(i));
        }
        for (int i = 0; i < captions.size(); i++) {
            text(MARGIN, y + 30 + 15 * i, "start", captions.get(i));
        }
        return svg.append("</svg>\n").toString();
    }

    private void panel(int left, int top, int size, String unit, ToDoubleFunction<Point> value) {
        List<Point> shown =
                points.stream().filter(point -> point.plan().objectBytes() == size).toList();
        double most = round(shown.stream().mapToDouble(value).max().orElse(1));
        text(left, top - 8, "start", size + " B objects: " + unit + " against utilisation in %");
        add(
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\""
                        + " stroke=\"#999999\"/>",
                left, top, WIDTH, HEIGHT);
        for (int i = 0; i <= 4; i++) {
            int y = top + HEIGHT - i * HEIGHT / 4;
            text(left - 4, y + 4, "end", String.format(Locale.ROOT, "%.4g", most * i / 4));
        }
        for (int percent = 20; percent <= 100; percent += 20) {
            text((int) x(left, percent), top + HEIGHT + 14, "middle", Integer.toString(percent));
        }
        Map<String, StringBuilder> lines = new TreeMap<>();
        shown.stream()
                .sorted(Comparator.comparingInt(Point::percent))
                .forEach(
                        point -> {
                            double x = x(left, point.percent());
                            double y = top + HEIGHT - value.applyAsDouble(point) / most * HEIGHT;
                            lines.computeIfAbsent(name(point), ignored -> new StringBuilder())
                                    .append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
                            add(
                                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>",
                                    x, y, colour(names.indexOf(name(point))));
                        });
        lines.forEach(
                (name, places) ->
                        add(
                                "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\""
                                        + " stroke-width=\"2\"/>",
                                places, colour(names.indexOf(name))));
    }

    private static double x(int left, int percent) {
        return left + percent / 100.0 * WIDTH;
    }

    /** The next number up with one digit or two. */
    private static double round(double most) {
        double step = Math.pow(10, Math.floor(Math.log10(Math.max(most, 1e-3)))) / 2;
        return Math.ceil(most / step) * step;
    }

    private static String colour(int number) {
        return COLOURS[number % COLOURS.length];
    }

    private void text(int x, int y, String anchor, String text) {
        String escaped = text.replace("&", "&amp;").replace("<", "&lt;");
        svg.append(
                String.format(
                        Locale.ROOT,
                        "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>%n",
                        x,
                        y,
                        anchor,
                        escaped));
    }

    private void add(String element, Object... values) {
        svg.append(String.format(Locale.ROOT, element, values)).append('\n');
    }
}
