package io.volute.versioning.rows;

import io.volute.versioning.ObjectAttributes;
import io.volute.versioning.ObjectAttributes.Checksum;
import io.volute.versioning.ObjectKey;
import io.volute.versioning.ObjectLock;
import io.volute.versioning.ObjectVersion;
import io.volute.versioning.rows.codec.ChecksumFormat;
import io.volute.versioning.rows.codec.EncodedRow;
import io.volute.versioning.rows.codec.EtagFormat;
import io.volute.versioning.rows.codec.ExtrasFormat;
import io.volute.versioning.rows.codec.LockFormat;
import io.volute.versioning.rows.codec.RowFormatException;
import io.volute.versioning.rows.codec.RowInput;
import io.volute.versioning.rows.codec.RowOutput;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;

/**
 * A row of {@code current} or {@code versions}: one version or delete marker. The summary is
 *
 * <pre>
 *   octet   the version of this layout: 3; 2 is not locked, 1 has no causal stamp either;
 *           4 and 5 are as 2 and 3, and the body is in the detail
 *   octet   flags
 *   varint  version number
 *   varint  number of the null version behind the current one   (flag NULL_BEHIND)
 *   4 varints  causal stamp: began, version, actor, actor version
 *   lock                                                        (layouts 3 and 5)
 *   varint  modified, milliseconds since 1970
 *   text    owner, when it is not the bucket's                  (flag OWNER)
 *   -- a delete marker ends here
 *   varint  content bytes
 *   varint  parts
 *   etag
 *   checksum                                                    (flag CHECKSUM)
 *   varint, 8 bytes  number and token of the upload             (flag UPLOAD)
 *   extras                                                      (flag EXTRAS)
 * </pre>
 *
 * With the flag DETAIL the extras are in the detail of the record instead. With layouts 4 and 5 the
 * body is there, too, behind them; else it is the blob that is the record's one reference.
 *
 * @param nullBehind number of the null version among the noncurrent ones, 0 for none
 * @param owner empty when it is the bucket's
 * @param upload the multipart upload that made it
 * @param extrasIndex where the extras begin in the summary
 */
