package io.volute.server.metrics.status;

import io.volute.server.metrics.status.Section.Chart;
import io.volute.server.metrics.status.Status.Look;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** Draws one chart as a figure with SVG in it. */
final class ChartDrawing {
    private static final int WIDTH = 600;
    private static final int HEIGHT = 140;
    private static final int LEFT = 70;
    private static final int BOTTOM = 20;
    private static final int GRID_LINES = 2;

    private final XMLStreamWriter out;
    private final Chart chart;
    private final List<Look> looks;
    private final double top;

    ChartDrawing(XMLStreamWriter out, Chart chart, List<Look> looks) {
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

    void draw() throws XMLStreamException {
        out.writeStartElement("figure");
        out.writeStartElement("figcaption");
        out.writeStartElement("b");
        out.writeCharacters(chart.title());
        out.writeEndElement();
        for (int i = 0; i < chart.trends().size(); i++) {
            Trend trend = chart.trends().get(i);
            double now = looks.isEmpty() ? Double.NaN : looks.getLast().figures().get(trend);
            out.writeStartElement("span");
            out.writeAttribute("class", "k" + i);
            out.writeCharacters(trend.name() + " " + chart.unit().text(now));
            out.writeEndElement();
        }
        out.writeEndElement();
        out.writeStartElement("svg");
        out.writeAttribute("xmlns", "http://www.w3.org/2000/svg");
        out.writeAttribute("viewBox", "0 0 " + WIDTH + " " + HEIGHT);
        grid();
        if (!looks.isEmpty()) {
            text(LEFT, HEIGHT - 4, "start", ago(looks.getFirst().at()));
            text(WIDTH, HEIGHT - 4, "end", "now");
        }
        for (int i = 0; i < chart.trends().size(); i++) {
            lines(i);
        }
        out.writeEndElement();
        out.writeEndElement();
    }

    private void grid() throws XMLStreamException {
        for (int i = 0; i <= GRID_LINES; i++) {
            double value = top * i / GRID_LINES;
            out.writeEmptyElement("line");
            out.writeAttribute("class", "grid");
            out.writeAttribute("x1", Integer.toString(LEFT));
            out.writeAttribute("x2", Integer.toString(WIDTH));
            out.writeAttribute("y1", coordinate(y(value)));
            out.writeAttribute("y2", coordinate(y(value)));
            text(LEFT - 6, y(value) + 4, "end", chart.unit().text(value));
        }
    }

    private void text(double x, double y, String anchor, String text) throws XMLStreamException {
        out.writeStartElement("text");
        out.writeAttribute("x", coordinate(x));
        out.writeAttribute("y", coordinate(y));
        out.writeAttribute("text-anchor", anchor);
        out.writeCharacters(text);
        out.writeEndElement();
    }

    /** A line for each stretch of looks that have a figure. */
    private void lines(int number) throws XMLStreamException {
        Trend trend = chart.trends().get(number);
        StringBuilder points = new StringBuilder();
        for (Look look : looks) {
            double figure = look.figures().get(trend);
            if (Double.isNaN(figure)) {
                line(number, points);
                points.setLength(0);
            } else {
                points.append(coordinate(x(look.at())))
                        .append(',')
                        .append(coordinate(y(figure)))
                        .append(' ');
            }
        }
        line(number, points);
    }

    private void line(int number, CharSequence points) throws XMLStreamException {
        if (!points.isEmpty()) {
            out.writeEmptyElement("polyline");
            out.writeAttribute("class", "c" + number);
            out.writeAttribute("points", points.toString().strip());
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

    private static String coordinate(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }
}
