package io.volute.testkit.crash;

import java.util.function.Supplier;

/**
 * Where a workflow tells what is known outside of the machine.
 *
 * @param <S> what is known
 */
public interface CrashProbe<S> {

    /** From now on a crash can happen; the supplier says what is known at any moment. */
    void watch(Supplier<S> known);

    /** Adds a crash point that is not an event of the disk, as after an acknowledgement. */
    void point(String where);
}
