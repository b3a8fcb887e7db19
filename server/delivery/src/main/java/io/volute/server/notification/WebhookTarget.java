package io.volute.server.notification;

import io.volute.adminapi.tls.Authorities;
import io.volute.server.config.targets.TargetConfig;
import io.volute.server.outbound.Addresses;
import io.volute.server.outbound.Addresses.Plain;
import io.volute.server.outbound.Lanes;
import io.volute.server.s3.notification.EventMessage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import javax.net.ssl.SSLSocketFactory;

/**
 * A server that takes each message by a POST, and answers with a status from 200 to 299 when it has
 * it. The subjects are spread over some connections, which keeps the order of each.
 */
final class WebhookTarget implements Target {
    static final int LANES = 8;

    private final List<WebhookConnection> lanes = new ArrayList<>();
    private final ScheduledExecutorService deadlines =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().daemon().name("notify-deadlines").factory());

    /**
     * @throws IOException when the certificates or the token cannot be used; the message names the
     *     reason
     */
    WebhookTarget(TargetConfig.Webhook config, Addresses.Resolver resolver) throws IOException {
        Addresses addresses =
                new Addresses(
                        resolver,
                        config.isLoopbackAllowed(),
                        config.isPlainAllowed() ? Plain.EVERYWHERE : Plain.NEVER);
        Optional<Path> token = config.tokenFile();
        if (token.isPresent()) {
            // A bad file should fail the start, not the first delivery.
            WebhookConnection.authorization(token.get());
        }
        SSLSocketFactory tls =
                Authorities.trusted("ca-file", config.authorities()).getSocketFactory();
        for (int i = 0; i < LANES; i++) {
            lanes.add(new WebhookConnection(config.url(), addresses, tls, token, deadlines));
        }
    }

    @Override
    public Sent send(List<EventMessage> messages) {
        List<List<Integer>> ofLane = new ArrayList<>();
        for (int i = 0; i < LANES; i++) {
            ofLane.add(new ArrayList<>());
        }
        for (int i = 0; i < messages.size(); i++) {
            ofLane.get(Math.floorMod(messages.get(i).subject().hashCode(), LANES)).add(i);
        }
        BitSet done = new BitSet(messages.size());
        List<IOException> failures = new ArrayList<>();
        Lanes.run(
                "notify-lane-",
                LANES,
                i -> {
                    try {
                        send(lanes.get(i), messages, ofLane.get(i), done);
                    } catch (IOException | RuntimeException e) {
                        synchronized (done) {
                            failures.add(asFailure(e));
                        }
                    }
                });
        synchronized (done) {
            return new Sent((BitSet) done.clone(), failures.stream().findFirst());
        }
    }

    private static IOException asFailure(Exception e) {
        return e instanceof IOException known ? known : new IOException(String.valueOf(e), e);
    }

    private static void send(
            WebhookConnection lane, List<EventMessage> messages, List<Integer> places, BitSet done)
            throws IOException {
        for (int place : places) {
            lane.post(messages.get(place).document());
            synchronized (done) {
                done.set(place);
            }
        }
    }

    @Override
    public void close() {
        lanes.forEach(WebhookConnection::close);
        deadlines.shutdownNow();
    }
}
