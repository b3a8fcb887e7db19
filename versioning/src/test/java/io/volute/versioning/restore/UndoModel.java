package io.volute.versioning.restore;

import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.Caller;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * A store in which each state knows who made it and what it came from. Undos follow their
 * definition: the last state that none of the commands in force condemns. Where a bucket lies, and
 * how often it moves, makes no difference.
 */
final class UndoModel {
    /** All states and absences of each key in their order. */
    private final Map<Place, List<State>> timelines = new TreeMap<>();

    /** The versions and delete markers of each key, oldest first. */
    private final Map<Place, List<Version>> versions = new HashMap<>();

    private final Map<String, VersioningState> versioning = new HashMap<>();

    /** The reads of each client, with the time of the first. */
    private final Map<Caller, Map<State, Instant>> reads = new HashMap<>();

    private final List<Command> commands = new ArrayList<>();

    /** A key of a bucket. */
    record Place(String bucket, String key) implements Comparable<Place> {
        @Override
        public int compareTo(Place other) {
            return toString().compareTo(other.toString());
        }

        @Override
        public String toString() {
            return bucket + "/" + key;
        }
    }

    private record Version(State state, boolean isNull) {}

    /** The act that made a state. */
    enum Kind {
        WRITE,
        TAG,
        /** The removal of a version let an older one return. */
        RETURN,
        RESTORE
    }

    /**
     * A state or an absence of a key.
     *
     * @param text content and tags; empty for an absence
     * @param author who made it; for a restore, who began it; empty for the first absence
     * @param sources what it was made from, and when its author read that
     * @param base the state whose content it has
     * @param restore the restore that made it
     */
    record State(
            Place place,
            Kind kind,
            Optional<String> text,
            Instant at,
            Optional<Caller> author,
            Map<State, Instant> sources,
            Optional<State> base,
            Optional<String> restore) {
        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }

