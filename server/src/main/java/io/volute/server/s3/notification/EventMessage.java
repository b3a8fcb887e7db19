package io.volute.server.s3.notification;

import io.volute.versioning.value.BucketInfo;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;

/**
 * A message to a target. In the outbox: octet 1, the version of this layout; 4 bytes, the length of
 * the subject; the subject in UTF-8; the document.
 *
 * @param subject messages of one subject stay in order: the bucket, a slash and the key
 * @param document JSON, as the target gets it
 */
public record EventMessage(String subject, byte[] document) {
    private static final int LAYOUT = 1;
    private static final int HEAD_BYTES = 1 + Integer.BYTES;

    /** Returns the content of a message in the outbox. */
    public byte[] encode() {
        byte[] utf8 = subject.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(HEAD_BYTES + utf8.length + document.length)
                .put((byte) LAYOUT)
                .putInt(utf8.length)
                .put(utf8)
                .put(document)
                .array();
    }

    /**
     * Decodes the content of a message.
     *
     * @throws IllegalArgumentException when it is damaged, or of a later version
     */
    public static EventMessage decode(byte[] content) {
        if (content.length < HEAD_BYTES || content[0] != LAYOUT) {
            throw new IllegalArgumentException("message of an unknown version");
        }
        int length = ByteBuffer.wrap(content).getInt(1);
        if (length < 0 || length > content.length - HEAD_BYTES) {
            throw new IllegalArgumentException("message with a wrong length");
        }
        return new EventMessage(
                new String(content, HEAD_BYTES, length, StandardCharsets.UTF_8),
                Arrays.copyOfRange(content, HEAD_BYTES + length, content.length));
    }

    /** Returns the message that a target gets when a bucket is configured to use it. */
    public static EventMessage ofTest(BucketInfo bucket, Instant now, String requestId) {
        return new EventMessage(bucket.name().value(), EventRecord.ofTest(bucket, now, requestId));
    }

    /** Returns the message in the place of changes that got none. */
    public static EventMessage ofGap(Instant from) {
        return new EventMessage("", EventRecord.ofGap(from));
    }
}
