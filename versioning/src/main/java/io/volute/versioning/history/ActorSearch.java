package io.volute.versioning.history;

import static io.volute.versioning.rows.Families.ACTORS;

import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.versioning.History.ActorInfo;
import io.volute.versioning.Restore.Source;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.event.Membership;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.ActorName;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** A search of the recorded actors of all open cubes by name and by access key. Not thread-safe. */
public final class ActorSearch {
    private static final byte[] OPEN_END = {};

    /** Maximum number of names or users that an error message lists. */
    private static final int SHOWN_MAX = 10;

    private final RecordStore cube;
    private final Membership membership;

    public ActorSearch(RecordStore cube, Membership membership) {
        this.cube = cube;
        this.membership = membership;
    }

    /** Passes every actor of all open cubes to an action, the earliest of each cube first. */
    void forEach(Consumer<ActorInfo> action) {
        forEach(cube, action);
        membership.others().forEach(other -> forEach(other.cube(), action));
    }

    private static void forEach(RecordStore cube, Consumer<ActorInfo> action) {
        try (RecordCursor cursor = cube.scan(ACTORS, OPEN_END, OPEN_END)) {
            while (cursor.next()) {
                long id = ~RowKeys.suffix(cursor.key());
                action.accept(NameCache.info(id, cursor.record().summary()));
            }
        }
    }

    /**
     * Returns the number of sessions that an access key began and whose actors are still recorded.
     */
    public long sessions(String accessKey) {
        Set<String> sessions = new HashSet<>();
        forEach(
                actor ->
                        actor.parent()
                                .filter(parent -> parent.accessKey().equals(accessKey))
                                .ifPresent(parent -> sessions.add(actor.accessKey())));
        return sessions.size();
    }

    /**
     * Completes a name, and checks that it means the actors of one user.
     *
     * @throws StoreException INVALID_ARGUMENT when it matches no name, several names, or the actors
     *     of several users
     */
    public Source.Name settled(Source.Name source) {
        String whole = wholeName(source.name(), source.user());
        NavigableSet<String> users = new TreeSet<>();
        forEach(
                actor -> {
                    if (actor.called().isCalled(whole)) {
                        users.add(actor.user());
                    }
                });
        if (source.user().isEmpty() && users.size() > 1) {
            throw new StoreException(
                    Reason.INVALID_ARGUMENT,
                    users.size()
                            + " users have actors of the name '"
                            + whole
                            + "', choose one (--user): "
                            + listed(users));
        }
        return new Source.Name(whole, source.user());
    }

    /**
     * Returns the one actor name that equals a text, or else the one that begins with it.
     *
     * @param user user of the actors; empty for all
     * @return a text for {@link ActorName#isCalled}, in quotation marks when clients chose the name
     */
    public String wholeName(String text, Optional<String> user) {
        NavigableMap<String, Set<ActorName.Kind>> exact = new TreeMap<>();
        NavigableMap<String, Set<ActorName.Kind>> longer = new TreeMap<>();
        forEach(
                actor -> {
                    ActorName name = actor.called();
                    if (user.filter(wanted -> !wanted.equals(actor.user())).isPresent()) {
                        return;
                    }
                    if (name.isCalled(text)) {
                        add(exact, name);
                    } else if (name.label().startsWith(text) || name.shown().startsWith(text)) {
                        add(longer, name);
                    }
                });
        NavigableMap<String, Set<ActorName.Kind>> found = exact.isEmpty() ? longer : exact;
        if (found.isEmpty()) {
            throw new StoreException(
                    Reason.INVALID_ARGUMENT, "no actor has a name that begins with '" + text + "'");
        }
        if (found.size() > 1) {
            throw new StoreException(
                    Reason.INVALID_ARGUMENT,
                    found.size()
                            + " names of actors begin with '"
                            + text
                            + "', write more of the one you mean: "
                            + listed(found.navigableKeySet()));
        }
        String label = found.firstKey();
        Set<ActorName.Kind> kinds = found.get(label);
        kinds.remove(ActorName.Kind.UNKNOWN);
        if (!kinds.contains(ActorName.Kind.CHOSEN)) {
            return label;
        }
        String quoted = new ActorName(ActorName.Kind.CHOSEN, label, "").shown();
        if (kinds.size() > 1) {
            throw new StoreException(
                    Reason.INVALID_ARGUMENT,
                    "clients chose the name '"
                            + label
                            + "', and others have it that did not choose it: write "
                            + quoted
                            + " in quotation marks for the chosen one, or undo by access key, user"
                            + " or actor id");
        }
        return quoted;
    }

    private static void add(NavigableMap<String, Set<ActorName.Kind>> found, ActorName name) {
        found.computeIfAbsent(name.label(), label -> EnumSet.noneOf(ActorName.Kind.class))
                .add(name.kind());
    }

    private static String listed(NavigableSet<String> names) {
        return names.stream().limit(SHOWN_MAX).collect(Collectors.joining("', '", "'", "'"))
                + (names.size() > SHOWN_MAX ? " ..." : "");
    }
}
