package io.volute.storage.log;

import io.volute.storage.report.SpaceReport;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a file in the log's directory: a number of 20 digits and the state.
 *
 * @param number id of a segment; for other files just a number
 */
public record SegmentFileName(long number, State state) {
    private static final Pattern NAME = Pattern.compile("([0-9]{20})\\.([a-z]+)");

    /** The use of a file. The suffix is the name in lower case. */
    public enum State {
        /** A head segment, in the log. */
        HEAD,
        /** A stream segment, in the log. */
        STREAM,
        /** A survivor segment, in the log. */
        SURVIVOR,
        /** A spare: whole and written once at least, holding zeros or a former life. */
        FREE,
        /** A file that is being made; worthless after a crash. */
        PREP;

        String suffix() {
            return name().toLowerCase(Locale.ROOT);
        }

        public Optional<SpaceReport.Kind> kind() {
            return switch (this) {
                case HEAD -> Optional.of(SpaceReport.Kind.HEAD);
                case STREAM -> Optional.of(SpaceReport.Kind.STREAM);
                case SURVIVOR -> Optional.of(SpaceReport.Kind.SURVIVOR);
                case FREE, PREP -> Optional.empty();
            };
        }
    }

    public static SegmentFileName of(long segmentId, SpaceReport.Kind kind) {
        return new SegmentFileName(
                segmentId,
                switch (kind) {
                    case HEAD -> State.HEAD;
                    case STREAM -> State.STREAM;
                    case SURVIVOR -> State.SURVIVOR;
                });
    }

    /** Parses a name; returns empty for files that do not belong to the log. */
    public static Optional<SegmentFileName> parse(String name) {
        Matcher matcher = NAME.matcher(name);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        for (State state : State.values()) {
            if (state.suffix().equals(matcher.group(2))) {
                try {
                    return Optional.of(
                            new SegmentFileName(Long.parseLong(matcher.group(1)), state));
                } catch (NumberFormatException e) {
                    return Optional.empty();
                }
            }
        }
        return Optional.empty();
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%020d.%s", number, state.suffix());
    }
}
