package io.volute.admin.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private final StringWriter out = new StringWriter();

    private Progress progress(Progress.Kind kind, boolean isToldAtOnce) {
        return new Progress(new PrintWriter(out), kind, "doing", isToldAtOnce);
    }

    /** Returns the visible line: each carriage return starts it anew. */
    private String seen() {
        StringBuilder line = new StringBuilder();
        for (String drawn : out.toString().split("\r", -1)) {
            line.replace(0, Math.min(line.length(), drawn.length()), drawn);
        }
        return line.toString().stripTrailing();
    }

    @Test
    void aBarIsDrawnOverItselfAndTakenAway() {
        Progress progress = progress(Progress.Kind.BAR, true);
        progress.at(0, 200, "0 keys, and much more to be told");
        assertThat(seen())
                .isEqualTo("doing: [....................] 0%  0 keys, and much more to be told");
        progress.at(100, 200, "100 keys");
        assertThat(seen()).isEqualTo("doing: [##########..........] 50%  100 keys");
        progress.at(300, 200, "300 keys");
        assertThat(seen()).isEqualTo("doing: [####################] 100%  300 keys");
        progress.at(5, 0, "5 keys");
        assertThat(seen()).isEqualTo("doing: 5 keys");
        progress.at(5, 0, "x".repeat(1000));
        assertThat(seen()).as("no line is wrapped").hasSize(100);
        progress.end();
        assertThat(seen()).isEmpty();
        assertThat(out.toString()).doesNotContain("\n");
    }

    @Test
    void elsewhereThereIsALineNowAndThen() {
        Progress progress = progress(Progress.Kind.LINES, true);
        Progress later = progress(Progress.Kind.LINES, false);
        for (int i = 1; i <= 40; i++) {
            progress.at(i, 40, "at once " + i);
            later.at(i, 40, "later " + i);
        }
        progress.end();
        assertThat(out.toString().lines())
                .containsExactly(
                        "doing: at once 1",
                        "doing: later 20",
                        "doing: at once 21",
                        "doing: later 40");
    }

    @Test
    void nothingIsSaidWhereADocumentIsWanted() {
        Progress progress = progress(Progress.Kind.NOTHING, true);
        progress.at(1, 2, "figures");
        progress.end();
        assertThat(out.toString()).isEmpty();
    }
}
