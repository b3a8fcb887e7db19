package io.volute.adminapi;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.volute.adminapi.ClusterApi.MissingOwner;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/** Counts of the requests that a server has answered since its start. */
public final class RequestsApi {
    private RequestsApi() {}

    /**
     * All of them.
     *
     * @param underWay requests without an answer so far
     * @param operations by name; a node that forwards a request counts it as {@code Forwarded}
     * @param missing owners of other cubes whose part is missing
     */
    public record Requests(
            @Described("Begun and not ended") long underWay,
            @Described("Requested operations, by name") List<Operation> operations,
            @JsonInclude(JsonInclude.Include.NON_EMPTY)
                    @Described(value = OwnersAnswer.MISSING, canBeMissing = true)
                    List<MissingOwner> missing)
            implements OwnersAnswer<Requests> {
        public Requests(long underWay, List<Operation> operations) {
            this(underWay, operations, List.of());
        }

        @Override
        public Requests with(String node, Requests part) {
            Map<String, Operation> byName = new TreeMap<>();
            operations.forEach(each -> byName.put(each.operation(), each));
            part.operations()
                    .forEach(each -> byName.merge(each.operation(), each, Operation::with));
            return new Requests(
                    underWay + part.underWay(), new ArrayList<>(byName.values()), missing);
        }

        @Override
        public Requests without(List<MissingOwner> owners) {
            return new Requests(underWay, operations, OwnersAnswer.both(missing, owners));
        }
    }

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
                    List<DurationClass> durations) {
        private Operation with(Operation other) {
            return new Operation(
                    operation,
                    requests + other.requests,
                    clientErrors + other.clientErrors,
                    serverErrors + other.serverErrors,
                    receivedBytes + other.receivedBytes,
                    sentBytes + other.sentBytes,
                    micros + other.micros,
                    sums(other.durations));
        }

        /** Each release has its own bounds, the same for all operations. */
        private List<DurationClass> sums(List<DurationClass> others) {
            Map<OptionalLong, Long> byBound = new LinkedHashMap<>();
            OwnersAnswer.both(durations, others)
                    .forEach(
                            each -> byBound.merge(each.withinMicros(), each.requests(), Long::sum));
            return byBound.entrySet().stream()
                    .map(each -> new DurationClass(each.getKey(), each.getValue()))
                    .sorted(
                            Comparator.comparingLong(
                                    each -> each.withinMicros().orElse(Long.MAX_VALUE)))
                    .toList();
        }
    }

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
