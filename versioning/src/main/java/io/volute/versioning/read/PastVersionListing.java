package io.volute.versioning.read;

import io.volute.storage.RecordStore;
import io.volute.versioning.Listing.VersionPage;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.state.KeyWalk;
import io.volute.versioning.state.PastCursors;
import io.volute.versioning.state.PastStates;
import io.volute.versioning.state.PastStates.State;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionSelector;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Lists the versions that a client could see when all commits up to a sequence were visible. Used
 * once.
 */
public final class PastVersionListing {
    private final RecordStore cube;
    private final BucketEntry bucket;
    private final VersionQuery query;
    private final long sequence;
    private final KeyWalk walk;
    private final PageCollector page;

    public PastVersionListing(
            RecordStore cube, BucketEntry bucket, VersionQuery query, long sequence) {
        this.cube = cube;
        this.bucket = bucket;
        this.query = query;
        this.sequence = sequence;
        this.walk = new KeyWalk(bucket, query.prefix(), query.delimiter());
        this.page = PageCollector.of(walk, query);
    }

    public VersionPage page() {
        return page.versions(query.max() > 0 && collect());
    }

    private boolean collect() {
        boolean goesInto = query.versionMarker().isPresent() && walk.goesInto(query.keyMarker());
        byte[] from = goesInto ? walk.markerKey(query.keyMarker()) : walk.behind(query.keyMarker());
        try (PastCursors cursors = PastCursors.open(cube, bucket, from, walk.end())) {
            PastStates states = new PastStates(cursors, sequence);
            Optional<byte[]> next = states.nextKey();
            while (next.isPresent()) {
                byte[] base = next.get();
                List<State> found = states.takeAll(base);
                if (goesInto && Arrays.equals(base, from)) {
                    found = behindMarker(found);
                }
                if (addAll(states, base, found)) {
                    return true;
                }
                next = states.nextKey();
            }
        }
        return false;
    }

    private List<State> behindMarker(List<State> states) {
        return switch (query.versionMarker().orElseThrow()) {
            case VersionSelector.Latest latest -> List.of();
            case VersionSelector.Numbered numbered ->
                    states.stream()
                            .filter(state -> state.row().number() < numbered.number())
                            .toList();
            case VersionSelector.NullVersion nullVersion ->
                    states.stream().dropWhile(state -> !state.row().nullVersion()).skip(1).toList();
        };
    }

    /** Adds the versions of one key; returns whether some had no room. */
    private boolean addAll(PastStates states, byte[] base, List<State> found) {
        if (found.isEmpty()) {
            return false;
        }
        if (page.isFull()) {
            return true;
        }
        Optional<byte[]> behindPrefix = page.rollUp(base);
        if (behindPrefix.isPresent()) {
            states.skipTo(behindPrefix.get());
            return false;
        }
        ObjectKey key = RowKeys.objectKey(base);
        for (State state : found) {
            if (page.isFull()) {
                return true;
            }
            page.add(
                    state.row()
                            .listed(key, state.latest(), bucket.owner())
                            .writtenLater(state.writtenLater()));
        }
        return false;
    }
}
