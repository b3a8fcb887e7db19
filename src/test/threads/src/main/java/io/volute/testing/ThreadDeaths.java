package io.volute.testing;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A thread that ends by an exception or an error that nobody caught fails the test during which it
 * ended: otherwise a failed assertion in a thread of the store would be a line of output only, and
 * the test well. JUnit finds it by itself ({@code META-INF/services}).
 */
public final class ThreadDeaths implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {
    private static final Queue<Death> DEATHS = new ConcurrentLinkedQueue<>();

    private record Death(String thread, Throwable cause) {}

    @Override
    public void beforeAll(ExtensionContext context) {
        Thread.setDefaultUncaughtExceptionHandler(
                (thread, cause) -> DEATHS.add(new Death(thread.toString(), cause)));
    }

    @Override
    public void afterEach(ExtensionContext context) {
        if (context.getRequiredTestMethod().isAnnotationPresent(ThreadsMayDie.class)) {
            DEATHS.clear();
        }
        failForDeaths();
    }

    /** For threads that outlived their test. */
    @Override
    public void afterAll(ExtensionContext context) {
        failForDeaths();
    }

    private static void failForDeaths() {
        AssertionError failure = null;
        for (Death death = DEATHS.poll(); death != null; death = DEATHS.poll()) {
            AssertionError next =
                    new AssertionError(
                            death.thread + " ended by an uncaught exception: " + death.cause,
                            death.cause);
            if (failure == null) {
                failure = next;
            } else {
                failure.addSuppressed(next);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
