package io.volute.server.s3;

import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;

/** The seed inputs of fuzzing. */
public final class FuzzSeeds {
    private FuzzSeeds() {}

    /** Each char is a byte, as in an HTTP head. */
    public static Stream<byte[]> latin1(String... texts) {
        return Stream.of(texts).map(text -> text.getBytes(StandardCharsets.ISO_8859_1));
    }
}
