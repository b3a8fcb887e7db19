package io.volute.storage.directory;

import io.volute.storage.DamagedException;
import io.volute.storage.io.DurableDirectories;
import io.volute.storage.io.FileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.random.RandomGenerator;

/** The identity of a cube, in {@code cube.mark}. Every checksum of the log is seeded with it. */
public final class CubeMark {
    private static final String NAME = "cube.mark";
    private static final String WHAT = "volute-cube";
    private static final int FORMAT = 1;

    private final FileSystem files;
    private final Path directory;
    private final InstantSource clock;

    public CubeMark(FileSystem files, Path directory, InstantSource clock) {
        this.files = files;
        this.directory = directory;
        this.clock = clock;
    }

    /**
     * Reads the identity of the cube, or creates one when the directory is new.
     *
     * @param segments directory of the log, which distinguishes a new cube from one that lost its
     *     mark
     */
    public UUID readOrCreate(RandomGenerator random, Path segments) throws IOException {
        MarkFile mark = new MarkFile(files, directory.resolve(NAME));
        Optional<Map<String, String>> lines = mark.read();
        if (lines.isPresent()) {
            // A start that was killed may have left the mark in the page cache only.
            DurableDirectories.create(files, directory);
            files.forceDirectory(directory);
            UUID cube = identity(directory, lines.get());
            requireSame(mark, cube);
            mark.mend(lines.get());
            return cube;
        }
        if (!files.list(segments).isEmpty()) {
            throw new IOException(
                    directory
                            + " holds segments and no "
                            + NAME
                            + ", without which they cannot be read: restore that file from a"
                            + " backup");
        }
        UUID cube = random(random);
        create(cube);
        return cube;
    }

    /** Refuses a mark of another cube, which somebody has copied here. */
    private void requireSame(MarkFile mark, UUID cube) throws IOException {
        Optional<Map<String, String>> copy;
        try {
            copy = mark.copy();
        } catch (DamagedException e) {
            return;
        }
        String other = copy.map(lines -> lines.getOrDefault("id", "")).orElse(cube.toString());
        if (!other.equals(cube.toString())) {
            throw new IOException(
                    directory.resolve(NAME)
                            + " names the cube "
                            + cube
                            + ", its copy "
                            + other
                            + ": remove the file that is of another cube");
        }
    }

    /** Marks a directory without a mark as that of a cube which exists elsewhere. */
    public void adopt(Optional<UUID> cube) throws IOException {
        boolean isMarked = new MarkFile(files, directory.resolve(NAME)).read().isPresent();
        if (cube.isPresent() && !isMarked) {
            create(cube.get());
        }
    }

    private void create(UUID cube) throws IOException {
        DurableDirectories.create(files, directory);
        Map<String, String> fresh = new LinkedHashMap<>();
        fresh.put("what", WHAT);
        fresh.put("format", Integer.toString(FORMAT));
        fresh.put("id", cube.toString());
        fresh.put("created", clock.instant().toString());
        new MarkFile(files, directory.resolve(NAME)).write(fresh);
    }

    private static UUID identity(Path directory, Map<String, String> lines) throws IOException {
        requireFormat(directory.resolve(NAME), lines, WHAT, FORMAT);
        try {
            return UUID.fromString(lines.getOrDefault("id", ""));
        } catch (IllegalArgumentException e) {
            throw new IOException(directory.resolve(NAME) + " has no valid 'id' line", e);
        }
    }

    /** Returns the identity of the cube in a directory; empty when there is none. */
    static Optional<UUID> read(FileSystem files, Path directory) throws IOException {
        Optional<Map<String, String>> lines = new MarkFile(files, directory.resolve(NAME)).read();
        return lines.isPresent() ? Optional.of(identity(directory, lines.get())) : Optional.empty();
    }

    /** Refuses marks of another kind of directory, and of a later release. */
    public static void requireFormat(
            Path file, Map<String, String> lines, String what, int formatMax) throws IOException {
        if (!what.equals(lines.get("what"))) {
            throw new IOException(
                    file
                            + " has the kind '"
                            + lines.get("what")
                            + "', not '"
                            + what
                            + "': wrong directory");
        }
        String format = lines.getOrDefault("format", "none");
        if (!format.matches("[1-9][0-9]{0,8}") || Integer.parseInt(format) > formatMax) {
            throw new IOException(
                    file
                            + " has format "
                            + format
                            + ", this release knows formats up to "
                            + formatMax
                            + ": start the release that wrote it, or a later one; nothing was"
                            + " changed");
        }
    }

    /** Returns a random UUID of version 4. */
    public static UUID random(RandomGenerator random) {
        long version4 = random.nextLong() & ~0xf000L | 0x4000L;
        long variant2 = random.nextLong() & ~(3L << 62) | 2L << 62;
        return new UUID(version4, variant2);
    }
}
