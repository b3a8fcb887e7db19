package io.volute.provenance.record;

import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One event in a key's history: (U, W, hash(D), C, public, I) of the paper.
 *
 * @param versionId at most 64 bytes; empty when the event has none
 * @param content SHA-256 of the object's bytes, or of the canonical form of other new values
 * @param principal U
 * @param details W, by name
 * @param signers the signers of the batch
 * @param slots I: hashes of the key slots for the encrypted fields
 */
public record Entry(
        Placement placement,
        EventKind kind,
        Bytes versionId,
        Optional<Hash> content,
        Field principal,
        SortedMap<Bytes, Field> details,
        List<SignerId> signers,
        Optional<Attestation> attestation,
        Optional<Source> source,
        List<Hash> slots) {
    public static final int VERSION = 1;
    public static final int HASH_SHA_256 = 1;
    public static final int BYTES_MAX = 65_536;

    /** Name of the principal among the fields. */
    public static final String PRINCIPAL = "principal";

    static final int VERSION_ID_BYTES_MAX = 64;
    static final int DETAILS_MAX = 64;
    static final int DETAIL_NAME_BYTES_MAX = 64;
    static final int SLOTS_MAX = 255;

    /**
     * Where an entry stands.
     *
     * @param previousOfKind the previous entry of the same kind
     * @param timeMillis since 1970 UTC
     */
    public record Placement(
            SpiralShape shape,
            Hash chainId,
            long sequence,
            long commitSequence,
            long timeMillis,
            OptionalLong previousOfKind) {
        public Placement {
            if (previousOfKind.isPresent() && previousOfKind.getAsLong() >= sequence) {
                throw new IllegalArgumentException("the previous entry of the kind comes before");
            }
        }
    }

    public Entry {
        details = java.util.Collections.unmodifiableSortedMap(new TreeMap<>(details));
        signers = List.copyOf(signers);
        slots = List.copyOf(slots);
        if (versionId.length() > VERSION_ID_BYTES_MAX
                || details.size() > DETAILS_MAX
                || slots.size() > SLOTS_MAX
                || !SignerId.areCanonical(signers)) {
            throw new IllegalArgumentException("an entry beyond the limits of its format");
        }
        if (!fits(kind, source)) {
            throw new IllegalArgumentException(kind + " with a source, or without");
        }
    }

    static boolean fits(EventKind kind, Optional<Source> source) {
        return switch (kind) {
            case COPY -> source.isPresent();
            case RESTORE -> true;
            case WRITE, DELETE, METADATA, TAGS, ACL, LOCK, PURGE, SUMMARY, ROTATION, SETTINGS ->
                    source.isEmpty();
        };
    }

    /** The fields as a disclosure numbers them: the principal, then the details. */
    public List<Field> fields() {
        List<Field> fields = new ArrayList<>(details.size() + 1);
        fields.add(principal);
        fields.addAll(details.values());
        return fields;
    }

    /** Names of {@link #fields()}: {@link #PRINCIPAL}, then those of the details. */
    public List<String> fieldNames() {
        List<String> names = new ArrayList<>(details.size() + 1);
        names.add(PRINCIPAL);
        details.keySet().forEach(name -> names.add(name.text()));
        return names;
    }

    public long sequence() {
        return placement.sequence();
    }

    /**
     * @throws IllegalArgumentException when it would have more than 65,536 bytes
     */
    public Bytes encode() {
        ByteWriter out = new ByteWriter().u8(VERSION).u8(HASH_SHA_256);
        placement.shape().encode(out);
        out.hash(placement.chainId()).u64(placement.sequence()).u8(kind.code());
        out.u64(placement.commitSequence()).u64(placement.timeMillis());
        OptionalLong before = placement.previousOfKind();
        out.u64(before.isPresent() ? before.getAsLong() + 1 : 0);
        encodeContent(out.bytes16(versionId), content);
        principal.encode(out);
        out.u8(details.size());
        for (Map.Entry<Bytes, Field> detail : details.entrySet()) {
            detail.getValue().encode(out.bytes16(detail.getKey()));
        }
        SignerId.encodeAll(signers, out);
        Attestation.encode(attestation, out);
        out.u8(source.isPresent() ? 1 : 0);
        source.ifPresent(each -> each.head().encode(out.hash(each.chainId())));
        Bytes bytes = out.hashes(slots).toBytes();
        if (bytes.length() > BYTES_MAX) {
            throw new IllegalArgumentException("an entry of " + bytes.length() + " bytes");
        }
        return bytes;
    }

    static void encodeContent(ByteWriter out, Optional<Hash> content) {
        out.u8(content.isPresent() ? 1 : 0);
        content.ifPresent(out::hash);
    }

    /** Reads bytes that some earlier or other program wrote. */
    public static Entry decode(Bytes bytes) throws RefusedException {
        return EntryDecoder.decode(bytes);
    }

    /** The hash of an entry's bytes. */
    public static Hash hash(Bytes encoded) {
        return Domain.ENTRY.hash(encoded);
    }
}
