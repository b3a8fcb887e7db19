package io.volute.provenance.record;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.RefusedException;

/**
 * How a chain is linked. Dimensions 0 to R have the distances 1, 2, 4, ... 2^R; dimension R + 1
 * leads to the previous entry of the same kind.
 *
 * @param exponent R, 0 to 16
 */
public record SpiralShape(Construction construction, int exponent) {
    public static final int EXPONENT_MAX = 16;

    /** The paper's two constructions; the ordinal + 1 is the code. */
    public enum Construction {
        /** One link over all previous ones: a forged entry shows in several later ones. */
        ONE_LINK,
        /** One link per dimension: each may be followed alone, and entries be summarised away. */
        LINK_PER_DIMENSION
    }

    public SpiralShape {
        if (exponent < 0 || exponent > EXPONENT_MAX) {
            throw new IllegalArgumentException("R is 0 to 16, not " + exponent);
        }
    }

    /** Dimensions, the one of the kind included. */
    public int dimensions() {
        return exponent + 2;
    }

    public int kindDimension() {
        return exponent + 1;
    }

    /** The greatest distance. */
    public int reach() {
        return 1 << exponent;
    }

    void encode(ByteWriter out) {
        out.u8(construction.ordinal() + 1).u8(exponent);
    }

    static SpiralShape decode(ByteReader in) throws RefusedException {
        int code = in.u8("construction");
        if (code < 1 || code > Construction.values().length) {
            throw in.refused("construction " + code + " is unknown");
        }
        return new SpiralShape(Construction.values()[code - 1], in.count(EXPONENT_MAX, "as R"));
    }
}
