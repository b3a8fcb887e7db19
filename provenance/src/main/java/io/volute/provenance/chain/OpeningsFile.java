package io.volute.provenance.chain;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.Opening;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A file with the openings withheld from an export, for later restoration. It has "VOLOPENS", a
 * version, then records (see docs/format/provenance.md). Not thread-safe.
 */
public final class OpeningsFile {
    private static final Bytes MAGIC = new ByteWriter().raw(Bytes.of("VOLOPENS")).u8(1).toBytes();
    private static final int RECORD_BYTES_MAX = Entry.BYTES_MAX + 128;

    private final OutputStream target;

    /** The entry that openings are of. */
    public record Of(Hash chainId, long sequence) {
        public static Of entry(Entry entry) {
            return new Of(entry.placement().chainId(), entry.sequence());
        }
    }

    public OpeningsFile(OutputStream target) throws IOException {
        this.target = target;
        target.write(MAGIC.toArray());
    }

    /**
     * @param field index in {@link Entry#fields()}
     */
    public void add(Of entry, int field, Opening opening) throws IOException {
        Bytes record =
                new ByteWriter()
                        .hash(entry.chainId)
                        .u64(entry.sequence)
                        .u8(field)
                        .raw(opening.r())
                        .bytes32(opening.text())
                        .toBytes();
        target.write(new ByteWriter().bytes32(record).toBytes().toArray());
    }

    /**
     * Reads a whole file.
     *
     * @throws RefusedException when it is no such file, or cut off
     */
    public static Map<Of, SortedMap<Integer, Opening>> read(InputStream file) throws IOException {
        if (!Bytes.of(file.readNBytes(MAGIC.length())).equals(MAGIC)) {
            throw new RefusedException("no file of openings, or of another version");
        }
        Map<Of, SortedMap<Integer, Opening>> all = new HashMap<>();
        for (byte[] length = file.readNBytes(Integer.BYTES);
                length.length > 0;
                length = file.readNBytes(Integer.BYTES)) {
            long bytes = new ByteReader(Bytes.of(length), "opening").u32("length");
            if (bytes > RECORD_BYTES_MAX) {
                throw new RefusedException("an opening of " + bytes + " bytes");
            }
            ByteReader in = new ByteReader(Bytes.of(file.readNBytes((int) bytes)), "opening");
            Of entry = new Of(in.hash("chain id"), in.u64("sequence"));
            int field = in.u8("field");
            Bytes r = in.raw(Opening.R_BYTES, "r");
            Opening opening = new Opening(r, in.bytes32(0, Entry.BYTES_MAX, "text"));
            in.end();
            all.computeIfAbsent(entry, any -> new TreeMap<>()).put(field, opening);
        }
        return all;
    }
}
