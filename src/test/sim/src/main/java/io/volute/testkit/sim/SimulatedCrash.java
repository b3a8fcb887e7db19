package io.volute.testkit.sim;

/**
 * The machine stopped: thrown by the event that was planned to crash and by every later operation.
 * An error, so that code under test does not treat it as an I/O fault that it could survive.
 */
public final class SimulatedCrash extends Error {
    private static final long serialVersionUID = 1L;

    SimulatedCrash(long event) {
        super("simulated crash at event " + event);
    }
}
