package io.volute.versioning.history;

import io.volute.versioning.History.Action;
import io.volute.versioning.History.Activity;
import io.volute.versioning.History.ActivityFilter;
import io.volute.versioning.History.ActorVersion;
import io.volute.versioning.History.Page;
import io.volute.versioning.History.Place;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.event.EventScan.Rows;
import io.volute.versioning.event.MergedEvents;
import io.volute.versioning.event.MergedEvents.CubeRows;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.KeyVersion;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A page of the events that match an activity filter, as activities. */
final class ActivityScan {
    private static final Pattern TOKEN =
            Pattern.compile("([0-9]{1,19})-([0-9]{1,9})-([0-9]{1,19})-([0-9]{1,9})");

    private final MergedEvents events;
    private final NameCache names;
    private final ActivityFilter filter;

    ActivityScan(MergedEvents events, NameCache names, ActivityFilter filter) {
        this.events = events;
        this.names = names;
        this.filter = filter;
    }

    /** The end of a page: a row, and the number of its events that pages already contain. */
    private record Mark(CubeRows row, int done) {
        static Mark parse(String text) {
            Matcher token = TOKEN.matcher(text);
            if (!token.matches()) {
                throw new StoreException(
                        Reason.INVALID_ARGUMENT,
                        "'" + text + "' is not a page token of this listing");
            }
            Rows place =
                    new Rows(
                            CatalogHistory.number(token.group(3)),
                            CatalogHistory.number(token.group(1)),
                            List.of());
            return new Mark(
                    new CubeRows(Integer.parseInt(token.group(4)), place),
                    Integer.parseInt(token.group(2)));
        }

        String text() {
            Rows rows = row.rows();
            return rows.sequence() + "-" + done + "-" + rows.number() + "-" + row.cube();
        }
    }

    Page<Activity> page(Optional<String> from, int max) throws IOException {
        Optional<Mark> begin = from.map(Mark::parse);
        List<Activity> found = new ArrayList<>();
        List<Mark> end = new ArrayList<>();
        MergedEvents.Visitor visitor =
                row -> {
                    List<Event> all = row.rows().events();
                    Map<KeyVersion, KeyVersion> sources = sources(all);
                    int done =
                            begin.filter(mark -> mark.row().isSame(row)).map(Mark::done).orElse(0);
                    for (int i = done; i < all.size(); i++) {
                        Optional<Activity> activity = activity(row.cube(), all.get(i), sources);
                        if (activity.isPresent()) {
                            if (found.size() == max) {
                                end.add(new Mark(row, i));
                                return false;
                            }
                            found.add(activity.get());
                        }
                    }
                    return true;
                };
        if (begin.isPresent()) {
            events.from(begin.get().row(), visitor);
        } else {
            events.since(filter.since().orElse(Instant.EPOCH), visitor);
        }
        return new Page<>(found, end.stream().map(Mark::text).findFirst());
    }

    private static Map<KeyVersion, KeyVersion> sources(List<Event> events) {
        Map<KeyVersion, KeyVersion> sources = new HashMap<>();
        for (Event event : events) {
            if (event instanceof Event.Copied copied) {
                sources.put(copied.object(), copied.source());
            }
        }
        return sources;
    }

    private Optional<Activity> activity(
            int cube, Event event, Map<KeyVersion, KeyVersion> sources) {
        return switch (event) {
            // The cube of the object has this read, too.
            case Event.Read read when !names.isIn(cube, read.object().bucketId()) ->
                    Optional.empty();
            case Event.Read read ->
                    activity(
                            read.at(),
                            names.actor(read.actor(), read.actorVersion()),
                            Action.READ,
                            read.object(),
                            Optional.empty());
            case Event.Wrote wrote ->
                    activity(
                            wrote.at(),
                            names.actor(wrote.actor(), wrote.actorVersion()),
                            Taint.action(wrote.change()),
                            wrote.object(),
                            Optional.ofNullable(sources.get(wrote.object())).map(names::place));
            case Event.Copied copied -> Optional.empty();
            case Event.Kept kept -> Optional.empty();
            case Event.Restored restored -> Optional.empty();
        };
    }

    private Optional<Activity> activity(
            Instant at,
            ActorVersion actor,
            Action action,
            KeyVersion object,
            Optional<Place> source) {
        return matches(actor, at)
                ? Optional.of(
                        new Activity(
                                at,
                                actor,
                                action,
                                names.bucket(object.bucketId()),
                                object.key(),
                                object.version(),
                                source))
                : Optional.empty();
    }

    private boolean matches(ActorVersion actor, Instant at) {
        return filter.since().filter(at::isBefore).isEmpty()
                && filter.until().filter(at::isAfter).isEmpty()
                && filter.actor().filter(id -> id != actor.actor().id()).isEmpty()
                && filter.who().matches(actor.actor());
    }
}
