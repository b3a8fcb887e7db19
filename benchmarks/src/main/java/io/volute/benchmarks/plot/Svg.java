package io.volute.benchmarks.plot;

import java.util.Locale;

/** A drawing, made element by element. */
public final class Svg {
    private static final String[] COLOURS = {
        "#1b6ca8", "#d1495b", "#2e8b57", "#8d5fd3", "#c98a1b", "#555555"
    };

    private final StringBuilder elements = new StringBuilder();

    /** On white paper. */
    public Svg(int width, int height) {
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\""
                        + " font-family=\"sans-serif\" font-size=\"11\">",
                width, height);
        add("<rect width=\"%d\" height=\"%d\" fill=\"white\"/>", width, height);
    }

    /** One of the colours that go together, the same for the same number. */
    public static String colour(int number) {
        return COLOURS[number % COLOURS.length];
    }

    /**
     * Adds an element.
     *
     * @param element in XML, with places for the values, which are numbers or need no escaping
     */
    public void add(String element, Object... values) {
        elements.append(String.format(Locale.ROOT, element, values)).append('\n');
    }

    /**
     * Adds a text.
     *
     * @param anchor what of it is at x: {@code start}, {@code middle} or {@code end}
     */
    public void text(int x, int y, String anchor, String text) {
        add(
                "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>",
                x, y, anchor, text.replace("&", "&amp;").replace("<", "&lt;"));
    }

    /** Adds a dot. */
    public void dot(double x, double y, String colour) {
        add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>", x, y, colour);
    }

    /** The whole drawing; nothing is to be added after it. */
    public String end() {
        return elements.append("</svg>\n").toString();
    }
}
