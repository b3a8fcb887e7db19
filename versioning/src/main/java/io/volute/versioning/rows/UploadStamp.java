package io.volute.versioning.rows;

import java.util.HexFormat;
import java.util.Optional;

/**
 * The identity of a multipart upload: a number that ascends by initiation, and a random token that
 * makes the id unguessable.
 */
public record UploadStamp(long number, long token) implements Comparable<UploadStamp> {
    private static final int CHARS = 32;

    /** Returns the id that clients see: 32 hex digits that sort by initiation. */
    public String uploadId() {
        return HexFormat.of().toHexDigits(number) + HexFormat.of().toHexDigits(token);
    }

    /** Parses an upload id; empty when it is not valid. */
    public static Optional<UploadStamp> parse(String uploadId) {
        if (uploadId.length() != CHARS || !uploadId.matches("[0-9a-f]+")) {
            return Optional.empty();
        }
        long number = HexFormat.fromHexDigitsToLong(uploadId, 0, CHARS / 2);
        long token = HexFormat.fromHexDigitsToLong(uploadId, CHARS / 2, CHARS);
        return number > 0 ? Optional.of(new UploadStamp(number, token)) : Optional.empty();
    }

    @Override
    public int compareTo(UploadStamp other) {
        return Long.compare(number, other.number);
    }
}
