package io.volute.server.s3.request;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.volute.server.s3.FuzzSeeds;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.PercentCoding.Plus;
import io.volute.server.s3.request.PercentCoding.Slash;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Percent-coding of any bytes: decoded once and encoded anew it means the same, or it is refused.
 *
 * <p>{@code JAZZER_FUZZ=1 mvn -pl server -am test -Dtest=PercentCodingFuzz#paths
 * -Dsurefire.failIfNoSpecifiedTests=false} searches on.
 */
class PercentCodingFuzz {
    static Stream<byte[]> seeds() {
        return FuzzSeeds.latin1(
                "",
                "/bucket/key",
                "%41%2f%2F+ ",
                "%",
                "%4",
                "%4g",
                "%C3%A9",
                "%C3",
                "%ED%A0%80",
                "%F0%9F%98%80",
                "%00",
                "\u00e9",
                "a=%26&b&=c&&d=e=f");
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "60s")
    void paths(byte[] data) {
        String raw = new String(data, StandardCharsets.ISO_8859_1);
        for (Plus plus : Plus.values()) {
            try {
                String text = PercentCoding.decode(raw, plus);
                for (Slash slash : Slash.values()) {
                    String encoded = PercentCoding.encode(text, slash);
                    assertThat(encoded).matches("([A-Za-z0-9._~/-]|%[0-9A-F]{2})*");
                    assertThat(PercentCoding.decode(encoded, plus)).isEqualTo(text);
                }
            } catch (S3Exception e) {
                assertThat(e.error()).isEqualTo(S3Error.INVALID_URI);
            }
        }
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "60s")
    void queries(byte[] data) {
        String raw = new String(data, StandardCharsets.ISO_8859_1);
        try {
            QueryParameters query = QueryParameters.parse(raw);
            String again =
                    String.join(
                            "&",
                            query.parameters().stream()
                                    .map(
                                            each ->
                                                    PercentCoding.encode(each.name(), Slash.ENCODED)
                                                            + "="
                                                            + PercentCoding.encode(
                                                                    each.value(), Slash.ENCODED))
                                    .toList());
            assertThat(QueryParameters.parse(again)).isEqualTo(query);
        } catch (S3Exception e) {
            assertThat(e.error().status()).isEqualTo(400);
        }
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "60s")
    void targets(byte[] data) {
        String raw = "/" + new String(data, StandardCharsets.ISO_8859_1);
        HttpHead head =
                new HttpHead(
                        "GET",
                        raw,
                        "",
                        new HeaderList(
                                List.of(
                                        new HeaderList.Header(
                                                "Host", "bucket.s3.example.com:9000"))),
                        false,
                        "192.0.2.1",
                        0,
                        "REQUEST");
        try {
            Target byPath = Target.of(head, List.of());
            Target byHost = Target.of(head, List.of("s3.example.com"));
            assertThat(byHost.bucket()).isEqualTo("bucket");
            boolean both = raw.indexOf('/', 1) >= 0;
            assertThat(byHost.key()).isEqualTo(byPath.bucket() + (both ? "/" : "") + byPath.key());
        } catch (S3Exception e) {
            assertThat(e.error()).isEqualTo(S3Error.INVALID_URI);
        }
    }
}
