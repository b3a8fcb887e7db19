package io.volute.server.s3.content;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Range headers of any text, against a slow reference. Numbers above the largest long are all
 * alike: no object has so many bytes.
 *
 * <p>{@code JAZZER_FUZZ=1 mvn -pl server -am test -Dtest=ByteRangeFuzz
 * -Dsurefire.failIfNoSpecifiedTests=false} searches on.
 */
class ByteRangeFuzz {
    private static final Pattern RANGE = Pattern.compile("([0-9]*)-([0-9]*)");
    private static final BigInteger MAX = BigInteger.valueOf(Long.MAX_VALUE);

    /** A parser of ranges. */
    private interface RangeReader {
        ByteRange read(String header, long bytes);
    }

    static Stream<byte[]> seeds() {
        return Stream.of(
                        "bytes=0-0",
                        "bytes=5-",
                        "bytes=-5",
                        "bytes=-0",
                        "bytes=9-3",
                        "bytes=0-1,3-4",
                        " bytes= 1-2 ",
                        "bytes=9223372036854775807-",
                        "bytes=9223372036854775806-9223372036854775808",
                        "bytes=9223572036854775806-9223372036854775808",
                        "bytes=-99999999999999999999",
                        "bytes=1-\u0662")
                .map(text -> text.getBytes(StandardCharsets.UTF_8))
                .flatMap(
                        text ->
                                Stream.of(0, 1, 6, 100)
                                        .map(
                                                bytes -> {
                                                    byte[] seed = new byte[text.length + 1];
                                                    seed[0] = bytes.byteValue();
                                                    System.arraycopy(text, 0, seed, 1, text.length);
                                                    return seed;
                                                }));
    }

    /** The first byte is the length of the object, negative for a huge one; then the header. */
    @MethodSource("seeds")
    @FuzzTest(maxDuration = "60s")
    void ranges(byte[] data) {
        agreesWithTheReference(data, ByteRange::parse);
    }

    /** The canary: the seeds alone find a reader that is off by one. */
    @Test
    void theSeedsFindAnEndThatIsOffByOne() {
        assertThatThrownBy(
                        () ->
                                seeds().forEach(
                                                seed ->
                                                        agreesWithTheReference(
                                                                seed, ByteRangeFuzz::endExclusive)))
                .isInstanceOf(AssertionError.class);
    }

    private static ByteRange endExclusive(String header, long bytes) {
        ByteRange range = ByteRange.parse(header, bytes);
        return range instanceof ByteRange.Slice slice && slice.end() < bytes
                ? new ByteRange.Slice(slice.begin(), slice.end() - 1)
                : range;
    }

    private static void agreesWithTheReference(byte[] data, RangeReader reader) {
        if (data.length == 0) {
            return;
        }
        long bytes = data[0] < 0 ? Long.MAX_VALUE + data[0] + 1 : data[0];
        String header = new String(data, 1, data.length - 1, StandardCharsets.UTF_8);
        ByteRange range = reader.read(header, bytes);
        assertThat(range).isEqualTo(reference(header, bytes));
        if (range instanceof ByteRange.Slice slice) {
            assertThat(slice.begin()).isBetween(0L, slice.end() - 1);
            assertThat(slice.end()).isLessThanOrEqualTo(bytes);
        }
    }

    private static ByteRange reference(String header, long bytes) {
        String text = header.trim();
        if (!text.startsWith("bytes=")) {
            return ByteRange.WHOLE;
        }
        Matcher matcher = RANGE.matcher(text.substring(6));
        if (!matcher.matches() || matcher.group(1).isEmpty() && matcher.group(2).isEmpty()) {
            return ByteRange.WHOLE;
        }
        BigInteger length = BigInteger.valueOf(bytes);
        if (matcher.group(1).isEmpty()) {
            BigInteger suffix = new BigInteger(matcher.group(2));
            if (suffix.signum() == 0) {
                return new ByteRange.Unsatisfiable();
            }
            if (bytes == 0) {
                return ByteRange.WHOLE;
            }
            return slice(length.subtract(suffix).max(BigInteger.ZERO), length);
        }
        BigInteger first = new BigInteger(matcher.group(1)).min(MAX);
        BigInteger last =
                matcher.group(2).isEmpty() ? MAX : new BigInteger(matcher.group(2)).min(MAX);
        if (last.compareTo(first) < 0 && !matcher.group(2).isEmpty()) {
            return ByteRange.WHOLE;
        }
        if (first.compareTo(length) >= 0) {
            return new ByteRange.Unsatisfiable();
        }
        return slice(first, length.min(last.add(BigInteger.ONE)));
    }

    private static ByteRange slice(BigInteger begin, BigInteger end) {
        return new ByteRange.Slice(begin.longValueExact(), end.longValueExact());
    }
}
