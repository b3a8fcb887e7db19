package io.volute.versioning;

import io.volute.provenance.keys.MasterKey;
import io.volute.provenance.keys.PassphraseParameters;
import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SignerId;
import io.volute.provenance.record.SpiralShape;
import io.volute.provenance.record.SpiralShape.Construction;
import io.volute.versioning.StoreOptions.ProvenanceSettings;
import java.security.SecureRandom;
import java.util.Set;

/** Settings of provenance for tests. */
public final class TestKeys {
    public static final SpiralShape SHAPE = new SpiralShape(Construction.ONE_LINK, 3);

    /** Made once: a passphrase takes its time. */
    public static final MasterKey MASTER = master("correct horse");

    private TestKeys() {}

    public static MasterKey master(String passphrase) {
        return MasterKey.ofPassphrase(
                passphrase.toCharArray(), PassphraseParameters.generate(new SecureRandom()));
    }

    public static ProvenanceSettings settings(SpiralShape shape, SignatureAlgorithm... algorithms) {
        return new ProvenanceSettings(MASTER, Set.of(algorithms), shape, new SecureRandom());
    }

    /** The id of a key that nobody has registered. */
    public static SignerId unknown() {
        return SigningKey.generate(SignatureAlgorithm.ED25519, new SecureRandom()).id();
    }

    public static ProvenanceSettings settings() {
        return settings(SHAPE, SignatureAlgorithm.ED25519);
    }
}
