package io.volute.provenance.keys;

import io.volute.provenance.Samples;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.Signatures;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Key lists for golden files: of the first version, and by a forger with an Ed25519 key. */
public final class KeyLists {
    private static final SigningKey FIRST = Samples.key(SignatureAlgorithm.ED25519, "first");
    private static final SigningKey SECOND = Samples.key(SignatureAlgorithm.ML_DSA_65, "second");
    private static final SigningKey MALLORY = Samples.key(SignatureAlgorithm.ED25519, "mallory");

    /** A list with both algorithms in force. */
    public static final KeyList BOTH = KeyList.begin(Samples.STORE, List.of(FIRST, SECOND), 1);

    private KeyLists() {}

    /** Returns a list of seven records that an earlier version wrote. */
    public static KeyList versionOne() throws RefusedException {
        try (InputStream file =
                KeyLists.class.getResourceAsStream("/golden/key-list-version-1.hex")) {
            List<String> lines =
                    new String(file.readAllBytes(), StandardCharsets.US_ASCII).lines().toList();
            Bytes list = Bytes.of(HexFormat.of().parseHex(lines.get(1)));
            return KeyList.read(list, Hash.ofHex(lines.getFirst()));
        } catch (RefusedException e) {
            throw e;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns lists that are not {@link #BOTH} or a continuation of it, by what was done. */
    public static Map<String, Bytes> forged() {
        KeyGrant mallory = new KeyGrant(MALLORY.publicKey(), KeyRole.STORE, "", 100, KeyGrant.OPEN);
        KeyGrant ended = BOTH.find(SECOND.id()).orElseThrow().until(100);
        Bytes first = BOTH.record(0);
        Bytes second = BOTH.record(1);
        Map<String, Bytes> all = new LinkedHashMap<>();
        all.put(
                "addedByEd25519Alone",
                encode(first, second, next(2, mallory).signedBy(MALLORY).encode()));
        all.put("endedByEd25519Alone", encode(first, second, next(2, ended).encode()));
        all.put(
                "addedByVersionOne",
                encode(first, second, next(1, mallory).signedBy(MALLORY).encode()));
        all.put(
                "otherSecondKey",
                KeyList.begin(
                                Samples.STORE,
                                List.of(
                                        FIRST,
                                        Samples.key(SignatureAlgorithm.ML_DSA_65, "mallory")),
                                1)
                        .encode());
        all.put("withoutSecondKey", encode(first));
        return all;
    }

    private static KeyRecord next(int version, KeyGrant grant) {
        return new KeyRecord(
                        version,
                        2,
                        BOTH.hash(2),
                        Samples.STORE,
                        99,
                        grant,
                        List.of(),
                        Signatures.NONE)
                .signedBy(FIRST);
    }

    private static Bytes encode(Bytes... records) {
        ByteWriter out = new ByteWriter().raw(Bytes.of("VOLKEYS")).u8(1);
        for (Bytes each : records) {
            out.bytes32(each);
        }
        return out.toBytes();
    }
}
