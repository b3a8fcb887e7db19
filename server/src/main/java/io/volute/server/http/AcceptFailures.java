package io.volute.server.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pauses a listener that cannot accept a connection, as when the process has too many open files,
 * and logs it once a minute. Clients wait in the queue of the kernel meanwhile. Confined to the
 * event loop of the listener.
 */
final class AcceptFailures extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(AcceptFailures.class);
    private static final long PAUSE_SECONDS = 1;
    private static final long SILENCE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private boolean hasTold;
    private long toldAt;
    private long failures;

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        failures++;
        long now = context.executor().ticker().nanoTime();
        if (!hasTold || now - toldAt >= SILENCE_NANOS) {
            hasTold = true;
            toldAt = now;
            LOG.warn(
                    "cannot accept a connection on {}: {} (failures since the start: {}). The next"
                            + " attempt is in {} s.{}",
                    context.channel().localAddress(),
                    cause.getMessage(),
                    failures,
                    PAUSE_SECONDS,
                    advice(cause));
        }
        context.channel().config().setAutoRead(false);
        Future<?> unused =
                context.executor()
                        .schedule(
                                () -> context.channel().config().setAutoRead(true),
                                PAUSE_SECONDS,
                                TimeUnit.SECONDS);
    }

    private static String advice(Throwable cause) {
        return String.valueOf(cause.getMessage()).contains("open files")
                ? " Raise the limit of open files (ulimit -n, or LimitNOFILE= of the systemd"
                        + " unit), or lower limits.connections."
                : "";
    }
}
