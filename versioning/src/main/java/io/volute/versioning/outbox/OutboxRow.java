package io.volute.versioning.outbox;

import io.volute.versioning.rows.RowFormatException;
import io.volute.versioning.rows.RowInput;
import io.volute.versioning.rows.RowOutput;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;

/**
 * A row of {@code outbox}: a message to a consumer, or the mark of a gap between two messages. The
 * content of a message is the detail; its format belongs to the server.
 *
 * <pre>
 *   octet   1, the version of this layout
 *   octet   kind: 1 message, 2 gap
 *   varint  time, milliseconds since 1970
 * </pre>
 */
record OutboxRow(boolean isGap, Instant at) {
    private static final int LAYOUT = 1;
    private static final int MESSAGE = 1;
    private static final int GAP = 2;
    private static final int MOST_CONSUMER_BYTES = 64;

    byte[] encode() {
        return new RowOutput()
                .octet(LAYOUT)
                .octet(isGap ? GAP : MESSAGE)
                .varint(at.toEpochMilli())
                .toBytes();
    }

    /**
     * Decodes a row.
     *
     * @throws RowFormatException when it is damaged, or of a later version
     */
    static OutboxRow decode(byte[] summary) {
        RowInput input = new RowInput(summary);
        input.version(LAYOUT, "outbox");
        int kind = input.octet();
        if (kind != MESSAGE && kind != GAP) {
            throw new RowFormatException("message of kind " + kind);
        }
        return new OutboxRow(kind == GAP, Instant.ofEpochMilli(input.varint()));
    }

    /** Returns the key of a message. */
    static byte[] key(String consumer, long number) {
        byte[] name = consumer.getBytes(StandardCharsets.US_ASCII);
        if (name.length == 0 || name.length > MOST_CONSUMER_BYTES || consumer.indexOf(0) >= 0) {
            throw new IllegalArgumentException("no name of a consumer: " + consumer);
        }
        return ByteBuffer.allocate(name.length + 1 + Long.BYTES)
                .put(name)
                .put((byte) 0)
                .putLong(number)
                .array();
    }

    /** Returns the number of a key. */
    static long number(byte[] key) {
        return ByteBuffer.wrap(key).getLong(key.length - Long.BYTES);
    }

    /** Returns the consumer of a key. */
    static String consumer(byte[] key) {
        byte[] name = Arrays.copyOf(key, key.length - 1 - Long.BYTES);
        return new String(name, StandardCharsets.US_ASCII);
    }
}
