package io.volute.server.backup;

import io.volute.storage.CleaningSettings;
import io.volute.storage.CubeOptions;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeOptions.OnDamage;
import io.volute.storage.Cubes;
import io.volute.storage.directory.StoreDirectory;
import io.volute.storage.io.FileSystem;
import io.volute.versioning.Contents;
import io.volute.versioning.ObjectStores;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Verifies the contents of a snapshot: restores it to a temporary directory as far as it can be
 * read, makes the indexes there, and reads all versions, kept states and parts of uploads. Used by
 * one thread.
 */
public final class ContentVerification {
    private static final int CACHE_BYTES = 16 << 20;

    /** The means by which cubes are opened. */
    public record Means(FileSystem files, InstantSource clock, RandomGenerator random) {}

    /** Follows the work. */
    public interface Watch {
        /** Called for each file that was restored. */
        void restored(long files, long filesTotal, long bytes);

        /** Called for each state of a cube that was read; the numbers are those of the cube. */
        void verified(String cube, Contents.Verified verified, long done, long total, long bytes);
    }

    /**
     * The outcome.
     *
     * @param lost what is wrong with the backup itself and with the logs of the cubes, one line for
     *     each damage; at most some thousands
     * @param states number of states that were read
     * @param bytes bytes of their contents
     * @param damaged number of states whose content is damaged
     * @param unproven number of states whose content could not be compared with a hash
     */
    public record Outcome(List<String> lost, long states, long bytes, long damaged, long unproven) {
        public Outcome {
            lost = List.copyOf(lost);
        }
    }

    private final Repository repository;
    private final Means means;
    private final Watch watch;
    private final List<String> lost = new ArrayList<>();
    private long states;
    private long bytes;
    private long damaged;
    private long unproven;

    public ContentVerification(Repository repository, Means means, Watch watch) {
        this.repository = repository;
        this.means = means;
        this.watch = watch;
    }

    /**
     * Verifies a snapshot.
     *
     * @param directory new directory, which the caller deletes
     * @param keys opens the encrypted contents, once the files are in the directory
     * @throws IOException when the target cannot be reached, or the directory not be used
     */
    public Outcome run(Manifest manifest, Path directory, Contents.Decryption keys)
            throws IOException {
        lost.addAll(
                new DataDirectoryRestore(repository, means.files(), watch::restored)
                        .runDespiteDamage(manifest, directory));
        LogSettings settings = settings();
        try (Cubes.Shared shared = new Cubes.Shared(settings)) {
            for (Manifest.CutOfCube each : manifest.cubes()) {
                verify(each.cube(), directory, settings, shared, keys);
            }
        }
        return new Outcome(lost, states, bytes, damaged, unproven);
    }

    private static LogSettings settings() {
        LogSettings usual = LogSettings.defaults();
        return new LogSettings(
                usual.segmentBytes(),
                usual.inlineLimitBytes(),
                usual.chunkBytes(),
                usual.indexFlushLogBytes(),
                CACHE_BYTES,
                CACHE_BYTES,
                OnDamage.ACCEPT_READ_ONLY,
                CleaningSettings.onlyWhenAsked());
    }

    private void verify(
            String name,
            Path directory,
            LogSettings settings,
            Cubes.Shared shared,
            Contents.Decryption keys)
            throws IOException {
        if (!StoreDirectory.isCubeName(name)) {
            throw new IOException("a snapshot has no cube of this name: " + name);
        }
        Cubes.Opened opened;
        try {
            opened =
                    Cubes.open(
                            new CubeOptions(
                                    directory.resolve("cubes").resolve(name),
                                    means.files(),
                                    means.clock(),
                                    means.random(),
                                    ObjectStores.families(),
                                    settings),
                            shared);
        } catch (IOException | RuntimeException e) {
            lost.add("cube " + name + " cannot be opened: " + e.getMessage());
            return;
        }
        try (var cube = opened.cube()) {
            opened.report().damages().forEach(each -> lost.add("cube " + name + ": " + each));
            ObjectStores.contentsOf(cube)
                    .verify(
                            keys,
                            (verified, done, total, read) ->
                                    verified(name, verified, done, total, read));
        }
    }

    private void verified(
            String cube, Contents.Verified verified, long done, long total, long read) {
        states++;
        bytes += verified.state().bytes();
        switch (verified.verdict()) {
            case SOUND -> {}
            case DAMAGED -> damaged++;
            case UNPROVEN -> unproven++;
        }
        watch.verified(cube, verified, done, total, read);
    }
}
