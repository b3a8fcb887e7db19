package io.volute.server.replication;

import io.volute.server.s3.replication.ReplicationMessage;
import java.io.IOException;
import java.util.Optional;

/** A receiver of replicas. One thread applies; another may close. */
interface Sink extends AutoCloseable {
    /**
     * Makes a change at the destination; durable when it returns. Applying it again has no effect.
     *
     * @return the reason why the destination refuses this change for good; empty if it has it
     * @throws IOException when another attempt may succeed; without a {@link DeliveryException} in
     *     the causes it concerns this key alone
     */
    Optional<String> apply(ReplicationMessage change) throws IOException;

    /** Aborts what is being applied. */
    @Override
    void close();
}
