package io.volute.admin.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

/** Tests the accepted forms of instants and keys. */
class InstantsTest {
    private static final Instant NOW = Instant.parse("2026-11-21T10:00:00.123456Z");

    @ParameterizedTest
    @CsvSource({
        "2026-11-20T14:05:00Z, 2026-11-20T14:05:00Z",
        "2026-11-20T14:05:00.250Z, 2026-11-20T14:05:00.250Z",
        "20261120t140500z, 2026-11-20T14:05:00Z",
        "20261120T140500Z, 2026-11-20T14:05:00Z",
        "-30m, 2026-11-21T09:30:00Z",
        "-2h, 2026-11-21T08:00:00Z",
        "-7d, 2026-11-14T10:00:00Z",
        "-10s, 2026-11-21T09:59:50Z",
        "-0s, 2026-11-21T10:00:00Z",
        "+31d, 2026-12-22T10:00:00Z"
    })
    void takes(String text, Instant instant) {
        assertThat(Instants.parse(text, NOW)).contains(instant);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "now",
                "2026-11-20",
                "2026-11-20T14:05:00",
                "2026-11-20T14:05:00+01:00",
                "2026-02-30T14:05:00Z",
                "20260230t140500z",
                "20261120t250000z",
                "20261120140500",
                "2h",
                "-2",
                "-2w",
                "-h",
                "--2h",
                "+-2h",
                "-1234567d"
            })
    void refuses(String text) {
        assertThat(Instants.parse(text, NOW)).isEmpty();
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
}
