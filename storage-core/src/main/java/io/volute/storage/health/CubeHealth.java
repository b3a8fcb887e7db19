package io.volute.storage.health;

import io.volute.storage.CubeState;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The health of a cube: whether it takes writes, and the reason when it does not. Only a restart
 * improves it. Thread-safe.
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

    /** Makes the cube read-only. The first reason stays. */
    public void readOnly(String why) {
        Condition healthy = condition.get();
        if (healthy.state() == CubeState.HEALTHY
                && condition.compareAndSet(healthy, new Condition(CubeState.READ_ONLY, why))) {
            LOG.error("the cube is read-only: {}", why);
        }
    }

    /** Makes the cube read-only after a failure, and logs the failure. */
    public void failed(String what, Throwable cause) {
        LOG.error("{}", what, cause);
        readOnly(what + ": " + cause.getMessage());
    }

    /** The work of a thread of the cube, from its start until it is stopped. */
    public interface ThreadBody {
        void run() throws InterruptedException;
    }

    /**
     * Runs a thread that the cube needs. When an error ends the thread, the cube takes no more
     * writes. Otherwise writers would wait for ever, or the store would fill up unnoticed.
     */
    public void runUntilStopped(String thread, ThreadBody body) {
        boolean isStopped = false;
        try {
            body.run();
            isStopped = true;
        } catch (InterruptedException | RuntimeException e) {
            failed(thread + " failed", e);
        } finally {
            if (!isStopped) {
                readOnly(thread + " has ended");
            }
        }
    }

    public void close() {
        condition.set(new Condition(CubeState.CLOSED, "the cube is closed"));
    }

    /** Closes a cube that another server has taken over. */
    public void lost(String why) {
        Condition before = condition.get();
        if (before.state() != CubeState.CLOSED
                && condition.compareAndSet(before, new Condition(CubeState.CLOSED, why))) {
            LOG.error("the cube is closed on this server: {}", why);
        }
    }

    public void requireWritable() throws CubeUnavailableException {
        if (!isHealthy()) {
            throw unavailable();
        }
    }

    /** Returns the exception for a write in the present state. */
    public CubeUnavailableException unavailable() {
        Condition now = condition.get();
        return switch (now.state()) {
            case CLOSED -> new CubeUnavailableException(Reason.CLOSED, now.why());
            case READ_ONLY ->
                    new CubeUnavailableException(
                            Reason.READ_ONLY,
                            "the cube is read-only since: "
                                    + now.why()
                                    + ". Repair the cause, then restart.");
            case RECOVERING, HEALTHY -> closing();
        };
    }

    public CubeUnavailableException closing() {
        return new CubeUnavailableException(Reason.CLOSED, "the cube is closing");
    }
}
