package io.volute.storage.format;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Absolute access to little-endian numbers, whatever order the buffer is set to. */
final class LittleEndian {
    private static final VarHandle INT =
            MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle BYTES_LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private LittleEndian() {}

    static int getInt(ByteBuffer source, int index) {
        return (int) INT.get(source, index);
    }

    static void putInt(ByteBuffer target, int index, int value) {
        INT.set(target, index, value);
    }

    static long getLong(ByteBuffer source, int index) {
        return (long) LONG.get(source, index);
    }

    static void putLong(ByteBuffer target, int index, long value) {
        LONG.set(target, index, value);
    }

    static void putLong(byte[] target, int index, long value) {
        BYTES_LONG.set(target, index, value);
    }
}
