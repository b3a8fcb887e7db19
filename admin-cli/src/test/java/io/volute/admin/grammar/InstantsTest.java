package io.volute.admin.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.admin.client.S3Scope;
import io.volute.admin.client.S3Uri;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

/** Tests the accepted forms of instants, durations, buckets and keys. */
class InstantsTest {
    private static final Instant NOW = Instant.parse("2026-11-21T10:00:00.123456Z");

    /** Its clocks were set forward on 2026-03-29 at 02:00, and back on 2026-10-25 at 03:00. */
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    private static Instant convert(String text) {
        return new Instants(() -> NOW, BERLIN).convert(text);
    }

    @ParameterizedTest
    @CsvSource({
        "2026-11-20T14:05:00Z, 2026-11-20T14:05:00Z",
        "2026-11-20t14:05:00z, 2026-11-20T14:05:00Z",
        "2026-11-20T14:05:00.250Z, 2026-11-20T14:05:00.250Z",
        "2026-11-20T14:05:00+01:00, 2026-11-20T13:05:00Z",
        "2026-11-20 14:05:00.5-05:30, 2026-11-20T19:35:00.5Z",
        "20261120t140500z, 2026-11-20T14:05:00Z",
        "20261120T140500Z, 2026-11-20T14:05:00Z",
        "2026-11-20, 2026-11-19T23:00:00Z",
        "2026-11-20T14:05, 2026-11-20T13:05:00Z",
        "2026-07-20 14:05, 2026-07-20T12:05:00Z",
        "2026-11-20 14:05:09, 2026-11-20T13:05:09Z",
        "-30m, 2026-11-21T09:30:00Z",
        "-2h, 2026-11-21T08:00:00Z",
        "-7d, 2026-11-14T10:00:00Z",
        "-1w, 2026-11-14T10:00:00Z",
        "-10s, 2026-11-21T09:59:50Z",
        "-0s, 2026-11-21T10:00:00Z",
        "+31d, 2026-12-22T10:00:00Z"
    })
    void takes(String text, Instant instant) {
        assertThat(convert(text)).isEqualTo(instant);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "now",
                "yesterday",
                "14:05",
                "2026-11",
                "2026-11-20T",
                "2026-11-20T14",
                "2026-11-20T14:05:00+1",
                "2026-11-20T14:05:00+19:00",
                "2026-11-20Z",
                "2026-02-30T14:05:00Z",
                "2026-02-30",
                "20260230t140500z",
                "20261120t250000z",
                "20261120140500",
                "2h",
                "-2",
                "-2y",
                "-h",
                "--2h",
                "+-2h",
                "-1234567d"
            })
    void refuses(String text) {
        assertThatThrownBy(() -> convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("\"" + text + "\"")
                .hasMessageEndingWith(
                        "; write a time like 2026-11-20T14:05:00Z, a local time like"
                                + " \"2026-11-20 14:05\" or 2026-11-20, or a time from now like"
                                + " -30m, -24h or -7d");
    }

    @Test
    void aLocalTimeThatIsNotOneInstantIsRefused() {
        assertThatThrownBy(() -> convert("2026-03-29 02:30"))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("left out in Europe/Berlin");
        assertThatThrownBy(() -> convert("2026-10-25 02:30"))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("2026-10-25T02:30+02:00 or 2026-10-25T02:30+01:00");
        assertThat(convert("2026-10-25T02:30+01:00")).isEqualTo("2026-10-25T01:30:00Z");
    }

    @Test
    void durationsHaveAUnit() {
        Durations durations = new Durations();
        assertThat(durations.convert("500ms")).isEqualTo(Duration.ofMillis(500));
        assertThat(durations.convert("2s")).isEqualTo(Duration.ofSeconds(2));
        assertThat(durations.convert("90m")).isEqualTo(Duration.ofMinutes(90));
        assertThat(durations.convert("1h")).isEqualTo(Duration.ofHours(1));
        assertThat(durations.convert("7d")).isEqualTo(Duration.ofDays(7));
        for (String wrong : new String[] {"", "2", "-2s", "2 s", "PT2S", "2S", "1234567890s"}) {
            assertThatThrownBy(() -> durations.convert(wrong))
                    .isInstanceOf(TypeConversionException.class)
                    .hasMessageContaining("30s, 5m, 2h or 7d");
        }
    }

    @Test
    void aKeyIsTakenAsItStands() {
        S3Uri.Converter converter = new S3Uri.Converter();
        assertThat(converter.convert("s3://bucket/a//b%20c?d#e "))
                .isEqualTo(new S3Uri("bucket", "a//b%20c?d#e "))
                .hasToString("s3://bucket/a//b%20c?d#e ");
        assertThat(converter.convert("s3://bucket//")).isEqualTo(new S3Uri("bucket", "/"));
        for (String wrong :
                new String[] {
                    "",
                    "bucket/key",
                    "s3:/bucket/key",
                    "s3://bucket",
                    "s3://bucket/",
                    "s3:///key",
                    "S3://bucket/key",
                    "http://bucket/key"
                }) {
            assertThatThrownBy(() -> converter.convert(wrong))
                    .as(wrong)
                    .isInstanceOf(TypeConversionException.class)
                    .hasMessageContaining("s3://BUCKET/KEY");
        }
    }

    @Test
    void aBucketHasTwoSpellings() {
        S3Uri.BucketConverter converter = new S3Uri.BucketConverter();
        for (String text : new String[] {"photos", "s3://photos", "s3://photos/", "photos/"}) {
            assertThat(converter.convert(text)).isEqualTo("photos");
        }
        for (String wrong : new String[] {"", "/", "s3://", "s3:///", "s3://photos/a", "a/b"}) {
            assertThatThrownBy(() -> converter.convert(wrong))
                    .as(wrong)
                    .isInstanceOf(TypeConversionException.class)
                    .hasMessageContaining("BUCKET or s3://BUCKET");
        }
    }

    @Test
    void aScopeIsABucketOrAKey() {
        S3Scope.Converter converter = new S3Scope.Converter();
        for (String text : new String[] {"photos", "s3://photos", "s3://photos/"}) {
            assertThat(converter.convert(text)).isEqualTo(new S3Scope("photos", Optional.empty()));
        }
        assertThat(converter.convert("s3://photos/a/b"))
                .isEqualTo(new S3Scope("photos", Optional.of("a/b")));
        for (String wrong : new String[] {"", "/", "s3://", "s3:///a", "photos/a"}) {
            assertThatThrownBy(() -> converter.convert(wrong))
                    .as(wrong)
                    .isInstanceOf(TypeConversionException.class)
                    .hasMessageContaining("s3://BUCKET/KEY, s3://BUCKET or BUCKET");
        }
    }
}
