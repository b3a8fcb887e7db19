package io.volute.server.s3.checksum;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.Checksum;

/**
 * CRC-64/NVME: polynomial 0xAD93D23594C93659, reflected, all ones in and out (NVM Express NVM
 * Command Set Specification). Slicing by 16. Used by one thread.
 */
public final class Crc64Nvme implements Checksum {
    /** The polynomial, bits reversed. */
    static final long POLYNOMIAL = 0x9A6C9329AC4BC9B5L;

    private static final int SLICES = 16;
    private static final long[][] TABLES = tables();
    private static final VarHandle ARRAY =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private long crc = -1L;

    private static long[][] tables() {
        long[][] tables = new long[SLICES][256];
        for (int b = 0; b < 256; b++) {
            long value = b;
            for (int bit = 0; bit < 8; bit++) {
                value = (value & 1) != 0 ? value >>> 1 ^ POLYNOMIAL : value >>> 1;
            }
            tables[0][b] = value;
        }
        for (int slice = 1; slice < SLICES; slice++) {
            for (int b = 0; b < 256; b++) {
                long value = tables[slice - 1][b];
                tables[slice][b] = value >>> 8 ^ tables[0][(int) value & 0xFF];
            }
        }
        return tables;
    }

    @Override
    public void update(int b) {
        crc = crc >>> 8 ^ TABLES[0][(int) (crc ^ b) & 0xFF];
    }

    @Override
    public void update(byte[] bytes, int offset, int length) {
        int i = offset;
        int end = offset + length;
        long value = crc;
        for (; end - i >= SLICES; i += SLICES) {
            value = fold(value ^ (long) ARRAY.get(bytes, i), (long) ARRAY.get(bytes, i + 8));
        }
        crc = value;
        for (; i < end; i++) {
            update(bytes[i]);
        }
    }

    private static long fold(long low, long high) {
        return TABLES[15][(int) low & 0xFF]
                ^ TABLES[14][(int) (low >>> 8) & 0xFF]
                ^ TABLES[13][(int) (low >>> 16) & 0xFF]
                ^ TABLES[12][(int) (low >>> 24) & 0xFF]
                ^ TABLES[11][(int) (low >>> 32) & 0xFF]
                ^ TABLES[10][(int) (low >>> 40) & 0xFF]
                ^ TABLES[9][(int) (low >>> 48) & 0xFF]
                ^ TABLES[8][(int) (low >>> 56)]
                ^ TABLES[7][(int) high & 0xFF]
                ^ TABLES[6][(int) (high >>> 8) & 0xFF]
                ^ TABLES[5][(int) (high >>> 16) & 0xFF]
                ^ TABLES[4][(int) (high >>> 24) & 0xFF]
                ^ TABLES[3][(int) (high >>> 32) & 0xFF]
                ^ TABLES[2][(int) (high >>> 40) & 0xFF]
                ^ TABLES[1][(int) (high >>> 48) & 0xFF]
                ^ TABLES[0][(int) (high >>> 56)];
    }

    @Override
    public long getValue() {
        return ~crc;
    }

    @Override
    public void reset() {
        crc = -1L;
    }
}
