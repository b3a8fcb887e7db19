package io.volute.server.s3;

import io.volute.server.credentials.Credential;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.Allowance;
import io.volute.server.s3.request.HeaderList;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** An allowance with so much heap, which records its calls. */
public final class TestAllowance implements Allowance {
    private final long most;
    private final List<String> events = new ArrayList<>();
    private long held;
    private long highest;

    public TestAllowance(long most) {
        this.most = most;
    }

    /** Returns the calls so far but those about heap, in order. */
    public List<String> events() {
        return List.copyOf(events);
    }

    public long held() {
        return held;
    }

    /** Returns the most that was held at once. */
    public long highest() {
        return highest;
    }

    @Override
    public void authenticated(Credential caller) {
        events.add("authenticated " + caller.principal());
    }

    @Override
    public void forwarded() {
        events.add("forwarded");
    }

    @Override
    public void beginForm() {
        events.add("form");
    }

    @Override
    public void endForm() {
        events.add("end");
    }

    @Override
    public void take(long bytes) {
        if (held + bytes > most) {
            throw new S3Exception(S3Error.SLOW_DOWN);
        }
        held += bytes;
        highest = Math.max(highest, held);
    }

    @Override
    public void takesLong(List<HeaderList.Header> headers) {
        events.add(
                headers.stream()
                        .map(each -> each.name() + "=" + each.value())
                        .collect(Collectors.joining(", ", "long ", "")));
    }

    @Override
    public void giveBack(long bytes) {
        held -= bytes;
    }
}
