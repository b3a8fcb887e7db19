package io.volute.server;

import java.io.IOException;
import java.util.ArrayDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The opened resources, which are closed in the opposite order. Used by one thread. */
public final class ResourceStack {
    private static final Logger LOG = LoggerFactory.getLogger(ResourceStack.class);

    private record Opened(String name, AutoCloseable thing) {}

    private final ArrayDeque<Opened> opened = new ArrayDeque<>();

    public <T extends AutoCloseable> T add(String name, T thing) {
        opened.push(new Opened(name, thing));
        return thing;
    }

    /** Closes everything, also after failures; returns false when one of them failed. */
    public boolean close() {
        boolean clean = true;
        while (!opened.isEmpty()) {
            Opened next = opened.pop();
            try {
                next.thing().close();
            } catch (IOException e) {
                clean = false;
                LOG.error("closing the {} failed: {}", next.name(), e.toString());
            } catch (Exception e) {
                clean = false;
                LOG.error("closing the {} failed", next.name(), e);
            }
        }
        return clean;
    }
}
