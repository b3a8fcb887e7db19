package io.volute.server.metrics.status;

import io.volute.server.metrics.status.Section.Chart;
import io.volute.server.metrics.status.Section.Tile;
import io.volute.server.metrics.status.Status.Look;
import java.io.StringWriter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** Writes what was seen as a page of HTML that is XML, too, so that a library escapes all of it. */
final class StatusPage {
    private static final int USERS_SHOWN = 20;
    private static final String RELOAD_SECONDS = "5";

    /** Colours of lines are those of Okabe and Ito, which all eyes can tell apart. */
    private static final String STYLE =
            """
            :root { color-scheme: light dark; font: 15px system-ui, sans-serif;
              --line: #8884; --0: #0072b2; --1: #d55e00; --2: #009e73; --3: #cc79a7; }
            body { max-width: 72rem; margin: 1.5rem auto; padding: 0 1rem; }
            h1 { font-size: 1.4rem; } h1 small { font-weight: normal; opacity: .7; }
            h2 { font-size: 1.1rem; border-top: 1px solid var(--line); padding-top: 1rem; }
            .row { display: flex; flex-wrap: wrap; gap: .7rem; margin: .7rem 0; }
            .tile { border: 1px solid var(--line); border-radius: 6px; padding: .5rem .8rem; }
            .tile b { display: block; font-size: 1.25rem; }
            .bad { background: #c00; color: #fff; }
            figure { margin: 0; flex: 1 1 30rem; max-width: 36rem; }
            figcaption b { display: block; }
            svg { width: 100%; height: auto; } svg text { font-size: 11px; fill: currentColor; }
            polyline { fill: none; stroke-width: 1.5; } .grid { stroke: var(--line); }
            .c0 { stroke: var(--0); } .c1 { stroke: var(--1); } .c2 { stroke: var(--2); }
            .c3 { stroke: var(--3); }
            span { white-space: nowrap; margin-right: 1rem; padding-left: .4rem;
              border-left: .8rem solid; }
            .k0 { border-color: var(--0); } .k1 { border-color: var(--1); }
            .k2 { border-color: var(--2); } .k3 { border-color: var(--3); }
            table { border-collapse: collapse; }
            td, th { padding: .2rem .8rem; text-align: right;
              border-bottom: 1px solid var(--line); }
            td:first-child, th:first-child { text-align: left; }
            """;

    private final XMLStreamWriter out;

    private StatusPage(XMLStreamWriter out) {
        this.out = out;
    }

    /**
     * Returns the page.
     *
     * @param looks oldest first
     */
    static String write(List<Look> looks, Reading now, Instant at) {
        StringWriter text = new StringWriter();
        try {
            XMLStreamWriter out = XMLOutputFactory.newFactory().createXMLStreamWriter(text);
            new StatusPage(out).page(looks, now, at);
            out.close();
        } catch (XMLStreamException e) {
            throw new IllegalStateException("a page in memory cannot fail", e);
        }
        return text.toString();
    }

    private void page(List<Look> looks, Reading now, Instant at) throws XMLStreamException {
        out.writeDTD("<!DOCTYPE html>\n");
        begin("html", "lang", "en");
        begin("head");
        out.writeEmptyElement("meta");
        out.writeAttribute("charset", "utf-8");
        out.writeEmptyElement("meta");
        out.writeAttribute("http-equiv", "refresh");
        out.writeAttribute("content", RELOAD_SECONDS);
        element("title", "Volute");
        element("style", STYLE);
        out.writeEndElement();
        begin("body");
        begin("h1");
        out.writeCharacters("Volute ");
        element("small", "as of " + at.truncatedTo(ChronoUnit.SECONDS));
        out.writeEndElement();
        for (Section section : Sections.ALL) {
            section(section, looks, now);
        }
        users(now);
        out.writeEndElement();
        out.writeEndElement();
    }

    private void section(Section section, List<Look> looks, Reading now) throws XMLStreamException {
        element("h2", section.question());
        begin("div", "class", "row");
        for (Tile tile : section.tiles()) {
            begin("div", "class", tile.isBad().test(now) ? "tile bad" : "tile");
            element("b", tile.text().apply(now));
            out.writeCharacters(tile.caption());
            out.writeEndElement();
        }
        out.writeEndElement();
        begin("div", "class", "row");
        for (Chart chart : section.charts()) {
            new ChartDrawing(out, chart, looks).draw();
        }
        out.writeEndElement();
    }

    private void users(Reading now) throws XMLStreamException {
        Map<String, Double> requests = now.by("volute_user_requests_total", "user");
        Map<String, Double> received = now.by("volute_user_received_bytes_total", "user");
        Map<String, Double> sent = now.by("volute_user_sent_bytes_total", "user");
        element("h2", "Users since the start");
        begin("table");
        row("th", "user", "requests", "sent to the server", "read from it");
        List<String> most =
                requests.keySet().stream()
                        .sorted(Comparator.comparing(requests::get).reversed())
                        .limit(USERS_SHOWN)
                        .toList();
        for (String user : most) {
            row(
                    "td",
                    user,
                    Unit.COUNT.text(requests.get(user)),
                    Unit.BYTES.text(received.getOrDefault(user, 0.0)),
                    Unit.BYTES.text(sent.getOrDefault(user, 0.0)));
        }
        out.writeEndElement();
    }

    private void row(String cell, String... texts) throws XMLStreamException {
        begin("tr");
        for (String text : texts) {
            element(cell, text);
        }
        out.writeEndElement();
    }

    private void begin(String name, String... attribute) throws XMLStreamException {
        out.writeStartElement(name);
        for (int i = 0; i < attribute.length; i += 2) {
            out.writeAttribute(attribute[i], attribute[i + 1]);
        }
    }

    private void element(String name, String text) throws XMLStreamException {
        out.writeStartElement(name);
        out.writeCharacters(text);
        out.writeEndElement();
    }
}
