package io.volute.server.metrics.status;

import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A question that an operator has, and what answers it.
 *
 * @param isShown whether a server with these metrics can answer it
 */
record Section(String question, Predicate<Reading> isShown, List<Tile> tiles, List<Chart> charts) {
    /**
     * A present figure.
     *
     * @param isBad whether the operator should act
     */
    record Tile(String caption, Function<Reading, String> text, Predicate<Reading> isBad) {
        static Tile of(String caption, Function<Reading, String> text) {
            return new Tile(caption, text, now -> false);
        }

        /** The sum of a metric. */
        static Tile of(String caption, Unit unit, String metric) {
            return of(caption, now -> unit.text(now.sum(metric)));
        }

        /** Creates a tile for a count that should be 0. */
        static Tile none(String caption, String metric) {
            return new Tile(
                    caption, now -> Unit.COUNT.text(now.sum(metric)), now -> now.sum(metric) > 0);
        }
    }

    /**
     * Figures over time, side by side.
     *
     * @param unit of all of them
     */
    record Chart(String title, Unit unit, List<Trend> trends) {}
}
