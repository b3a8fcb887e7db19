package io.volute.server.damage;

import io.volute.adminapi.CheckApi.Problem;
import io.volute.adminapi.DamageApi.Damaged;
import io.volute.adminapi.DamageApi.Damages;
import io.volute.adminapi.DamageApi.Repair;
import io.volute.adminapi.DamageApi.Repaired;
import io.volute.adminapi.Words;
import io.volute.server.LogText;
import io.volute.storage.Cube;
import io.volute.storage.directory.StoreDirectory;
import io.volute.storage.report.CheckReport;
import io.volute.storage.report.Damage;
import io.volute.versioning.Damages.Source;
import io.volute.versioning.Damages.State;
import io.volute.versioning.StoreCubes.Opened;
import io.volute.versioning.StoreException;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What checks and scrubs found damaged and nobody repaired since. As many entries as fit are in the
 * data directory as well, so that a restart does not hide them. Thread-safe.
 */
public final class DamageList {
    private static final Logger LOG = LoggerFactory.getLogger(DamageList.class);
    private static final String NAME = "damage";
    private static final String MORE = "more";

    /** Users of damaged bytes that are named in one line of a log. */
    private static final int NAMED_USERS = 5;

    private final Supplier<List<Opened>> cubes;
    private final Notes notes;

    /** The damaged states by their text. */
    private final Map<String, Found> entries = new LinkedHashMap<>();

