package io.volute.server;

import io.volute.provenance.anchor.Checkpoint;
import io.volute.provenance.format.Bytes;
import io.volute.server.config.ProvenanceConfig;
import io.volute.storage.io.FileSystem;
import io.volute.versioning.Provenance;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Makes a checkpoint every so often, and puts copies where the operator of the server has no
 * control:
 *
 * <pre>
 *   keys                     the key list, renewed each time
 *   checkpoint-NUMBER        each checkpoint; never replaced
 *   heads-NUMBER             all heads of the last checkpoint
 * </pre>
 *
 * The forms are those of docs/provenance.md. What could not be copied is copied the next time.
 */
final class CheckpointUpkeep implements Upkeep.Task {
    static final Upkeep.Pauses PAUSES =
            new Upkeep.Pauses(Duration.ZERO, Duration.ofSeconds(10), Upkeep.Pauses.FAILING);

    private static final int PAGE = 1000;
    private static final String HEADS = "heads-";

    private final Provenance provenance;
    private final FileSystem files;
    private final Duration interval;
    private final Optional<Path> directory;
    private final InstantSource clock;
    private Optional<Checkpoint> last = Optional.empty();
    private volatile boolean closing;

    CheckpointUpkeep(
            Provenance provenance, ProvenanceConfig config, FileSystem files, InstantSource clock) {
        this.provenance = provenance;
        this.files = files;
        this.interval = config.checkpointInterval();
        this.directory = config.checkpointDirectory();
        this.clock = clock;
    }

    private boolean isDue(Instant before) {
        return !clock.instant().isBefore(before.plus(interval));
    }

    @Override
    public void look() throws IOException {
        if (last.isEmpty()) {
            last = newest();
        }
        boolean isDue =
                last.map(each -> isDue(Instant.ofEpochMilli(each.body().timeMillis())))
                        .orElse(true);
        if (isDue) {
            last = Optional.of(provenance.checkpoint(() -> !closing));
        }
        if (directory.isPresent() && last.isPresent()) {
            copyTo(directory.get(), last.get());
        }
    }

    private Optional<Checkpoint> newest() throws IOException {
        Optional<Checkpoint> newest = Optional.empty();
        long from = 0;
        for (List<Checkpoint> page = provenance.checkpoints(from, PAGE);
                !page.isEmpty();
                page = provenance.checkpoints(from, PAGE)) {
            newest = Optional.of(page.getLast());
            from = page.getLast().body().number() + 1;
        }
        return newest;
    }

    private void copyTo(Path target, Checkpoint newest) throws IOException {
        String heads = HEADS + newest.body().number();
        if (Files.exists(target.resolve(heads))) {
            return;
        }
        Files.createDirectories(target);
        write(target.resolve("keys"), provenance.keys().encode());
        for (Checkpoint each : missing(target)) {
            write(target.resolve(name(each)), each.encode());
        }
        // Last: it says that all the rest is there.
        write(target.resolve(heads), out -> provenance.writeHeads(newest, out));
        try (Stream<Path> there = Files.list(target)) {
            for (Path old : there.filter(each -> isOldHeads(each, heads)).toList()) {
                Files.delete(old);
            }
        }
    }

    private static boolean isOldHeads(Path file, String newest) {
        String name = file.getFileName().toString();
        return name.matches(HEADS + "[0-9]+") && !name.equals(newest);
    }

    private List<Checkpoint> missing(Path target) throws IOException {
        List<Checkpoint> missing = new ArrayList<>();
        long from = 0;
        for (List<Checkpoint> page = provenance.checkpoints(from, PAGE);
                !page.isEmpty();
                page = provenance.checkpoints(from, PAGE)) {
            page.stream()
                    .filter(each -> !Files.exists(target.resolve(name(each))))
                    .forEach(missing::add);
            from = page.getLast().body().number() + 1;
        }
        return missing;
    }

    private static String name(Checkpoint checkpoint) {
        return "checkpoint-" + checkpoint.body().number();
    }

    /** Writes a file. */
    private interface Content {
        void writeTo(OutputStream target) throws IOException;
    }

    private void write(Path file, Bytes content) throws IOException {
        write(file, out -> out.write(content.toArray()));
    }

    private void write(Path file, Content content) throws IOException {
        Path aside = file.resolveSibling(file.getFileName() + ".new");
        try (OutputStream out =
                Files.newOutputStream(
                        aside,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.DSYNC)) {
            content.writeTo(out);
        }
        Files.move(
                aside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        files.forceDirectory(file.getParent());
    }

    @Override
    public void stop() {
        closing = true;
    }
}
