package io.volute.versioning.rows;

import io.volute.versioning.Listing.UploadInfo;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectAttributes.Checksum;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectLock;
import java.time.Instant;
import java.util.Optional;

/**
 * A row of {@code uploads}; the upload's number is in the key. All of it is in the summary: such
 * rows are few and short-lived, and the upload of every part reads one.
 *
 * <pre>
 *   octet    1, the version of this layout
 *   octet    flags: bit 0 checksum, bit 1 extras, bit 2 lock
 *   8 bytes  token
 *   varint   initiated, milliseconds since 1970
 *   text     owner
 *   checksum (flag), its value empty
 *   lock     (flag)
 *   extras   (flag)
 * </pre>
 */
public final class UploadRow {
    private static final int LAYOUT = 1;
    private static final int CHECKSUM = 1;
    private static final int EXTRAS = 1 << 1;
    private static final int LOCK = 1 << 2;

    private UploadRow() {}

    public static byte[] encode(
            UploadStamp stamp, Instant initiated, String owner, ObjectAttributes attributes) {
        byte[] extras = ExtrasFormat.write(attributes);
        Optional<Checksum> checksum = attributes.checksum();
        boolean isLocked = !attributes.lock().equals(ObjectLock.NONE);
        RowOutput output = new RowOutput();
        output.octet(LAYOUT)
                .octet(
                        (checksum.isPresent() ? CHECKSUM : 0)
                                | (extras.length > 0 ? EXTRAS : 0)
                                | (isLocked ? LOCK : 0))
                .fixed(stamp.token())
                .varint(initiated.toEpochMilli())
                .text(owner);
        checksum.ifPresent(present -> ChecksumFormat.write(output, present));
        if (isLocked) {
            LockFormat.write(output, attributes.lock());
        }
        return output.raw(extras).toBytes();
    }

    public static UploadStamp stamp(long number, byte[] summary) {
        RowInput input = new RowInput(summary);
        input.version(LAYOUT, "upload");
        int flags = input.octet();
        if (flags > (CHECKSUM | EXTRAS | LOCK)) {
            throw new RowFormatException("upload flags " + flags);
        }
        return new UploadStamp(number, input.fixed());
    }

    public static UploadInfo decode(ObjectKey key, long number, byte[] summary) {
        UploadStamp stamp = stamp(number, summary);
        RowInput input = new RowInput(summary);
        input.position(1);
        int flags = input.octet();
        input.position(2 + Long.BYTES);
        Instant initiated = Instant.ofEpochMilli(input.varint());
        String owner = input.text();
        Optional<Checksum> checksum =
                (flags & CHECKSUM) != 0
                        ? Optional.of(ChecksumFormat.read(input))
                        : Optional.empty();
        ObjectLock lock = (flags & LOCK) != 0 ? LockFormat.read(input) : ObjectLock.NONE;
        ExtrasFormat.Extras extras =
                (flags & EXTRAS) != 0 ? ExtrasFormat.read(input) : ExtrasFormat.Extras.NONE;
        ObjectAttributes attributes =
                new ObjectAttributes(
                        "", extras.headers(), extras.userMetadata(), extras.tags(), checksum, lock);
        return new UploadInfo(stamp.uploadId(), key, owner, initiated, attributes);
    }
}
