package io.volute.storage.memory;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;

/**
 * Memory of the operating system that goes back without waiting for the garbage collector. By
 * reflection, because the public way (an arena) is final only since Java 22 and this is compiled
 * for 21, where the older way still is without a warning. Thread-safe.
 */
final class NativeSlabs implements Slabs {
    private static final int ARENA_SINCE = 22;
    private static final long ALIGNMENT = 4096;

    @Override
    public Slab allocate(int bytes) {
        try {
            return Runtime.version().feature() >= ARENA_SINCE ? ofArena(bytes) : ofBuffer(bytes);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof OutOfMemoryError full) {
                throw full;
            }
            throw new IllegalStateException("this Java gives no memory outside the heap", e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this Java gives no memory outside the heap", e);
        }
    }

    private record Allocated(ByteBuffer bytes, Release release0) implements Slab {
        @Override
        public void release() {
            try {
                release0.run();
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("memory could not be given back", e);
            }
        }
    }

    private interface Release {
        void run() throws ReflectiveOperationException;
    }

    private static Slab ofArena(int bytes) throws ReflectiveOperationException {
        Class<?> arenas = Class.forName("java.lang.foreign.Arena");
        Object arena = arenas.getMethod("ofShared").invoke(null);
        Object segment =
                arenas.getMethod("allocate", long.class, long.class)
                        .invoke(arena, (long) bytes, ALIGNMENT);
        Method asBuffer =
                Class.forName("java.lang.foreign.MemorySegment").getMethod("asByteBuffer");
        Method close = arenas.getMethod("close");
        return new Allocated((ByteBuffer) asBuffer.invoke(segment), () -> close.invoke(arena));
    }

    private static Slab ofBuffer(int bytes) throws ReflectiveOperationException {
        Class<?> access = Class.forName("sun.misc.Unsafe");
        Field field = access.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        Object instance = field.get(null);
        Method free = access.getMethod("invokeCleaner", ByteBuffer.class);
        ByteBuffer buffer = ByteBuffer.allocateDirect(bytes);
        return new Allocated(buffer, () -> free.invoke(instance, buffer));
    }
}
