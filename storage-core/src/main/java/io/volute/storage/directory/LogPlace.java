package io.volute.storage.directory;

import io.volute.storage.io.FileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * The place of the log of one cube, in {@code log.mark}. A cube that never migrated has no such
 * file: its log is where the settings say. The record is replaced as a whole, durably.
 *
 * <pre>
 *   what volute-log
 *   format 1
 *   store local        the place in force: local or bookkeeper
 *   state copying      settled, copying, switching or leaving
 *   from 12            switching: copies of segments from this id on may be incomplete
 *   token UUID         switching: the name of this attempt
 * </pre>
 *
 * @param store the place in force
 * @param from segment id; 0 unless the state is {@link State#SWITCHING}
 * @param token name of an attempt to switch; zeros unless the state is {@link State#SWITCHING}
 */
public record LogPlace(Kind store, State state, long from, UUID token) {
    private static final String NAME = "log.mark";
    private static final String WHAT = "volute-log";
    private static final int FORMAT = 1;
    private static final UUID NONE = new UUID(0, 0);

    /** The kinds of places. */
    public enum Kind {
        /** Files of the data directory. */
        LOCAL,
        /** Ledgers of Apache BookKeeper. */
        BOOKKEEPER;

        /** Returns the other kind. */
        public Kind other() {
            return this == LOCAL ? BOOKKEEPER : LOCAL;
        }

        /** Returns the name in settings, marks and commands. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The state of a migration. */
    public enum State {
        /** Nothing migrates. */
        SETTLED,
        /** Sealed segments are copied to the other place. */
        COPYING,
        /**
         * The rest is being copied. On the way to the local disk the switch may have taken effect:
         * ZooKeeper has the decision.
         */
        SWITCHING,
        /** The switch has taken effect, or was given up: the other copy is being removed. */
        LEAVING
    }

    /** Returns the place of a log that does not migrate. */
    public static LogPlace settled(Kind store) {
        return new LogPlace(store, State.SETTLED, 0, NONE);
    }

    /** Returns the place of a log that is being copied from here. */
    public static LogPlace copying(Kind store) {
        return new LogPlace(store, State.COPYING, 0, NONE);
    }

    /** Returns the place of a log that is about to leave. */
    public static LogPlace switching(Kind store, long from, UUID token) {
        return new LogPlace(store, State.SWITCHING, from, token);
    }

    /** Returns the place of a log whose copy in the other place is to be removed. */
    public static LogPlace leaving(Kind store) {
        return new LogPlace(store, State.LEAVING, 0, NONE);
    }

    /** Reads the place of a cube's log; empty when it was never recorded. */
    public static Optional<LogPlace> read(FileSystem files, Path cube) throws IOException {
        Path file = cube.resolve(NAME);
        Optional<Map<String, String>> lines = new MarkFile(files, file).read();
        if (lines.isEmpty()) {
            return Optional.empty();
        }
        CubeMark.requireFormat(file, lines.get(), WHAT, FORMAT);
        try {
            return Optional.of(
                    new LogPlace(
                            Kind.valueOf(word(lines.get(), "store")),
                            State.valueOf(word(lines.get(), "state")),
                            Long.parseLong(lines.get().getOrDefault("from", "0")),
                            UUID.fromString(lines.get().getOrDefault("token", NONE.toString()))));
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    file + " has no valid 'store', 'state', 'from' or 'token' line", e);
        }
    }

    private static String word(Map<String, String> lines, String name) {
        return lines.getOrDefault(name, "").toUpperCase(Locale.ROOT);
    }

    /** Records the place durably. */
    public void write(FileSystem files, Path cube) throws IOException {
        Map<String, String> lines = new LinkedHashMap<>();
        lines.put("what", WHAT);
        lines.put("format", Integer.toString(FORMAT));
        lines.put("store", store.word());
        lines.put("state", state.name().toLowerCase(Locale.ROOT));
        if (state == State.SWITCHING) {
            lines.put("from", Long.toString(from));
            lines.put("token", token.toString());
        }
        new MarkFile(files, cube.resolve(NAME)).write(lines);
    }
}
