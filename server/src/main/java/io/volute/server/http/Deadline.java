package io.volute.server.http;

import io.netty.util.concurrent.EventExecutor;

/** The time after which a connection has waited too long. Confined to the event loop. */
interface Deadline {

    /** Makes the deadlines of a server's connections; tests have one that they move. */
    interface Source {
        /**
         * A deadline that is not set.
         *
         * @param due run on the loop when the time has come
         */
        Deadline on(EventExecutor loop, Runnable due);
    }

    /** Nanoseconds of the clock that it goes by. */
    long now();

    /** Sets it so many nanoseconds ahead. */
    void in(long nanos);

    /** Removes the present deadline. */
    void clear();

    /** Removes the deadline for good, with its timer. */
    void cancel();
}
