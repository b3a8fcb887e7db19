package io.volute.server.metrics.status;

import io.volute.server.metrics.status.Section.Chart;
import io.volute.server.metrics.status.Status.Look;
import io.volute.server.s3.xml.XmlWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** Draws one chart as a figure with SVG in it. */
final class ChartDrawing {
    private static final int WIDTH = 600;
    private static final int HEIGHT = 140;
    private static final int LEFT = 70;
    private static final int BOTTOM = 20;
    private static final int GRID_LINES = 2;

    private final XmlWriter out;
    private final Chart chart;
    private final List<Look> looks;
    private final double top;

    ChartDrawing(XmlWriter out, Chart chart, List<Look> looks) {
        this.out = out;
        this.chart = chart;
        this.looks = looks;
        this.top =
                looks.stream()
                        .flatMap(look -> chart.trends().stream().map(look.figures()::get))
                        .filter(each -> !each.isNaN())
                        .max(Double::compare)
                        .filter(most -> most > 0)
                        .orElse(1.0);
    }

    void draw() {
        out.begin("figure").begin("figcaption").element("b", chart.title());
        for (int i = 0; i < chart.trends().size(); i++) {
            Trend trend = chart.trends().get(i);
            double now = looks.isEmpty() ? Double.NaN : looks.getLast().figures().get(trend);
            out.beginWith("span", "class=\"k" + i + "\"");
            out.content(trend.name() + " " + chart.unit().text(now)).end();
        }
        out.end();
        out.beginWith("svg", "viewBox=\"0 0 " + WIDTH + " " + HEIGHT + "\"");
        grid();
        if (!looks.isEmpty()) {
            text(LEFT, HEIGHT - 4, "start", ago(looks.getFirst().at()));
            text(WIDTH, HEIGHT - 4, "end", "now");
        }
        for (int i = 0; i < chart.trends().size(); i++) {
            lines(i);
        }
        out.end().end();
    }

    private void grid() {
        for (int i = 0; i <= GRID_LINES; i++) {
            double value = top * i / GRID_LINES;
            out.empty(
                    "line",
                    String.format(
                            Locale.ROOT,
                            "class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"",
                            LEFT,
                            WIDTH,
                            y(value),
                            y(value)));
            text(LEFT - 6, y(value) + 4, "end", chart.unit().text(value));
        }
    }

    private void text(double x, double y, String anchor, String text) {
        out.beginWith(
                "text",
                String.format(
                        Locale.ROOT, "x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"", x, y, anchor));
        out.content(text).end();
    }

    /** A line for each stretch of looks that have a figure. */
    private void lines(int number) {
        Trend trend = chart.trends().get(number);
        StringBuilder points = new StringBuilder();
        for (Look look : looks) {
            double figure = look.figures().get(trend);
            if (Double.isNaN(figure)) {
                line(number, points);
                points.setLength(0);
            } else {
                points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x(look.at()), y(figure)));
            }
        }
        line(number, points);
    }

    private void line(int number, CharSequence points) {
        if (!points.isEmpty()) {
            out.empty(
                    "polyline",
                    "class=\"c" + number + "\" points=\"" + points.toString().strip() + "\"");
        }
    }

    private double x(Instant at) {
        double all = millis(looks.getLast().at());
        return all == 0 ? WIDTH : LEFT + (WIDTH - LEFT) * millis(at) / all;
    }

    private double millis(Instant at) {
        return Duration.between(looks.getFirst().at(), at).toMillis();
    }

    private double y(double value) {
        int most = HEIGHT - BOTTOM;
        return most - (most - 8) * value / top;
    }

    private String ago(Instant at) {
        long seconds = Duration.between(at, looks.getLast().at()).toSeconds();
        return seconds < 120 ? seconds + " s ago" : seconds / 60 + " min ago";
    }
}
