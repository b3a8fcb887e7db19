package io.volute.testkit.sim;

import io.volute.storage.io.WriteCause;
import java.nio.file.Path;
import java.util.Optional;

/**
 * One operation on a {@link SimFileSystem}.
 *
 * @param number counted from 1 in the order of the operations
 * @param target the new name of a rename
 * @param offset in the file, or -1
 * @param bytes asked for, or -1
 * @param cause of a write
 */
public record SimEvent(
        long number,
        Operation operation,
        Path path,
        Optional<Path> target,
        long offset,
        long bytes,
        Optional<WriteCause> cause) {

    static SimEvent of(Operation operation, Path path) {
        return range(operation, path, -1, -1);
    }

    static SimEvent rename(Path source, Path target) {
        return new SimEvent(
                0, Operation.RENAME, source, Optional.of(target), -1, -1, Optional.empty());
    }

    static SimEvent range(Operation operation, Path path, long offset, long bytes) {
        return new SimEvent(0, operation, path, Optional.empty(), offset, bytes, Optional.empty());
    }

    static SimEvent write(Path path, long offset, long bytes, WriteCause cause) {
        return new SimEvent(
                0, Operation.WRITE, path, Optional.empty(), offset, bytes, Optional.of(cause));
    }

    SimEvent numbered(long newNumber) {
        return new SimEvent(newNumber, operation, path, target, offset, bytes, cause);
    }

    /** Returns the name of the file, or its new name after a rename. */
    public String name() {
        return target.orElse(path).getFileName().toString();
    }

    /** Returns whether the event is a write for this cause. */
    public boolean isWriteFor(WriteCause wanted) {
        return cause.equals(Optional.of(wanted));
    }

    @Override
    public String toString() {
        String range = offset < 0 ? "" : " " + offset + "+" + bytes;
        return "#"
                + number
                + " "
                + operation
                + " "
                + path
                + target.map(name -> " to " + name).orElse("")
                + range
                + cause.map(why -> " " + why).orElse("");
    }
}
