package io.volute.testkit.crash;

import java.util.function.Supplier;

/**
 * The receiver of the state that is known outside of the machine.
 *
 * @param <S> that state, such as the acknowledged writes
 */
public interface CrashProbe<S> {

    /**
     * Starts the crashes. The supplier returns the state known outside of the machine at any
     * moment.
     */
    void watch(Supplier<S> known);

    /** Adds a crash point that is not an event of the disk, as after an acknowledgement. */
    void point(String where);
}
