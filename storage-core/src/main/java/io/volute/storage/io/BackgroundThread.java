package io.volute.storage.io;

import com.sun.jna.LastErrorException;
import com.sun.jna.Native;
import com.sun.jna.Platform;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives way: a thread that works in the background takes what processor time clients leave, where
 * the operating system can be told so. Where all of it is wanted, it still gets its share.
 */
public final class BackgroundThread {
    private static final Logger LOG = LoggerFactory.getLogger(BackgroundThread.class);
    private static final int PRIO_PROCESS = 0;
    private static final int THIS_THREAD = 0;

    /** A third of the weight of a thread with nice 0. */
    private static final int NICE = 5;

    private BackgroundThread() {}

    /** The call, bound to the C library of Linux, where it is about a thread. */
    private static final class Calls {
        private Calls() {}

        static {
            Native.register(Calls.class, Platform.C_LIBRARY_NAME);
        }

        static native int setpriority(int which, int who, int nice) throws LastErrorException;
    }

    /** To be called by the thread itself. */
    public static void givesWay() {
        if (!Platform.isLinux()) {
            return;
        }
        try {
            int done = Calls.setpriority(PRIO_PROCESS, THIS_THREAD, NICE);
            assert done == 0;
        } catch (LastErrorException | LinkageError e) {
            LOG.debug("this thread keeps its priority", e);
        }
    }
}
