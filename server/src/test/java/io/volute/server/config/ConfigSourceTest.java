package io.volute.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.credentials.Credential;
import io.volute.server.http.HttpSettings.Caps;
import io.volute.server.http.HttpSettings.Timeouts;
import io.volute.storage.CleaningSettings;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeOptions.OnDamage;
import io.volute.versioning.StoreOptions.HistorySettings;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.KeyPattern;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigSourceTest {
    @TempDir private Path directory;

    private ServerConfig file(String text) throws IOException, ConfigException {
        return ConfigSource.read(Optional.of(write(text)), Map.of(), Map.of());
    }

    private Path write(String text) throws IOException {
        return Files.writeString(directory.resolve("volute.conf"), text);
    }

    @Test
    void worksWithoutAnything() throws ConfigException {
        ServerConfig config = ConfigSource.read(Optional.empty(), Map.of("PATH", "x"), Map.of());
        assertThat(config.dataDirectory())
                .isEqualTo(Path.of("volute-data").toAbsolutePath().normalize());
        assertThat(config.http().listen().getHostString()).isEqualTo("127.0.0.1");
        assertThat(config.http().listen().getPort()).isEqualTo(9000);
        assertThat(config.http().tls()).isEmpty();
        assertThat(config.http().caps()).isEqualTo(Caps.defaults());
        assertThat(config.http().timeouts()).isEqualTo(Timeouts.defaults());
        assertThat(config.log())
                .usingRecursiveComparison()
                .ignoringFields("blockCacheBytes")
                .isEqualTo(LogSettings.defaults());
        assertThat(config.log().blockCacheBytes()).isEqualTo(BlockCache.bytes(0));
        assertThat(config.history()).isEqualTo(HistorySettings.DEFAULTS);
        assertThat(config.protocol().region()).isEqualTo("us-east-1");
        assertThat(config.protocol().domains()).isEmpty();
        assertThat(config.protocol().unsignedPayloadOverHttp()).isTrue();
        assertThat(config.shutdown()).isEqualTo(Duration.ofSeconds(30));
        assertThat(config.users()).isEmpty();
    }

    @Test
    void aSilentServerLogsNoRequestsAndSendsNothing() throws Exception {
        ServerConfig config =
                file(
                        """
                        log.access = "-"
                        log.audit = true
                        tracing.endpoint = "http://127.0.0.1:4318/v1/traces"
                        notifications.targets = [{ name = trail, type = file, path = "/x/trail" }]
                        """);
        ServerConfig silent = config.silent();
        assertThat(silent.accessLog()).isEqualTo(new AccessLogConfig(Optional.empty(), false));
        assertThat(silent.auditLog().isOn()).isFalse();
        assertThat(silent.tracing()).isEmpty();
        assertThat(silent.notifications().targets()).isEmpty();
        assertThat(silent.replication().targets()).isEmpty();
        assertThat(silent)
                .usingRecursiveComparison()
                .ignoringFields("accessLog", "auditLog", "tracing", "notifications", "replication")
                .isEqualTo(config);
    }

    @Test
    void readsTheFile() throws Exception {
        ServerConfig config =
                file(
                        """
                        server { listen = "[::1]:9100", shutdown-timeout = 5s }
                        s3.virtual-host-domains = [s3.example.org, s3.test]
                        log.segment-size = 1 MiB
                        log.on-damage = accept-read-only
                        limits.requests-in-flight = 7
                        limits.requests-per-address = 3
                        timeouts.idle = 250ms
                        timeouts.tls-handshake = 3s
                        users = [{ access-key = backup, secret-key = "long enough"
                                   display-name = "Nightly" }]
                        """
                                .replace("long enough", "long-enough"));
        assertThat(config.http().listen().getAddress().isLoopbackAddress()).isTrue();
        assertThat(config.http().listen().getPort()).isEqualTo(9100);
        assertThat(config.shutdown()).isEqualTo(Duration.ofSeconds(5));
        assertThat(config.protocol().domains()).containsExactly("s3.example.org", "s3.test");
        assertThat(config.log().segmentBytes()).isEqualTo(1 << 20);
        assertThat(config.log().damage()).isEqualTo(OnDamage.ACCEPT_READ_ONLY);
        assertThat(config.http().caps().requestsInFlight()).isEqualTo(7);
        assertThat(config.http().timeouts().idle()).isEqualTo(Duration.ofMillis(250));
        assertThat(config.http().timeouts().handshake()).isEqualTo(Duration.ofSeconds(3));
        assertThat(config.users())
                .containsExactly(
                        new Credential("backup", "long-enough", "backup", "Nightly", false));
    }

    @ParameterizedTest
    @ValueSource(strings = {"root", "Anonymous"})
    void aUserHasNoReservedName(String name) {
        assertThatThrownBy(
                        () ->
                                file(
                                        "users = [{ access-key = backup, principal = "
                                                + name
                                                + ", secret-key = long-enough }]"))
                .hasMessageContaining("the principal " + name + " is reserved");
    }

    @Test
    void readsHowToClean() throws Exception {
        CleaningSettings cleaning =
                file("""
                log { segment-size = 1 MiB, capacity = 40 MiB
                      expansion-factor = 1.25 }
                cleaner { threads = 2, free-share = 0.2, tombstone-share = 0.3
                          expansion-share = 1, reserve-segments = 4
                          hole-min = 4 KiB }
                """)
                        .log()
                        .cleaning();
        assertThat(cleaning)
                .isEqualTo(
                        new CleaningSettings(2, 40L << 20, 0.2, 0.3, 1.25, 1.0, 4).withHoles(4096));
        assertThat(file("cleaner.threads = 0").log().cleaning().threads()).isZero();
    }

    @Test
    void aKeyThatIsGoneIsToldSo() {
        assertThatThrownBy(() -> file("history.max-age-per-version = 1h"))
                .hasMessageContaining("key history.max-age-per-version in ")
                .hasMessageContaining("line 1 is gone: history.resolution")
                .hasMessageContaining("remove this line");
    }

    @Test
    void readsWhatHistoryIsKept() throws Exception {
        HistorySettings history =
                file("""
                history { policy = every-write, retention = 30d
                          resolution = 90m
                          max-states = 20, max-share = 0.5 }
                causality.ignore = ["photos/*.lock", "*/cache/*"]
                actor.idle-timeout = 1s
                """)
                        .history();
        assertThat(history)
                .isEqualTo(
                        new HistorySettings(
                                HistoryPolicy.EVERY_WRITE,
                                Duration.ofMinutes(90),
                                Duration.ofSeconds(1),
                                Duration.ofDays(30),
                                20,
                                List.of(
                                        new KeyPattern("photos/*.lock"),
                                        new KeyPattern("*/cache/*"))));
        assertThat(file("history { max-share = 0.5, under-pressure = refuse }").historyRoom())
                .isEqualTo(new HistoryRoom(0.5, HistoryRoom.UnderPressure.REFUSE));
        assertThatThrownBy(() -> file("causality.ignore = index.json"))
                .hasMessageContaining("BUCKET/KEY");
        for (HistoryPolicy policy : HistoryPolicy.values()) {
            assertThat(file("history.policy = " + policy.text()).history().policy())
                    .isEqualTo(policy);
        }
    }

    @Test
    void segmentsSuitTheCapacityUnlessTheirSizeIsGiven() throws Exception {
        assertThat(file("log.capacity = 1 GiB").log().segmentBytes()).isEqualTo(8 << 20);
        assertThat(file("log.capacity = 1 GiB, log.segment-size = 0").log().segmentBytes())
                .isEqualTo(8 << 20);
        assertThat(file("log { capacity = 1 GiB, inline-limit = 10 MiB }").log().segmentBytes())
                .isEqualTo(32 << 20);
        assertThatThrownBy(() -> file("log.capacity = 63 MiB"))
                .hasMessageContaining("4 segments of 4096 KiB (log.segment-size)");
        assertThat(file("log.capacity = 64 MiB").log().segmentBytes()).isEqualTo(4 << 20);
    }

    @Test
    void refusesACapacityThatNothingFitsInto() {
        assertThatThrownBy(() -> file("log.segment-size = 1 MiB, log.capacity = 7 MiB"))
                .hasMessageContaining("log.capacity")
                .hasMessageContaining("at least " + (16 << 20));
        assertThatThrownBy(() -> file("cleaner.free-share = 1.5"))
                .hasMessageContaining("cleaner.free-share")
                .hasMessageContaining("a number from 0.0 to 1.0");
        assertThatThrownBy(() -> file("log.expansion-factor = 1"))
                .hasMessageContaining("a number from 1.01");
    }

    @Test
    void tellsWhatASmallSegmentHasNoRoomFor() throws Exception {
        assertThatThrownBy(() -> file("log.segment-size = 64 KiB"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("log.chunk-size is 131072 bytes; write at most 56 KiB")
                .hasMessageContaining("log.inline-limit is 131072 bytes; write at most 32 KiB")
                .hasMessageContaining("or a larger log.segment-size");
        ServerConfig config =
                file(
                        """
                        log.segment-size = 64 KiB
                        log.chunk-size = 56 KiB
                        log.inline-limit = 32 KiB
                        """);
        assertThat(config.log().chunkBytes()).isEqualTo(56 << 10);
    }

    @Test
    void flagsWinOverEnvironmentOverFile() throws Exception {
        Path file =
                write(
                        "s3.region = from-file\nserver.listen = \"127.0.0.1:1\"\n"
                                + "log.inline-limit=1K");
        ServerConfig config =
                ConfigSource.read(
                        Optional.of(file),
                        Map.of(
                                "VOLUTE_S3_REGION", "from-env",
                                "VOLUTE_SERVER_LISTEN", "127.0.0.1:2",
                                "VOLUTE_ACCESS_KEY", "root",
                                "VOLUTE_CA_BUNDLE", "ca.pem",
                                "VOLUTE_JAVA_OPTS", "-Xmx1g"),
                        Map.of("server.listen", "127.0.0.1:3"));
        assertThat(config.protocol().region()).isEqualTo("from-env");
        assertThat(config.http().listen().getPort()).isEqualTo(3);
        assertThat(config.log().inlineLimitBytes()).isEqualTo(1024);
    }

    @ParameterizedTest
    @CsvSource({
        "log.segment-sizze,   log.segment-size",
        "segment-size,        log.segment-size",
        "server.lisen,        server.listen",
        "s3.regoin,           s3.region",
        "tls.cert,            tls.certificate"
    })
    void tellsWhatAnUnknownKeyProbablyIs(String wrong, String right) throws IOException {
        Path file = write("# first line\n" + wrong + " = 1\n");
        assertThatThrownBy(() -> ConfigSource.read(Optional.of(file), Map.of(), Map.of()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("unknown key " + wrong)
                .hasMessageContaining("volute.conf line 2")
                .hasMessageContaining("did you mean " + right + "?");
    }

    @Test
    void pointsToTheDocumentWhenNothingIsNear() {
        assertThatThrownBy(() -> file("zebra.crossing = 1"))
                .hasMessageContaining("zebra.crossing")
                .hasMessageContaining("docs/reference/settings.md");
    }

    @Test
    void refusesUnknownVariables() {
        assertThatThrownBy(
                        () ->
                                ConfigSource.read(
                                        Optional.empty(),
                                        Map.of("VOLUTE_S3_REGOIN", "x"),
                                        Map.of()))
                .hasMessageContaining("VOLUTE_S3_REGOIN")
                .hasMessageContaining("did you mean VOLUTE_S3_REGION?");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "server.listen | 9000 | HOST:PORT",
                "server.listen | 127.0.0.1:65536 | HOST:PORT",
                "server.listen | ::1:9000 | HOST:PORT",
                "log.segment-size | 63 KiB | a size from 64 KiB to 1 GiB, a multiple of 4 KiB",
                "log.segment-size | 65 KiB | a multiple of 4 KiB",
                "log.segment-size | 64 potatoes | such as 64 MiB",
                "log.on-damage | ignore | one of refuse, accept-read-only",
                "timeouts.idle | 60 | with its unit",
                "timeouts.idle | 9ms | a time from 10ms to",
                "timeouts.idle | 25h | with its unit",
                "history.policy | always | one of none, open-close, cycle-avoidance",
                "history.retention | 7 | a time from 1s to 36500d with its unit",
                "history.retention | 36501d | a time from 1s to 36500d with its unit",
                "history.resolution | 2d | 0, or a time from 1ms to 1d",
                "actor.idle-timeout | 15 min | (ms, s, m, h, d)",
                "limits.connections | 0 | a number from 1 to 1000000",
                "limits.connections | many | a number from 1 to 1000000",
                "s3.region | us east | a region such as us-east-1",
                "auth.allow-unsigned-payload-over-http | yes | one of true, false",
                "tracing.endpoint | grpc://h:4317 | http://127.0.0.1:4318/v1/traces",
                "tracing.endpoint | http://u:p@h/v1/traces | http://127.0.0.1:4318/v1/traces",
                "tracing.endpoint | http://h/v1/traces?key=x | http://127.0.0.1:4318/v1/traces",
                "tracing.sample | 1.5 | a number from 0",
                "tracing.parent-rate | -1 | a number from 0",
                "provenance.checkpoint-export | ftp://h/b | https://HOST/BUCKET/PREFIX",
                "provenance.checkpoint-export | https://host | https://HOST/BUCKET/PREFIX",
                "provenance.checkpoint-export | https://h/bucket/../x | s3://BUCKET/PREFIX",
                "provenance.checkpoint-export | https://u:p@h/bucket | s3://BUCKET/PREFIX",
                "s3.virtual-host-domains | a/b | host names"
            })
    void tellsWhatToWriteInsteadOfABadValue(String key, String value, String advice) {
        assertThatThrownBy(() -> file(key + " = \"" + value + "\""))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(key + " is \"" + value + "\"")
                .hasMessageContaining("write")
                .hasMessageContaining(advice);
    }

    @Test
    void knowsWhereCheckpointsGo() throws IOException, ConfigException {
        String elsewhere = "provenance.checkpoint-export = \"https://h:9/bucket/a/b/\"\n";
        assertThatThrownBy(() -> file(elsewhere))
                .hasMessageContaining("provenance.checkpoint-export-credentials");
        CheckpointExport.Endpoint there =
                (CheckpointExport.Endpoint)
                        file(elsewhere + "provenance.checkpoint-export-credentials = c")
                                .provenance()
                                .checkpointExport()
                                .orElseThrow();
        assertThat(there.text()).isEqualTo("https://h:9/bucket/a/b/");
        assertThat(there.prefix()).isEqualTo("a/b/");
        assertThat(there.region()).isEqualTo("us-east-1");
        String here = "provenance.checkpoint-export = \"s3://bucket\"\n";
        assertThat(file(here).provenance().checkpointExport())
                .contains(new CheckpointExport.Bucket("bucket", ""));
        assertThatThrownBy(() -> file(here + "provenance.checkpoint-export-ca = c"))
                .hasMessageContaining("leave out");
        assertThatThrownBy(() -> file("provenance.checkpoint-export-ca = c"))
                .hasMessageContaining("write that, too");
    }

    @Test
    void knowsWhereSpansGo() throws IOException, ConfigException {
        assertThat(file("").tracing()).isEmpty();
        TracingConfig tracing = file("tracing.endpoint = \"http://[::1]:4318\"").tracing().get();
        assertThat(tracing)
                .isEqualTo(
                        new TracingConfig(
                                URI.create("http://[::1]:4318/v1/traces"),
                                0.01,
                                10,
                                Optional.empty()));
        assertThat(tracing.isPlainToOthers()).isFalse();
        TracingConfig other =
                file("""
                tracing { endpoint = "http://otel.example:80/own/path"
                          sample = 1, parent-rate = 0, headers-file = h }
                """)
                        .tracing()
                        .get();
        assertThat(other)
                .isEqualTo(
                        new TracingConfig(
                                URI.create("http://otel.example:80/own/path"),
                                1,
                                0,
                                Optional.of(Path.of("h").toAbsolutePath())));
        assertThat(other.isPlainToOthers()).isTrue();
        assertThatThrownBy(() -> file("tracing.headers-file = h"))
                .hasMessageContaining("belongs to tracing.endpoint");
        assertThatThrownBy(() -> file("tracing.endpoint = \"http://h-/v1/traces\""))
                .hasMessageContaining("names no host");
        assertThatThrownBy(() -> file("tracing.endpoint = \"http://[:::]/v1/traces\""))
                .hasMessageContaining("names no host");
    }

    @Test
    void aListOfObjectsIsInTheFileAlone() throws Exception {
        Map<String, String> variable = Map.of("VOLUTE_USERS", "hush");
        assertThatThrownBy(() -> ConfigSource.read(Optional.empty(), variable, Map.of()))
                .hasMessageContaining("users in environment variable VOLUTE_USERS")
                .hasMessageContaining(
                        "write a list of { access-key = ..., secret-key = ... } in the")
                .hasMessageNotContaining("hush");
        for (String key : List.of("users", "notifications.targets", "replication.targets")) {
            assertThatThrownBy(() -> file(key + " = hush"))
                    .hasMessageContaining(key + " in ")
                    .hasMessageContaining("write a list of {")
                    .hasMessageNotContaining("hush");
            assertThat(file(key + " = []")).isEqualTo(file(""));
        }
    }

    @Test
    void anAddressNamesAHost() {
        assertThatThrownBy(
                        () ->
                                file(
                                        "replication.targets = [{ name = a, credential-file = f,"
                                                + " endpoint = \"https://[:::]\" }]"))
                .hasMessageContaining("names no host");
        assertThatThrownBy(
                        () ->
                                file(
                                        "encryption { kms = vault, vault { token-file = t,"
                                                + " address = \"https://[:::]\" } }"))
                .hasMessageContaining("write https and a host");
    }

    @Test
    void reportsAWrongValueOnce() {
        assertThatThrownBy(() -> file("log.inline-limit = much"))
                .message()
                .containsOnlyOnce("log.inline-limit");
        assertThatThrownBy(() -> file("log.capacity = 1 PB"))
                .hasMessageContaining("a size from 0 to 1 PiB");
    }

    @Test
    void tellsEverythingAtOnce() {
        assertThatThrownBy(() -> file("a.b = 1\nlog.on-damage = x\ntls.key = k.pem"))
                .hasMessageContaining("a.b")
                .hasMessageContaining("log.on-damage")
                .hasMessageContaining("tls.certificate and tls.key belong together");
    }

    @Test
    void neverShowsASecret() {
        assertThatThrownBy(
                        () ->
                                file(
                                        "users = [{access-key = ab, secret-key = hushhushhush},"
                                                + " {access-key = abc, secret-key = hush},"
                                                + " {access-key = abc, secret-key = hushhush,"
                                                + " secret = hushhush}]"))
                .hasMessageContaining("3 to 128")
                .hasMessageContaining("8 to 128")
                .hasMessageContaining("twice")
                .hasMessageContaining("unknown key secret; did you mean secret-key?")
                .hasMessageNotContaining("hush");
    }

    @Test
    void namesAFileThatIsNotThereOrNotUnderstood() {
        assertThatThrownBy(
                        () ->
                                ConfigSource.read(
                                        Optional.of(directory.resolve("nowhere.conf")),
                                        Map.of(),
                                        Map.of()))
                .hasMessageContaining("nowhere.conf")
                .hasMessageContaining("--config");
        assertThatThrownBy(() -> file("{{{")).hasMessageContaining("volute.conf");
    }
}
