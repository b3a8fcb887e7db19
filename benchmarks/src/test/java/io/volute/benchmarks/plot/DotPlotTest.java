package io.volute.benchmarks.plot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.volute.benchmarks.Spread;
import io.volute.benchmarks.plot.DotPlot.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class DotPlotTest {
    private static final Pattern DOT = Pattern.compile("<circle cx=\"([0-9.]+)\"");

    @Test
    void tenTimesAsMuchIsAlwaysAsFar() {
        String svg = draw(row("a", 2), row("b & c", 20), row("d", 200));

        List<Double> dots = new ArrayList<>();
        for (Matcher dot = DOT.matcher(svg); dot.find(); ) {
            dots.add(Double.valueOf(dot.group(1)));
        }
        assertThat(dots).hasSize(3);
        assertThat(dots.get(1)).isCloseTo((dots.get(0) + dots.get(2)) / 2, within(0.1));
        assertThat(svg).contains("b &amp; c", ">1<", ">1000<", "200.0 [100.0..400.0]");
    }

    @Test
    void whatIsNothingHasNoPlaceOnTheAxis() {
        assertThat(draw(row("a", 0))).doesNotContain("circle").contains(">a<");
    }

    private static Row row(String name, double median) {
        return new Row(name, List.of(Spread.of(List.of(median / 2, median, median * 2))));
    }

    private static String draw(Row... rows) {
        DotPlot plot = new DotPlot("title", List.of("ops/s"), List.of(rows));
        Svg svg = new Svg(DotPlot.WIDTH, plot.height());
        plot.draw(svg, 0);
        return svg.end();
    }
}
