package io.volute.system.space;

import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A small ext4 file system of its own in a file, on a loop device: a disk that a test may fill.
 * Only the super-user can mount one; whoever cannot skips the test, visibly.
 */
record LoopFileSystem(Path image, Path root) implements AutoCloseable {
    private static final long COMMAND_SECONDS = 60;

    /** Makes and mounts one, or skips the test. */
    static LoopFileSystem mount(Path directory, long bytes) throws IOException {
        Path image = directory.resolve("disk.img");
        Path root = Files.createDirectories(directory.resolve("disk"));
        assumeRuns("truncate", "-s", Long.toString(bytes), image.toString());
        // Without blocks that only the super-user may fill, as this may be the super-user.
        assumeRuns("mkfs.ext4", "-q", "-F", "-m", "0", image.toString());
        assumeRuns("mount", "-o", "loop", image.toString(), root.toString());
        return new LoopFileSystem(image, root);
    }

    private static void assumeRuns(String... command) {
        try {
            String failure = run(List.of(command));
            assumeThat(failure)
                    .as("SKIPPED: no file system on a loop device here: %s", failure)
                    .isEmpty();
        } catch (IOException e) {
            assumeThat(false).as("SKIPPED: %s cannot be run: %s", command[0], e).isTrue();
        }
    }

    /** Returns what it said when it failed, or an empty string. */
    private static String run(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (!process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return command + " does not end";
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        return process.exitValue() == 0 ? "" : command + " failed: " + said.strip();
    }

    /**
     * Copies the disk at one moment, as LVM or a virtual machine's disk does, and mounts the copy.
     * Writes wait meanwhile.
     */
    LoopFileSystem copy(Path directory) throws IOException {
        Path copied = directory.resolve("copied.img");
        requireRuns("fsfreeze", "-f", root.toString());
        try {
            requireRuns("cp", "--sparse=always", image.toString(), copied.toString());
        } finally {
            requireRuns("fsfreeze", "-u", root.toString());
        }
        Path mounted = Files.createDirectories(directory.resolve("copy"));
        requireRuns("mount", "-o", "loop", copied.toString(), mounted.toString());
        return new LoopFileSystem(copied, mounted);
    }

    private static void requireRuns(String... command) throws IOException {
        String failure = run(List.of(command));
        if (!failure.isEmpty()) {
            throw new IOException(failure);
        }
    }

    long usableBytes() throws IOException {
        return Files.getFileStore(root).getUsableSpace();
    }

    /** Takes all that is left, and some that the server counts on. */
    Path takeTheRest() throws IOException {
        Path ballast = root.resolve("ballast");
        byte[] zeros = new byte[1 << 20];
        try (var out = Files.newOutputStream(ballast)) {
            while (true) {
                out.write(zeros);
            }
        } catch (IOException full) {
            return ballast;
        }
    }

    @Override
    public void close() throws IOException {
        requireRuns("umount", root.toString());
    }
}
