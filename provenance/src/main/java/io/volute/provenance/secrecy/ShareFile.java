package io.volute.provenance.secrecy;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.secrecy.Auditor.Share;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * Shares of session keys, one auditor's for others: "VOLSHARE", a version, then records (see
 * docs/format/provenance.md). It is a secret. Not thread-safe.
 */
public final class ShareFile {
    private static final Bytes MAGIC = new ByteWriter().raw(Bytes.of("VOLSHARE")).u8(1).toBytes();
    private static final int RECORD_BYTES = 32 + 8 + 1 + 1 + Aead.KEY_BYTES;

    private final OutputStream target;

    public ShareFile(OutputStream target) throws IOException {
        this.target = target;
        target.write(MAGIC.toArray());
    }

    public void add(Place place, Share share) throws IOException {
        ByteWriter out = new ByteWriter();
        place.encode(out);
        out.u8(share.threshold()).u8(share.number()).raw(share.value());
        target.write(out.toBytes().toArray());
    }

    /**
     * Gives all shares of a file to a reader.
     *
     * @return how many
     * @throws RefusedException when it is no such file, or cut off
     */
    public static long read(InputStream file, EntryReader into) throws IOException {
        if (!Bytes.of(file.readNBytes(MAGIC.length())).equals(MAGIC)) {
            throw new RefusedException("no file of shares, or of another version");
        }
        long count = 0;
        for (byte[] record = file.readNBytes(RECORD_BYTES);
                record.length > 0;
                record = file.readNBytes(RECORD_BYTES)) {
            ByteReader in = new ByteReader(Bytes.of(record), "share");
            Place place = new Place(in.hash("chain id"), in.u64("sequence"));
            int threshold = in.u8("threshold");
            int number = in.u8("number");
            if (threshold == 0 || number == 0) {
                throw in.refused("share " + number + " of " + threshold);
            }
            into.add(place, new Share(threshold, number, in.raw(Aead.KEY_BYTES, "share")));
            in.end();
            count++;
        }
        return count;
    }
}
