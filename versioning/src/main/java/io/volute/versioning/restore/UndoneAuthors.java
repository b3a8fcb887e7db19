package io.volute.versioning.restore;

import io.volute.versioning.History.ActorInfo;
import io.volute.versioning.Restore.Author;
import io.volute.versioning.Restore.Authors;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Counts the undone writes of a restore by run of an actor. Not thread-safe. */
final class UndoneAuthors {
    /** Maximum number of runs in memory; further ones are not counted. */
    private static final int AUTHORS_MAX = 1 << 16;

    private final Map<Long, Author> authors = new HashMap<>();

    /**
     * Counts a write.
     *
     * @param isDerived whether it is undone only because it is derived
     */
    void count(ActorInfo actor, Instant at, boolean isDerived) {
        if (authors.size() < AUTHORS_MAX || authors.containsKey(actor.id())) {
            authors.merge(actor.id(), new Author(actor, 1, at, at, isDerived), UndoneAuthors::and);
        }
    }

    private static Author and(Author known, Author more) {
        return new Author(
                known.actor(),
                known.writes() + more.writes(),
                known.first().isBefore(more.first()) ? known.first() : more.first(),
                known.last().isAfter(more.last()) ? known.last() : more.last(),
                known.isDerived() && more.isDerived());
    }

    /**
     * Returns the runs with the most writes, those of the sources first.
     *
     * @param sessions number of sessions that the access keys of the goal began
     */
    Authors result(long sessions) {
        List<Author> most =
                authors.values().stream()
                        .sorted(
                                Comparator.comparing(Author::isDerived)
                                        .thenComparing(
                                                Comparator.comparingLong(Author::writes).reversed())
                                        .thenComparing(author -> author.actor().id()))
                        .limit(Authors.SHOWN_MAX)
                        .toList();
        return new Authors(most, authors.size(), sessions);
    }
}
