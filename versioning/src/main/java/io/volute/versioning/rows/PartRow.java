package io.volute.versioning.rows;

import io.volute.provenance.format.Hash;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.value.ObjectAttributes.Checksum;
import java.time.Instant;
import java.util.Optional;

/**
 * A part, as a row of {@code parts} and as the attributes beside a part of a composed blob. The
 * blob of a row is the record's one reference.
 *
 * <pre>
 *   octet   1, the version of this layout
 *   octet   flags: bit 0 checksum, bit 1 content, bit 2 stored bytes
 *   varint  part number
 *   varint  content bytes
 *   varint  modified, milliseconds since 1970
 *   etag
 *   checksum (flag)
 *   32      SHA-256 of the stored bytes (flag)
 *   varint  stored bytes, when they are not the content (flag)
 * </pre>
 */
public final class PartRow {
    private static final int LAYOUT = 1;
    private static final int CHECKSUM = 1;
    private static final int CONTENT = 1 << 1;
    private static final int STORED_BYTES = 1 << 2;

    private PartRow() {}

    /**
     * Encodes a part.
     *
     * @param storedBytes length of the blob; an encrypted one is longer than the content
     * @param content SHA-256 of the blob, if it was computed
     */
    public static byte[] encode(PartInfo part, long storedBytes, Optional<Hash> content) {
        RowOutput output = new RowOutput();
        boolean differs = storedBytes != part.bytes();
        int flags =
                (part.checksum().isPresent() ? CHECKSUM : 0)
                        | (content.isPresent() ? CONTENT : 0)
                        | (differs ? STORED_BYTES : 0);
        output.octet(LAYOUT)
                .octet(flags)
                .varint(part.number())
                .varint(part.bytes())
                .varint(part.modified().toEpochMilli());
        EtagFormat.write(output, part.etag(), 0);
        part.checksum().ifPresent(checksum -> ChecksumFormat.write(output, checksum));
        content.ifPresent(hash -> output.raw(hash.toArray()));
        if (differs) {
            output.varint(storedBytes);
        }
        return output.toBytes();
    }

    public static PartInfo decode(byte[] bytes) {
        return read(bytes).info();
    }

    /** Returns the length of the blob of a part. */
    public static long storedBytes(byte[] bytes) {
        return read(bytes).storedBytes();
    }

    /** Returns the SHA-256 of the blob of a part; empty if it was not computed. */
    public static Optional<Hash> content(byte[] bytes) {
        return read(bytes).content();
    }

    private record Part(PartInfo info, Optional<Hash> content, long storedBytes) {}

    private static Part read(byte[] bytes) {
        RowInput input = new RowInput(bytes);
        input.version(LAYOUT, "part");
        int flags = input.octet();
        if (flags > (CHECKSUM | CONTENT | STORED_BYTES)) {
            throw new RowFormatException("part flags " + flags);
        }
        int number = input.size();
        long content = input.varint();
        Instant modified = Instant.ofEpochMilli(input.varint());
        String etag = EtagFormat.read(input, 0);
        Optional<Checksum> checksum =
                (flags & CHECKSUM) != 0
                        ? Optional.of(ChecksumFormat.read(input))
                        : Optional.empty();
        Optional<Hash> hash =
                (flags & CONTENT) != 0
                        ? Optional.of(Hash.of(input.raw(Hash.BYTES)))
                        : Optional.empty();
        long stored = (flags & STORED_BYTES) != 0 ? input.varint() : content;
        return new Part(new PartInfo(number, content, etag, modified, checksum), hash, stored);
    }
}
