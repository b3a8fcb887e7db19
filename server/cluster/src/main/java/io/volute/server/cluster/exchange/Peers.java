package io.volute.server.cluster.exchange;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** The other owners of cubes of the store. Thread-safe. */
@FunctionalInterface
public interface Peers {
    /** Returns the other owners. Called before each request that may write. */
    List<Peer> others();

    /** Another owner. Thread-safe. */
    interface Peer {
        /** Returns the name of its node. */
        String name();

        /** Returns a number that is greater for each later process of this name. */
        long election();

        /**
         * Sends a question, which {@link OwnerExchange#answer} of the peer answers.
         *
         * @param limit time after which the call ends in any case
         * @return the answer
         * @throws IOException when there is none
         */
        byte[] ask(byte[] content, Duration limit) throws IOException;
    }
}
