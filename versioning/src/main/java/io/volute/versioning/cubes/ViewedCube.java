package io.volute.versioning.cubes;

import io.volute.storage.BlobId;
import io.volute.storage.BlobReader;
import io.volute.storage.Cube;
import io.volute.storage.CubeState;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.storage.Family;
import io.volute.storage.RecordCursor;
import io.volute.storage.StoredRecord;
import io.volute.versioning.CubeViews;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;

/**
 * A cube of another node for one request. Each read is one of a view that is new enough, and a scan
 * keeps its view to the end. So what the request keeps for a later one reads newer views then.
 * Thread-safe.
 */
final class ViewedCube implements Cube.ReadOnly {
    private final String name;
    private final CubeViews.Reading reading;

    ViewedCube(String name, CubeViews.Reading reading) {
        this.name = name;
        this.reading = reading;
    }

    private CubeViews.View view() {
        try {
            return reading.view(name);
        } catch (CubeUnavailableException e) {
            throw new UncheckedIOException(e.in(name));
        }
    }

    @Override
    public Optional<StoredRecord> get(Family family, byte[] key) {
        try (CubeViews.View view = view()) {
            return view.cube().get(family, key);
        }
    }

    @Override
    public byte[] readDetail(Family family, byte[] key, StoredRecord record) throws IOException {
        try (CubeViews.View view = view()) {
            return view.cube().readDetail(family, key, record);
        }
    }

    @Override
    public RecordCursor scan(Family family, byte[] from, byte[] to) {
        CubeViews.View view = view();
        boolean isOpen = false;
        try {
            RecordCursor cursor = view.cube().scan(family, from, to);
            isOpen = true;
            return new Scan(cursor, view);
        } finally {
            if (!isOpen) {
                view.close();
            }
        }
    }

    /** A cursor that keeps its view. */
    private record Scan(RecordCursor cursor, CubeViews.View view) implements RecordCursor {
        @Override
        public boolean next() {
            return cursor.next();
        }

        @Override
        public boolean seek(byte[] key) {
            return cursor.seek(key);
        }

        @Override
        public boolean skipTo(byte[] key) {
            return cursor.skipTo(key);
        }

        @Override
        public byte[] key() {
            return cursor.key();
        }

        @Override
        public StoredRecord record() {
            return cursor.record();
        }

        @Override
        public void close() {
            try (CubeViews.View closedLast = view) {
                cursor.close();
            }
        }
    }

    @Override
    public BlobReader openBlob(BlobId blob) throws IOException {
        try (CubeViews.View view = view()) {
            return view.cube().openBlob(blob);
        }
    }

    /** {@inheritDoc} Rows of the view have smaller ones; no commit can have it. */
    @Override
    public long allocateId() {
        try (CubeViews.View view = view()) {
            return view.cube().allocateId();
        }
    }

    @Override
    public void passId(long id) {
        throw ReadOnly.onlyTheOwner();
    }

    @Override
    public CubeUnavailableException notOwner() {
        return new CubeUnavailableException(
                        Reason.NOT_OPEN, "cube " + name + " is on another node of the cluster")
                .in(name);
    }

    @Override
    public long lastSequence() {
        try (CubeViews.View view = view()) {
            return view.cube().lastSequence();
        }
    }

    @Override
    public CubeState state() {
        return CubeState.READ_ONLY;
    }

    /** Does nothing: each use of a view has ended with its call. */
    @Override
    public void close() {}
}
