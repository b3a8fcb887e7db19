package io.volute.storage.health;

import io.volute.storage.CubeState;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a cube takes writes, and if not, why. Never gets better but by a restart. Thread-safe.
 */
public final class CubeHealth {
    private static final Logger LOG = LoggerFactory.getLogger(CubeHealth.class);

    private record Condition(CubeState state, String why) {}

    private final AtomicReference<Condition> condition =
            new AtomicReference<>(new Condition(CubeState.HEALTHY, ""));

    public CubeState state() {
        return condition.get().state();
    }

    public boolean isHealthy() {
        return state() == CubeState.HEALTHY;
    }

    /** Takes no more writes from here on; the first reason stays. */
    public void readOnly(String why) {
        Condition healthy = condition.get();
        if (healthy.state() == CubeState.HEALTHY
                && condition.compareAndSet(healthy, new Condition(CubeState.READ_ONLY, why))) {
            LOG.error("the cube is read-only: {}", why);
        }
    }

    /** As {@link #readOnly}, after a failure. */
    public void failed(String what, Throwable cause) {
        LOG.error("{}", what, cause);
        readOnly(what + ": " + cause.getMessage());
    }

    /** What a thread of the cube does until it is asked to stop. */
    public interface Work {
        void run() throws InterruptedException;
    }

    /**
     * Runs a thread that the cube cannot do without. Also when an error ends it the cube takes no
     * more writes: otherwise others wait for nobody, or the store fills up in silence.
     */
    public void runUntilAsked(String thread, Work work) {
        boolean isAsked = false;
        try {
            work.run();
            isAsked = true;
        } catch (InterruptedException | RuntimeException e) {
            failed(thread + " failed", e);
        } finally {
            if (!isAsked) {
                readOnly(thread + " has ended");
            }
        }
    }

    public void close() {
        condition.set(new Condition(CubeState.CLOSED, "the cube is closed"));
    }

    public void requireWritable() throws CubeUnavailableException {
        if (!isHealthy()) {
            throw unavailable();
        }
    }

    /** Says why nothing is written. */
    public CubeUnavailableException unavailable() {
        Condition now = condition.get();
        return switch (now.state()) {
            case CLOSED -> new CubeUnavailableException(Reason.CLOSED, now.why());
            case READ_ONLY ->
                    new CubeUnavailableException(
                            Reason.READ_ONLY,
                            "the cube is read-only since: "
                                    + now.why()
                                    + "; restart after mending the cause");
            case RECOVERING, HEALTHY -> closing();
        };
    }

    public CubeUnavailableException closing() {
        return new CubeUnavailableException(Reason.CLOSED, "the cube is closing");
    }
}
