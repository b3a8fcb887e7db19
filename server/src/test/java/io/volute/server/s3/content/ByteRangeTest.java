package io.volute.server.s3.content;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Range headers over an object of 100 bytes, and over an empty one. */
final class ByteRangeTest {

    @ParameterizedTest
    @CsvSource(
            textBlock =
                    """
                    bytes=0-0,      0-1
                    bytes=0-99,     0-100
                    bytes=10-19,    10-20
                    bytes=90-200,   90-100
                    bytes=99-,      99-100
                    bytes=0-,       0-100
                    bytes=-1,       99-100
                    bytes=-100,     0-100
                    bytes=-101,     0-100
                    bytes=5-99999999999999999999, 5-100
                    bytes=100-,     none
                    bytes=100-200,  none
                    bytes=99999999999999999999-, none
                    bytes=-0,       none
                    bytes=9-3,      whole
                    bytes=-,        whole
                    bytes=,         whole
                    bytes=a-b,      whole
                    bytes=1-b,      whole
                    bytes=--1,      whole
                    bytes= -1,      whole
                    bytes=0 -1,     whole
                    bytes=0- 1,     whole
                    bytes 0-1,      whole
                    items=0-1,      whole
                    'bytes=0-1,3-4', whole
                    """)
    void readsRanges(String header, String expected) {
        assertThat(text(ByteRange.parse(header, 100))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "bytes=0-0,none",
        "bytes=0-,none",
        "bytes=-0,none",
        "bytes=-1,whole",
        "bytes=x,whole"
    })
    void anEmptyObjectHasNothingButItsEnd(String header, String expected) {
        assertThat(text(ByteRange.parse(header, 0))).isEqualTo(expected);
    }

    private static String text(ByteRange range) {
        return switch (range) {
            case ByteRange.Whole whole -> "whole";
            case ByteRange.Unsatisfiable none -> "none";
            case ByteRange.Slice slice -> slice.begin() + "-" + slice.end();
        };
    }
}
