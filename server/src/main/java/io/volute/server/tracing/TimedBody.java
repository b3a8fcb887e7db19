package io.volute.server.tracing;

import io.volute.server.s3.request.RequestBody;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;

/** A body, and from when to when it was read. */
final class TimedBody implements RequestBody {
    private final RequestBody body;
    private final LongSupplier nanos;
    private boolean isAsked;
    private long begun;
    private long ended;

    TimedBody(RequestBody body, LongSupplier nanos) {
        this.body = body;
        this.nanos = nanos;
    }

    @Override
    public boolean next() throws IOException {
        if (!isAsked) {
            isAsked = true;
            begun = nanos.getAsLong();
        }
        try {
            return body.next();
        } finally {
            ended = nanos.getAsLong();
        }
    }

    @Override
    public ByteBuffer buffer() {
        return body.buffer();
    }

    /** Tells that, if anybody read it. */
    void tell(RequestTrace trace) {
        if (isAsked) {
            trace.add("read body", begun, ended);
        }
    }
}
