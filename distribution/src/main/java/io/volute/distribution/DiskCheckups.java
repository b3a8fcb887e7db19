package io.volute.distribution;

import io.volute.admin.output.AnswerFormat;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;

/** Checks whether a directory suits a store. The checks use files of their own and remove them. */
final class DiskCheckups {
    private static final double WARN_SHARE = 0.1;
    private static final double FAIL_SHARE = 0.02;
    private static final int PAGE = 4096;
    private static final int FILE_BYTES = 1 << 20;
    private static final int FORCES = 32;

    /** No disk forces a page so fast. */
    private static final Duration UNLIKELY = Duration.ofNanos(3_000);

    private static final Duration SLOW = Duration.ofMillis(5);
    private static final Duration TOO_SLOW = Duration.ofMillis(100);

    private static final List<String> REMOTE =
            List.of("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p");
    private static final List<String> FORGETFUL = List.of("tmpfs", "ramfs", "devtmpfs");

    private final FileSystem files;
    private final LongSupplier nanos;

    DiskCheckups(FileSystem files, LongSupplier nanos) {
        this.files = files;
        this.nanos = nanos;
    }

    /**
     * Looks at all.
     *
     * @param data need not exist
     */
    List<Checkup> of(Path data) {
        Path there = data;
        while (!Files.isDirectory(there) && there.getParent() != null) {
            there = there.getParent();
        }
        try {
            FileStore store = Files.getFileStore(there);
            Checkup room = room(there, store.getUsableSpace(), store.getTotalSpace());
            return List.of(room, kind(there, store.type()), forces(there), holes(there));
        } catch (IOException e) {
            return List.of(
                    Checkup.fail(
                            "disk",
                            there + " cannot be used: " + e,
                            "run this as the user of the server, and give that user write"
                                    + " permission there"));
        }
    }

    static Checkup room(Path where, long usable, long total) {
        String found =
                AnswerFormat.bytes(usable)
                        + " of "
                        + AnswerFormat.bytes(total)
                        + " are free at "
                        + where;
        double share = total == 0 ? 0 : (double) usable / total;
        if (share < FAIL_SHARE) {
            return Checkup.fail(
                    "disk space", found, "make room: without it the store takes no writes");
        }
        return share < WARN_SHARE
                ? Checkup.warn(
                        "disk space",
                        found,
                        "make room, or set log.capacity below the present size")
                : Checkup.ok("disk space", found);
    }

    static Checkup kind(Path where, String type) {
        String found = where + " is " + type;
        if (FORGETFUL.contains(type)) {
            return Checkup.fail(
                    "file system",
                    found + ", which is memory",
                    "put data.directory on a disk: all is lost at the next restart");
        }
        if (REMOTE.contains(type) || type.startsWith("fuse")) {
            return Checkup.warn(
                    "file system",
                    found + ", which may lose acknowledged writes",
                    "put data.directory on a local ext4 or xfs");
        }
        return type.equals("overlay")
                ? Checkup.warn(
                        "file system",
                        found + ", the layer of a container that goes with it",
                        "mount a volume at data.directory")
                : Checkup.ok("file system", found);
    }

    private Checkup forces(Path there) throws IOException {
        long[] times = new long[FORCES];
        tryOut(
                there,
                file -> {
                    for (int i = 0; i < FORCES; i++) {
                        long begin = nanos.getAsLong();
                        file.write(ByteBuffer.allocate(PAGE), i * PAGE, WriteCause.CHECKPOINT);
                        file.force();
                        times[i] = nanos.getAsLong() - begin;
                    }
                });
        Arrays.sort(times);
        return forces(Duration.ofNanos(times[FORCES / 2]), Duration.ofNanos(times[FORCES - 1]));
    }

    static Checkup forces(Duration median, Duration longest) {
        String found =
                "4 KiB are durable after "
                        + micros(median)
                        + " (median), "
                        + micros(longest)
                        + " (longest of "
                        + FORCES
                        + ")";
        if (median.compareTo(UNLIKELY) < 0) {
            return Checkup.warn(
                    "fsync",
                    found + ": no disk is so fast",
                    "see whether the file system or the virtual disk ignores fsync: then a power"
                            + " failure loses acknowledged writes");
        }
        if (median.compareTo(TOO_SLOW) >= 0) {
            return Checkup.fail(
                    "fsync",
                    found,
                    "each write of a client waits for one: take another disk, or find the other"
                            + " programs that use this one (iostat -x 1)");
        }
        return median.compareTo(SLOW) >= 0
                ? Checkup.warn(
                        "fsync",
                        found,
                        "each write of a client waits for one: an SSD with power-loss protection"
                                + " takes well below a millisecond")
                : Checkup.ok("fsync", found);
    }

    private static String micros(Duration time) {
        return time.toNanos() / 1000 + " us";
    }

    private Checkup holes(Path there) throws IOException {
        boolean[] works = new boolean[1];
        tryOut(
                there,
                file -> {
                    long before = file.allocatedBytes(0, FILE_BYTES);
                    works[0] =
                            file.punch(FILE_BYTES / 4, FILE_BYTES / 2)
                                    && file.allocatedBytes(0, FILE_BYTES) < before;
                });
        return works[0]
                ? Checkup.ok("holes", "dead ranges of a file can be given back")
                : Checkup.warn(
                        "holes",
                        "dead ranges of a file cannot be given back here",
                        "it works without, but cleaning has to copy more: ext4, xfs and btrfs"
                                + " on Linux can");
    }

    /** Does something with a file. */
    private interface Use {
        void of(StoredFile file) throws IOException;
    }

    private void tryOut(Path there, Use use) throws IOException {
        Path directory = Files.createTempDirectory(there, "volute-doctor-");
        Path path = directory.resolve("tried");
        try {
            try (StoredFile file = files.create(path)) {
                byte[] content = new byte[FILE_BYTES];
                // Not zeros: a file system may keep none of those.
                Arrays.fill(content, (byte) 'v');
                file.write(ByteBuffer.wrap(content), 0, WriteCause.CHECKPOINT);
                file.force();
                use.of(file);
            }
        } finally {
            Files.deleteIfExists(path);
            Files.delete(directory);
        }
    }
}
