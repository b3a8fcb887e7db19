package io.volute.admin.provenance;

import io.volute.admin.audit.CheckpointFiles;
import io.volute.admin.audit.PrivateKeyFile;
import io.volute.admin.client.WholeFile;
import io.volute.provenance.anchor.Checkpoint;
import io.volute.provenance.anchor.CoSignature;
import io.volute.provenance.anchor.Witness;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.storage.io.DurableFile.Readers;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.OsFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A witness's key, and the checkpoint that it co-signed last. The file of that is written and
 * forced before a co-signature is given away: after a crash the witness knows at least what it has
 * signed, and cannot be led to sign a fork of it.
 *
 * @param keyFile private, Ed25519 in PEM
 * @param lastFile the last checkpoint with the witness's own signature in it, so that it is seen
 *     when somebody changes it; mode 0600
 */
record WitnessSigning(Path keyFile, Path lastFile) {
    /** The result of a signature: the checkpoint, the witness's outcome and the signature file. */
    record Done(Checkpoint checkpoint, Witness.Outcome outcome, Path file) {}

    /**
     * Looks at a checkpoint, and co-signs it when nothing speaks against that.
     *
     * @param isFirst whether there is no last one
     * @param output gets the co-signature; empty: beside the checkpoint
     */
    Done sign(Path file, KeyList keys, boolean isFirst, Optional<Path> output) throws IOException {
        SigningKey key =
                SigningKey.ofSeed(
                        SignatureAlgorithm.ED25519, PrivateKeyFile.ofWitness(keyFile).read());
        Path lock = lastFile.resolveSibling(lastFile.getFileName() + ".lock");
        try (FileSystem.DirectoryLock held = new OsFileSystem().lock(lock)) {
            Optional<Checkpoint> last = last(key, isFirst);
            Checkpoint next = CheckpointFiles.read(file);
            Witness.Outcome outcome =
                    new Witness(keys, key, last).look(next, new CheckpointFiles.Beside(file));
            Path target = output.orElseGet(() -> CheckpointFiles.coSignature(file, key.id()));
            if (outcome instanceof Witness.Outcome.Signed signed) {
                byte[] kept = signed.last().encode().toArray();
                WholeFile.write(lastFile, Readers.OWNER, out -> out.write(kept));
                byte[] given = signed.coSignature().encode().toArray();
                WholeFile.write(target, Readers.USUAL, out -> out.write(given));
            }
            return new Done(next, outcome, target);
        }
    }

    private Optional<Checkpoint> last(SigningKey key, boolean isFirst) throws IOException {
        if (!Files.exists(lastFile)) {
            if (isFirst) {
                return Optional.empty();
            }
            throw new IOException(
                    lastFile
                            + " is missing, the checkpoint that this witness co-signed last: put it"
                            + " back, or use --first when there has never been one. A fork can"
                            + " deceive a witness that has lost its last checkpoint.");
        }
        if (isFirst) {
            throw new IOException(
                    lastFile + " is there, so that this is not the first: leave out --first");
        }
        try {
            Checkpoint last = CheckpointFiles.read(lastFile);
            if (CoSignature.within(last, key.id())
                    .filter(each -> each.wrong(last, key.publicKey()).isEmpty())
                    .isPresent()) {
                return Optional.of(last);
            }
        } catch (RefusedException e) {
            throw new IOException(lastFile + " is cut off or damaged: " + e.getMessage(), e);
        }
        throw new IOException(
                lastFile + " is not as this witness wrote it: it was changed, or is another's");
    }
}