        @Override
        public String toString() {
            return kind + " of " + text.orElse("nothing") + " at " + at;
        }
    }

    /**
     * The order of a restore.
     *
     * @param prefix of the keys that it puts back
     * @param caller who gave it
     */
    record Order(String bucket, String prefix, Caller caller) {
        boolean contains(Place place) {
            return place.bucket().equals(bucket) && place.key().startsWith(prefix);
        }

        @Override
        public String toString() {
            return bucket + "/" + prefix + " by " + caller.actor().label();
        }
    }

    /**
     * A command that condemns.
     *
     * @param isSourceOfAll whether all that a caller does is condemned, also the undos that it runs
     * @param undone ids of the restores that it undoes
     * @param id id of its own restore
     */
    record Command(
            Order order,
            Predicate<State> isSource,
            Predicate<Caller> isSourceOfAll,
            Instant since,
            Instant until,
            boolean withDerived,
            Set<String> undone,
            String id) {
        Command ended(Instant at, String restore) {
            return new Command(
                    order, isSource, isSourceOfAll, since, at, withDerived, undone, restore);
        }

        private boolean isWithin(Instant at) {
            return !at.isBefore(since) && !at.isAfter(until);
        }

        /** Returns whether it ends the force of an earlier command. */
        boolean ends(Command earlier) {
            Caller caller = earlier.order().caller();
            return undone.contains(earlier.id())
                    || isSourceOfAll.test(caller)
                            && isWithin(earlier.until())
                            && !caller.accessKey().equals(order.caller().accessKey());
        }

        boolean condemns(State state, Memory memory) {
            Boolean result = memory.found().get(state);
            if (result == null) {
                result = find(state, memory);
                memory.found().put(state, result);
            }
            return result;
        }

        private boolean find(State state, Memory memory) {
            boolean isRemembered = state.at().isAfter(memory.forgotten());
            boolean hasRow =
                    state.text().isPresent()
                            && state.kind() != Kind.RETURN
                            && memory.isKept().test(state);
            if ((isRemembered || hasRow) && isWithin(state.at()) && isSource.test(state)) {
                return true;
            }
            if (!isRemembered) {
                return false;
            }
            if (state.base().filter(base -> condemns(base, memory)).isPresent()) {
                return true;
            }
            return withDerived
                    && !state.at().isAfter(until)
                    && state.sources().entrySet().stream()
                            .filter(source -> !source.getValue().isAfter(until))
                            .filter(source -> source.getValue().isAfter(memory.forgotten()))
                            .anyMatch(source -> condemns(source.getKey(), memory));
        }
    }

    /**
     * Knowledge about states.
     *
     * @param found which of them one command condemns
     * @param isKept whether the row of a state is there
     * @param forgotten events up to here may be gone: who made a state is known from its row, and
     *     what it came from is not
     */
    private record Memory(Predicate<State> isKept, Instant forgotten, Map<State, Boolean> found) {}

    private static State first(Place place) {
        return new State(
                place,
                Kind.WRITE,
                Optional.empty(),
                Instant.EPOCH,
                Optional.empty(),
                Map.of(),
                Optional.empty(),
                Optional.empty());
    }

    VersioningState versioning(String bucket) {
        return versioning.getOrDefault(bucket, VersioningState.UNVERSIONED);
    }

    void setVersioning(String bucket, VersioningState state) {
        versioning.put(bucket, state);
    }

    List<State> timeline(Place place) {
        return timelines.computeIfAbsent(place, same -> new ArrayList<>(List.of(first(place))));
    }

    State visible(Place place) {
        return timeline(place).getLast();
    }

    Map<String, String> contents() {
        Map<String, String> found = new TreeMap<>();
        timelines.forEach(
                (place, states) ->
                        states.getLast().text().ifPresent(t -> found.put(place.toString(), t)));
        return found;
    }

    /** Returns the state whose content a reader gets: a delete that lets it return is no source. */
    State content(Place place) {
        State visible = visible(place);
        return visible.kind() == Kind.RETURN ? visible.base().orElse(visible) : visible;
    }

    private Map<State, Instant> sources(Caller caller) {
        return new HashMap<>(reads.getOrDefault(caller, Map.of()));
    }

    void read(Caller caller, Place place, Instant at) {
        reads.computeIfAbsent(caller, same -> new HashMap<>()).putIfAbsent(content(place), at);
    }

    private static State made(
            Kind kind,
            Caller caller,
            Place place,
            Optional<String> text,
            Map<State, Instant> sources,
            Optional<State> base,
            Instant at) {
        return new State(
                place, kind, text, at, Optional.of(caller), sources, base, Optional.empty());
    }

    private State made(
            Kind kind,
            Caller caller,
            Place place,
            Optional<String> text,
            Optional<State> base,
            Instant at) {
        return made(kind, caller, place, text, sources(caller), base, at);
    }

    void put(Caller caller, Place place, String text, Instant at) {
        push(made(Kind.WRITE, caller, place, Optional.of(text), Optional.empty(), at));
    }

    void copy(Caller caller, Place from, Place to, Instant at) {
        Map<State, Instant> sources = sources(caller);
        sources.putIfAbsent(content(from), at);
        Optional<String> text = visible(from).text();
        push(made(Kind.WRITE, caller, to, text, sources, Optional.empty(), at));
    }

    void delete(Caller caller, Place place, Instant at) {
        push(made(Kind.WRITE, caller, place, Optional.empty(), Optional.empty(), at));
    }

    /** Replaces the tags of the current version, whose content stays what it was. */
    void tag(Caller caller, Place place, String text, Instant at) {
        State tagged =
                made(Kind.TAG, caller, place, Optional.of(text), Optional.of(content(place)), at);
        timeline(place).add(tagged);
        List<Version> all = versions.get(place);
        all.add(new Version(tagged, all.removeLast().isNull()));
    }

    /**
     * Removes versions and markers in one request. If the current one is among them, one before
     * returns; otherwise clients see no difference.
     *
     * @param behind places of the versions behind the current one, which is at 0
     */
    void removeVersions(Caller caller, Place place, Set<Integer> behind, Instant at) {
        List<Version> all = versions.get(place);
        List<Version> removed = behind.stream().map(each -> all.reversed().get(each)).toList();
        all.removeAll(removed);
        if (behind.contains(0)) {
            Optional<State> returned =
                    all.isEmpty() ? Optional.empty() : Optional.of(all.getLast().state());
            Optional<String> text = returned.flatMap(State::text);
            timeline(place).add(made(Kind.RETURN, caller, place, text, returned, at));
        }
    }

    private void push(State state) {
        timeline(state.place()).add(state);
        List<Version> all = versions.computeIfAbsent(state.place(), same -> new ArrayList<>());
        VersioningState of = versioning(state.place().bucket());
        boolean isNull = of != VersioningState.ENABLED;
        if (isNull) {
            all.removeIf(Version::isNull);
        }
        if (of != VersioningState.UNVERSIONED || state.text().isPresent()) {
            all.add(new Version(state, isNull));
        }
    }

    /** Returns the number of versions and delete markers. */
    int versions(Place place) {
        return versions.getOrDefault(place, List.of()).size();
    }

    /** Puts a key back, if it has other content. */
    private void restore(State target, Caller caller, Instant at, String id) {
        if (!target.text().equals(visible(target.place()).text())) {
            push(
                    new State(
                            target.place(),
                            Kind.RESTORE,
                            target.text(),
                            at,
                            Optional.of(caller),
                            Map.of(),
                            Optional.of(target),
                            Optional.of(id)));
        }
    }

    /**
     * Returns the commands of a bucket in force.
     *
     * @param now a command that is given now
     */
    private List<Command> inForce(String bucket, Optional<Command> now) {
        List<Command> later = new ArrayList<>(now.stream().toList());
        List<Command> found = new ArrayList<>();
        for (Command each : commands.reversed()) {
            if (each.order().bucket().equals(bucket)
                    && later.stream().noneMatch(other -> other.ends(each))) {
                later.add(each);
                found.add(each);
            }
        }
        return found;
    }

    /** Returns whether one of these commands condemns a state. */
    private static boolean isCondemned(
            List<Command> by, State state, Predicate<State> isKept, Instant forgotten) {
        return by.stream()
                .filter(each -> each.order().contains(state.place()))
                .anyMatch(
                        each ->
                                each.condemns(
                                        state, new Memory(isKept, forgotten, new HashMap<>())));
    }

    /**
     * Returns the states that the command would put back, of the keys that it concerns.
     *
     * @param isKept whether the row of a state is there
     * @param forgotten events up to here may be gone
     */
    Map<Place, State> targets(Command command, Predicate<State> isKept, Instant forgotten) {
        List<Command> inForce = inForce(command.order().bucket(), Optional.of(command));
        inForce.add(command);
        Map<Place, State> targets = new TreeMap<>();
        for (Map.Entry<Place, List<State>> each : timelines.entrySet()) {
            List<State> states = each.getValue();
            if (isCondemned(List.of(command), states.getLast(), isKept, forgotten)) {
                int place = states.size() - 1;
                while (isCondemned(inForce, states.get(place), isKept, forgotten)) {
                    place--;
                }
                targets.put(each.getKey(), states.get(place));
            }
        }
        return targets;
    }

    /**
     * Puts keys back.
     *
     * @param targets those of the command that are known
     */
    void undo(Command command, Map<Place, State> targets, Instant at, String id) {
        targets.values().forEach(target -> restore(target, command.order().caller(), at, id));
        commands.add(command.ended(at, id));
    }

    /** Puts keys back, except to states that a command in force condemns, unless forced. */
    void restoreTo(Order order, Instant instant, boolean isForced, Instant at, String id) {
        List<Command> inForce = inForce(order.bucket(), Optional.empty());
        for (Map.Entry<Place, List<State>> each : Map.copyOf(timelines).entrySet()) {
            State then =
                    each.getValue().stream()
                            .filter(state -> !state.at().isAfter(instant))
                            .toList()
                            .getLast();
            if (order.contains(each.getKey())
                    && (isForced || !isCondemned(inForce, then, kept -> true, Instant.MIN))) {
                restore(then, order.caller(), at, id);
            }
        }
    }
}
