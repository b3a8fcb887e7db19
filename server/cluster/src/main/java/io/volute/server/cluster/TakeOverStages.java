package io.volute.server.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** The times that the stages of a take-over took, for the log. Used by one thread. */
final class TakeOverStages {
    private final LongSupplier nanos;
    private final long begun;
    private final List<String> ended = new ArrayList<>();
    private long last;

    /**
     * Begins the first stage.
     *
     * @param nanos a clock that only goes forward
     */
    TakeOverStages(LongSupplier nanos) {
        this.nanos = nanos;
        this.begun = nanos.getAsLong();
        this.last = begun;
    }

    /** Ends the stage of that name, and begins the next one. */
    void ended(String name) {
        long now = nanos.getAsLong();
        ended.add(name + " " + TimeUnit.NANOSECONDS.toMillis(now - last) + " ms");
        last = now;
    }

    /** Returns the milliseconds from the begin to the end of the last stage. */
    long millis() {
        return TimeUnit.NANOSECONDS.toMillis(last - begun);
    }

    /** Returns the stages in their order, each with its milliseconds. */
    @Override
    public String toString() {
        return String.join(", ", ended);
    }
}
