package io.volute.testkit.sim;

import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import io.volute.testkit.sim.Fault.Effect;
import io.volute.testkit.sim.SimNode.FileNode;
import io.volute.testkit.sim.SimNode.PendingWrite;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/** An open file of a {@link SimFileSystem}. */
final class SimFile implements StoredFile {
    private final SimFileSystem disk;
    private final Path path;
    private final FileNode node;
    private final Access access;
    private boolean isClosed;

    SimFile(SimFileSystem disk, Path path, FileNode node, Access access) {
        this.disk = disk;
        this.path = path;
        this.node = node;
        this.access = access;
    }

    @Override
    public void write(ByteBuffer source, long offset, WriteCause cause) throws IOException {
        synchronized (disk) {
            checkWritable();
            int bytes = source.remaining();
            Optional<Effect> effect = disk.begin(SimEvent.write(path, offset, bytes, cause));
            if (!disk.hasSpaceFor(node, offset, bytes)) {
                throw SimFileSystem.failure(path, Effect.NO_SPACE);
            }
            byte[] copy = new byte[bytes];
            source.get(copy);
            write(copy, offset, effect);
            disk.end(effect);
        }
    }

    private void write(byte[] bytes, long offset, Optional<Effect> effect) throws IOException {
        long event = disk.lastEvent();
        PendingWrite whole = new PendingWrite(event, offset, bytes.length, Optional.of(bytes));
        if (effect.isEmpty()) {
            node.change(whole);
            return;
        }
        switch (effect.orElseThrow()) {
            case DROPPED_WRITE -> {}
            case MISDIRECTED_WRITE ->
                    node.change(
                            new PendingWrite(
                                    event, otherOffset(offset), bytes.length, Optional.of(bytes)));
            case SHORT_WRITE -> {
                changeSectors(whole, 0, disk.random().nextInt(bytes.length + 1));
                throw SimFileSystem.failure(path, Effect.IO_ERROR);
            }
            case TORN_WRITE -> {
                CrashImage.forEachUnit(
                        offset,
                        0,
                        bytes.length,
                        FileContent.SECTOR_BYTES,
                        (from, to) -> {
                            if (disk.random().nextBoolean()) {
                                changeSectors(whole, from, to);
                            }
                        });
                throw SimFileSystem.failure(path, Effect.IO_ERROR);
            }
            case IO_ERROR,
                    NO_SPACE,
                    CRASH_BEFORE,
                    CRASH_AFTER,
                    FORCE_TRAP,
                    FORCE_LIES,
                    READ_BIT_FLIP,
                    READ_ZERO_SECTOR ->
                    node.change(whole);
        }
    }

    private void changeSectors(PendingWrite whole, long from, long to) {
        byte[] part = Arrays.copyOfRange(whole.bytes().orElseThrow(), (int) from, (int) to);
        node.change(
                new PendingWrite(
                        whole.event(), whole.offset() + from, part.length, Optional.of(part)));
    }

    private long otherOffset(long offset) {
        long pages = Math.max(2, node.current.size() / FileContent.PAGE_BYTES);
        long page = offset / FileContent.PAGE_BYTES;
        long other = (page + 1 + disk.random().nextLong(pages - 1)) % pages;
        return other * FileContent.PAGE_BYTES;
    }

    @Override
    public int read(ByteBuffer target, long offset) throws IOException {
        synchronized (disk) {
            checkOpen();
            Optional<Effect> effect =
                    disk.begin(SimEvent.range(Operation.READ, path, offset, target.remaining()));
            int start = target.position();
            int count = node.current.read(target, offset);
            if (count > 0) {
                effect.ifPresent(found -> spoil(found, target, start, count));
            }
            disk.end(effect);
            return count;
        }
    }

    private void spoil(Effect effect, ByteBuffer target, int start, int count) {
        int at = start + disk.random().nextInt(count);
        if (effect == Effect.READ_BIT_FLIP) {
            int bit = disk.random().nextInt(Byte.SIZE);
            target.put(at, (byte) (target.get(at) ^ (1 << bit)));
        } else if (effect == Effect.READ_ZERO_SECTOR) {
            int from = at - (at - start) % FileContent.SECTOR_BYTES;
            int to = Math.min(from + FileContent.SECTOR_BYTES, start + count);
            for (int index = from; index < to; index++) {
                target.put(index, (byte) 0);
            }
        }
    }

    @Override
    public void force() throws IOException {
        synchronized (disk) {
            checkOpen();
            Optional<Effect> effect = disk.begin(SimEvent.of(Operation.FORCE, path));
            if (effect.equals(Optional.of(Effect.FORCE_TRAP))) {
                node.loseUnforced();
                throw SimFileSystem.failure(path, Effect.IO_ERROR);
            }
            if (!effect.equals(Optional.of(Effect.FORCE_LIES))) {
                node.force();
            }
            disk.end(effect);
        }
    }

    @Override
    public boolean punch(long offset, long bytes) throws IOException {
        synchronized (disk) {
            checkWritable();
            if (!disk.canPunch()) {
                return false;
            }
            Optional<Effect> effect =
                    disk.begin(SimEvent.range(Operation.PUNCH, path, offset, bytes));
            node.change(new PendingWrite(disk.lastEvent(), offset, bytes, Optional.empty()));
            disk.end(effect);
            return true;
        }
    }

    @Override
    public long allocatedBytes(long offset, long bytes) throws IOException {
        synchronized (disk) {
            checkOpen();
            return node.current.allocatedBytes(offset, bytes);
        }
    }

    @Override
    public long size() throws IOException {
        synchronized (disk) {
            checkOpen();
            return node.current.size();
        }
    }

    @Override
    public void close() {
        synchronized (disk) {
            if (!isClosed) {
                isClosed = true;
                disk.closed();
            }
        }
    }

    private void checkOpen() throws IOException {
        if (isClosed) {
            throw new ClosedChannelException();
        }
    }

    private void checkWritable() throws IOException {
        checkOpen();
        if (access == Access.READ) {
            throw new NonWritableChannelException();
        }
    }
}
