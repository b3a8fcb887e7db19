package io.volute.server.admin;

import io.volute.adminapi.RequestsApi.DurationClass;
import io.volute.adminapi.RequestsApi.Operation;
import io.volute.adminapi.RequestsApi.Requests;
import io.volute.server.http.watch.RequestTally;
import io.volute.storage.report.Distribution;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** Requests since start, by operation, as the admin API answers them. */
final class RequestsDocument {
    private RequestsDocument() {}

    static Requests of(RequestTally tally) {
        return new Requests(
                tally.underWay(),
                tally.counts().stream().map(RequestsDocument::operation).toList());
    }

    private static Operation operation(RequestTally.Counts counts) {
        Distribution.Counts nanos = counts.total().nanos();
        return new Operation(
                counts.operation(),
                nanos.total(),
                counts.ended(4),
                counts.ended(5),
                counts.bytes().in(),
                counts.bytes().out(),
                TimeUnit.NANOSECONDS.toMicros(nanos.sum()),
                durations(nanos));
    }

    private static List<DurationClass> durations(Distribution.Counts nanos) {
        List<DurationClass> classes = new ArrayList<>();
        for (int i = 0; i < nanos.values().size(); i++) {
            OptionalLong within =
                    i < nanos.bounds().size()
                            ? OptionalLong.of(TimeUnit.NANOSECONDS.toMicros(nanos.bounds().get(i)))
                            : OptionalLong.empty();
            classes.add(new DurationClass(within, nanos.values().get(i)));
        }
        return classes;
    }
}
