package io.volute.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TargetListTest {
    @TempDir private Path directory;

    private NotificationConfig read(String targets) throws IOException, ConfigException {
        Path file =
                Files.writeString(
                        directory.resolve("volute.conf"),
                        "notifications { targets = [" + targets + "], queue-limit = 7 }");
        return ConfigSource.read(Optional.of(file), Map.of(), Map.of()).notifications();
    }

    @Test
    void targetsAreReadWithTheirDefaults() throws Exception {
        NotificationConfig config =
                read(
                        """
                        { name = hook, type = webhook, url = "https://h.example.com:8443/a?b=c" }
                        { name = own, type = webhook, url = "http://127.0.0.1/", token-file = /t,
                          ca-file = /c, allow-loopback = true, allow-http = true }
                        { name = trail, type = file, path = events.jsonl, rotate-size = 1 MiB }
                        """);
        assertThat(config.queueLimit()).isEqualTo(7);
        assertThat(config.targets())
                .containsExactly(
                        new NotificationConfig.Webhook(
                                "hook",
                                URI.create("https://h.example.com:8443/a?b=c"),
                                Optional.empty(),
                                Optional.empty(),
                                false,
                                false),
                        new NotificationConfig.Webhook(
                                "own",
                                URI.create("http://127.0.0.1/"),
                                Optional.of(Path.of("/t")),
                                Optional.of(Path.of("/c")),
                                true,
                                true),
                        new NotificationConfig.File(
                                "trail", Path.of("events.jsonl").toAbsolutePath(), 1 << 20));
        assertThat(config.types().toString()).isEqualTo("{hook=webhook, own=webhook, trail=file}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "one|write a list of { name",
                "{ type = file, path = a }|has no name",
                "{ name = a b, type = file, path = a }|letters, digits",
                "{ name = a }|has no type",
                "{ name = a, type = pigeon }|write file or webhook",
                "{ name = a, type = file }|has no path",
                "{ name = a, type = file, path = b, url = c }|unknown key url",
                "{ name = a, type = webhook }|has no url",
                "{ name = a, type = webhook, url = \"ftp://h/\" }|write https://HOST/PATH",
                "{ name = a, type = webhook, url = \"http://h/\" }|write https, or allow-http",
                "{ name = a, type = webhook, url = \"https://u:p@h/\" }|write https://HOST/PATH",
                "{ name = a, type = webhook, url = \"https://h/\", allow-http = yes }|true or"
                        + " false",
                "{name=a, type=file, path=b}, {name=a, type=file, path=c}|there twice",
            })
    void wrongTargetsAreRefused(String targets, String message) {
        assertThatThrownBy(() -> read(targets))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(message);
    }
}
