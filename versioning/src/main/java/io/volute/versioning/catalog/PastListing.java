package io.volute.versioning.catalog;

import io.volute.storage.Cube;
import io.volute.versioning.Listing.ObjectPage;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.ObjectKey;
import io.volute.versioning.ObjectVersion;
import io.volute.versioning.catalog.PastStates.State;
import io.volute.versioning.rows.RowKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Lists the objects of a bucket that were current when everything up to a sequence was. */
final class PastListing {
    private final Cube cube;
    private final BucketEntry bucket;
    private final ObjectQuery query;
    private final long sequence;
    private final KeyWalk walk;
    private final List<ObjectVersion> objects = new ArrayList<>();
    private final List<String> prefixes = new ArrayList<>();
    private String last = "";

    PastListing(Cube cube, BucketEntry bucket, ObjectQuery query, long sequence) {
        this.cube = cube;
        this.bucket = bucket;
        this.query = query;
        this.sequence = sequence;
        this.walk = new KeyWalk(bucket.id(), query.prefix(), query.delimiter());
    }

    ObjectPage page() {
        boolean more = query.max() > 0 && collect();
        return new ObjectPage(objects, prefixes, more ? Optional.of(last) : Optional.empty());
    }

    /** Whether there is more than was asked for. */
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
                    if (objects.size() + prefixes.size() == query.max()) {
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
        int keyEnd = RowKeys.objectKeyEnd(base, 0);
        int rolled = walk.commonPrefixEnd(base, keyEnd);
        if (rolled == KeyWalk.NONE) {
            last = RowKeys.objectKey(base, keyEnd);
            objects.add(
                    state.row()
                            .listed(new ObjectKey(last), true, bucket.owner())
                            .writtenLater(state.writtenLater()));
        } else {
            last = RowKeys.objectKey(base, rolled);
            prefixes.add(last);
            states.skipTo(RowKeys.behindPrefix(base, rolled));
        }
    }
}
