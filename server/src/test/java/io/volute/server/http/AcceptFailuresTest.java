package io.volute.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Tests that a listener goes on after failures, and that the log has a line a minute of them. */
class AcceptFailuresTest {
    private static final Logger LOG = (Logger) LoggerFactory.getLogger(AcceptFailures.class);

    private final ListAppender<ILoggingEvent> told = new ListAppender<>();
    private final EmbeddedChannel listener = new EmbeddedChannel(new AcceptFailures());

    @BeforeEach
    void listen() {
        told.start();
        LOG.setLevel(Level.WARN);
        LOG.addAppender(told);
        listener.freezeTime();
    }

    @AfterEach
    void close() {
        LOG.detachAppender(told);
        LOG.setLevel(null);
        assertThat(listener.close().isDone()).isTrue();
    }

    private void fail() {
        listener.pipeline().fireExceptionCaught(new IOException("Too many open files"));
        assertThat(listener.config().isAutoRead()).isFalse();
        listener.advanceTimeBy(1, TimeUnit.SECONDS);
        listener.runScheduledPendingTasks();
        assertThat(listener.config().isAutoRead()).isTrue();
        // Nothing reaches the end of the pipeline, where Netty logs a stack trace.
        listener.checkException();
    }

    @Test
    void goesOnAndTellsOnceAMinute() {
        for (int i = 0; i < 61; i++) {
            fail();
        }
        assertThat(told.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .hasSize(2)
                .allMatch(line -> line.contains("Too many open files"))
                .allMatch(line -> line.contains("ulimit -n"))
                .anyMatch(line -> line.contains("(failures since the start: 1)"))
                .anyMatch(line -> line.contains("(failures since the start: 61)"));
        assertThat(told.list).allMatch(event -> event.getThrowableProxy() == null);
    }
}
