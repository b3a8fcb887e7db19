package io.volute.versioning.catalog;

import io.volute.versioning.StoreOptions;
import io.volute.versioning.bucket.BucketDirectory;
import io.volute.versioning.event.EventIndex;
import io.volute.versioning.event.Federation;
import io.volute.versioning.event.Membership;
import io.volute.versioning.event.MergedEvents;
import io.volute.versioning.history.CatalogHistory;
import io.volute.versioning.history.HistoryRetention;
import io.volute.versioning.history.HistoryTrim;
import io.volute.versioning.history.KeyErasure;
import io.volute.versioning.provenance.ProvenanceLog;
import io.volute.versioning.read.PagesAhead;
import io.volute.versioning.read.PastInstants;
import io.volute.versioning.restore.CatalogRestore;
import io.volute.versioning.restore.KeyRestoring;
import io.volute.versioning.state.KeyLocks;
import io.volute.versioning.write.WriteBatchFactory;
import java.time.InstantSource;
import java.util.Optional;

/**
 * The parts of a catalog that concern the past, wired together.
 *
 * @param member the cube as others of the store see it
 */
record HistoryParts(
        HistoryRetention retention,
        CatalogHistory history,
        CatalogRestore restore,
        CubeDamages damages,
        PagesAhead ahead,
        Membership membership,
        Federation.Member member) {
    /** Lets the other cubes of the store see this one. */
    void join() {
        membership.store().join(member);
    }

    void leave() {
        membership.store().leave(membership.number());
    }

    static HistoryParts of(
            StoreOptions options,
            Membership membership,
            BucketDirectory buckets,
            KeyLocks locks,
            PastInstants instants,
            WriteBatchFactory batches,
            Optional<ProvenanceLog> log) {
        var cube = options.cube();
        var causality = batches.causality();
        InstantSource clock = options.clock();
        EventIndex index =
                new EventIndex(cube, causality.events().numbers(), EventIndex.Sizes.USUAL);
        HistoryTrim trim = new HistoryTrim(cube, index, locks, log);
        MergedEvents events = new MergedEvents(membership, cube, causality.events());
        CatalogHistory history =
                new CatalogHistory(
                        cube,
                        buckets,
                        causality,
                        index,
                        membership,
                        events,
                        trim,
                        new KeyErasure(cube, locks, clock, log));
        KeyRestoring keys = new KeyRestoring(clock, buckets, locks, batches);
        return new HistoryParts(
                new HistoryRetention(cube, causality, index, trim, buckets),
                history,
                new CatalogRestore(cube, instants, buckets, history, membership, events, keys),
                new CubeDamages(cube, buckets, log),
                new PagesAhead(trim::removals, clock),
                membership,
                new Federation.Member(
                        membership.number(),
                        cube,
                        causality.events()::flush,
                        buckets::namesById,
                        history::find));
    }
}
