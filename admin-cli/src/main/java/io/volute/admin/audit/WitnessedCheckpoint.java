package io.volute.admin.audit;

import io.volute.admin.client.AdminClient;
import io.volute.adminapi.AuditApi.CheckpointRequest;
import io.volute.adminapi.AuditTotals;
import io.volute.adminapi.Routes;
import io.volute.provenance.anchor.Checkpoint;
import io.volute.provenance.audit.Cause;
import io.volute.provenance.audit.Finding;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.RefusedException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Optional;

/** A checkpoint that witnesses have co-signed, which a server must still have as it was. */
record WitnessedCheckpoint(Checkpoint checkpoint) {
    /**
     * The one that is named, if one is.
     *
     * @throws IOException when a witness has not co-signed it
     */
    static Optional<WitnessedCheckpoint> of(ExportOptions files) throws IOException {
        if (files.witnesses().isEmpty()) {
            return Optional.empty();
        }
        Checkpoint checkpoint = CheckpointFiles.read(files.checkpoint());
        CheckpointFiles.requireWitnessed(files.checkpoint(), checkpoint, files.witnesses());
        return Optional.of(new WitnessedCheckpoint(checkpoint));
    }

    /** Returns an audit by the server, with what is wrong when its checkpoint is another one. */
    AuditResult compared(AdminClient client, Optional<String> cube, AuditResult audit)
            throws IOException, InterruptedException {
        Optional<String> wrong = wrong(client, cube);
        if (wrong.isEmpty()) {
            return audit;
        }
        AuditTotals totals = new AuditTotals();
        totals.add("checkpoints", new Finding(0, Cause.HIDDEN, wrong.get()));
        return new AuditResult(
                audit.run(), audit.checkpoint(), audit.found().with(totals.snapshot().findings()));
    }

    private Optional<String> wrong(AdminClient client, Optional<String> cube)
            throws IOException, InterruptedException {
        String name = "checkpoint " + checkpoint.body().number();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            long ignored =
                    client.download(
                            Routes.CHECKPOINT,
                            new CheckpointRequest(checkpoint.body().number(), cube),
                            answer -> answer.writeTo(bytes));
        } catch (AdminClient.RefusedException e) {
            if (e.isOf("NoSuchCheckpoint")) {
                return Optional.of(
                        "the server has no "
                                + name
                                + ", which was co-signed: it was put back to an older state, or is"
                                + " another store");
            }
            throw e;
        }
        try {
            return Checkpoint.decode(Bytes.of(bytes.toByteArray())).hash().equals(checkpoint.hash())
                    ? Optional.empty()
                    : Optional.of(
                            "the server's "
                                    + name
                                    + " is not the one that was co-signed: the history was forked,"
                                    + " or is another store's");
        } catch (RefusedException e) {
            return Optional.of("the server's " + name + " cannot be read: " + e.getMessage());
        }
    }
}
