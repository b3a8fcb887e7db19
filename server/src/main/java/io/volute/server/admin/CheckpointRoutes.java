package io.volute.server.admin;

import io.volute.provenance.anchor.Checkpoint;
import io.volute.server.s3.request.S3Response.Content;
import io.volute.versioning.CheckpointRefusedException;
import io.volute.versioning.Provenance;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Checkpoints of all chains, for auditors. Thread-safe. */
final class CheckpointRoutes {
    private static final String NUMBER = "number";

    private final Supplier<Provenance> provenance;
    private volatile boolean isClosing;

    CheckpointRoutes(Supplier<Provenance> provenance) {
        this.provenance = provenance;
    }

    Map<String, Object> make(Arguments asked) throws IOException {
        asked.only();
        try {
            return document(provenance.get().checkpoint(() -> !isClosing));
        } catch (CheckpointRefusedException e) {
            throw new AdminException(409, "CheckpointRefused", e.getMessage());
        }
    }

    Map<String, Object> list(Arguments asked) throws IOException {
        asked.only("max", "from");
        int max = asked.max();
        List<Checkpoint> found =
                new ArrayList<>(
                        provenance.get().checkpoints(asked.number("from").orElse(0L), max + 1));
        Map<String, Object> document = new LinkedHashMap<>();
        if (found.size() > max) {
            document.put("next", Long.toString(found.removeLast().body().number()));
        }
        document.put("checkpoints", found.stream().map(CheckpointRoutes::document).toList());
        provenance.get().refusal().ifPresent(why -> document.put("refused", why));
        return document;
    }

    /** Returns the checkpoint in its signed, binary form. */
    Content bytes(Arguments asked) throws IOException {
        return new Content.Bytes(needed(asked).encode().toArray());
    }

    /** Streams all heads at the time of a checkpoint. */
    Content heads(Arguments asked) throws IOException {
        Checkpoint at = needed(asked);
        Provenance chains = provenance.get();
        return new Content.Stream(target -> chains.writeHeads(at, target));
    }

    private Checkpoint needed(Arguments asked) throws IOException {
        asked.only(NUMBER);
        long number = asked.neededNumber(NUMBER);
        return provenance.get().checkpoints(number, 1).stream()
                .filter(each -> each.body().number() == number)
                .findFirst()
                .orElseThrow(
                        () ->
                                new AdminException(
                                        404,
                                        "NoSuchCheckpoint",
                                        "there is no checkpoint " + number));
    }

    private static Map<String, Object> document(Checkpoint checkpoint) {
        Checkpoint.Body body = checkpoint.body();
        Map<String, Object> document = new LinkedHashMap<>();
        document.put(NUMBER, body.number());
        document.put("time", Instant.ofEpochMilli(body.timeMillis()));
        document.put("commitSequence", body.commitSequence());
        document.put("heads", body.heads());
        document.put("mapRoot", body.mapRoot().hex());
        document.put("hash", checkpoint.hash().hex());
        return document;
    }

    /** Ends one that is being made. */
    void close() {
        isClosing = true;
    }
}
