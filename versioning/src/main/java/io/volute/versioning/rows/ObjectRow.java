package io.volute.versioning.rows;

import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectAttributes.Checksum;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectLock;
import io.volute.versioning.value.ObjectVersion;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;

/**
 * A row of {@code current} or {@code versions}: one version or delete marker. The summary is
 *
 * <pre>
 *   octet   the version of this layout: 3; 2 is not locked, 1 has no causal stamp either;
 *           4 and 5 are as 2 and 3, and the body is in the detail;
 *           6 to 9 are as 2 to 5, of a record that is later than what happened to the state
 *   octet   flags
 *   varint  version number
 *   varint  number of the null version behind the current one   (flag NULL_BEHIND)
 *   4 varints  causal stamp: began, version, actor, actor version
 *   varint  the sequence that the record would have             (layouts 6 to 9)
 *   lock                                                        (layouts 3, 5, 7 and 9)
 *   varint  modified, milliseconds since 1970
 *   text    owner, when it is not the bucket's                  (flag OWNER)
 *   -- of a delete marker only the extras follow
 *   varint  content bytes
 *   varint  parts
 *   etag
 *   checksum                                                    (flag CHECKSUM)
 *   varint, 8 bytes  number and token of the upload             (flag UPLOAD)
 *   extras                                                      (flag EXTRAS)
 * </pre>
 *
 * With the flag DETAIL the extras are in the detail of the record, and those in the summary are a
 * copy of what listings need of them. With layouts 4 and 5 the body is there, too, behind them;
 * else it is the blob that is the record's one reference.
 *
 * @param nullBehind number of the null version among the noncurrent ones, 0 for none
 * @param settled sequence of the last write to a current state, or with which a noncurrent one
 *     ceased to be current; 0 for the record's own, which a move or a change of tags makes later
 * @param owner empty when it is the bucket's
 * @param upload the multipart upload that made it
 * @param extrasIndex where the extras begin in the summary
 */
