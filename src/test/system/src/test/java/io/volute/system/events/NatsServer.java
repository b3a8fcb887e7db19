package io.volute.system.events;

import io.nats.client.Connection;
import io.nats.client.ErrorListener;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.StreamConfiguration;
import io.volute.adminapi.tls.Authorities;
import io.volute.system.ExternalClient;
import io.volute.system.ServerProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A nats-server with a stream of JetStream, and a reader of the stream. */
final class NatsServer implements EventTarget {
    static final String SUBJECT = "volute.events";
    private static final String STREAM = "volute";

    private final EventLedger ledger = new EventLedger();
    private final int port = ServerProcess.freePort();
    private final BrokerProcess process;
    private final Path chain;
    private final String user;
    private final String password;
    private final Thread reader = new Thread(this::read, "nats-reader");
    private volatile boolean isClosed;

    NatsServer(Path directory) throws IOException {
        this(directory, "", "", "");
    }

    /**
     * @param more of the configuration
     * @param user of the reader; empty without login and TLS
     */
    NatsServer(Path directory, String more, String user, String password) throws IOException {
        ExternalClient.orSkip(directory, List.of("nats-server"), "--version");
        this.chain = directory.resolve("chain.pem");
        this.user = user;
        this.password = password;
        Path config =
                Files.writeString(
                        directory.resolve("nats.conf"),
                        """
                        listen: "127.0.0.1:%d"
                        jetstream { store_dir: "%s" }
                        %s
                        """
                                .formatted(port, directory.resolve("nats"), more));
        process =
                new BrokerProcess(
                        directory.resolve("nats.txt"),
                        List.of("nats-server", "-c", config.toString()));
        up();
        process.await(this::createStream);
        reader.start();
    }

    private Options client() throws IOException {
        Options.Builder builder =
                Options.builder()
                        .server("nats://127.0.0.1:" + port)
                        .connectionTimeout(Duration.ofSeconds(5))
                        .noReconnect()
                        .errorListener(new ErrorListener() {});
        if (!user.isEmpty()) {
            builder.userInfo(user, password)
                    .sslContext(Authorities.trusted("chain", Optional.of(chain)));
        }
        return builder.build();
    }

    private void createStream() throws Exception {
        try (Connection connection = Nats.connect(client())) {
            connection
                    .jetStreamManagement()
                    .addStream(
                            StreamConfiguration.builder().name(STREAM).subjects(SUBJECT).build());
        }
    }

    private void read() {
        long next = 1;
        while (!isClosed) {
            try (Connection connection = Nats.connect(client())) {
                JetStreamManagement streams = connection.jetStreamManagement();
                while (!isClosed) {
                    try {
                        byte[] data = streams.getMessage(STREAM, next).getData();
                        ledger.take(new String(data, StandardCharsets.UTF_8));
                        next++;
                    } catch (JetStreamApiException e) {
                        // It is not there yet.
                        BrokerProcess.pause();
                    }
                }
            } catch (IOException | IllegalStateException e) {
                BrokerProcess.pause();
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    int port() {
        return port;
    }

    @Override
    public Kind kind() {
        return Kind.NATS;
    }

    @Override
    public String settings() {
        return """
        type = nats, servers = "127.0.0.1:%d", subject = %s, tls = false,
        allow-loopback = true
        """
                .formatted(port, SUBJECT);
    }

    @Override
    public void up() throws IOException {
        process.start();
    }

    @Override
    public void down() {
        process.kill();
    }

    @Override
    public EventLedger ledger() {
        return ledger;
    }

    @Override
    public void close() {
        isClosed = true;
        try {
            reader.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.kill();
    }
}
