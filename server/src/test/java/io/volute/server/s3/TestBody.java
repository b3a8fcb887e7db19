package io.volute.server.s3;

import io.volute.server.s3.request.RequestBody;
import java.nio.ByteBuffer;

/** A body that arrives in pieces of a given size, and counts the read ones. */
public final class TestBody implements RequestBody {
    private final byte[] bytes;
    private final int piece;
    private int at;
    private ByteBuffer buffer = ByteBuffer.allocate(0);

    public TestBody(byte[] bytes, int piece) {
        this.bytes = bytes;
        this.piece = piece;
    }

    @Override
    public boolean next() {
        if (at == bytes.length) {
            return false;
        }
        int count = Math.min(piece, bytes.length - at);
        buffer = ByteBuffer.wrap(bytes, at, count).slice();
        at += count;
        return true;
    }

    @Override
    public ByteBuffer buffer() {
        return buffer;
    }

    public int pulled() {
        return at;
    }
}
