package io.volute.storage.health;

/** The source of a cube's threads. */
public interface CubeThreads {

    /** Creates a thread that is not started yet. */
    Thread newThread(String name, Runnable task);

    /** Returns a source of platform threads that do not keep the process alive. */
    static CubeThreads platform() {
        return (name, task) -> Thread.ofPlatform().name(name).daemon(true).unstarted(task);
    }
}
