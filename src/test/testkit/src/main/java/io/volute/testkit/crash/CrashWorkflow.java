package io.volute.testkit.crash;

import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;

/**
 * Work whose every crash point is tried.
 *
 * @param <S> what is known outside of the machine at a moment: what was begun, what was
 *     acknowledged. Must not change once it was given to the probe.
 */
public interface CrashWorkflow<S> {
    String name();

    /**
     * Does the work on an empty disk. Passes the supplier of the known state to the probe first.
     */
    void run(SimFileSystem disk, CrashProbe<S> probe) throws IOException;

    /**
     * Opens what a crash left and checks it against what was known at the crash. The probe watches
     * the recovery, so that it can be crashed too; everything done here must leave any later check
     * with the same knowledge true.
     *
     * @throws AssertionError when a promise is broken
     */
    void check(SimFileSystem disk, S known, CrashProbe<S> probe) throws IOException;
}
