package io.volute.server.upkeep;

import io.volute.provenance.anchor.Checkpoint;
import io.volute.server.ResourceStack;
import io.volute.server.Upkeep;
import io.volute.server.config.CheckpointExport;
import io.volute.server.config.ProvenanceConfig;
import io.volute.server.credentials.Credential;
import io.volute.server.deposit.BucketDepository;
import io.volute.server.deposit.Depository;
import io.volute.server.deposit.Depository.Existing;
import io.volute.server.deposit.EndpointDepository;
import io.volute.server.metrics.UpkeepFigures;
import io.volute.storage.DamagedException;
import io.volute.storage.directory.StoreDirectory;
import io.volute.versioning.Provenance;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.VersionedStore;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts every checkpoint in a bucket, the oldest first, under the file names that {@link
 * CheckpointUpkeep} uses. Its progress is in the data directory. A failed delivery is repeated,
 * also after a restart, and no listing of the target is needed.
 *
 * <pre>
 *   target      the target
 *   next        number of the first checkpoint that is not there yet
 *   heads       number of the checkpoint whose heads are there; -1: none
 * </pre>
 *
 * A checkpoint or list of heads that is there is never replaced, and none is removed: the holder of
 * a checkpoint compares it with its heads.
 */
public final class CheckpointDelivery implements Upkeep.Task {
    static final Upkeep.Pauses PAUSES =
            new Upkeep.Pauses(Duration.ZERO, Duration.ofSeconds(10), Duration.ofMinutes(5));

    private static final Logger LOG = LoggerFactory.getLogger(CheckpointDelivery.class);
    private static final String NOTE = "checkpoint-export";
    private static final int PAGE = 100;

    private final Provenance provenance;
    private final String note;

    /** Beginning of all names at the target. */
    private final String prefix;

    private final Depository target;
    private final StoreDirectory directory;
    private final Path aside;
    private volatile boolean isClosing;
    private volatile long missing;
    private volatile long failures;
    private boolean isFailing;
    private long next;
    private long heads = -1;

    /**
     * The checkpoints of one cube. Those of other cubes than the system's have names in a directory
     * of their own.
     *
     * @param provenance empty when nothing is signed
     */
    public record OfCube(String name, Optional<Provenance> provenance) {
        private boolean isSystem() {
            return name.equals(StoreCubes.SYSTEM);
        }
    }

    CheckpointDelivery(OfCube cube, Depository target, StoreDirectory directory)
            throws IOException {
        this.provenance = cube.provenance().orElseThrow();
        this.note = cube.isSystem() ? NOTE : NOTE + "-" + cube.name();
        this.prefix = cube.isSystem() ? "" : "cube-" + cube.name() + "/";
        this.target = target;
        this.directory = directory;
        aside = directory.directory().resolve(note + ".new");
        Optional<Map<String, String>> known = known();
        if (known.isPresent() && target.text().equals(known.get().get("target"))) {
            next = Long.parseLong(known.get().getOrDefault("next", "0"));
            heads = Long.parseLong(known.get().getOrDefault("heads", "-1"));
        }
    }

    /** Returns the note. A lost one costs a comparison with what the target has. */
    private Optional<Map<String, String>> known() throws IOException {
        try {
            return directory.remembered(note);
        } catch (DamagedException e) {
            LOG.warn("{}; all checkpoints are delivered again", e.getMessage());
            return Optional.empty();
        }
    }

    /** Begins to look, when the configuration names a place. */
    public static Optional<CheckpointDelivery> start(
            ProvenanceConfig config,
            OfCube cube,
            VersionedStore store,
            StoreDirectory directory,
            InstantSource clock,
            ResourceStack resources)
            throws IOException {
        if (cube.provenance().isEmpty() || config.checkpointExport().isEmpty()) {
            return Optional.empty();
        }
        Depository target =
                switch (config.checkpointExport().get()) {
                    case CheckpointExport.Bucket own ->
                            new BucketDepository(store, own, Credential.ROOT_PRINCIPAL);
                    case CheckpointExport.Endpoint other -> elsewhere(other, clock);
                };
        CheckpointDelivery task = new CheckpointDelivery(cube, target, directory);
        resources.add("checkpoint export", Upkeep.start(task.note, PAUSES, task));
        return Optional.of(task);
    }

