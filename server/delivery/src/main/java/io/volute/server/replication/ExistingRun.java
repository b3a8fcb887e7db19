package io.volute.server.replication;

import io.volute.versioning.value.BucketName;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;

/**
 * A run that sends what was in a bucket before its configuration. In the outbox: octet 1, the
 * version of this layout; octet, the state; octet, 1 for {@code again}; u64, the start in
 * milliseconds since 1970; u32, the rate; u64, the sent versions; u64, the left out versions; then
 * in UTF-8, each behind its length as u16, the bucket and the last key.
 *
 * @param isAgain whether versions that were replicated before are sent again
 * @param rate versions a second
 * @param sent versions that got a message
 * @param leftOut versions that are older than a replica, so they cannot be added behind it
 * @param after the last key that was looked at; empty at first
 */
record ExistingRun(
        State state,
        boolean isAgain,
        Instant started,
        int rate,
        long sent,
        long leftOut,
        BucketName bucket,
        String after) {
    private static final int LAYOUT = 1;

    /** The state of a run. Codes are on disk. */
    enum State {
        RUNNING(1),
        FINISHED(2),
        STOPPED(3);

        private final int code;

        State(int code) {
            this.code = code;
        }
    }

    ExistingRun with(State other) {
        return new ExistingRun(other, isAgain, started, rate, sent, leftOut, bucket, after);
    }

    /** Returns the run after it has looked at more keys. */
    ExistingRun advanced(long moreSent, long moreLeftOut, String lastKey) {
        return new ExistingRun(
                state,
                isAgain,
                started,
                rate,
                sent + moreSent,
                leftOut + moreLeftOut,
                bucket,
                lastKey);
    }

    byte[] encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(LAYOUT);
            out.writeByte(state.code);
            out.writeBoolean(isAgain);
            out.writeLong(started.toEpochMilli());
            out.writeInt(rate);
            out.writeLong(sent);
            out.writeLong(leftOut);
            out.writeUTF(bucket.value());
            out.writeUTF(after);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /**
     * Decodes a run.
     *
     * @throws IOException when it is damaged, or of a later version
     */
    static ExistingRun decode(byte[] content) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(content));
        if (in.readByte() != LAYOUT) {
            throw new IOException("a run of replication of an unknown version");
        }
        int code = in.readByte();
        for (State state : State.values()) {
            if (state.code == code) {
                return new ExistingRun(
                        state,
                        in.readBoolean(),
                        Instant.ofEpochMilli(in.readLong()),
                        in.readInt(),
                        in.readLong(),
                        in.readLong(),
                        new BucketName(in.readUTF()),
                        in.readUTF());
            }
        }
        throw new IOException("a run of replication in state " + code);
    }
}
