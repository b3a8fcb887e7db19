package io.volute.versioning.body;

import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.Source;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The origin of the content of a new version.
 *
 * @param content its hash; empty when it is unknown, as for an object from before provenance
 * @param parts sizes of the parts that the hash is made from; empty for content in one piece
 * @param source the entry that it continues
 */
public record Origin(
        EventKind kind, Optional<Hash> content, Optional<String> parts, Optional<Source> source) {
    /** The origin of a write without further information. */
    public static final Origin UNKNOWN = written(Optional.empty());

    private static final int PARTS_CHARS_MAX = 32_768;
    private static final int PARTS_MAX = 10_000;
    private static final Pattern RUN = Pattern.compile("([0-9]{1,5})x([0-9]{1,15})");

    /**
     * A part of the content.
     *
     * @param content its hash, if it is known
     */
    public record Part(long bytes, Optional<Hash> content) {}

    /**
     * Returns the origin of a write.
     *
     * @param content SHA-256 of the content
     */
    public static Origin written(Optional<Hash> content) {
        return new Origin(EventKind.WRITE, content, Optional.empty(), Optional.empty());
    }

    /** Returns the origin of an object of parts, whose hash is computed from those of the parts. */
    public static Origin composed(List<Part> parts) {
        if (parts.stream().anyMatch(part -> part.content().isEmpty())) {
            return UNKNOWN;
        }
        ByteWriter out = new ByteWriter().u32(parts.size());
        parts.forEach(part -> out.u64(part.bytes()).hash(part.content().orElseThrow()));
        return new Origin(
                EventKind.WRITE,
                Optional.of(Domain.PARTS.hash(out.toBytes())),
                Optional.of(sizes(parts)).filter(text -> text.length() <= PARTS_CHARS_MAX),
                Optional.empty());
    }

    /**
     * Reads the sizes of parts, in the form of the field of entries.
     *
     * @return empty when the text has another form, or more parts than can be
     */
    public static Optional<List<Long>> sizes(String text) {
        List<Long> sizes = new ArrayList<>();
        for (String run : text.split(",", -1)) {
            Matcher matcher = RUN.matcher(run);
            if (!matcher.matches()) {
                return Optional.empty();
            }
            long count = Long.parseLong(matcher.group(1));
            if (count + sizes.size() > PARTS_MAX) {
                return Optional.empty();
            }
            sizes.addAll(Collections.nCopies((int) count, Long.parseLong(matcher.group(2))));
        }
        return Optional.of(sizes);
    }

    /** Returns runs of equal sizes, such as {@code 3x8388608,1x17}. */
    private static String sizes(List<Part> parts) {
        StringBuilder text = new StringBuilder();
        int from = 0;
        while (from < parts.size()) {
            long bytes = parts.get(from).bytes();
            int to = from + 1;
            while (to < parts.size() && parts.get(to).bytes() == bytes) {
                to++;
            }
            text.append(from == 0 ? "" : ",").append(to - from).append('x').append(bytes);
            from = to;
        }
        return text.toString();
    }
}
