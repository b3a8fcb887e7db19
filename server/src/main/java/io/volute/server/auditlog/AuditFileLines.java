package io.volute.server.auditlog;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The lines of a file of the log, whole or not.
 *
 * @param chunks what lies between line ends, in order; together all of the file
 */
record AuditFileLines(List<Chunk> chunks) {

    /**
     * The bytes between two line ends.
     *
     * @param number of the line, from 1
     * @param offset of its first byte
     * @param end behind its line end
     * @param line empty when it is none, or not whole
     */
    record Chunk(int number, int offset, int end, Optional<AuditLine> line) {}

    static AuditFileLines of(byte[] file) {
        List<Chunk> chunks = new ArrayList<>();
        int begin = 0;
        while (begin < file.length) {
            Chunk next = chunk(file, chunks.size() + 1, begin);
            chunks.add(next);
            begin = next.end();
        }
        return new AuditFileLines(chunks);
    }

    private static Chunk chunk(byte[] file, int number, int begin) {
        int end = begin;
        while (end < file.length && file[end] != '\n') {
            end++;
        }
        return end == file.length
                ? new Chunk(number, begin, end, Optional.empty())
                : new Chunk(
                        number,
                        begin,
                        end + 1,
                        AuditLine.read(Arrays.copyOfRange(file, begin, end)));
    }

    /** The first whole line; those behind it are not looked at. */
    static Optional<AuditLine> first(byte[] file) {
        Optional<AuditLine> line = Optional.empty();
        int begin = 0;
        while (line.isEmpty() && begin < file.length) {
            Chunk next = chunk(file, 1, begin);
            line = next.line();
            begin = next.end();
        }
        return line;
    }

    /** The whole lines. */
    List<Chunk> whole() {
        return chunks.stream().filter(each -> each.line().isPresent()).toList();
    }

    /**
     * Returns the last line that was durable as far as the file shows. Each batch was forced before
     * the next one was written. So only the last batch can be incomplete, and then none of it was
     * acknowledged.
     */
    Optional<Chunk> last() {
        List<Chunk> whole = whole();
        if (whole.isEmpty()) {
            return Optional.empty();
        }
        long batch = whole.getLast().line().orElseThrow().batch();
        List<Chunk> ofBatch =
                whole.stream().filter(each -> each.line().orElseThrow().batch() == batch).toList();
        boolean isAllThere = true;
        for (int i = 0; i < ofBatch.size(); i++) {
            isAllThere &= ofBatch.get(i).line().orElseThrow().sequence() == batch + i;
        }
        if (isAllThere) {
            return Optional.of(whole.getLast());
        }
        return whole.stream()
                .filter(each -> each.line().orElseThrow().batch() != batch)
                .reduce((first, second) -> second);
    }

    /** Returns the offset at which a batch begins. */
    int begin(long batch) {
        return chunks.stream()
                .filter(each -> each.line().filter(line -> line.batch() == batch).isPresent())
                .mapToInt(Chunk::offset)
                .min()
                .orElseThrow();
    }
}
