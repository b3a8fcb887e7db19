package io.volute.versioning.restore;

import io.volute.versioning.History.ActorInfo;
import io.volute.versioning.Restore.Author;
import io.volute.versioning.Restore.Authors;
import io.volute.versioning.value.ActorName;
import io.volute.versioning.value.Caller.Parent;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Counts the undone writes of a restore by author. Not thread-safe. */
final class UndoneAuthors {
    /** Maximum number of distinct authors in memory; further ones are not counted. */
    private static final int AUTHORS_MAX = 1 << 16;

    private final Map<Identity, Author> authors = new HashMap<>();

    /** The identity that the runs of one author share. */
    private record Identity(
            String principal, String accessKey, Optional<Parent> parent, ActorName called) {}

    void count(ActorInfo actor) {
        Identity identity =
                new Identity(actor.principal(), actor.accessKey(), actor.parent(), actor.called());
        if (authors.size() < AUTHORS_MAX || authors.containsKey(identity)) {
            authors.merge(
                    identity,
                    new Author(actor, 1),
                    (known, more) -> new Author(known.actor(), known.writes() + more.writes()));
        }
    }

    /**
     * Returns the authors with the most writes.
     *
     * @param sessions number of sessions that the access key of the goal began
     */
    Authors result(long sessions) {
        List<Author> most =
                authors.values().stream()
                        .sorted(
                                Comparator.comparingLong(Author::writes)
                                        .reversed()
                                        .thenComparing(author -> author.actor().id()))
                        .limit(Authors.SHOWN_MAX)
                        .toList();
        return new Authors(most, authors.size(), sessions);
    }
}
