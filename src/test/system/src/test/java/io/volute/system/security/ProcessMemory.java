package io.volute.system.security;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The resident memory of a JVM, in KiB, split by the address range of its heap. The JVM's own tool
 * reports the range, and the kernel reports its resident pages.
 *
 * @param heapUsed live and not yet collected objects
 * @param heapResident pages of the heap's range
 * @param outside all other pages: direct buffers, native libraries, code, stacks, metadata
 */
record ProcessMemory(long heapUsed, long heapResident, long outside) {
    /** "ParOldGen total 1K, used 1K [0x1, 0x2, 0x3)"; the first and last are what is reserved. */
    private static final Pattern GENERATION =
            Pattern.compile("used (\\d+)K \\[0x([0-9a-f]+), ?0x[0-9a-f]+, ?0x([0-9a-f]+)\\)");

    private static final Pattern MAPPING = Pattern.compile("^([0-9a-f]+)-[0-9a-f]+ .*");

    static ProcessMemory of(long pid) throws IOException {
        Matcher generation = GENERATION.matcher(heapInfo(pid));
        long used = 0;
        long begin = Long.MAX_VALUE;
        long end = 0;
        while (generation.find()) {
            used += Long.parseLong(generation.group(1));
            begin = Math.min(begin, Long.parseUnsignedLong(generation.group(2), 16));
            end = Math.max(end, Long.parseUnsignedLong(generation.group(3), 16));
        }
        if (end == 0) {
            throw new IOException("no generations in the JVM's own words");
        }
        return resident(pid, used, begin, end);
    }

    private static ProcessMemory resident(long pid, long used, long begin, long end)
            throws IOException {
        long inside = 0;
        long outside = 0;
        boolean isHeap = false;
        for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/smaps"))) {
            Matcher mapping = MAPPING.matcher(line);
            if (mapping.matches()) {
                long address = Long.parseUnsignedLong(mapping.group(1), 16);
                isHeap = address >= begin && address < end;
            } else if (line.startsWith("Rss:")) {
                long kibibytes = Long.parseLong(line.replaceAll("[^0-9]", ""));
                inside += isHeap ? kibibytes : 0;
                outside += isHeap ? 0 : kibibytes;
            }
        }
        return new ProcessMemory(used, inside, outside);
    }

    private static String heapInfo(long pid) throws IOException {
        Process tool =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                                Long.toString(pid),
                                "GC.heap_info")
                        .redirectErrorStream(true)
                        .start();
        return new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    /** The greater of each figure. */
    ProcessMemory peak(ProcessMemory other) {
        return new ProcessMemory(
                Math.max(heapUsed, other.heapUsed),
                Math.max(heapResident, other.heapResident),
                Math.max(outside, other.outside));
    }
}
