package io.volute.benchmarks.micro;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import software.amazon.awssdk.crt.checksums.CRC64NVME;

/** Time for the checksums that a request needs, by size. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class Checksums {
    /** Bytes that are summed. */
    @Param({"4096", "131072", "1048576"})
    private int bytes;

    private byte[] content;

    /** Makes the content. */
    @Setup
    public void fill() {
        content = new byte[bytes];
        new SplittableRandom(1).nextBytes(content);
    }

    /** The log's own checksum. */
    @Benchmark
    public long crc32c() {
        CRC32C sum = new CRC32C();
        sum.update(content, 0, content.length);
        return sum.getValue();
    }

    /** The default of most S3 clients. */
    @Benchmark
    public long crc32() {
        CRC32 sum = new CRC32();
        sum.update(content, 0, content.length);
        return sum.getValue();
    }

    /** S3's own default. */
    @Benchmark
    public long crc64nvme() {
        CRC64NVME sum = new CRC64NVME();
        sum.update(content, 0, content.length);
        return sum.getValue();
    }

    /** The ETag. */
    @Benchmark
    public byte[] md5() throws GeneralSecurityException {
        return MessageDigest.getInstance("MD5").digest(content);
    }

    /** The payload hash of a signature over plain HTTP. */
    @Benchmark
    public byte[] sha256() throws GeneralSecurityException {
        return MessageDigest.getInstance("SHA-256").digest(content);
    }
}
