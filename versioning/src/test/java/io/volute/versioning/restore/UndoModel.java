package io.volute.versioning.restore;

import io.volute.versioning.value.Caller;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * A store in which each state knows who made it and what it came from. Undos follow their
 * definition: the last state that none of the commands in force condemns.
 */
final class UndoModel {
    /** All states and absences of each key in their order. */
    private final Map<String, List<State>> timelines = new TreeMap<>();

    /** The versions of each key; a bucket without versions has at most one of each. */
    private final Map<String, List<State>> versions = new HashMap<>();

    /** The reads of each client, with the time of the first. */
    private final Map<Caller, Map<State, Instant>> reads = new HashMap<>();

    private final List<Command> commands = new ArrayList<>();
    private final boolean isVersioned;

    UndoModel(boolean isVersioned) {
        this.isVersioned = isVersioned;
    }

    /**
     * A state or an absence of a key.
     *
     * @param text empty for an absence
     * @param author who made it; empty for a restore, and for the first absence
     * @param sources what it was made from, and when its author read that
     * @param base the state whose content it has
     * @param restore the restore that made it
     */
    record State(
            String key,
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
    }

    /**
     * A command that condemns.
     *
     * @param undone ids of the restores that it undoes
     * @param id id of its own restore
     */
    record Command(
            Predicate<State> isSource,
            Instant since,
            Instant until,
            boolean withDerived,
            Set<String> undone,
            String id) {
        Command ended(Instant at, String restore) {
            return new Command(isSource, since, at, withDerived, undone, restore);
        }

        private boolean isWithin(State state) {
            return !state.at().isBefore(since) && !state.at().isAfter(until);
        }

        boolean condemns(State state, Map<State, Boolean> known) {
            Boolean result = known.get(state);
            if (result == null) {
                result = find(state, known);
                known.put(state, result);
            }
            return result;
        }

        private boolean find(State state, Map<State, Boolean> known) {
            if (isWithin(state) && isSource.test(state)) {
                return true;
            }
            if (state.base().filter(base -> condemns(base, known)).isPresent()) {
                return true;
            }
            return withDerived
                    && !state.at().isAfter(until)
                    && state.sources().entrySet().stream()
                            .filter(source -> !source.getValue().isAfter(until))
                            .anyMatch(source -> condemns(source.getKey(), known));
        }
    }

    private State first(String key) {
        return new State(
                key,
                Optional.empty(),
                Instant.EPOCH,
                Optional.empty(),
                Map.of(),
                Optional.empty(),
                Optional.empty());
    }

    List<State> timeline(String key) {
        return timelines.computeIfAbsent(key, same -> new ArrayList<>(List.of(first(key))));
    }

    State visible(String key) {
        return timeline(key).getLast();
    }

    Map<String, String> contents() {
        Map<String, String> found = new TreeMap<>();
        timelines.forEach(
                (key, states) -> states.getLast().text().ifPresent(t -> found.put(key, t)));
        return found;
    }

    /** Returns the state whose content a reader gets: a delete that lets it return is no source. */
    State content(String key) {
        State visible = visible(key);
        return visible.restore().isEmpty() ? visible.base().orElse(visible) : visible;
    }

    private Map<State, Instant> sources(Caller caller) {
        return new HashMap<>(reads.getOrDefault(caller, Map.of()));
    }

    void read(Caller caller, String key, Instant at) {
        reads.computeIfAbsent(caller, same -> new HashMap<>()).putIfAbsent(content(key), at);
    }

    void put(Caller caller, String key, String text, Instant at) {
        push(made(caller, key, Optional.of(text), sources(caller), at));
    }

    void copy(Caller caller, String from, String key, Instant at) {
        Map<State, Instant> sources = sources(caller);
        sources.putIfAbsent(content(from), at);
        push(made(caller, key, visible(from).text(), sources, at));
    }

    void delete(Caller caller, String key, Instant at) {
        push(made(caller, key, Optional.empty(), sources(caller), at));
    }

    /** Removes the current version, so that the one before returns. */
    void removeVersion(Caller caller, String key, Instant at) {
        List<State> all = versions.get(key);
        all.removeLast();
        Optional<State> returned = all.isEmpty() ? Optional.empty() : Optional.of(all.getLast());
        State state =
                new State(
                        key,
                        returned.flatMap(State::text),
                        at,
                        Optional.of(caller),
                        sources(caller),
                        returned,
                        Optional.empty());
        timeline(key).add(state);
    }

    private static State made(
            Caller caller,
            String key,
            Optional<String> text,
            Map<State, Instant> sources,
            Instant at) {
        return new State(
                key, text, at, Optional.of(caller), sources, Optional.empty(), Optional.empty());
    }

    private void push(State state) {
        timeline(state.key()).add(state);
        List<State> all = versions.computeIfAbsent(state.key(), same -> new ArrayList<>());
        if (!isVersioned) {
            all.clear();
        }
        all.add(state);
    }

    int versions(String key) {
        return versions.getOrDefault(key, List.of()).size();
    }

    /** Puts a key back, if it has other content. */
    private void restore(State target, Instant at, String id) {
        if (!target.text().equals(visible(target.key()).text())) {
            push(
                    new State(
                            target.key(),
                            target.text(),
                            at,
                            Optional.empty(),
                            Map.of(),
                            Optional.of(target),
                            Optional.of(id)));
        }
    }

    /** Returns the commands in force, besides those that another one undoes. */
    private List<Command> inForce(Set<String> undoneNow) {
        Set<String> undone = new HashSet<>(undoneNow);
        List<Command> found = new ArrayList<>();
        for (Command each : commands.reversed()) {
            if (!undone.contains(each.id())) {
                undone.addAll(each.undone());
                found.add(each);
            }
        }
        return found;
    }

    /** Returns whether one of these commands condemns a state. */
    private static boolean isCondemned(List<Command> by, State state) {
        return by.stream().anyMatch(each -> each.condemns(state, new HashMap<>()));
    }

    /** Returns the states that the command would put back, of the keys that it concerns. */
    Map<String, State> targets(Command command) {
        List<Command> inForce = inForce(command.undone());
        inForce.add(command);
        Map<String, State> targets = new TreeMap<>();
        for (Map.Entry<String, List<State>> each : timelines.entrySet()) {
            List<State> states = each.getValue();
            if (isCondemned(List.of(command), states.getLast())) {
                int place = states.size() - 1;
                while (isCondemned(inForce, states.get(place))) {
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
    void undo(Command command, Map<String, State> targets, Instant at, String id) {
        targets.values().forEach(target -> restore(target, at, id));
        commands.add(command.ended(at, id));
    }

    /** Puts all keys back, except to states that a command in force condemns, unless forced. */
    void restoreTo(Instant instant, boolean isForced, Instant at, String id) {
        List<Command> inForce = inForce(Set.of());
        for (List<State> states : List.copyOf(timelines.values())) {
            State then =
                    states.stream()
                            .filter(state -> !state.at().isAfter(instant))
                            .toList()
                            .getLast();
            if (isForced || !isCondemned(inForce, then)) {
                restore(then, at, id);
            }
        }
    }
}
