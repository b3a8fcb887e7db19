package io.volute.versioning.catalog;

import io.volute.provenance.format.Hash;
import io.volute.storage.BlobReader;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.versioning.Damages.State;
import io.volute.versioning.Damages.Use;
import io.volute.versioning.body.Origin;
import io.volute.versioning.provenance.ContentHash;
import io.volute.versioning.provenance.EntryRows;
import io.volute.versioning.rows.HistoryRow;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.PartRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * The hash or MD5 of the stored content of a state, as far as the store has one.
 *
 * @param hash as the signed entry has it, of the stored bytes
 * @param parts sizes of the parts that the hash is made from
 * @param md5 the ETag: the MD5 of the content, or the MD5 of those of its parts and their number;
 *     of content that is not encrypted
 */
record ExpectedContent(Optional<Hash> hash, Optional<String> parts, Optional<String> md5) {
    static final ExpectedContent NONE =
            new ExpectedContent(Optional.empty(), Optional.empty(), Optional.empty());

    /**
     * Finds the hash of a state.
     *
     * @param storedBytes length of the stored content; of encrypted content it is greater than that
     *     of the state
     */
    static ExpectedContent of(EntryRows entries, State state, StoredRecord record, long storedBytes)
            throws IOException {
        byte[] summary = record.summary();
        if (state.use() == Use.ROW) {
            return NONE;
        }
        if (state.use() == Use.UPLOAD_PART) {
            var part = PartRow.decode(summary);
            boolean isPlain = PartRow.storedBytes(summary) == part.bytes();
            return new ExpectedContent(
                    PartRow.content(summary), Optional.empty(), md5(part.etag(), isPlain));
        }
        ObjectRow row =
                state.use() == Use.HISTORY
                        ? HistoryRow.decode(summary).state()
                        : ObjectRow.decode(summary);
        Optional<Origin> origin =
                entries.contentOf(
                        RowKeys.bucketId(state.user().key()),
                        new ObjectKey(state.key()),
                        row.number());
        if (origin.flatMap(Origin::content).isPresent()) {
            return new ExpectedContent(
                    origin.get().content(), origin.get().parts(), Optional.empty());
        }
        boolean isPlain = storedBytes == row.bytes() && row.etag().contains("-") == row.parts() > 0;
        return new ExpectedContent(Optional.empty(), Optional.empty(), md5(row.etag(), isPlain));
    }

    private static Optional<String> md5(String etag, boolean isPlain) {
        return isPlain && etag.matches("[0-9a-f]{32}(-[1-9][0-9]{0,4})?")
                ? Optional.of(etag)
                : Optional.empty();
    }

    /** Returns by what content is verified. */
    String name() {
        return hash.isPresent() ? "content hash" : md5.isPresent() ? "MD5" : "checksum";
    }

    boolean isKnown() {
        return hash.isPresent() || md5.isPresent();
    }

    /** Returns whether content has this hash or MD5, one of which must be known. */
    boolean fits(BlobReader reader) throws IOException {
        if (hash.isPresent()) {
            return ContentHash.of(reader, parts).equals(hash.get());
        }
        String etag = md5.orElseThrow();
        int dash = etag.indexOf('-');
        if (dash < 0) {
            byte[] found = ContentHash.digest(reader, 0, reader.bytes(), md5Digest());
            return HexFormat.of().formatHex(found).equals(etag);
        }
        List<Long> sizes = reader.parts().stream().map(Transaction.Part::bytes).toList();
        MessageDigest all = md5Digest();
        long from = 0;
        for (long bytes : sizes.isEmpty() ? List.of(reader.bytes()) : sizes) {
            all.update(ContentHash.digest(reader, from, from + bytes, md5Digest()));
            from += bytes;
        }
        String found = HexFormat.of().formatHex(all.digest());
        return (found + "-" + Math.max(1, sizes.size())).equals(etag);
    }

    private static MessageDigest md5Digest() {
        try {
            return MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has MD5", e);
        }
    }
}
