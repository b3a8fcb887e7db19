package io.volute.system.events;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A target of event notifications that goes down and comes back at the same address. */
interface EventTarget extends AutoCloseable {
    /** The kinds of targets. */
    enum Kind {
        WEBHOOK,
        KAFKA,
        NATS;

        /** Returns the packages of the libraries that this kind of target needs. */
        List<String> libraries() {
            return switch (this) {
                case WEBHOOK -> List.of();
                case KAFKA -> List.of("org.apache.kafka.");
                case NATS -> List.of("io.nats.");
            };
        }

        /** Starts a target. It skips the test if its program is not installed. */
        EventTarget start(Path directory) throws Exception {
            return switch (this) {
                case WEBHOOK -> new EventReceiver();
                case KAFKA -> new KafkaBroker(directory);
                case NATS -> new NatsServer(directory);
            };
        }
    }

    Kind kind();

    /** Returns its settings but for the name. */
    String settings();

    /** Ends it without a warning. */
    void down() throws IOException;

    void up() throws IOException;

    /** Returns what it has received. */
    EventLedger ledger();

    @Override
    void close() throws IOException;
}
