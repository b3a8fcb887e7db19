package io.volute.admin;

import io.volute.server.Wiring;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.time.Clock;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * What commands find around them.
 *
 * @param arguments in which arguments reached this process
 * @param nanos time that is never moved, as {@link System#nanoTime}
 * @param in where a person answers
 * @param pause until it is worth asking the server again
 */
record Surroundings(
        Map<String, String> environment,
        Charset arguments,
        InstantSource clock,
        LongSupplier nanos,
        InputStream in,
        Pause pause) {
    private static final long POLL_MILLIS = 500;

    /** Waits a little. */
    interface Pause {
        void pass() throws InterruptedException;
    }

    Surroundings {
        environment = Map.copyOf(environment);
    }

    /** Those of this process. */
    @Wiring
    static final class OfProcess {
        private OfProcess() {}

        static Surroundings get() {
            return new Surroundings(
                    System.getenv(),
                    Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8")),
                    Clock.systemUTC(),
                    System::nanoTime,
                    System.in,
                    () -> TimeUnit.MILLISECONDS.sleep(POLL_MILLIS));
        }
    }
}
