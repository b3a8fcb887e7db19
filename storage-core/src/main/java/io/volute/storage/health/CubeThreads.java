package io.volute.storage.health;

/** Where a cube's threads come from. */
public interface CubeThreads {

    /** A thread that is not started yet. */
    Thread newThread(String name, Runnable task);

    /** Platform threads that do not keep the process alive. */
    static CubeThreads platform() {
        return (name, task) -> Thread.ofPlatform().name(name).daemon(true).unstarted(task);
    }
}
