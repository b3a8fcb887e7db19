package io.volute.versioning.read;

import io.volute.storage.RecordStore;
import io.volute.versioning.Listing.ObjectPage;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.state.KeyWalk;
import io.volute.versioning.state.PastCursors;
import io.volute.versioning.state.PastStates;
import io.volute.versioning.state.PastStates.State;
import java.util.Optional;

/**
 * Lists the objects that were current when all commits up to a sequence were visible. Used once.
 */
public final class PastListing {
    private final RecordStore cube;
    private final BucketEntry bucket;
    private final ObjectQuery query;
    private final long sequence;
    private final KeyWalk walk;
    private final PageCollector page;

    public PastListing(RecordStore cube, BucketEntry bucket, ObjectQuery query, long sequence) {
        this.cube = cube;
        this.bucket = bucket;
        this.query = query;
        this.sequence = sequence;
        this.walk = new KeyWalk(bucket, query.prefix(), query.delimiter());
        this.page = PageCollector.of(walk, query);
    }

    public ObjectPage page() {
        return page.objects(query.max() > 0 && collect());
    }

    /** Fills the page; returns whether more entries follow. */
    private boolean collect() {
        byte[] from = walk.behind(query.after());
        try (PastCursors cursors = PastCursors.open(cube, bucket, from, walk.end())) {
            PastStates states = new PastStates(cursors, sequence);
            Optional<byte[]> next = states.nextKey();
            while (next.isPresent()) {
                byte[] base = next.get();
                Optional<State> state =
                        states.take(base).filter(found -> !found.row().deleteMarker());
                if (state.isPresent()) {
                    if (page.isFull()) {
                        return true;
                    }
                    add(states, base, state.get());
                }
                next = states.nextKey();
            }
        }
        return false;
    }

    private void add(PastStates states, byte[] base, State state) {
        Optional<byte[]> behindPrefix = page.rollUp(base);
        if (behindPrefix.isPresent()) {
            states.skipTo(behindPrefix.get());
        } else {
            page.add(
                    state.row()
                            .listed(RowKeys.objectKey(base), true, bucket.owner())
                            .writtenLater(state.writtenLater()));
        }
    }
}
