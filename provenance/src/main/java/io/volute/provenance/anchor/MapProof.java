package io.volute.provenance.anchor;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A proof that a map contains a chain or does not contain it. Siblings are ordered from the leaf
 * upwards. A proof has no value until its {@link #root} is compared with that of a checkpoint.
 */
public sealed interface MapProof {
    /** The chain is there. */
    record Present(List<Hash> siblings, ChainHead head) implements MapProof {}

    /** It is not: nothing is where it would be. */
    record Nothing(List<Hash> siblings) implements MapProof {}

    /** It is not: another chain has the place alone. */
    record Other(List<Hash> siblings, Hash chainId, ChainHead head) implements MapProof {}

    int DEPTH_MAX = 256;

    List<Hash> siblings();

    /** Returns the root of the map that this proof is valid for; empty if no map can have it. */
    default Optional<Hash> root(Hash chainId) {
        return switch (this) {
            case Present present ->
                    Optional.of(climb(chainId, PrefixMap.leafHash(chainId, present.head)));
            case Nothing ignored -> Optional.of(climb(chainId, Hash.ZERO));
            case Other other when other.chainId.equals(chainId) || !isOnWay(other, chainId) ->
                    Optional.empty();
            case Other other ->
                    Optional.of(climb(chainId, PrefixMap.leafHash(other.chainId, other.head)));
        };
    }

    private static boolean isOnWay(Other other, Hash chainId) {
        for (int bit = 0; bit < other.siblings.size(); bit++) {
            if (chainId.bit(bit) != other.chainId.bit(bit)) {
                return false;
            }
        }
        return true;
    }

    private Hash climb(Hash chainId, Hash from) {
        Hash hash = from;
        int depth = siblings().size();
        for (Hash sibling : siblings()) {
            depth--;
            hash =
                    chainId.bit(depth)
                            ? PrefixMap.branchHash(sibling, hash)
                            : PrefixMap.branchHash(hash, sibling);
        }
        return hash;
    }

    /** The canonical bytes. */
    default Bytes encode() {
        int code =
                switch (this) {
                    case Present ignored -> 1;
                    case Nothing ignored -> 2;
                    case Other ignored -> 3;
                };
        ByteWriter out = new ByteWriter().u8(Entry.VERSION).u8(code).u16(siblings().size());
        siblings().forEach(out::hash);
        switch (this) {
            case Present present -> present.head.encode(out);
            case Nothing ignored -> {}
            case Other other -> other.head.encode(out.hash(other.chainId));
        }
        return out.toBytes();
    }

    static MapProof decode(Bytes bytes) throws RefusedException {
        ByteReader in = new ByteReader(bytes, "proof");
        in.only(Entry.VERSION, "version");
        int code = in.u8("outcome");
        int depth = in.u16("depth");
        if (depth > DEPTH_MAX) {
            throw in.refused("depth " + depth);
        }
        List<Hash> siblings = new ArrayList<>();
        for (int i = 0; i < depth; i++) {
            siblings.add(in.hash("sibling"));
        }
        MapProof proof =
                switch (code) {
                    case 1 -> new Present(List.copyOf(siblings), ChainHead.decode(in));
                    case 2 -> new Nothing(List.copyOf(siblings));
                    case 3 ->
                            new Other(
                                    List.copyOf(siblings),
                                    in.hash("chain id"),
                                    ChainHead.decode(in));
                    default -> throw in.refused("outcome " + code + " is unknown");
                };
        in.end();
        return proof;
    }
}
