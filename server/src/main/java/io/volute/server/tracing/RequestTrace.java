package io.volute.server.tracing;

import io.opentelemetry.context.Context;
import io.volute.server.Limits;
import java.util.ArrayList;
import java.util.List;

/** The times of one request's parts. Thread-safe: commits end on the committing thread. */
final class RequestTrace {
    /**
     * A part of a request.
     *
     * @param begun as {@link io.volute.server.http.watch.RequestWatch#now} counts, in nanoseconds
     * @param ended likewise
     */
    record Stage(String name, long begun, long ended) {}

    private final Context parent;
    private final List<Stage> stages = new ArrayList<>();

    RequestTrace(Context parent) {
        this.parent = parent;
    }

    Context parent() {
        return parent;
    }

    /** Some of them, when there are very many: the first. */
    synchronized void add(String name, long begun, long ended) {
        if (stages.size() < Limits.TRACE_STAGES_MAX) {
            stages.add(new Stage(name, begun, ended));
        }
    }

    synchronized List<Stage> stages() {
        return List.copyOf(stages);
    }
}
