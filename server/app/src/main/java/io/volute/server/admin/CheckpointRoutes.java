package io.volute.server.admin;

import io.volute.adminapi.AuditApi;
import io.volute.adminapi.AuditApi.Checkpoints;
import io.volute.provenance.anchor.Checkpoint;
import io.volute.server.s3.request.S3Response.Content;
import io.volute.versioning.CheckpointRefusedException;
import io.volute.versioning.Provenance;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Checkpoints of all chains, for auditors. Thread-safe. */
final class CheckpointRoutes {
    private static final String NUMBER = "number";

    private final Function<Arguments, Provenance> provenance;
    private volatile boolean isClosing;

    CheckpointRoutes(Function<Arguments, Provenance> provenance) {
        this.provenance = provenance;
    }

    AuditApi.Checkpoint make(Arguments asked) throws IOException {
        try {
            return document(provenance.apply(asked).checkpoint(() -> !isClosing));
        } catch (CheckpointRefusedException e) {
            throw new AdminException(409, "CheckpointRefused", e.getMessage());
        }
    }

    Checkpoints list(Arguments asked) throws IOException {
        int max = asked.max();
        List<Checkpoint> found =
                new ArrayList<>(
                        provenance
                                .apply(asked)
                                .checkpoints(asked.number("from").orElse(0L), max + 1));
        Optional<String> next = Optional.empty();
        if (found.size() > max) {
            next = Optional.of(Long.toString(found.removeLast().body().number()));
        }
        return new Checkpoints(
                next,
                found.stream().map(CheckpointRoutes::document).toList(),
                provenance.apply(asked).refusal());
    }

    /** Returns the checkpoint in its signed, binary form. */
    Content bytes(Arguments asked) throws IOException {
        return new Content.Bytes(needed(asked).encode().toArray());
    }

    /** Streams all heads at the time of a checkpoint. */
    Content heads(Arguments asked) throws IOException {
        Checkpoint at = needed(asked);
        Provenance chains = provenance.apply(asked);
        return new Content.Stream(target -> chains.writeHeads(at, target));
    }

    private Checkpoint needed(Arguments asked) throws IOException {
        long number = asked.neededNumber(NUMBER);
        return provenance.apply(asked).checkpoints(number, 1).stream()
                .filter(each -> each.body().number() == number)
                .findFirst()
                .orElseThrow(
                        () ->
                                new AdminException(
                                        404,
                                        "NoSuchCheckpoint",
                                        "there is no checkpoint " + number));
    }

    private static AuditApi.Checkpoint document(Checkpoint checkpoint) {
        Checkpoint.Body body = checkpoint.body();
        return new AuditApi.Checkpoint(
                body.number(),
                Instant.ofEpochMilli(body.timeMillis()),
                body.commitSequence(),
                body.heads(),
                body.mapRoot().hex(),
                checkpoint.hash().hex());
    }

    /** Ends one that is being made. */
    void close() {
        isClosing = true;
    }
}
