package io.volute.server.metrics.status;

import io.volute.adminapi.StoreVerdict;
import io.volute.server.metrics.status.Section.Chart;
import io.volute.server.metrics.status.Section.Tile;
import io.volute.server.metrics.status.Status.Look;
import io.volute.server.s3.xml.XmlWriter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Writes the recorded values as a page of HTML. */
final class StatusPage {
    private static final int USERS_SHOWN = 20;

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

    private final XmlWriter out = XmlWriter.html();

    private StatusPage() {}

    /**
     * Returns the page.
     *
     * @param looks oldest first
     */
    static byte[] write(List<Look> looks, Reading now, Instant at) {
        StatusPage page = new StatusPage();
        page.page(looks, now, at);
        return page.out.finish();
    }

    private void page(List<Look> looks, Reading now, Instant at) {
        out.beginWith("html", "lang=\"en\"").begin("head");
        out.empty("meta", "charset=\"utf-8\"");
        out.empty("meta", "http-equiv=\"refresh\" content=\"5\"");
        out.element("title", "Volute").unescaped("style", STYLE).end();
        out.begin("body").begin("h1").content("Volute ");
        out.element("small", "as of " + at.truncatedTo(ChronoUnit.SECONDS)).end();
        if (Sections.hasStore(now)) {
            verdict(Sections.verdict(now));
        }
        for (Section section : Sections.ALL) {
            if (section.isShown().test(now)) {
                section(section, looks, now);
            }
        }
        if (Sections.hasStore(now)) {
            users(now);
        }
    }

    private void verdict(StoreVerdict verdict) {
        out.beginWith("div", "class=\"row\"");
        out.beginWith("div", "class=\"" + (verdict.isHealthy() ? "tile" : "tile bad") + "\"");
        out.element("b", "The store: " + verdict.found());
        out.content(verdict.advice().orElse("It takes writes, and no damage is known.")).end();
        out.end();
    }

    private void section(Section section, List<Look> looks, Reading now) {
        out.element("h2", section.question());
        out.beginWith("div", "class=\"row\"");
        for (Tile tile : section.tiles()) {
            String kind = tile.isBad().test(now) ? "tile bad" : "tile";
            out.beginWith("div", "class=\"" + kind + "\"");
            out.element("b", tile.text().apply(now)).content(tile.caption()).end();
        }
        out.end();
        out.beginWith("div", "class=\"row\"");
        for (Chart chart : section.charts()) {
            new ChartDrawing(out, chart, looks).draw();
        }
        out.end();
    }

    private void users(Reading now) {
        Map<String, Double> requests = now.by("volute_user_requests_total", "user");
        Map<String, Double> received = now.by("volute_user_received_bytes_total", "user");
        Map<String, Double> sent = now.by("volute_user_sent_bytes_total", "user");
        out.element("h2", "Users since the start").begin("table");
        row("th", "user", "requests", "bytes received", "bytes sent");
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
        out.end();
    }

    private void row(String cell, String... texts) {
        out.begin("tr");
        for (String text : texts) {
            out.element(cell, text);
        }
        out.end();
    }
}
