package io.volute.server.s3.request;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The bytes of a request's body, pulled by the one virtual thread that handles the request. Pulling
 * is what makes the server read on (and answer {@code 100-continue}): back-pressure is built in.
 */
public interface RequestBody {

    /**
     * Waits for more bytes; false at the end of the body.
     *
     * @throws IOException when the client went away, was too slow or broke the framing
     */
    boolean next() throws IOException;

    /** The bytes that {@link #next} found; valid until the next call of it. */
    ByteBuffer buffer();

    /** Returns to the first byte; false if the bytes that were read are gone. */
    default boolean rewind() {
        return false;
    }
}
