package io.volute.testing;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;
import static org.junit.platform.testkit.engine.EventConditions.event;
import static org.junit.platform.testkit.engine.EventConditions.finishedWithFailure;
import static org.junit.platform.testkit.engine.EventConditions.test;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.cause;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.message;

import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

class ThreadDeathsTest {
    /** Run by the tests only, so that no build takes them for its own. */
    static class Dying {
        @Test
        void unexpected() throws InterruptedException {
            die();
        }

        @Test
        @ThreadsMayDie
        void expected() throws InterruptedException {
            die();
        }

        private static void die() throws InterruptedException {
            Thread thread =
                    Thread.ofPlatform()
                            .name("commit-0")
                            .start(
                                    () -> {
                                        throw new AssertionError("an invariant");
                                    });
            thread.join();
        }
    }

    private static Events run(String method) {
        return EngineTestKit.engine("junit-jupiter")
                .configurationParameter("junit.jupiter.extensions.autodetection.enabled", "true")
                .selectors(selectMethod(Dying.class, method))
                .execute()
                .testEvents();
    }

    @Test
    void failsTheTestDuringWhichAThreadDied() {
        run("unexpected")
                .assertThatEvents()
                .haveExactly(
                        1,
                        event(
                                test("unexpected"),
                                finishedWithFailure(
                                        message(text -> text.contains("commit-0")),
                                        cause(message("an invariant")))));
    }

    @Test
    void passesWhereThreadsMayDie() {
        run("expected").assertStatistics(counts -> counts.succeeded(1).failed(0));
    }
}
