package io.volute.versioning.rows;

import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.ObjectAttributes.Checksum;
import java.time.Instant;
import java.util.Optional;

/**
 * A part, as a row of {@code parts} and as the attributes beside a part of a composed blob. The
 * blob of a row is the record's one reference.
 *
 * <pre>
 *   octet   1, the version of this layout
 *   octet   flags: bit 0 checksum
 *   varint  part number
 *   varint  content bytes
 *   varint  modified, milliseconds since 1970
 *   etag
 *   checksum (flag)
 * </pre>
 */
public final class PartRow {
    private static final int LAYOUT = 1;
    private static final int CHECKSUM = 1;

    private PartRow() {}

    public static byte[] encode(PartInfo part) {
        RowOutput output = new RowOutput();
        output.octet(LAYOUT)
                .octet(part.checksum().isPresent() ? CHECKSUM : 0)
                .varint(part.number())
                .varint(part.bytes())
                .varint(part.modified().toEpochMilli());
        EtagFormat.write(output, part.etag(), 0);
        part.checksum().ifPresent(checksum -> ChecksumFormat.write(output, checksum));
        return output.toBytes();
    }

    public static PartInfo decode(byte[] bytes) {
        RowInput input = new RowInput(bytes);
        input.version(LAYOUT, "part");
        int flags = input.octet();
        if (flags > CHECKSUM) {
            throw new RowFormatException("part flags " + flags);
        }
        int number = input.size();
        long content = input.varint();
        Instant modified = Instant.ofEpochMilli(input.varint());
        String etag = EtagFormat.read(input, 0);
        Optional<Checksum> checksum =
                flags == CHECKSUM ? Optional.of(ChecksumFormat.read(input)) : Optional.empty();
        return new PartInfo(number, content, etag, modified, checksum);
    }
}
