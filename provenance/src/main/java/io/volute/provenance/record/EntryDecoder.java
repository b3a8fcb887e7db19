package io.volute.provenance.record;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads an entry, the fields in the order of {@code docs/format/provenance.md}. */
final class EntryDecoder {
    private EntryDecoder() {}

    static Entry decode(Bytes bytes) throws RefusedException {
        ByteReader in = new ByteReader(bytes, "entry");
        if (bytes.length() > Entry.BYTES_MAX) {
            throw in.refused(bytes.length() + " bytes, at most " + Entry.BYTES_MAX);
        }
        in.only(Entry.VERSION, "version");
        in.only(Entry.HASH_SHA_256, "hash algorithm");
        SpiralShape shape = SpiralShape.decode(in);
        Hash chainId = in.hash("chain id");
        long sequence = in.u64("sequence");
        EventKind kind = kind(in);
        long commitSequence = in.u64("commit sequence");
        long timeMillis = in.u64("time");
        OptionalLong previous = previousOfKind(in, sequence);
        Bytes versionId = in.bytes16(0, Entry.VERSION_ID_BYTES_MAX, "version id");
        Optional<Hash> content = content(in);
        Field principal = Field.decode(in, "principal");
        SortedMap<Bytes, Field> details = details(in);
        List<SignerId> signers = SignerId.decodeAll(in);
        Optional<Attestation> attestation = Attestation.decode(in);
        Optional<Source> source = source(in, kind);
        List<Hash> slots = in.hashes(Entry.SLOTS_MAX, "key slots");
        in.end();
        return new Entry(
                new Entry.Placement(shape, chainId, sequence, commitSequence, timeMillis, previous),
                kind,
                versionId,
                content,
                principal,
                details,
                signers,
                attestation,
                source,
                slots);
    }

    private static EventKind kind(ByteReader in) throws RefusedException {
        int code = in.u8("kind");
        Optional<EventKind> kind = EventKind.of(code);
        if (kind.isEmpty()) {
            throw in.refused("kind " + code + " is unknown");
        }
        return kind.get();
    }

    private static OptionalLong previousOfKind(ByteReader in, long sequence)
            throws RefusedException {
        long value = in.u64("previous of the kind");
        if (value > sequence) {
            throw in.refused("the previous entry of the kind does not come before");
        }
        return value == 0 ? OptionalLong.empty() : OptionalLong.of(value - 1);
    }

    private static Optional<Hash> content(ByteReader in) throws RefusedException {
        return in.count(1, "as content") == 0 ? Optional.empty() : Optional.of(in.hash("content"));
    }

    private static SortedMap<Bytes, Field> details(ByteReader in) throws RefusedException {
        int count = in.count(Entry.DETAILS_MAX, "details");
        TreeMap<Bytes, Field> details = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            Bytes name = Bytes.of(in.text(1, Entry.DETAIL_NAME_BYTES_MAX, "detail's name"));
            if (!details.isEmpty() && details.lastKey().compareTo(name) >= 0) {
                throw in.refused("details out of order");
            }
            details.put(name, Field.decode(in, "detail"));
        }
        return details;
    }

    private static Optional<Source> source(ByteReader in, EventKind kind) throws RefusedException {
        Optional<Source> source =
                in.count(1, "as source") == 0
                        ? Optional.empty()
                        : Optional.of(new Source(in.hash("source chain"), ChainHead.decode(in)));
        if (!Entry.fits(kind, source)) {
            throw in.refused(kind + " with a source, or without");
        }
        return source;
    }
}