public record ObjectRow(
        byte[] summary,
        long number,
        long nullBehind,
        CausalStamp causal,
        long settled,
        ObjectLock lock,
        long modifiedMillis,
        Optional<String> owner,
        long bytes,
        int parts,
        String etag,
        Optional<Checksum> checksum,
        Optional<UploadStamp> upload,
        int extrasIndex) {
    /** Maximum size of a summary with all extras; in a longer one they move to the detail. */
    public static final int SUMMARY_BYTES_BUDGET = 112;

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

    /** Returns whether this is the summary of a delete marker, without decoding it. */
    public static boolean isDeleteMarker(byte[] summary) {
        RowInput input = new RowInput(summary);
        ObjectLayout unused = ObjectLayout.read(input);
        return has(input.octet(), DELETE_MARKER);
    }

    /**
     * Returns the sequence with which the causal version of a state began, without decoding the
     * rest.
     *
     * @param sequence sequence of the state's record
     */
    public static long began(byte[] summary, long sequence) {
        RowInput input = new RowInput(summary);
        if (!ObjectLayout.read(input).hasStamp()) {
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
        ObjectLayout layout = ObjectLayout.read(input);
        int flags = input.octet();
        long number = input.varint();
        long nullBehind = has(flags, NULL_BEHIND) ? input.varint() : 0;
        CausalStamp causal = layout.hasStamp() ? CausalStamp.read(input) : CausalStamp.NONE;
        long settled = layout.isSettled() ? input.varint() : 0;
        ObjectLock lock = layout.hasLock() ? LockFormat.read(input) : ObjectLock.NONE;
        long modified = input.varint();
        Optional<String> owner = has(flags, OWNER) ? Optional.of(input.text()) : Optional.empty();
        boolean hasContent = !has(flags, DELETE_MARKER);
        long bytes = hasContent ? input.varint() : 0;
        int parts = hasContent ? input.size() : 0;
        String etag = hasContent ? EtagFormat.read(input, parts) : "";
        Optional<Checksum> checksum =
                hasContent && has(flags, CHECKSUM)
                        ? Optional.of(ChecksumFormat.read(input))
                        : Optional.empty();
        Optional<UploadStamp> upload =
                hasContent && has(flags, UPLOAD)
                        ? Optional.of(new UploadStamp(input.varint(), input.fixed()))
                        : Optional.empty();
        return new ObjectRow(
                summary,
                number,
                nullBehind,
                causal,
                settled,
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
     * Encodes a version.
     *
     * @param nullBehind number of the null version behind it, 0 for none
     */
    public static EncodedRow encode(
            ObjectVersion version,
            String bucketOwner,
            long nullBehind,
            CausalStamp causal,
            Optional<UploadStamp> upload) {
        ObjectAttributes attributes = version.attributes();
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
        return withExtras(ObjectLayout.PLAIN.locked(isLocked), flags, body, attributes);
    }

    private static EncodedRow withExtras(
            ObjectLayout layout, int flags, RowOutput body, ObjectAttributes attributes) {
        byte[] extras = ExtrasFormat.write(attributes);
        boolean inline =
                extras.length == 0
                        || NUMBER_INDEX + body.length() + extras.length <= SUMMARY_BYTES_BUDGET;
        byte[] inSummary = inline ? extras : ExtrasFormat.writeListed(attributes);
        int allFlags = flags | flag(inSummary.length > 0, EXTRAS) | flag(!inline, DETAIL);
        RowOutput summary = new RowOutput();
        summary.octet(layout.octet()).octet(allFlags).raw(body.toBytes()).raw(inSummary);
        return inline
                ? EncodedRow.of(summary.toBytes())
                : new EncodedRow(summary.toBytes(), extras);
    }

    /** Returns the row of an object whose body is in its record, made from the row with a blob. */
    public static EncodedRow withBody(EncodedRow row, ByteBuffer body) {
        byte[] summary = row.summary().clone();
        summary[0] = (byte) ObjectLayout.read(new RowInput(summary)).withBody().octet();
        byte[] detail = Arrays.copyOf(row.detail(), row.detail().length + body.remaining());
        body.get(detail, row.detail().length, body.remaining());
        return new EncodedRow(summary, detail);
    }

    /** Returns the summary for a new record, with another null version behind it, 0 for none. */
    public byte[] withNullBehind(long newNullBehind) {
        return with(newNullBehind, causal);
    }

    /** Returns the summary for a new record, with an explicit begin of the state. */
    public byte[] withBegan(long newNullBehind, long began) {
        return with(newNullBehind, causal.withBegan(began));
    }

    /** Returns the summary for a new record, with another null version behind it and stamp. */
    public byte[] with(long newNullBehind, CausalStamp newCausal) {
        return with(newNullBehind, newCausal, 0);
    }

    /**
     * Returns the summary for a record that is later than what happened to the state.
     *
     * @param sequence sequence of the present record
     */
    public byte[] kept(long newNullBehind, long sequence) {
        return with(newNullBehind, causal.withBegan(began(sequence)), settled(sequence));
    }

    private byte[] with(long newNullBehind, CausalStamp newCausal, long newSettled) {
        RowInput input = new RowInput(summary);
        ObjectLayout layout = ObjectLayout.read(input);
        input.position(NUMBER_INDEX);
        long sameNumber = input.varint();
        if (has(flags(), NULL_BEHIND)) {
            input.skipVarint();
        }
        if (layout.hasStamp()) {
            CausalStamp.read(input);
        }
        if (layout.isSettled()) {
            input.skipVarint();
        }
        int tail = input.position();
        RowOutput output = new RowOutput();
        output.octet(layout.settled(newSettled != 0).octet())
                .octet((flags() & ~NULL_BEHIND) | flag(newNullBehind != 0, NULL_BEHIND));
        output.varint(sameNumber);
        if (newNullBehind != 0) {
            output.varint(newNullBehind);
        }
        newCausal.write(output);
        if (newSettled != 0) {
            output.varint(newSettled);
        }
        return output.raw(summary, tail, summary.length).toBytes();
    }

    /**
     * Returns the sequence with which the causal version of this state began.
     *
     * @param sequence sequence of the record
     */
    public long began(long sequence) {
        return causal.began() == 0 ? sequence : causal.began();
    }

    /**
     * Returns the sequence of the last write to a current state, or with which a noncurrent one
     * ceased to be current.
     *
     * @param sequence sequence of the record
     */
    public long settled(long sequence) {
        return settled == 0 ? sequence : settled;
    }

    /** Returns the causal version that this state belongs to. */
    public long causalVersion() {
        return causal.version() == 0 ? number : causal.version();
    }

    public boolean deleteMarker() {
        return has(flags(), DELETE_MARKER);
    }

    public boolean nullVersion() {
        return has(flags(), NULL_VERSION);
    }

    /** Returns whether the body is in the record's detail. */
    public boolean holdsBody() {
        return ObjectLayout.read(new RowInput(summary)).holdsBody();
    }

    /**
     * Returns the body, which is in the record's detail behind the extras. It is longer than the
     * content if it is encrypted.
     */
    public ByteBuffer body(byte[] detail) {
        int begin = needsDetail() ? ExtrasFormat.end(detail) : 0;
        if (bytes > detail.length - begin) {
            throw new RowFormatException(
                    "a body of " + bytes + " bytes in a detail of " + detail.length);
        }
        return ByteBuffer.wrap(detail, begin, detail.length - begin).slice().asReadOnlyBuffer();
    }

    /** Returns whether {@link #version} needs the record's detail. */
    public boolean needsDetail() {
        return has(flags(), DETAIL);
    }

    /**
     * Returns the version with all attributes.
     *
     * @param detail the record's detail; ignored unless {@link #needsDetail}
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

    /** Returns the version as in listings: its only header is the storage class. */
    public ObjectVersion listed(ObjectKey key, boolean latest, String bucketOwner) {
        ExtrasFormat.Extras extras = ExtrasFormat.Extras.NONE;
        if (has(flags(), EXTRAS)) {
            RowInput input = new RowInput(summary);
            input.position(extrasIndex);
            extras = ExtrasFormat.readListed(input);
        }
        return version(key, latest, bucketOwner, extras);
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

    private static boolean has(int flags, int flag) {
        return (flags & flag) != 0;
    }

    private static int flag(boolean condition, int flag) {
        return condition ? flag : 0;
    }
}
