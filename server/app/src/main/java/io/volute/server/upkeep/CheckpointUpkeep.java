package io.volute.server.upkeep;

import io.volute.provenance.anchor.Checkpoint;
import io.volute.provenance.format.Bytes;
import io.volute.server.Upkeep;
import io.volute.server.config.ProvenanceConfig;
import io.volute.storage.io.DurableFile;
import io.volute.storage.io.FileSystem;
import io.volute.versioning.Provenance;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Makes a checkpoint at every interval, and puts copies where the operator of the server has no
 * control:
 *
 * <pre>
 *   keys                     the key list, renewed each time
 *   checkpoint-NUMBER        each checkpoint; never replaced
 *   heads-NUMBER             all heads of that checkpoint; kept as long as it is there
 * </pre>
 *
 * The forms are those of docs/format/provenance.md. A failed copy is repeated the next time. The
 * existing copies must be the store's own checkpoints. Otherwise the data directory was restored
 * from a copy or changed, and no checkpoint is made.
 */
public final class CheckpointUpkeep implements Upkeep.Task {
    public static final Upkeep.Pauses PAUSES =
            new Upkeep.Pauses(Duration.ZERO, Duration.ofSeconds(10), Upkeep.Pauses.FAILING);

    private static final String HEADS = "heads-";
    private static final String CHECKPOINT = "checkpoint-";
    private static final Pattern COPY = Pattern.compile(CHECKPOINT + "[0-9]{1,18}");
    private static final Pattern HEADS_COPY = Pattern.compile(HEADS + "[0-9]+");

    private final Provenance provenance;
    private final FileSystem files;
    private final Duration interval;
    private final Optional<Path> directory;
    private final InstantSource clock;
    private volatile boolean closing;
    private volatile long missing;

    public CheckpointUpkeep(
            Provenance provenance, ProvenanceConfig config, FileSystem files, InstantSource clock) {
        this.provenance = provenance;
        this.files = files;
        this.interval = config.checkpointInterval();
        this.directory = config.checkpointDirectory();
        this.clock = clock;
    }

    /** Checkpoints that have no copy in the directory, as of the last look. */
    public long copiesMissing() {
        return missing;
    }

    private boolean isDue(Instant before) {
        return !clock.instant().isBefore(before.plus(interval));
    }

    @Override
    public void look() throws IOException {
        Optional<Checkpoint> last = provenance.lastCheckpoint();
        if (directory.isPresent() && Files.isDirectory(directory.get())) {
            compare(directory.get(), last);
        }
        boolean isDue =
                last.map(each -> isDue(Instant.ofEpochMilli(each.body().timeMillis())))
                        .orElse(true);
        // While the store is doubted it refuses, and nothing is copied.
        isDue |= provenance.refusal().isPresent();
        Checkpoint newest = isDue ? provenance.checkpoint(() -> !closing) : last.orElseThrow();
        if (directory.isPresent()) {
            copyTo(directory.get(), newest);
        }
    }

    /** Doubts the store when the directory has later checkpoints than it, or another last one. */
    private void compare(Path target, Optional<Checkpoint> last) throws IOException {
        long number = last.map(each -> each.body().number()).orElse(-1L);
        long there =
                names(target).stream()
                        .filter(COPY.asMatchPredicate())
                        .mapToLong(name -> Long.parseLong(name.substring(CHECKPOINT.length())))
                        .max()
                        .orElse(-1);
        Path same = target.resolve(CHECKPOINT + number);
        Optional<String> wrong = Optional.empty();
        if (there > number) {
            wrong = Optional.of(target + " has checkpoint " + there + ", the store has " + number);
        } else if (Files.exists(same)
                && !Bytes.of(Files.readAllBytes(same)).equals(last.orElseThrow().encode())) {
            wrong = Optional.of(same + " is not the store's checkpoint " + number);
        }
        provenance.doubtCheckpoints(
                wrong.map(
                        each ->
                                each
                                        + ": the data directory was put back or changed, and no"
                                        + " checkpoint is signed. Find out why with volute audit"
                                        + " --export FILE --heads FILE; then name another"
                                        + " provenance.checkpoint-directory"));
    }

    private void copyTo(Path target, Checkpoint newest) throws IOException {
        long number = newest.body().number();
        String heads = HEADS + number;
        if (Files.exists(target.resolve(heads))) {
            missing = 0;
            return;
        }
        // Until the target was read, none counts as copied.
        missing = number + 1;
        Files.createDirectories(target);
        write(target.resolve("keys"), provenance.keys().encode());
        copyMissing(target, number);
        // Written last: the presence of the heads means that everything else is present.
        DurableFile.write(files, target.resolve(heads), out -> provenance.writeHeads(newest, out));
        missing = 0;
        for (String old : names(target)) {
            // An auditor or witness that holds a checkpoint compares with its heads.
            boolean isNeeded =
                    !HEADS_COPY.matcher(old).matches()
                            || Files.exists(
                                    target.resolve(CHECKPOINT + old.substring(HEADS.length())));
            if (!isNeeded) {
                Files.delete(target.resolve(old));
            }
        }
    }

    /** Copies missing checkpoints, the newest first, because auditors need that one. */
    private void copyMissing(Path target, long newest) throws IOException {
        Set<String> there = names(target);
        missing = newest + 1 - there.stream().filter(COPY.asMatchPredicate()).count();
        for (long number = newest; number >= 0; number--) {
            String name = CHECKPOINT + number;
            if (!there.contains(name)) {
                // Audits report checkpoints that the store has lost.
                for (Checkpoint each : provenance.checkpoints(number, 1)) {
                    if (each.body().number() == number) {
                        write(target.resolve(name), each.encode());
                        missing -= 1;
                    }
                }
            }
        }
    }

    private static Set<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(each -> each.getFileName().toString()).collect(Collectors.toSet());
        }
    }

    private void write(Path file, Bytes content) throws IOException {
        DurableFile.write(files, file, out -> out.write(content.toArray()));
    }

    @Override
    public void stop() {
        closing = true;
    }
}
