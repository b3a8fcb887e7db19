package io.volute.admin.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

class TextWidthTest {
    private static final String LETTERS = "ab/ \u00e9\u4e2d\ud55c\u0301";

    @Test
    void aShortenedTextKeepsItsEnds() {
        assertThat(TextWidth.shorten("reports/2026/november.pdf", 15)).isEqualTo("report...er.pdf");
        assertThat(TextWidth.shorten("short", 5)).isEqualTo("short");
        assertThat(TextWidth.shorten("longer", 3)).isEqualTo("...");
    }

    @Test
    void lettersOfSomeScriptsTakeTwoColumns() {
        assertThat(TextWidth.of("\u4e2d\u6587")).isEqualTo(4);
        assertThat(TextWidth.of("e\u0301")).isEqualTo(1);
        assertThat(TextWidth.of("\ud83d\ude00")).isEqualTo(2);
        assertThat(TextWidth.shorten("\u4e2d".repeat(9), 10)).isEqualTo("\u4e2d\u4e2d...\u4e2d");
    }

    @Test
    void linesAreDividedAtSpaces() {
        assertThat(TextWidth.wrap("one two three", 7)).isEqualTo(List.of("one two", "three"));
        assertThat(TextWidth.wrap("abcdefgh", 3)).isEqualTo(List.of("abc", "def", "gh"));
    }

    @RepeatedTest(20)
    void everyTextIsWholeOrHasAnEllipsis(RepetitionInfo info) {
        Random random = new Random(info.getCurrentRepetition());
        for (int i = 0; i < 500; i++) {
            StringBuilder made = new StringBuilder();
            int length = random.nextInt(30);
            for (int n = 0; n < length; n++) {
                made.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
            }
            String text = made.toString();
            int columns = 4 + random.nextInt(20);
            String shortened = TextWidth.shorten(text, columns);
            assertThat(TextWidth.of(shortened)).as(text).isLessThanOrEqualTo(columns);
            assertThat(shortened.equals(text) || shortened.contains("...")).as(text).isTrue();
            List<String> lines = TextWidth.wrap(text, columns);
            assertThat(lines).allMatch(line -> TextWidth.of(line) <= columns);
            assertThat(String.join("", lines).replace(" ", "")).isEqualTo(text.replace(" ", ""));
        }
    }
}
