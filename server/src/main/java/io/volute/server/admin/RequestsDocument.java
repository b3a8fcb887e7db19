package io.volute.server.admin;

import io.volute.server.http.watch.RequestTally;
import io.volute.storage.report.Distribution;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Requests since start, by operation. Schema: {@code Requests} in docs/reference/openapi.yaml. */
final class RequestsDocument {
    private RequestsDocument() {}

    static Map<String, Object> of(RequestTally tally) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("underWay", tally.underWay());
        document.put(
                "operations", tally.counts().stream().map(RequestsDocument::operation).toList());
        return document;
    }

    private static Map<String, Object> operation(RequestTally.Counts counts) {
        Distribution.Counts nanos = counts.total().nanos();
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("operation", counts.operation());
        document.put("requests", nanos.total());
        document.put("clientErrors", counts.ended(4));
        document.put("serverErrors", counts.ended(5));
        document.put("receivedBytes", counts.bytes().in());
        document.put("sentBytes", counts.bytes().out());
        document.put("micros", TimeUnit.NANOSECONDS.toMicros(nanos.sum()));
        document.put("durations", durations(nanos));
        return document;
    }

    private static List<Object> durations(Distribution.Counts nanos) {
        List<Object> classes = new ArrayList<>();
        for (int i = 0; i < nanos.values().size(); i++) {
            Map<String, Object> each = new LinkedHashMap<>();
            if (i < nanos.bounds().size()) {
                each.put("withinMicros", TimeUnit.NANOSECONDS.toMicros(nanos.bounds().get(i)));
            }
            each.put("requests", nanos.values().get(i));
            classes.add(each);
        }
        return classes;
    }
}
