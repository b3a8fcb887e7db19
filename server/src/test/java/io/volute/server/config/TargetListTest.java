package io.volute.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.config.targets.TargetConfig;
import io.volute.server.config.targets.TargetConfig.Login;
import io.volute.server.config.targets.TargetConfig.Servers;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
                        { name = log, type = kafka, brokers = "a:9092, [::1]:9093", topic = t.a }
                        { name = safe, type = kafka, brokers = "a:9092", topic = t, ca-file = /c,
                          user = u, password-file = /p, mechanism = PLAIN }
                        { name = bus, type = nats, servers = "n:4222", subject = a.b, tls = false,
                          allow-loopback = true, credentials-file = /c }
                        """);
        assertThat(config.queueLimit()).isEqualTo(7);
        assertThat(config.targets())
                .containsExactly(
                        new TargetConfig.Webhook(
                                "hook",
                                URI.create("https://h.example.com:8443/a?b=c"),
                                Optional.empty(),
                                Optional.empty(),
                                false,
                                false),
                        new TargetConfig.Webhook(
                                "own",
                                URI.create("http://127.0.0.1/"),
                                Optional.of(Path.of("/t")),
                                Optional.of(Path.of("/c")),
                                true,
                                true),
                        new TargetConfig.File(
                                "trail", Path.of("events.jsonl").toAbsolutePath(), 1 << 20),
                        new TargetConfig.Kafka(
                                "log",
                                new Servers(
                                        List.of("a:9092", "[::1]:9093"),
                                        true,
                                        Optional.empty(),
                                        false),
                                "t.a",
                                Optional.empty(),
                                "SCRAM-SHA-512"),
                        new TargetConfig.Kafka(
                                "safe",
                                new Servers(
                                        List.of("a:9092"), true, Optional.of(Path.of("/c")), false),
                                "t",
                                Optional.of(new Login("u", Path.of("/p"))),
                                "PLAIN"),
                        new TargetConfig.Nats(
                                "bus",
                                new Servers(List.of("n:4222"), false, Optional.empty(), true),
                                "a.b",
                                Optional.empty(),
                                Optional.of(Path.of("/c")),
                                Optional.empty()));
        assertThat(config.types().toString())
                .isEqualTo(
                        "{hook=webhook, own=webhook, trail=file, log=kafka, safe=kafka, bus=nats}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "one|write a list of { name",
                "{ type = file, path = a }|has no name",
                "{ name = a b, type = file, path = a }|letters, digits",
                "{ name = a }|has no type",
                "{ name = a, type = pigeon }|one of webhook, file, kafka, nats",
                "{ name = a, type = kafka, topic = t }|has no brokers",
                "{ name = a, type = kafka, brokers = \"h:1\" }|has no topic",
                "{ name = a, type = kafka, brokers = \"h\", topic = t }|write HOST:PORT",
                "{ name = a, type = kafka, brokers = \"\", topic = t }|has no brokers",
                "{ name = a, type = kafka, brokers = \"h:1\", topic = a/b }|1 to 249 letters",
                "{ name = a, type = kafka, brokers = \"h:1\", topic = t, user = u }|write both",
                "{ name = a, type = kafka, brokers = \"h:1\", topic = t, mechanism = PLAIN }|"
                        + "without user",
                "{ name = a, type = kafka, brokers = \"h:1\", topic = t, tls = false, ca-file = c"
                        + " }|a ca-file without TLS",
                "{ name = a, type = nats, servers = \"h:1\", subject = \"a.*\" }|words of letters",
                "{ name = a, type = nats, servers = \"h:1\", subject = a, token-file = b,"
                        + " credentials-file = c }|write one of them",
                "{ name = a, type = file }|has no path",
                "{ name = a, type = file, path = b, url = c }|unknown key url",
                "{ name = a, type = webhook }|has no url",
                "{ name = a, type = webhook, url = \"ftp://h/\" }|write https://HOST/PATH",
                "{ name = a, type = webhook, url = \"http://h/\" }|write https, or allow-http",
                "{ name = a, type = webhook, url = \"https://u:p@h/\" }|write https://HOST/PATH",
                "{ name = a, type = webhook, url = \"https://h/\", allow-http = yes }|true, false",
                "{ name = a, type = webhook, url = \"https://[:::]/\" }|names no host",
                "{name=a, type=file, path=b}, {name=a, type=file, path=c}|there twice",
            })
    void wrongTargetsAreRefused(String targets, String message) {
        assertThatThrownBy(() -> read(targets))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(message);
    }
}
