package io.volute.server.admin;

import io.volute.provenance.anchor.Checkpoint;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.PublicKey;
import io.volute.provenance.record.SignerId;
import io.volute.versioning.BucketName;
import io.volute.versioning.ObjectKey;
import io.volute.versioning.Provenance;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;

/** Nothing of it may be called, but what a test overrides. */
class UnusedProvenance implements Provenance {
    @Override
    public KeyList keys() {
        throw new AssertionError();
    }

    @Override
    public void rotateKeys() {
        throw new AssertionError();
    }

    @Override
    public void addPrincipalKey(String principal, PublicKey key) {
        throw new AssertionError();
    }

    @Override
    public void endPrincipalKey(SignerId id) {
        throw new AssertionError();
    }

    @Override
    public Checkpoint checkpoint(BooleanSupplier goesOn) {
        throw new AssertionError();
    }

    @Override
    public List<Checkpoint> checkpoints(long from, int max) {
        throw new AssertionError();
    }

    @Override
    public void writeHeads(Checkpoint at, OutputStream target) {
        throw new AssertionError();
    }

    @Override
    public List<String> auditCheckpoints(OptionalLong compared, BooleanSupplier goesOn) {
        throw new AssertionError();
    }

    @Override
    public long export(Range range, OutputStream target) {
        throw new AssertionError();
    }

    @Override
    public long audit(Range range, Terms terms, Reports reports) throws IOException {
        throw new AssertionError();
    }

    @Override
    public void entries(BucketName bucket, ObjectKey key, long from, Entries entries) {
        throw new AssertionError();
    }
}
