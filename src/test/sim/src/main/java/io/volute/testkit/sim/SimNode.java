package io.volute.testkit.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** A file or directory of the simulated file system, whatever name it has now. */
sealed interface SimNode {

    /** Entries by name: as every reader sees them, and as a crash is sure to leave them. */
    final class Directory implements SimNode {
        final TreeMap<String, SimNode> current = new TreeMap<>();
        final TreeMap<String, SimNode> durable = new TreeMap<>();
    }

    /**
     * A write that no force has made durable.
     *
     * @param event that made it
     * @param bytes written; empty for a punched hole
     */
    record PendingWrite(long event, long offset, long length, Optional<byte[]> bytes) {

        void applyTo(FileContent content) {
            applyTo(content, 0, length);
        }

        /** Applies the part of the write from index {@code from} to index {@code to}. */
        void applyTo(FileContent content, long from, long to) {
            if (bytes.isPresent()) {
                content.write(offset, bytes.orElseThrow(), (int) from, (int) to);
            } else {
                content.punch(offset + from, to - from);
            }
        }
    }

    /** A file: what readers see, what is durable, and the writes in between, in order. */
    final class FileNode implements SimNode {
        FileContent current = new FileContent();
        FileContent durable = new FileContent();
        final List<PendingWrite> pending = new ArrayList<>();

        void change(PendingWrite write) {
            write.applyTo(current);
            pending.add(write);
        }

        void force() {
            pending.forEach(write -> write.applyTo(durable));
            pending.clear();
        }

        /**
         * Drops the unforced writes after a failed force. Their pages are marked clean but never
         * reach the disk.
         */
        void loseUnforced() {
            pending.clear();
        }

        static FileNode restored(FileContent content) {
            FileNode file = new FileNode();
            file.current = content;
            file.durable = content.copy();
            return file;
        }
    }
}
