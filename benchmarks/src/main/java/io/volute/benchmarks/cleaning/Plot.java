package io.volute.benchmarks.cleaning;

import io.volute.benchmarks.cleaning.UtilizationSeries.Point;
import io.volute.benchmarks.plot.Svg;
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

    private final List<Point> points;
    private final List<String> captions;
    private final List<String> names;

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
        Svg svg =
                new Svg(
                        Math.max(1, sizes.size()) * (WIDTH + MARGIN) + MARGIN,
                        2 * (HEIGHT + MARGIN) + 2 * MARGIN);
        int left = MARGIN;
        for (int size : sizes) {
            Panel upper = new Panel(svg, left, 40, size);
            panel(upper, "puts/s", Point::writesPerSecond);
            Panel lower = new Panel(svg, left, 40 + HEIGHT + MARGIN, size);
            panel(lower, "cleaning/new byte", Point::cleaningPerNew);
            left += WIDTH + MARGIN;
        }
        int y = 2 * (HEIGHT + MARGIN) + MARGIN;
        for (int i = 0; i < names.size(); i++) {
            int x = MARGIN + i * 170;
            svg.add(
                    "<rect x=\"%d\" y=\"%d\" width=\"14\" height=\"4\" fill=\"%s\"/>",
                    x, y, Svg.colour(i));
            svg.text(x + 20, y + 6, "start", names.get(i));
        }
        for (int i = 0; i < captions.size(); i++) {
            svg.text(MARGIN, y + 30 + 15 * i, "start", captions.get(i));
        }
        return svg.end();
    }

    /** A place of the drawing, for objects of one size. */
    private record Panel(Svg svg, int left, int top, int size) {}

    private void panel(Panel panel, String unit, ToDoubleFunction<Point> value) {
        Svg svg = panel.svg();
        int left = panel.left();
        int top = panel.top();
        int size = panel.size();
        List<Point> shown =
                points.stream().filter(point -> point.plan().objectBytes() == size).toList();
        double most = round(shown.stream().mapToDouble(value).max().orElse(1));
        svg.text(
                left, top - 8, "start", size + " B objects: " + unit + " against utilisation in %");
        svg.add(
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\""
                        + " stroke=\"#999999\"/>",
                left, top, WIDTH, HEIGHT);
        for (int i = 0; i <= 4; i++) {
            int y = top + HEIGHT - i * HEIGHT / 4;
            svg.text(left - 4, y + 4, "end", String.format(Locale.ROOT, "%.4g", most * i / 4));
        }
        for (int percent = 20; percent <= 100; percent += 20) {
            svg.text(
                    (int) x(left, percent), top + HEIGHT + 14, "middle", Integer.toString(percent));
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
                            svg.dot(x, y, colour(name(point)));
                        });
        lines.forEach(
                (name, places) ->
                        svg.add(
                                "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\""
                                        + " stroke-width=\"2\"/>",
                                places, colour(name)));
    }

    private static double x(int left, int percent) {
        return left + percent / 100.0 * WIDTH;
    }

    /** The next number up with one digit or two. */
    private static double round(double most) {
        double step = Math.pow(10, Math.floor(Math.log10(Math.max(most, 1e-3)))) / 2;
        return Math.ceil(most / step) * step;
    }

    private String colour(String name) {
        return Svg.colour(names.indexOf(name));
    }
}
