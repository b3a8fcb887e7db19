package io.volute.server.http.message;

import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/** Makes request ids: 16 hexadecimal digits, never the same twice in one run. Thread-safe. */
public final class RequestIds {
    /** Odd, so that stepping by it visits every 64-bit value before any comes again. */
    private static final long STEP = 0x9E3779B97F4A7C15L;

    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private final AtomicLong last;

    public RequestIds(RandomGenerator random) {
        last = new AtomicLong(random.nextLong());
    }

    public String next() {
        return HEX.toHexDigits(last.addAndGet(STEP));
    }
}
