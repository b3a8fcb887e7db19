package io.volute.server.json;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.json.VisibleLines.Name;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines are what the library would have written. */
class VisibleLinesTest {
    private final VisibleLines lines = new VisibleLines();

    private String text() {
        return new String(lines.toBytes(), StandardCharsets.UTF_8);
    }

    private static String document(Map<String, ?> document) {
        return new String(Json.writeVisible(document), StandardCharsets.UTF_8) + "\n";
    }

    @Test
    void everyCharacterIsWrittenAsTheLibraryWritesIt() {
        StringBuilder expected = new StringBuilder();
        for (int c = 0; c <= Character.MAX_VALUE; c++) {
            if (!Character.isSurrogate((char) c)) {
                String text = "a" + (char) c + "z";
                lines.begin().text(Name.of("text"), text).end();
                expected.append(document(Map.of("text", text)));
            }
        }
        assertThat(text()).isEqualTo(expected.toString());
    }

    @Test
    void aLineHasItsMembersInTheirOrder() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("empty", "");
        document.put("text", "plain");
        document.put("least", Long.MIN_VALUE);
        document.put("yes", true);
        document.put("no", false);
        lines.begin()
                .text(Name.of("empty"), "")
                .text(Name.of("text"), "plain")
                .number(Name.of("least"), Long.MIN_VALUE)
                .flag(Name.of("yes"), true)
                .flag(Name.of("no"), false)
                .end();
        assertThat(text()).isEqualTo(document(document));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 9, 10, 99, 100, 1_234_567_890_123L, Long.MAX_VALUE, -1, -10})
    void aNumberIsWrittenAsTheLibraryWritesIt(long number) {
        lines.begin().number(Name.of("number"), number).end();
        assertThat(text()).isEqualTo(document(Map.of("number", number)));
    }

    @Test
    void aRepeatedFieldHasTheTextOfItsOwnLine() {
        VisibleLines.Repeated user = new VisibleLines.Repeated(Name.of("user"));
        StringBuilder expected = new StringBuilder();
        for (String text : new String[] {"", "ann", "ann", "b\n\"b", "b\n\"b", "", "anna", "ann"}) {
            lines.begin().text(user, text).text(Name.of("other"), "o").text(user, text).end();
            String value = document(Map.of("user", text));
            String member = value.substring(1, value.length() - 2);
            expected.append("{" + member + ",\"other\":\"o\"," + member + "}\n");
        }
        assertThat(text()).isEqualTo(expected.toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-11-22T11:45:07.000Z",
                "2026-11-22T11:45:07.009999999Z",
                "2026-11-22T11:45:07.120Z",
                "2026-11-22T11:45:08Z",
                "1969-12-31T23:59:59.999Z"
            })
    void anInstantIsThatOfVisibleText(String instant) {
        Instant time = Instant.parse(instant);
        // The line before is of the same second, then that of another one.
        for (Instant before : new Instant[] {time, time.plusSeconds(1)}) {
            lines.clear();
            lines.begin().time(Name.of("time"), before).end();
            lines.begin().time(Name.of("time"), time).end();
            assertThat(text())
                    .isEqualTo(
                            document(Map.of("time", VisibleText.of(before)))
                                    + document(Map.of("time", VisibleText.of(time))));
        }
    }

    @Test
    void linesAreCountedGrowAsTheyMustAndAreForgotten() {
        for (int times = 0; times < 2; times++) {
            String plain = "x".repeat(1_000_000);
            String odd = "\n".repeat(1_000_000);
            lines.begin().text(Name.of("plain"), plain).end();
            lines.begin().text(Name.of("odd"), odd).end();
            String expected = document(Map.of("plain", plain)) + document(Map.of("odd", odd));
            assertThat(text()).isEqualTo(expected);
            assertThat(lines.bytes()).isEqualTo(expected.length());
            assertThat(lines.lines()).isEqualTo(2);
            lines.clear();
            assertThat(lines.toBytes()).isEmpty();
            assertThat(lines.lines()).isZero();
        }
    }
}
