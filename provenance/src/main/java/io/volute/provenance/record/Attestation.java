package io.volute.provenance.record;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import java.util.Optional;

/**
 * A principal's own signature for its action.
 *
 * @param timeMillis since 1970 UTC, by the signer's clock
 * @param nonce 16 bytes, random
 */
public record Attestation(By by, SignerId signer, long timeMillis, Bytes nonce, Bytes signature) {
    public static final int NONCE_BYTES = 16;

    /** The holder of the private key; the ordinal + 1 is the code. */
    public enum By {
        /** The client alone. */
        CLIENT,
        /** The store keeps it for the principal. */
        STORE
    }

    public Attestation {
        if (nonce.length() != NONCE_BYTES) {
            throw new IllegalArgumentException("a nonce has 16 bytes");
        }
        if (signature.length() != signer.algorithm().signatureBytes()) {
            throw new IllegalArgumentException("wrong length of signature");
        }
    }

    /**
     * Encodes the statement that the principal signs. A client knows all of it before its request.
     */
    public static Bytes statement(
            ChainIdentity chain,
            EventKind kind,
            Optional<Hash> content,
            SignerId signer,
            long timeMillis,
            Bytes nonce) {
        ByteWriter out = new ByteWriter().text(chain.bucket()).bytes16(chain.key());
        Entry.encodeContent(out.u8(kind.code()), content);
        signer.encode(out);
        return out.u64(timeMillis).raw(nonce).toBytes();
    }

    /**
     * Encodes the statement that this attestation must sign if it belongs to an entry of a chain.
     */
    public Bytes statement(ChainIdentity chain, Entry entry) {
        return statement(chain, entry.kind(), entry.content(), signer, timeMillis, nonce);
    }

    static void encode(Optional<Attestation> attestation, ByteWriter out) {
        out.u8(attestation.map(each -> each.by.ordinal() + 1).orElse(0));
        attestation.ifPresent(
                each -> {
                    each.signer.encode(out);
                    out.u64(each.timeMillis).raw(each.nonce).bytes16(each.signature);
                });
    }

    static Optional<Attestation> decode(ByteReader in) throws RefusedException {
        int code = in.count(By.values().length, "attestation");
        if (code == 0) {
            return Optional.empty();
        }
        SignerId signer = SignerId.decode(in);
        int bytes = signer.algorithm().signatureBytes();
        return Optional.of(
                new Attestation(
                        By.values()[code - 1],
                        signer,
                        in.u64("attestation time"),
                        in.raw(NONCE_BYTES, "nonce"),
                        in.bytes16(bytes, bytes, "attestation signature")));
    }
}
