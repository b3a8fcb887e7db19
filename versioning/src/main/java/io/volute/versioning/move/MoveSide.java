package io.volute.versioning.move;

import io.volute.storage.Cube;
import io.volute.versioning.bucket.BucketDirectory;
import io.volute.versioning.event.ClockWatch;
import io.volute.versioning.event.EventLog;
import io.volute.versioning.outbox.OutboxRows;
import io.volute.versioning.provenance.ProvenanceLog;
import io.volute.versioning.provenance.audit.StoreAudit;
import io.volute.versioning.state.KeyLocks;
import java.time.InstantSource;
import java.util.Optional;

/**
 * An open cube that a bucket moves from or to.
 *
 * @param log the signed chains of the cube, or the marks of its keys while signatures are off;
 *     empty when it records neither
 * @param audits audits of the chains; empty when it signs nothing now
 */
public record MoveSide(
        Cube cube,
        BucketDirectory buckets,
        KeyLocks locks,
        EventLog events,
        OutboxRows outbox,
        Optional<ProvenanceLog> log,
        Optional<StoreAudit> audits,
        InstantSource clock,
        ClockWatch watch) {}
