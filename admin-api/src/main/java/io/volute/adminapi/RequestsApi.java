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
    public record Requests(
            @Described("Begun and not ended") long underWay,
            @Described("Requested operations, by name") List<Operation> operations) {}

    /**
     * The requests of an operation.
     *
     * @param micros the sum of their durations
     */
    public record Operation(
            String operation,
            long requests,
            @Described("Answers with a status of 400 to 499") long clientErrors,
            @Described("Answers with a status from 500 on") long serverErrors,
            @Described("Bytes of bodies") long receivedBytes,
            @Described("Bytes of bodies") long sentBytes,
            @Described(
                            "Sum of all times, from the head until the client had all"
                                    + " of the answer")
                    long micros,
            @Described("Number of requests by duration, the shortest first")
                    List<DurationClass> durations) {}

    /**
     * Requests by their duration.
     *
     * @param withinMicros the upper bound; empty for the longest
     */
    public record DurationClass(
            @Described("At most, and more than the bound before; missing in the last class")
                    OptionalLong withinMicros,
            long requests) {}
}
