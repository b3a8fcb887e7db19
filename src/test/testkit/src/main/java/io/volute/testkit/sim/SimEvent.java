package io.volute.testkit.sim;

import java.nio.file.Path;

/**
 * One operation on a {@link SimFileSystem}.
 *
 * @param number counted from 1 in the order of the operations
 * @param offset in the file, or -1
 * @param bytes asked for, or -1
 */
public record SimEvent(long number, Operation operation, Path path, long offset, long bytes) {
    @Override
    public String toString() {
        String range = offset < 0 ? "" : " " + offset + "+" + bytes;
        return "#" + number + " " + operation + " " + path + range;
    }
}
