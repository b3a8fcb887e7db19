package io.volute.server.notification;

import io.nats.client.Connection;
import io.nats.client.ErrorListener;
import io.nats.client.JetStream;
import io.nats.client.JetStreamOptions;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.PublishOptions;
import io.nats.client.api.PublishAck;
import io.volute.adminapi.tls.Authorities;
import io.volute.provenance.format.Hash;
import io.volute.server.config.targets.TargetConfig;
import io.volute.server.outbound.Addresses;
import io.volute.server.outbound.Addresses.Plain;
import io.volute.server.s3.notification.EventMessage;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;

/**
 * A subject of NATS that a stream of JetStream stores. A message counts as delivered when the
 * stream has acknowledged it. At most one message about an object is on its way, which keeps the
 * order. The id of a message lets the stream drop a repeated one.
 */
final class NatsTarget implements Target {
    private static final Duration CONNECT = Duration.ofSeconds(5);

    /** Time for the messages of one call. */
    private static final long MOST_MILLIS = 30_000;

    private final TargetConfig.Nats config;
    private final Addresses addresses;
    private final Optional<SSLContext> tls;

    // Under the monitor.
    private Connection connection;
    private boolean isClosed;

    /**
     * @throws IOException when the certificates or the secrets cannot be used; the message names
     *     the reason
     */
    NatsTarget(TargetConfig.Nats config, Addresses.Resolver resolver) throws IOException {
        this.config = config;
        this.addresses = new Addresses(resolver, config.servers().isLoopbackAllowed(), Plain.NEVER);
        this.tls =
                config.servers().isTls()
                        ? Optional.of(
                                Authorities.trusted("ca-file", config.servers().authorities()))
                        : Optional.empty();
        // A bad file should fail the start, not the first delivery.
        authenticate(Options.builder());
    }

    @Override
    public Sent send(List<EventMessage> messages) {
        BitSet done = new BitSet(messages.size());
        try {
            JetStream stream =
                    opened().jetStream(
                                    JetStreamOptions.builder()
                                            .requestTimeout(Duration.ofMillis(MOST_MILLIS))
                                            .build());
            for (List<Integer> round : rounds(messages)) {
                publish(stream, messages, round, done);
            }
            return new Sent(done, Optional.empty());
        } catch (IOException | IllegalStateException e) {
            discard();
            return new Sent(done, Optional.of(described(e)));
        }
    }

    /** Returns the places of the messages in rounds. A round has each subject at most once. */
    private static List<List<Integer>> rounds(List<EventMessage> messages) {
        List<List<Integer>> rounds = new ArrayList<>();
        Map<String, Integer> counts = new HashMap<>();
        for (int i = 0; i < messages.size(); i++) {
            int round = counts.merge(messages.get(i).subject(), 1, Integer::sum) - 1;
            if (round == rounds.size()) {
                rounds.add(new ArrayList<>());
            }
            rounds.get(round).add(i);
        }
        return rounds;
    }