    private static Depository elsewhere(CheckpointExport.Endpoint other, InstantSource clock)
            throws IOException {
        if (!"https".equals(other.server().getScheme())) {
            LOG.warn(
                    "provenance.checkpoint-export is without TLS: who is on the way can say that a"
                            + " checkpoint was taken, and drop it");
        }
        return new EndpointDepository(other, clock);
    }

    /**
     * Returns the figures of the last look. One checkpoint counts as missing when only its heads
     * are.
     */
    public UpkeepFigures.Delivery figures() {
        return new UpkeepFigures.Delivery(missing, failures);
    }

    @Override
    public void look() throws IOException {
        Optional<Checkpoint> newest = provenance.lastCheckpoint();
        if (newest.isEmpty()) {
            return;
        }
        long number = newest.get().body().number();
        if (next > number + 1) {
            String why =
                    target.text()
                            + " has checkpoints up to "
                            + (next - 1)
                            + ", the store up to "
                            + number
                            + ": the data directory was put back, and no checkpoint is signed."
                            + " Existing checkpoints are not replaced; name another"
                            + " provenance.checkpoint-export once you know the reason";
            LOG.error("{}", why);
            provenance.doubtCheckpoints(Optional.of(why));
            next = 0;
            heads = -1;
        }
        missing = Math.max(number + 1 - next, heads == number ? 0 : 1);
        if (missing == 0) {
            return;
        }
        try {
            deliver(newest.get());
        } catch (IOException | RuntimeException e) {
            // Closing is no fault of anybody's.
            failures += isClosing ? 0 : 1;
            isFailing = true;
            throw e;
        } finally {
            Files.deleteIfExists(aside);
        }
        if (isFailing && missing == 0) {
            LOG.info("{} has all checkpoints again, up to {}", target.text(), number);
            isFailing = false;
        }
    }

    private void deliver(Checkpoint newest) throws IOException {
        long number = newest.body().number();
        put("keys", Existing.IS_REPLACED, provenance.keys().encode().toArray());
        while (next <= number && !isClosing) {
            List<Checkpoint> page = provenance.checkpoints(next, PAGE);
            try {
                for (Checkpoint each : page) {
                    if (isClosing) {
                        return;
                    }
                    put(
                            "checkpoint-" + each.body().number(),
                            Existing.STAYS,
                            each.encode().toArray());
                    // Audits report checkpoints that the store has lost in between.
                    next = each.body().number() + 1;
                    missing = Math.max(1, number + 1 - next);
                }
            } finally {
                remember();
            }
        }
        if (!isClosing) {
            deliverHeads(newest);
        }
    }

    private void deliverHeads(Checkpoint newest) throws IOException {
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(aside))) {
            provenance.writeHeads(newest, out);
        }
        long number = newest.body().number();
        put("heads-" + number, Existing.STAYS);
        heads = number;
        remember();
        missing = Math.max(0, number + 1 - next);
    }

    private void put(String name, Existing existing, byte[] content) throws IOException {
        Files.write(aside, content);
        put(name, existing);
    }

    private void put(String name, Existing existing) throws IOException {
        if (target.put(prefix + name, aside, existing)) {
            LOG.debug("{} has {}", target.text(), name);
        } else {
            LOG.info("{} had {} already: it stays", target.text(), name);
        }
    }

    private void remember() throws IOException {
        directory.remember(
                note,
                Map.of(
                        "target",
                        target.text(),
                        "next",
                        Long.toString(next),
                        "heads",
                        Long.toString(heads)));
    }

    @Override
    public void stop() {
        isClosing = true;
        target.close();
    }
}
