package io.volute.server.cluster.exchange;

import io.volute.versioning.SharedReads.Position;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.function.Function;

/**
 * The bytes of questions and answers. They are never stored: nodes of one release exchange them,
 * and refuse another version.
 */
final class ExchangeFormat {
    private static final byte VERSION = 1;

    private ExchangeFormat() {}

    /**
     * A question.
     *
     * @param sequence the greatest one of the asking owner
     * @param from place in the reads of the asked owner
     */
    record Question(long sequence, Position from) {
        byte[] encode() {
            return ByteBuffer.allocate(1 + 4 * Long.BYTES)
                    .put(VERSION)
                    .putLong(sequence)
                    .putLong(from.run().getMostSignificantBits())
                    .putLong(from.run().getLeastSignificantBits())
                    .putLong(from.number())
                    .array();
        }

        static Question decode(byte[] bytes) {
            return ExchangeFormat.decode(
                    bytes,
                    input ->
                            new Question(
                                    readSequence(input),
                                    new Position(
                                            new UUID(input.getLong(), input.getLong()),
                                            input.getLong())));
        }
    }

    /**
     * An answer.
     *
     * @param sequence the greatest one of the asked owner
     * @param reads an encoded batch
     */
    record Answer(long sequence, byte[] reads) {
        byte[] encode() {
            return ByteBuffer.allocate(1 + Long.BYTES + reads.length)
                    .put(VERSION)
                    .putLong(sequence)
                    .put(reads)
                    .array();
        }

        static Answer decode(byte[] bytes) {
            return ExchangeFormat.decode(
                    bytes,
                    input -> {
                        long sequence = readSequence(input);
                        byte[] reads = new byte[input.remaining()];
                        input.get(reads);
                        return new Answer(sequence, reads);
                    });
        }
    }

    private static long readSequence(ByteBuffer input) {
        long sequence = input.getLong();
        if (sequence < 0) {
            throw new IllegalArgumentException("sequence " + sequence);
        }
        return sequence;
    }

    private static <T> T decode(byte[] bytes, Function<ByteBuffer, T> rest) {
        try {
            ByteBuffer input = ByteBuffer.wrap(bytes);
            byte version = input.get();
            if (version != VERSION) {
                throw new IllegalArgumentException(
                        "exchange of version "
                                + version
                                + "; this program has version "
                                + VERSION
                                + ": run the same release on all nodes");
            }
            return rest.apply(input);
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("exchange of " + bytes.length + " bytes", e);
        }
    }
}
