package io.volute.adminapi;

import java.util.List;
import java.util.OptionalLong;

/** Counts of the requests that a server has answered since its start. */
public final class RequestsApi {
    private RequestsApi() {}

    /**
     * All of them.
     *
     * @param underWay requests without an answer so far
     */
    public record Requests(long underWay, List<Operation> operations) {}

    /**
     * The requests of an operation.
     *
     * @param micros the sum of their durations
     */
    public record Operation(
            String operation,
            long requests,
            long clientErrors,
            long serverErrors,
            long receivedBytes,
            long sentBytes,
            long micros,
            List<DurationClass> durations) {}

    /**
     * Requests by their duration.
     *
     * @param withinMicros the upper bound; empty for the longest
     */
    public record DurationClass(OptionalLong withinMicros, long requests) {}
}
