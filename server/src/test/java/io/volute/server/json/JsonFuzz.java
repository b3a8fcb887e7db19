package io.volute.server.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Documents of any bytes: each is refused with a message or read, and what was read can be written,
 * and reads as the same.
 *
 * <p>{@code JAZZER_FUZZ=1 mvn -pl server -am test -Dtest=JsonFuzz
 * -Dsurefire.failIfNoSpecifiedTests=false} searches on.
 */
class JsonFuzz {
    static Stream<byte[]> seeds() {
        return Stream.of(
                        "{}",
                        "{\"a\":[1,-2.5e3,true,null,\"\\u00e9\",{\"b\":[]}]}",
                        "{\"a\":1,\"a\":2}",
                        "{\"a\":99999999999999999999}",
                        "{\"a\":1e999}",
                        "{\"a\":\"\\ud800\"}",
                        "{\"\\udc00\":1}",
                        "{\"a\":" + "[".repeat(2000),
                        "{} {}",
                        "{\"a\":NaN}",
                        "{\"a\"",
                        "\ufeff{}")
                .map(text -> text.getBytes(StandardCharsets.UTF_8));
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "60s")
    void documents(byte[] data) throws IOException {
        Map<String, Object> document;
        try {
            document = Json.read(data);
        } catch (IOException e) {
            assertThat(e.getMessage()).isNotBlank();
            return;
        }
        byte[] written = Json.write(document);
        assertThat(Json.write(Json.read(written))).isEqualTo(written);
        byte[] visible = Json.writeVisible(document);
        for (byte b : visible) {
            assertThat(b).isBetween((byte) ' ', (byte) '~');
        }
        assertThat(Json.write(Json.read(visible))).isEqualTo(written);
    }
}
