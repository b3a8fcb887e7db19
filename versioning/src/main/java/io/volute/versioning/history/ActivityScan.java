package io.volute.versioning.history;

import io.volute.versioning.History.Action;
import io.volute.versioning.History.Activity;
import io.volute.versioning.History.ActivityFilter;
import io.volute.versioning.History.ActorVersion;
import io.volute.versioning.History.Page;
import io.volute.versioning.History.Place;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.event.EventScan;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.KeyVersion;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A page of the events that match an activity filter, as activities. */
final class ActivityScan {
    private final EventScan scan;
    private final NameCache names;
    private final ActivityFilter filter;

    ActivityScan(EventScan scan, NameCache names, ActivityFilter filter) {
        this.scan = scan;
        this.names = names;
        this.filter = filter;
    }

    /** The end of a page: a row, and the number of its events that pages already contain. */
    private record Mark(long number, int done) {
        static Mark parse(String text) {
            int dash = text.indexOf('-');
            if (dash < 0) {
                throw new StoreException(
                        Reason.INVALID_ARGUMENT,
                        "'" + text + "' is not a page token of this listing");
            }
            return new Mark(
                    CatalogHistory.number(text.substring(0, dash)),
                    Math.toIntExact(CatalogHistory.number(text.substring(dash + 1))));
        }

        String text() {
            return number + "-" + done;
        }
    }

    Page<Activity> page(Optional<String> from, int max) throws IOException {
        Mark begin =
                from.map(Mark::parse)
                        .orElseGet(() -> new Mark(filter.since().map(scan::since).orElse(0L), 0));
        List<Activity> found = new ArrayList<>();
        List<Mark> end = new ArrayList<>();
        scan.forward(
                begin.number(),
                rows -> {
                    Map<KeyVersion, KeyVersion> sources = sources(rows.events());
                    int done = rows.number() == begin.number() ? begin.done() : 0;
                    for (int i = done; i < rows.events().size(); i++) {
                        Optional<Activity> activity = activity(rows.events().get(i), sources);
                        if (activity.isPresent()) {
                            if (found.size() == max) {
                                end.add(new Mark(rows.number(), i));
                                return false;
                            }
                            found.add(activity.get());
                        }
                    }
                    return true;
                });
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

    private Optional<Activity> activity(Event event, Map<KeyVersion, KeyVersion> sources) {
        return switch (event) {
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
