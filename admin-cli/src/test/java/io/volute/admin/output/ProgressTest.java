package io.volute.admin.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private static final long SECOND = 1_000_000_000L;

    private final StringWriter err = new StringWriter();
    private long nanos = -7;

    private Progress progress(Progress.Kind kind) {
        return new Progress(new PrintWriter(err), kind, () -> nanos, "doing");
    }

    /** Returns the visible line: each carriage return starts it anew. */
    private String seen() {
        StringBuilder line = new StringBuilder();
        for (String drawn : err.toString().split("\r", -1)) {
            line.replace(0, Math.min(line.length(), drawn.length()), drawn);
        }
        return line.toString().stripTrailing();
    }

    @Test
    void aTerminalShowsPercentRateAndTimeLeft() {
        Progress progress = progress(Progress.Kind.BAR);
        progress.at(0, 200, "key", "and more");
        assertThat(seen()).isEqualTo("doing: [..........] 0%  0 of 200 keys, and more");
        nanos += 10 * SECOND;
        progress.at(100, 200, "key", "");
        assertThat(seen())
                .isEqualTo("doing: [#####.....] 50%  100 of 200 keys, 10.0 keys/s, 10 s" + " left");
        nanos += 10 * SECOND;
        progress.at(300, 200, "key", "");
        assertThat(seen()).isEqualTo("doing: [##########] 100%  300 of 200 keys, 15.0 keys/s");
        nanos += SECOND;
        progress.at(300, 0, "key", 1 << 20, "x".repeat(100));
        assertThat(seen()).as("no line is wrapped").hasSizeLessThan(80).endsWith("KiB/s,");
        progress.end();
        assertThat(seen()).isEmpty();
        assertThat(err.toString()).doesNotContain("\n");
    }

    @Test
    void aRateIsOfBytesWhereThereAreSome() {
        Progress progress = progress(Progress.Kind.BAR);
        progress.at(0, 10, "segment", 0, "");
        nanos += 2 * SECOND;
        progress.at(1, 10, "segment", 8 << 20, "");
        assertThat(seen()).endsWith("1 of 10 segments, 8.0 MiB, 4.0 MiB/s, 18 s left");
        nanos += 2 * SECOND;
        progress.at(2, 0, "segment", 12 << 20, "");
        assertThat(seen()).endsWith("2 segments, 12.0 MiB, 3.0 MiB/s");
    }

    @Test
    void bytesAloneArePartOfAllBytes() {
        Progress progress = progress(Progress.Kind.BAR);
        progress.atBytes(0, 4 << 20, "");
        nanos += 2 * SECOND;
        progress.atBytes(1 << 20, 4 << 20, "3 chains");
        assertThat(seen()).endsWith("25%  1.0 MiB of 4.0 MiB, 512.0 KiB/s, 6 s left, 3 chains");
    }

    /** The rate of an hour ago does not decide the time left. */
    @Test
    void theRateIsThatOfTheLastMinute() {
        Progress progress = progress(Progress.Kind.BAR);
        progress.at(0, 100_000, "key", "");
        for (int i = 0; i < 10; i++) {
            nanos += 30 * SECOND;
            progress.at(i * 3000, 100_000, "key", "");
        }
        for (int i = 1; i <= 4; i++) {
            nanos += 30 * SECOND;
            progress.at(27_000 + i * 30, 100_000, "key", "");
        }
        assertThat(seen()).contains(" 1.0 keys/s, 20.2 h left");
    }

    /** A server that was started again counts from 0. */
    @Test
    void aCountThatFallsBeginsAnew() {
        Progress progress = progress(Progress.Kind.BAR);
        progress.at(500, 1000, "key", "");
        nanos += 10 * SECOND;
        progress.at(10, 1000, "key", "");
        nanos += 10 * SECOND;
        progress.at(20, 1000, "key", "");
        assertThat(seen()).contains(" 1.0 keys/s");
    }

    @Test
    void elsewhereThereIsALineEveryThirtySeconds() {
        Progress progress = progress(Progress.Kind.LINES);
        for (int i = 0; i <= 70; i++) {
            progress.at(i, 140, "key", "");
            nanos += SECOND;
        }
        progress.end();
        assertThat(err.toString().lines())
                .containsExactly(
                        "doing: 30 of 140 keys (21%), 1.0 keys/s, 2 min left",
                        "doing: 60 of 140 keys (42%), 1.0 keys/s, 80 s left");
    }

    @Test
    void nothingIsSaidWhereADocumentIsWanted() {
        Progress progress = progress(Progress.Kind.NOTHING);
        progress.at(1, 2, "key", "");
        progress.end();
        assertThat(err.toString()).isEmpty();
    }
}