    /** Publishes a round, and waits for all its acknowledgements. */
    private void publish(
            JetStream stream, List<EventMessage> messages, List<Integer> round, BitSet done)
            throws IOException {
        Map<Integer, CompletableFuture<PublishAck>> published = new LinkedHashMap<>();
        for (int place : round) {
            byte[] document = messages.get(place).document();
            published.put(
                    place,
                    stream.publishAsync(
                            config.subject(),
                            document,
                            PublishOptions.builder().messageId(id(document)).build()));
        }
        IOException failure = null;
        for (Map.Entry<Integer, CompletableFuture<PublishAck>> each : published.entrySet()) {
            try {
                each.getValue().get(failure == null ? MOST_MILLIS : 0, TimeUnit.MILLISECONDS);
                done.set(each.getKey());
            } catch (ExecutionException e) {
                failure = failure == null ? new IOException(e.getCause().getMessage(), e) : failure;
            } catch (CancellationException e) {
                failure = failure == null ? new IOException("the connection is lost", e) : failure;
            } catch (TimeoutException e) {
                failure =
                        failure == null
                                ? new IOException("no answer within " + MOST_MILLIS + " ms", e)
                                : failure;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private static String id(byte[] document) {
        return HexFormat.of().formatHex(Hash.sha256().digest(document));
    }

    private IOException described(Exception e) {
        String reason = String.valueOf(e.getMessage());
        return new IOException(
                "subject "
                        + config.subject()
                        + " of "
                        + String.join(",", config.servers().addresses())
                        + ": "
                        + reason
                        + (reason.contains("No Responders")
                                ? "; create a stream of JetStream that has the subject"
                                : ""),
                e);
    }

    private Connection opened() throws IOException {
        synchronized (this) {
            if (isClosed) {
                throw new IOException("the delivery has ended");
            }
            if (connection != null && connection.getStatus() == Connection.Status.CONNECTED) {
                return connection;
            }
        }
        discard();
        Connection open = connect();
        synchronized (this) {
            connection = open;
            if (!isClosed) {
                return open;
            }
        }
        discard();
        throw new IOException("the delivery has ended");
    }

    private Connection connect() throws IOException {
        IOException last = new IOException("the servers have no address; check servers");
        for (String server : config.servers().addresses()) {
            int colon = server.lastIndexOf(':');
            String host = server.substring(0, colon);
            try {
                for (InetAddress each : addresses.ofHost(host, "the server " + server)) {
                    Failures failures = new Failures();
                    try {
                        return Nats.connect(
                                options(host, url(each, server.substring(colon)), failures));
                    } catch (IOException e) {
                        last = failures.explain(e);
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            } catch (IOException e) {
                last = e;
            }
        }
        throw last;
    }

    /** The address that was checked, in place of the name. */
    private static String url(InetAddress address, String port) {
        String text = address.getHostAddress();
        return "nats://" + (address instanceof Inet6Address ? "[" + text + "]" : text) + port;
    }

    private Options options(String host, String url, Failures failures) throws IOException {
        Options.Builder builder =
                Options.builder()
                        .server(url)
                        .connectionName("volute-" + config.name())
                        .connectionTimeout(CONNECT)
                        .socketWriteTimeout(Duration.ofMillis(MOST_MILLIS))
                        // Each connection goes to an address that was checked for it.
                        .noReconnect()
                        .ignoreDiscoveredServers()
                        .hostnameResolveMode(Options.HostnameResolveMode.ResolveToFirst)
                        .errorListener(failures);
        if (tls.isPresent()) {
            builder.sslContext(tls.get())
                    .dataPortType(NatsTlsPort.class.getName())
                    .serverPool(new NatsTlsPort.NamedServer(host, tls.get().getSocketFactory()));
        }
        return authenticate(builder).build();
    }

    /** The reasons that the library reports beside its exceptions. */
    private static final class Failures implements ErrorListener {
        private volatile String last = "";

        @Override
        public void errorOccurred(Connection connection, String error) {
            last = ": " + error;
        }

        @Override
        public void exceptionOccurred(Connection connection, Exception e) {
            last = ": " + e.getMessage();
        }

        IOException explain(IOException e) {
            return new IOException(e.getMessage() + last, e);
        }
    }

    private Options.Builder authenticate(Options.Builder builder) throws IOException {
        if (config.login().isPresent()) {
            builder.userInfo(
                    config.login().get().user().toCharArray(),
                    SecretFile.line("the password file", config.login().get().passwordFile())
                            .toCharArray());
        }
        if (config.tokenFile().isPresent()) {
            builder.token(
                    SecretFile.line("the token file", config.tokenFile().get()).toCharArray());
        }
        if (config.credentials().isPresent()) {
            byte[] text =
                    SecretFile.credentials("the credentials file", config.credentials().get());
            builder.authHandler(Nats.staticCredentials(text));
        }
        return builder;
    }

    private void discard() {
        Connection old;
        synchronized (this) {
            old = connection;
            connection = null;
        }
        if (old != null) {
            try {
                old.close();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            isClosed = true;
        }
        discard();
    }
}
