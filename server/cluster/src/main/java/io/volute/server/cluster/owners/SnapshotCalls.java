package io.volute.server.cluster.owners;

import io.volute.server.backup.OtherCubes;
import io.volute.server.cluster.hop.Forwarder.Owner;
import io.volute.server.cluster.owners.SnapshotMessages.End;
import io.volute.server.cluster.owners.SnapshotMessages.File;
import io.volute.server.cluster.owners.SnapshotMessages.Files;
import io.volute.server.cluster.owners.SnapshotMessages.Held;
import io.volute.server.cluster.owners.SnapshotMessages.Hold;
import io.volute.server.cluster.owners.SnapshotMessages.Page;
import io.volute.server.cluster.owners.SnapshotMessages.Read;
import io.volute.server.cluster.owners.SnapshotMessages.Wanted;
import io.volute.storage.CubeMaintenance.SegmentFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Snapshots of cubes of other nodes, which their owners hold in {@link HeldSnapshots}. Each is of
 * one owner: its reads fail when the cube has another one. Thread-safe.
 */
public final class SnapshotCalls implements OtherCubes {
    /** Between two calls that hold a snapshot. */
    static final long HOLD_NANOS = Duration.ofMinutes(1).toNanos();

    private static final Logger LOG = LoggerFactory.getLogger(SnapshotCalls.class);

    private final OtherKeyrings.Calls calls;
    private final Function<String, Optional<Owner>> owners;
    private final Duration limit;
    private final LongSupplier nanos;

    /**
     * @param calls calls a node
     * @param owners returns the other node that serves a cube now; does not wait for it
     * @param limit time for one call
     * @param nanos a clock that only goes forward
     */
    public SnapshotCalls(
            OtherKeyrings.Calls calls,
            Function<String, Optional<Owner>> owners,
            Duration limit,
            LongSupplier nanos) {
        this.calls = calls;
        this.owners = owners;
        this.limit = limit;
        this.nanos = nanos;
    }

    @Override
    public Taken snapshot(String cube) throws IOException {
        Owner owner =
                owners.apply(cube)
                        .orElseThrow(
                                () ->
                                        new IOException(
                                                "no node has cube "
                                                        + cube
                                                        + " now, and a backup needs all cubes"));
        Held held =
                BucketMessages.decode(
                        call(owner, HeldSnapshots.TAKE, new Wanted(cube)), Held.class);
        Remote snapshot = new Remote(cube, owner, held.id());
        boolean isListed = false;
        try {
            snapshot.list();
            isListed = true;
            return new Taken(held.sequence(), snapshot);
        } finally {
            if (!isListed) {
                snapshot.close();
            }
        }
    }

    private byte[] call(Owner owner, String operation, Record message) throws IOException {
        return calls.call(owner, operation, BucketMessages.encode(message), limit);
    }

    /** A snapshot at its owner. Used by one thread. */
    private final class Remote implements OtherCubes.Snapshot {
        private final String cube;
        private final Owner owner;
        private final String id;
        private final List<SegmentFile> files = new ArrayList<>();
        private long held = nanos.getAsLong();

        Remote(String cube, Owner owner, String id) {
            this.cube = cube;
            this.owner = owner;
            this.id = id;
        }

        private void list() throws IOException {
            int before;
            do {
                before = files.size();
                Page page =
                        BucketMessages.decode(
                                call(owner, HeldSnapshots.FILES, new Files(id, before)),
                                Page.class);
                page.files().stream().map(File::file).forEach(files::add);
            } while (files.size() > before);
        }

        @Override
        public List<SegmentFile> files() {
            return List.copyOf(files);
        }

        @Override
        public int read(SegmentFile file, long offset, ByteBuffer target) throws IOException {
            int begun = target.position();
            boolean isEnd = false;
            while (target.hasRemaining() && !isEnd) {
                int wanted = Math.min(target.remaining(), HeldSnapshots.READ_BYTES);
                long from = offset + target.position() - begun;
                byte[] bytes =
                        call(owner, HeldSnapshots.READ, new Read(id, file.name(), from, wanted));
                target.put(bytes);
                isEnd = bytes.length < wanted;
            }
            return target.position() - begun;
        }

        @Override
        public void hold() throws IOException {
            if (nanos.getAsLong() - held >= HOLD_NANOS) {
                byte[] unused = call(owner, HeldSnapshots.HOLD, new Hold(id));
                held = nanos.getAsLong();
            }
        }

        @Override
        public void release(SegmentFile file) {
            end(file.name());
        }

        /** {@inheritDoc} Its owner compares it with the space of the cube. */
        @Override
        public long heldBytes() {
            return 0;
        }

        @Override
        public void close() {
            end("");
        }

        /** The owner ends it by itself when it does not get this. */
        private void end(String file) {
            try {
                byte[] unused = call(owner, HeldSnapshots.END, new End(id, file));
            } catch (IOException | RuntimeException e) {
                LOG.debug("the snapshot of cube {} was not given back", cube, e);
            }
        }
    }
}
