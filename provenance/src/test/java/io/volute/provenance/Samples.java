package io.volute.provenance;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.Attestation;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.Field;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SignerId;
import io.volute.provenance.record.Source;
import io.volute.provenance.record.SpiralShape;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;

/** Values for tests, all from a seed. */
public final class Samples {
    public static final Bytes STORE = Bytes.ofHex("000102030405060708090a0b0c0d0e0f");

    private Samples() {}

    public static Bytes bytes(Random random, int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return Bytes.of(bytes);
    }

    public static Hash hash(Random random) {
        return Hash.of(bytes(random, Hash.BYTES).toArray());
    }

    public static ChainIdentity identity(String key) {
        return new ChainIdentity(STORE, 7, "photos", Bytes.of(key));
    }

    /** A key whose seed is the name. */
    public static SigningKey key(SignatureAlgorithm algorithm, String name) {
        Hash seed = Hash.ofContent(Bytes.of(name).toArray());
        return SigningKey.ofSeed(algorithm, Bytes.of(seed.toArray()));
    }

    public static Entry entry(Random random) {
        EventKind kind = EventKind.of(1 + random.nextInt(11)).orElseThrow();
        long sequence = random.nextInt(1_000_000);
        boolean isFirst = sequence == 0 || random.nextBoolean();
        SpiralShape.Construction[] constructions = SpiralShape.Construction.values();
        return new Entry(
                new Entry.Placement(
                        new SpiralShape(constructions[random.nextInt(2)], random.nextInt(17)),
                        hash(random),
                        sequence,
                        random.nextLong() >>> 1,
                        random.nextLong() >>> 1,
                        isFirst
                                ? OptionalLong.empty()
                                : OptionalLong.of(random.nextLong(sequence))),
                kind,
                bytes(random, random.nextInt(65)),
                random.nextBoolean() ? Optional.of(hash(random)) : Optional.empty(),
                field(random),
                details(random),
                signers(random),
                random.nextBoolean() ? Optional.empty() : Optional.of(attestation(random)),
                source(random, kind),
                random.ints(random.nextInt(4)).mapToObj(i -> hash(random)).toList());
    }

    private static Optional<Source> source(Random random, EventKind kind) {
        boolean has = kind == EventKind.COPY || kind == EventKind.RESTORE && random.nextBoolean();
        return has
                ? Optional.of(
                        new Source(hash(random), new ChainHead(random.nextInt(99), hash(random))))
                : Optional.empty();
    }

    private static Attestation attestation(Random random) {
        return new Attestation(
                Attestation.By.values()[random.nextInt(2)],
                new SignerId(SignatureAlgorithm.ED25519, hash(random)),
                random.nextLong() >>> 1,
                bytes(random, 16),
                bytes(random, 64));
    }

    private static List<SignerId> signers(Random random) {
        SignerId one = new SignerId(SignatureAlgorithm.ED25519, hash(random));
        SignerId other = new SignerId(SignatureAlgorithm.ML_DSA_65, hash(random));
        return random.nextBoolean() ? List.of(one) : List.of(one, other);
    }

    private static SortedMap<Bytes, Field> details(Random random) {
        SortedMap<Bytes, Field> details = new TreeMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            details.put(Bytes.of("detail-" + random.nextInt(100)), field(random));
        }
        return details;
    }

    private static Field field(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> Field.ABSENT;
            case 1 -> Field.plain("alice-é-" + random.nextInt(100));
            case 2 -> new Field(Field.Form.ENCRYPTED, bytes(random, 16 + random.nextInt(40)));
            default -> Field.commitment(hash(random));
        };
    }
}
