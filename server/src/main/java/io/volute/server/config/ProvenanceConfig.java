package io.volute.server.config;

import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SpiralShape;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreOptions.Confidentiality;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * The settings of the signed history.
 *
 * @param algorithms one key of each signs; none: there is no provenance
 * @param shape of the spiral of new chains
 * @param masterKey seals the private keys; empty: the file in the data directory
 * @param passphrase a file whose first line makes the master key, in place of its file
 * @param confidentiality the hidden fields of entries, and their readers
 * @param checkpointInterval time between checkpoints; zero makes them only on request
 * @param checkpointDirectory gets a copy of each checkpoint
 * @param checkpointExport gets each checkpoint as well
 * @param retention entries that a checkpoint of that age covers may go; zero: none go
 * @param onMissingSettings action at a start of a store whose own chain is missing
 */
public record ProvenanceConfig(
        Set<SignatureAlgorithm> algorithms,
        SpiralShape shape,
        Optional<Path> masterKey,
        Optional<Path> passphrase,
        Confidentiality confidentiality,
        Duration checkpointInterval,
        Optional<Path> checkpointDirectory,
        Optional<CheckpointExport> checkpointExport,
        Duration retention,
        OnMissingSettings onMissingSettings) {
    public ProvenanceConfig {
        algorithms = Set.copyOf(algorithms);
    }

    /**
     * Returns the settings of a cube. The copies of checkpoints of other cubes than the system's go
     * to a directory of their own, because each cube numbers its checkpoints.
     */
    public ProvenanceConfig ofCube(String name) {
        return name.equals(StoreCubes.SYSTEM)
                ? this
                : new ProvenanceConfig(
                        algorithms,
                        shape,
                        masterKey,
                        passphrase,
                        confidentiality,
                        checkpointInterval,
                        checkpointDirectory.map(all -> all.resolve("cube-" + name)),
                        checkpointExport,
                        retention,
                        onMissingSettings);
    }

    /** The actions at a start of a store whose own chain was taken out. */
    public enum OnMissingSettings {
        REFUSE,
        BEGIN_ANEW
    }

    /** The signature algorithms, by their names in the configuration. */
    enum Signatures {
        NONE,
        ED25519(SignatureAlgorithm.ED25519),
        ML_DSA_65(SignatureAlgorithm.ML_DSA_65),
        BOTH(SignatureAlgorithm.ED25519, SignatureAlgorithm.ML_DSA_65);

        private final Set<SignatureAlgorithm> algorithms;

        Signatures(SignatureAlgorithm... algorithms) {
            this.algorithms = Set.of(algorithms);
        }

        Set<SignatureAlgorithm> algorithms() {
            return algorithms;
        }
    }

    /** The paper's two, as they are written in the configuration. */
    enum Construction {
        ONE_LINK(SpiralShape.Construction.ONE_LINK),
        LINK_PER_DIMENSION(SpiralShape.Construction.LINK_PER_DIMENSION);

        private final SpiralShape.Construction construction;

        Construction(SpiralShape.Construction construction) {
            this.construction = construction;
        }

        SpiralShape shape(long exponent) {
            return new SpiralShape(construction, Math.toIntExact(exponent));
        }
    }
}
