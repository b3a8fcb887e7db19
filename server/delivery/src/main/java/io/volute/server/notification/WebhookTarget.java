package io.volute.server.notification;

import io.volute.adminapi.tls.Authorities;
import io.volute.server.config.targets.TargetConfig;
import io.volute.server.outbound.Addresses;
import io.volute.server.outbound.Addresses.Plain;
import io.volute.server.outbound.Content;
import io.volute.server.outbound.HttpClient;
import io.volute.server.outbound.Lanes;
import io.volute.server.s3.notification.EventMessage;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A server that takes each message by a POST, and answers with a status from 200 to 299 when it has
 * it. The subjects are spread over some lanes, which keeps the order of each.
 */
final class WebhookTarget implements Target {
    static final int LANES = 8;

    /** Time of a request, from its connection to the end of its answer. */
    private static final Duration TIME = Duration.ofSeconds(30);

    private static final int MOST_ANSWER_BYTES = 256 << 10;

    private final URI url;
    private final Optional<Path> token;
    private final HttpClient http;

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
        url = config.url();
        token = config.tokenFile();
        if (token.isPresent()) {
            // A bad file should fail the start, not the first delivery.
            String unused = authorization(token.get());
        }
        http =
                new HttpClient(
                        url,
                        addresses,
                        Authorities.trusted("ca-file", config.authorities()).getSocketFactory());
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
                        send(messages, ofLane.get(i), done);
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

    private void send(List<EventMessage> messages, List<Integer> places, BitSet done)
            throws IOException {
        for (int place : places) {
            post(messages.get(place).document());
            synchronized (done) {
                done.set(place);
            }
        }
    }

    private void post(byte[] document) throws IOException {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("content-type", "application/json");
        if (token.isPresent()) {
            headers.put("authorization", authorization(token.get()));
        }
        HttpClient.Request request =
                new HttpClient.Request(
                        "POST", HttpClient.Request.target(url), headers, Content.of(document));
        int status;
        try {
            status = http.send(request, TIME, MOST_ANSWER_BYTES).status();
        } catch (IOException e) {
            throw new IOException(url + ": " + e.getMessage(), e);
        }
        if (status / 100 != 2) {
            throw new IOException(url + " answered with " + status);
        }
    }

    /** Reads the token for each request: it may be renewed while the server runs. */
    private static String authorization(Path token) throws IOException {
        return "Bearer " + SecretFile.line("the token file", token);
    }

    @Override
    public void close() {
        http.close();
    }
}
