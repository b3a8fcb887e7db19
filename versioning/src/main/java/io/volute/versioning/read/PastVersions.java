package io.volute.versioning.read;

import io.volute.storage.RecordStore;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.state.PastCursors;
import io.volute.versioning.state.PastStates;
import io.volute.versioning.state.PastStates.State;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionSelector;
import java.util.Optional;

/** Finds versions as they were when all commits up to a sequence were visible. Thread-safe. */
public final class PastVersions implements ObjectReads.Finder {
    private final RecordStore cube;
    private final long sequence;

    public PastVersions(RecordStore cube, long sequence) {
        this.cube = cube;
        this.sequence = sequence;
    }

    @Override
    public Optional<State> find(BucketEntry bucket, ObjectKey key, VersionSelector selector) {
        byte[] base = RowKeys.current(bucket.id(), key);
        try (PastCursors cursors = PastCursors.open(cube, bucket, base, PastStates.behind(base))) {
            PastStates states = new PastStates(cursors, sequence);
            return switch (selector) {
                case VersionSelector.Latest latest -> states.take(base);
                case VersionSelector.Numbered numbered ->
                        states.takeAll(base).stream()
                                .filter(state -> state.row().number() == numbered.number())
                                .findFirst();
                case VersionSelector.NullVersion nullVersion ->
                        states.takeAll(base).stream()
                                .filter(state -> state.row().nullVersion())
                                .findFirst();
            };
        }
    }
}
