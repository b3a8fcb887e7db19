package io.volute.testkit.crash;

import io.volute.provenance.format.Hash;
import io.volute.provenance.keys.MasterKey;
import io.volute.provenance.keys.PassphraseParameters;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SpiralShape;
import io.volute.provenance.record.SpiralShape.Construction;
import io.volute.versioning.Provenance;
import io.volute.versioning.StoreOptions.ProvenanceSettings;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/** Provenance of stores on simulated disks: one master key, and what entries say in words. */
public final class SimProvenance {
    /** Made once: a passphrase takes its time. */
    private static final MasterKey MASTER =
            MasterKey.ofPassphrase(
                    "correct horse".toCharArray(),
                    PassphraseParameters.generate(new SecureRandom()));

    private static final Provenance.Terms CONTENTS =
            new Provenance.Terms(Provenance.AuditScopeOf.EVERYTHING, Set.of(), false, true, 1);

    private SimProvenance() {}

    public static ProvenanceSettings settings() {
        return settings(3);
    }

    /**
     * @param exponent R
     */
    static ProvenanceSettings settings(int exponent) {
        return new ProvenanceSettings(
                        MASTER,
                        Set.of(SignatureAlgorithm.ED25519),
                        new SpiralShape(Construction.ONE_LINK, exponent),
                        new SecureRandom())
                .with(Duration.ofMillis(1));
    }

    /** Audits all chains and compares contents. Returns the findings, then the number of chains. */
    public static List<String> audit(Provenance provenance) throws IOException {
        return audit(provenance, Provenance.Range.ALL);
    }

    /** Audits the chains of a range, as {@link #audit(Provenance)} does. */
    static List<String> audit(Provenance provenance, Provenance.Range range) throws IOException {
        List<String> found = Collections.synchronizedList(new ArrayList<>());
        long chains =
                provenance.audit(
                        range,
                        CONTENTS,
                        report ->
                                report.findings().stream()
                                        .map(each -> report.chain() + ", " + each)
                                        .allMatch(found::add));
        found.add(chains + " chains");
        return found;
    }

    /** The entries of a key, as {@link #words(String, Hash)} has them. */
    public static List<String> entries(Provenance provenance, BucketName bucket, ObjectKey key)
            throws IOException {
        List<String> entries = new ArrayList<>();
        provenance.entries(bucket, key, each -> entries.add(words(each.entry())));
        return entries;
    }

    private static String words(Entry entry) {
        String kind = entry.kind().name();
        return entry.content().map(content -> words(kind, content)).orElse(kind);
    }

    public static String words(String kind, Hash content) {
        return kind + " " + content;
    }
}