public record ObjectRow(
        byte[] summary,
        long number,
        long nullBehind,
        CausalStamp causal,
        ObjectLock lock,
        long modifiedMillis,
        Optional<String> owner,
        long bytes,
        int parts,
        String etag,
        Optional<Checksum> checksum,
        Optional<UploadStamp> upload,
        int extrasIndex) {
    /** Summaries longer than this give their extras to the detail. */
    public static final int SUMMARY_BYTES_BUDGET = 112;

    private static final int LAYOUT = 5;
    private static final int LAYOUT_WITH_LOCK = 3;

    /** By so much layouts with the body in the detail are greater than those with a blob. */
    private static final int BODY = 2;

    private static final int LAYOUT_WITHOUT_LOCK = 2;
    private static final int LAYOUT_WITHOUT_STAMP = 1;
    private static final int FLAGS_INDEX = 1;
    private static final int NUMBER_INDEX = 2;

    private static final int DELETE_MARKER = 1;
    private static final int NULL_VERSION = 1 << 1;
    private static final int NULL_BEHIND = 1 << 2;
    private static final int OWNER = 1 << 3;
    private static final int CHECKSUM = 1 << 4;
    private static final int UPLOAD = 1 << 5;
    private static final int EXTRAS = 1 << 6;
    private static final int DETAIL = 1 << 7;

    /** Whether the summary is a delete marker's, without decoding it. */
    public static boolean isDeleteMarker(byte[] summary) {
        if (summary.length <= FLAGS_INDEX
                || summary[0] < LAYOUT_WITHOUT_STAMP
                || summary[0] > LAYOUT) {
            return decode(summary).deleteMarker();
        }
        return (summary[FLAGS_INDEX] & DELETE_MARKER) != 0;
    }

    /**
     * When the causal version of a state began, without decoding the rest.
     *
     * @param sequence of the state's record
     */
    public static long began(byte[] summary, long sequence) {
        RowInput input = new RowInput(summary);
        int layout = input.version(LAYOUT_WITHOUT_STAMP, LAYOUT, "object");
        if (layout == LAYOUT_WITHOUT_STAMP) {
            return sequence;
        }
        int flags = input.octet();
        input.skipVarint();
        if (has(flags, NULL_BEHIND)) {
            input.skipVarint();
        }
        long began = input.varint();
        return began == 0 ? sequence : began;
    }

    public static ObjectRow decode(byte[] summary) {
        RowInput input = new RowInput(summary);
        int layout = input.version(LAYOUT_WITHOUT_STAMP, LAYOUT, "object");
        int flags = input.octet();
        long number = input.varint();
        long nullBehind = has(flags, NULL_BEHIND) ? input.varint() : 0;
        CausalStamp causal =
                layout == LAYOUT_WITHOUT_STAMP ? CausalStamp.NONE : CausalStamp.read(input);
        ObjectLock lock = hasLock(layout) ? LockFormat.read(input) : ObjectLock.NONE;
        long modified = input.varint();
        Optional<String> owner = has(flags, OWNER) ? Optional.of(input.text()) : Optional.empty();
        if (has(flags, DELETE_MARKER)) {
            return new ObjectRow(
                    summary,
                    number,
                    nullBehind,
                    causal,
                    lock,
                    modified,
                    owner,
                    0,
                    0,
                    "",
                    Optional.empty(),
                    Optional.empty(),
                    input.position());
        }
        long bytes = input.varint();
        int parts = input.size();
        String etag = EtagFormat.read(input, parts);
        Optional<Checksum> checksum =
                has(flags, CHECKSUM) ? Optional.of(ChecksumFormat.read(input)) : Optional.empty();
        Optional<UploadStamp> upload =
                has(flags, UPLOAD)
                        ? Optional.of(new UploadStamp(input.varint(), input.fixed()))
                        : Optional.empty();
        return new ObjectRow(
                summary,
                number,
                nullBehind,
                causal,
                lock,
                modified,
                owner,
                bytes,
                parts,
                etag,
                checksum,
                upload,
                input.position());
    }

    /**
     * @param nullBehind number of the null version behind it, 0 for none
     */
    public static EncodedRow encode(
            ObjectVersion version,
            String bucketOwner,
            long nullBehind,
            CausalStamp causal,
            Optional<UploadStamp> upload) {
        ObjectAttributes attributes = version.attributes();
        byte[] extras = version.deleteMarker() ? new byte[0] : ExtrasFormat.write(attributes);
        boolean ownOwner = !version.owner().equals(bucketOwner);
        int flags =
                flag(version.deleteMarker(), DELETE_MARKER)
                        | flag(version.nullVersion(), NULL_VERSION)
                        | flag(nullBehind != 0, NULL_BEHIND)
                        | flag(ownOwner, OWNER);
        RowOutput body = new RowOutput();
        body.varint(version.number());
        if (nullBehind != 0) {
            body.varint(nullBehind);
        }
        causal.write(body);
        ObjectLock lock = attributes.lock();
        boolean isLocked = !lock.equals(ObjectLock.NONE);
        if (isLocked) {
            LockFormat.write(body, lock);
        }
        body.varint(version.modified().toEpochMilli());
        if (ownOwner) {
            body.text(version.owner());
        }
        if (!version.deleteMarker()) {
            flags |= flag(attributes.checksum().isPresent(), CHECKSUM);
            flags |= flag(upload.isPresent(), UPLOAD);
            body.varint(version.bytes()).varint(version.parts());
            EtagFormat.write(body, attributes.etag(), version.parts());
            attributes.checksum().ifPresent(checksum -> ChecksumFormat.write(body, checksum));
            upload.ifPresent(stamp -> body.varint(stamp.number()).fixed(stamp.token()));
        }
        return withExtras(isLocked ? LAYOUT_WITH_LOCK : LAYOUT_WITHOUT_LOCK, flags, body, extras);
    }

    private static EncodedRow withExtras(int layout, int flags, RowOutput body, byte[] extras) {
        boolean inline = NUMBER_INDEX + body.length() + extras.length <= SUMMARY_BYTES_BUDGET;
        int allFlags = flags | flag(extras.length > 0, inline ? EXTRAS : DETAIL);
        RowOutput summary = new RowOutput();
        summary.octet(layout).octet(allFlags).raw(body.toBytes());
        return inline
                ? EncodedRow.of(summary.raw(extras).toBytes())
                : new EncodedRow(summary.toBytes(), extras);
    }

    /**
     * The row of an object whose body lies in its record: that of one with a blob, and the body.
     */
    public static EncodedRow withBody(EncodedRow row, ByteBuffer body) {
        byte[] summary = row.summary().clone();
        summary[0] = (byte) (summary[0] + BODY);
        byte[] detail = Arrays.copyOf(row.detail(), row.detail().length + body.remaining());
        body.get(detail, row.detail().length, body.remaining());
        return new EncodedRow(summary, detail);
    }

    /** The same summary with another null version behind it, 0 for none. */
    public byte[] withNullBehind(long newNullBehind) {
        return with(newNullBehind, causal);
    }

    /** The same summary for a record whose own sequence does not tell when the state began. */
    public byte[] withBegan(long newNullBehind, long began) {
        return with(newNullBehind, causal.withBegan(began));
    }

    /** The same summary with another stamp as well. */
    public byte[] with(long newNullBehind, CausalStamp newCausal) {
        RowInput input = new RowInput(summary);
        int layout = input.version(LAYOUT_WITHOUT_STAMP, LAYOUT, "object");
        input.position(NUMBER_INDEX);
        long sameNumber = input.varint();
        if (has(flags(), NULL_BEHIND)) {
            input.skipVarint();
        }
        if (layout != LAYOUT_WITHOUT_STAMP) {
            CausalStamp.read(input);
        }
        int tail = input.position();
        RowOutput output = new RowOutput();
        output.octet(Math.max(layout, LAYOUT_WITHOUT_LOCK))
                .octet((flags() & ~NULL_BEHIND) | flag(newNullBehind != 0, NULL_BEHIND));
        output.varint(sameNumber);
        if (newNullBehind != 0) {
            output.varint(newNullBehind);
        }
        newCausal.write(output);
        return output.raw(summary, tail, summary.length).toBytes();
    }

    /** When the causal version of this state began, of a record with this sequence. */
    public long began(long sequence) {
        return causal.began() == 0 ? sequence : causal.began();
    }

    /** The causal version that this state belongs to. */
    public long causalVersion() {
        return causal.version() == 0 ? number : causal.version();
    }

    public boolean deleteMarker() {
        return has(flags(), DELETE_MARKER);
    }

    public boolean nullVersion() {
        return has(flags(), NULL_VERSION);
    }

    /** Whether the body lies in the record's detail. */
    public boolean holdsBody() {
        return summary[0] >= LAYOUT_WITHOUT_LOCK + BODY;
    }

    /** The body that lies in the record's detail. */
    public ByteBuffer body(byte[] detail) {
        if (bytes > detail.length) {
            throw new RowFormatException(
                    "a body of " + bytes + " bytes in a detail of " + detail.length);
        }
        int length = (int) bytes;
        return ByteBuffer.wrap(detail, detail.length - length, length).asReadOnlyBuffer();
    }

    /** Whether {@link #version} needs the record's detail. */
    public boolean needsDetail() {
        return has(flags(), DETAIL);
    }

    /**
     * The version in full.
     *
     * @param detail the record's detail; not looked at unless {@link #needsDetail}
     */
    public ObjectVersion version(ObjectKey key, boolean latest, String bucketOwner, byte[] detail) {
        ExtrasFormat.Extras extras = ExtrasFormat.Extras.NONE;
        if (needsDetail()) {
            extras = ExtrasFormat.read(new RowInput(detail));
        } else if (has(flags(), EXTRAS)) {
            RowInput input = new RowInput(summary);
            input.position(extrasIndex);
            extras = ExtrasFormat.read(input);
        }
        return version(key, latest, bucketOwner, extras);
    }

    /** As listings show it: without headers, user metadata and tags. */
    public ObjectVersion listed(ObjectKey key, boolean latest, String bucketOwner) {
        return version(key, latest, bucketOwner, ExtrasFormat.Extras.NONE);
    }

    private ObjectVersion version(
            ObjectKey key, boolean latest, String bucketOwner, ExtrasFormat.Extras extras) {
        return new ObjectVersion(
                key,
                number,
                nullVersion(),
                latest,
                deleteMarker(),
                Instant.ofEpochMilli(modifiedMillis),
                owner.orElse(bucketOwner),
                bytes,
                parts,
                new ObjectAttributes(
                        etag,
                        extras.headers(),
                        extras.userMetadata(),
                        extras.tags(),
                        checksum,
                        lock));
    }

    private int flags() {
        return Byte.toUnsignedInt(summary[FLAGS_INDEX]);
    }

    private static boolean hasLock(int layout) {
        return layout == LAYOUT_WITH_LOCK || layout == LAYOUT_WITH_LOCK + BODY;
    }

    private static boolean has(int flags, int flag) {
        return (flags & flag) != 0;
    }

    private static int flag(boolean condition, int flag) {
        return condition ? flag : 0;
    }
}
