package io.volute.server.startup;

import io.volute.server.credentials.RootCredentials.Origin;
import io.volute.server.credentials.RootCredentials.Root;
import io.volute.server.http.watch.RequestWatch;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Records the first request that the root signs, so that later starts keep its secret. */
public final class FirstUseWatch implements RequestWatch {
    private static final Logger LOG = LoggerFactory.getLogger(FirstUseWatch.class);

    private final Root root;
    private final RequestWatch next;
    private final AtomicBoolean isUsed = new AtomicBoolean();

    private FirstUseWatch(Root root, RequestWatch next) {
        this.root = root;
        this.next = next;
    }

    /** Returns {@code next} alone where there is nothing to record. */
    public static RequestWatch of(Root root, RequestWatch next) {
        return root.origin() == Origin.UNUSED ? new FirstUseWatch(root, next) : next;
    }

    @Override
    public long now() {
        return next.now();
    }

    @Override
    public RequestBody begun(HttpHead head, RequestBody body) {
        return next.begun(head, body);
    }

    @Override
    public void answered(HttpHead head, Answered how) {
        if (!isUsed.get()
                && how.about().accessKey().equals(root.credential().accessKey())
                && isUsed.compareAndSet(false, true)) {
            // Watches must not block: a file is deleted.
            Thread.ofVirtual().name("first-use-0").start(this::record);
        }
        next.answered(head, how);
    }

    @Override
    public void refused(Refused refused) {
        next.refused(refused);
    }

    private void record() {
        try {
            root.firstUse().record();
        } catch (IOException e) {
            LOG.warn(
                    "cannot record the first use of the root's credential: {}. The next start"
                            + " shows the secret key again.",
                    e.toString());
        }
    }
}