    /** Number of the change that repaired an entry, by its text, the newest. */
    private final Map<String, Long> repairedAt =
            new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
                    return size() > Damage.USERS_MAX;
                }
            };

    private long changes;

    /** Reads of a cube that met damage up to the last check, which found the damage. */
    private final Map<String, Long> named = new HashMap<>();

    private long more;

    /** The notes of the data directory. */
    public interface Notes {
        /** Returns a note; empty when there is none. */
        Optional<Map<String, String>> read(String name) throws IOException;

        /** Writes a note durably. */
        void write(String name, Map<String, String> lines) throws IOException;

        /** Returns the notes of a data directory. */
        static Notes of(StoreDirectory directory) {
            return new Notes() {
                @Override
                public Optional<Map<String, String>> read(String name) throws IOException {
                    return directory.remembered(name);
                }

                @Override
                public void write(String name, Map<String, String> lines) throws IOException {
                    directory.remember(name, lines);
                }
            };
        }
    }

    /**
     * A damaged state.
     *
     * @param blob 0 when the damage is in its own record
     */
    private record Entry(String cube, long blob, Damage.User user) {
        String text() {
            String key = Base64.getUrlEncoder().withoutPadding().encodeToString(user.key());
            return cube + " " + blob + " " + user.family() + " " + key;
        }

        static Entry of(String text) {
            String[] parts = text.split(" ", -1);
            Damage.User user =
                    new Damage.User(
                            Integer.parseInt(parts[2]), Base64.getUrlDecoder().decode(parts[3]));
            return new Entry(parts[0], Long.parseLong(parts[1]), user);
        }
    }

    /**
     * An entry of the list.
     *
     * @param at number of the change that found it last; 0 for one of an earlier process
     */
    private record Found(Entry entry, long at) {}

    /**
     * Creates the list, with what an earlier process left.
     *
     * @param cubes the open cubes
     */
    public DamageList(Supplier<List<Opened>> cubes, Notes notes) {
        this.cubes = cubes;
        this.notes = notes;
        try {
            Map<String, String> lines = notes.read(NAME).orElse(Map.of());
            more = Long.parseLong(lines.getOrDefault(MORE, "0"));
            for (int i = 0; lines.containsKey("entry." + i); i++) {
                Entry entry = Entry.of(lines.get("entry." + i));
                entries.put(entry.text(), new Found(entry, 0));
            }
        } catch (IOException | RuntimeException e) {
            LOG.warn(
                    "the list of damaged versions cannot be read ({}): volute check rebuilds it",
                    e.getMessage());
        }
    }

    /**
     * Begins a check. It sees damage at different times, so its end neither forgets what others
     * find meanwhile nor adds what is repaired meanwhile.
     *
     * @return the number of the check
     */
    public synchronized long beginCheck() {
        return ++changes;
    }

    /**
     * Takes over what a check of a cube found.
     *
     * @param check its number
     * @return the problems with names
     */
    public List<Problem> checked(Opened cube, CheckReport report, long check) {
        List<Problem> problems = take(cube, report, report.complete(), check);
        if (report.complete()) {
            nameReads(List.of(cube));
        }
        return problems;
    }

    /** Adds what a check of a part of a cube found. */
    public void found(Opened cube, CheckReport report, long check) {
        for (Problem each : take(cube, report, false, check)) {
            LOG.error("cube {}: {}", cube.name(), LogText.of(line(each)));
        }
    }

    private List<Problem> take(Opened cube, CheckReport report, boolean isWhole, long check) {
        List<Problem> named = new ArrayList<>();
        List<Entry> found = new ArrayList<>();
        long foundMore = 0;
        for (CheckReport.Problem each : report.problems()) {
            List<Damaged> concerns = new ArrayList<>();
            if (each.damage().isPresent()) {
                Damage damage = each.damage().get();
                describe(cube, damage.users()).forEach(state -> concerns.add(state));
                damage.users().forEach(u -> found.add(new Entry(cube.name(), damage.blob(), u)));
                foundMore += damage.moreUsers();
            }
            named.add(
                    new Problem(
                            Words.of(each.kind()),
                            each.where(),
                            each.what(),
                            concerns,
                            each.damage().map(Damage::moreUsers).orElse(0L)));
        }
        replace(cube.name(), found, foundMore, isWhole ? check : 0, check);
        return named;
    }

    private static List<Damaged> describe(Opened cube, List<Damage.User> users) {
        return cube.store().damages().describe(users).stream()
                .map(state -> document(cube.name(), state))
                .toList();
    }

    /** Returns a state of a cube as the admin API has it. */
    public static Damaged document(String cube, State state) {
        return new Damaged(
                cube,
                Words.of(state.use()),
                text(state.bucket()),
                text(state.key()),
                text(state.version()),
                state.bytes(),
                Optional.of(state.modified()).filter(at -> !at.equals(Instant.EPOCH)),
                text(state.words()));
    }

    private static Optional<String> text(String text) {
        return Optional.of(text).filter(each -> !each.isEmpty());
    }

    /**
     * Adds what a check found.
     *
     * @param whole number of the check if it was of the whole cube, else 0
     */
    private synchronized void replace(
            String cube, List<Entry> found, long foundMore, long whole, long check) {
        changes++;
        if (whole > 0) {
            entries.values()
                    .removeIf(each -> each.entry().cube().equals(cube) && each.at() < whole);
            more = 0;
        }
        for (Entry each : found) {
            if (repairedAt.getOrDefault(each.text(), 0L) > check) {
                continue;
            }
            if (entries.size() < Damage.USERS_MAX || entries.containsKey(each.text())) {
                entries.put(each.text(), new Found(each, changes));
            } else {
                more++;
            }
        }
        more += foundMore;
        remember();
    }

    private void remember() {
        Map<String, String> lines = new LinkedHashMap<>();
        int room = StoreDirectory.REMEMBERED_BYTES_MAX / 2;
        for (String each : entries.keySet()) {
            room -= each.getBytes(StandardCharsets.UTF_8).length + 16;
            if (room < 0) {
                break;
            }
            lines.put("entry." + lines.size(), each);
        }
        lines.put(MORE, Long.toString(more + entries.size() - lines.size()));
        try {
            notes.write(NAME, lines);
        } catch (IOException e) {
            LOG.warn("the list of damaged versions cannot be kept: {}", e.getMessage());
        }
    }

    /** Returns the number of damaged states. */
    public synchronized long count() {
        return entries.size() + more;
    }

    private synchronized void nameReads(List<Opened> read) {
        read.forEach(each -> named.put(each.name(), each.cube().stats().damages()));
    }

    /**
     * Returns the cubes with reads that met damage since the last check of the whole cube, and
     * their number. The last repair of the list counts as a check.
     */
    public SortedMap<String, Long> unnamed() {
        SortedMap<String, Long> unnamed = new TreeMap<>();
        for (Opened cube : cubes.get()) {
            if (cube.cube() instanceof Cube.ReadOnly) {
                continue;
            }
            long reads = cube.cube().stats().damages();
            synchronized (this) {
                // The counter begins anew when the cube is opened again.
                named.computeIfPresent(
                        cube.name(), (same, before) -> before > reads ? null : before);
                long more = reads - named.getOrDefault(cube.name(), 0L);
                if (more > 0) {
                    unnamed.put(cube.name(), more);
                }
            }
        }
        return unnamed;
    }

    private synchronized List<Entry> entries() {
        return entries.values().stream().map(Found::entry).toList();
    }

    /** Returns the damaged states that are still there. */
    public Damages list() {
        List<Entry> all = entries();
        List<Damaged> damaged = new ArrayList<>();
        for (Opened cube : cubes.get()) {
            List<Damage.User> users =
                    all.stream()
                            .filter(each -> each.cube().equals(cube.name()))
                            .map(Entry::user)
                            .toList();
            damaged.addAll(describe(cube, users));
        }
        Map<String, Long> unnamed = unnamed();
        synchronized (this) {
            return new Damages(damaged, more, unnamed);
        }
    }

    /**
     * Repairs all states of the list.
     *
     * @param sources the source for a cube
     */
    public Repair repairAll(Function<String, Source> sources) throws IOException {
        List<Entry> all = entries();
        List<Repaired> repaired = new ArrayList<>();
        for (Opened cube : cubes.get()) {
            List<Damage.User> users =
                    all.stream()
                            .filter(each -> each.cube().equals(cube.name()))
                            .map(Entry::user)
                            .toList();
            for (State state : cube.store().damages().describe(users)) {
                repaired.add(repair(cube, state, sources.apply(cube.name())));
            }
        }
        return new Repair(repaired);
    }

    /**
     * Repairs the states of a key.
     *
     * @param version empty for all states
     * @throws StoreException NO_SUCH_KEY when there is no such state
     */
    public Repair repair(
            BucketName bucket,
            ObjectKey key,
            Optional<String> version,
            Function<String, Source> sources)
            throws IOException {
        List<Repaired> repaired = new ArrayList<>();
        for (Opened cube : cubes.get()) {
            for (State state : states(cube, bucket, key, version)) {
                repaired.add(repair(cube, state, sources.apply(cube.name())));
            }
        }
        if (repaired.isEmpty()) {
            throw new StoreException(
                    StoreException.Reason.NO_SUCH_KEY,
                    "no such version or state: volute damage list names those that are damaged");
        }
        return new Repair(repaired);
    }

    private static List<State> states(
            Opened cube, BucketName bucket, ObjectKey key, Optional<String> version) {
        try {
            return cube.store().damages().states(bucket, key, version);
        } catch (StoreException e) {
            if (e.reason() == StoreException.Reason.NO_SUCH_BUCKET) {
                return List.of();
            }
            throw e;
        }
    }

    private Repaired repair(Opened cube, State state, Source source) throws IOException {
        var outcome = cube.store().damages().repair(state, source);
        if (outcome.left() == 0 && forget(cube.name(), state.user())) {
            nameReads(cubes.get());
        }
        Damaged document = document(cube.name(), state);
        if (outcome.damaged() > 0) {
            LOG.info(
                    "repair of {}: {} damaged entries and chunks, {} left, verified by {} {}",
                    document.words(),
                    outcome.damaged(),
                    outcome.left(),
                    outcome.verified(),
                    outcome.words());
        }
        return new Repaired(
                document,
                outcome.damaged(),
                outcome.left(),
                outcome.verified(),
                text(outcome.words()));
    }

    /**
     * Removes a state that is sound again, and those that share its blob.
     *
     * @return whether it was the last one
     */
    private synchronized boolean forget(String cube, Damage.User user) {
        List<String> gone = new ArrayList<>();
        for (Entry each : entries()) {
            boolean isSame = new Entry(cube, each.blob(), user).text().equals(each.text());
            if (isSame) {
                entries.forEach(
                        (text, other) -> {
                            boolean shares =
                                    each.blob() != 0
                                            && other.entry().cube().equals(cube)
                                            && other.entry().blob() == each.blob();
                            if (shares || text.equals(each.text())) {
                                gone.add(text);
                            }
                        });
            }
        }
        if (!gone.isEmpty()) {
            changes++;
            gone.forEach(
                    text -> {
                        entries.remove(text);
                        repairedAt.remove(text);
                        repairedAt.put(text, changes);
                    });
            remember();
        }
        return !gone.isEmpty() && entries.isEmpty() && more == 0;
    }

    /** Returns a problem as a line of a log. */
    public static String line(Problem problem) {
        StringBuilder line = new StringBuilder(problem.where() + ": " + problem.what());
        int count = Math.min(NAMED_USERS, problem.concerns().size());
        for (int i = 0; i < count; i++) {
            line.append(i == 0 ? "; needed by " : ", ").append(problem.concerns().get(i).words());
        }
        long others = problem.concerns().size() - count + problem.moreConcerns();
        if (others > 0) {
            line.append(" and ").append(others).append(" more");
        }
        if (count > 0) {
            line.append("; next: ").append(problem.concerns().getFirst().remedy());
        }
        return line.toString();
    }
}
