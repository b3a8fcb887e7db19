package io.volute.server.admin;

import io.volute.server.damage.DamageList;
import io.volute.versioning.StoreCubes;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** A scrubber with a status that the test sets. */
final class FakeScrubber implements Scrubber {
    Status status = new Status(Duration.ofDays(14), Optional.empty(), Optional.empty(), "");
    boolean begins = true;
    private final DamageList damages;

    FakeScrubber(Supplier<List<StoreCubes.Opened>> cubes) {
        damages = new DamageList(cubes, new MemoryNotes());
    }

    /** Notes that a test forgets. */
    private static final class MemoryNotes implements DamageList.Notes {
        private final Map<String, Map<String, String>> notes = new HashMap<>();

        @Override
        public Optional<Map<String, String>> read(String name) {
            return Optional.ofNullable(notes.get(name));
        }

        @Override
        public void write(String name, Map<String, String> lines) {
            notes.put(name, lines);
        }
    }

    @Override
    public DamageList damages() {
        return damages;
    }

    @Override
    public Status status() {
        return status;
    }

    @Override
    public boolean begin() {
        return begins;
    }
}
