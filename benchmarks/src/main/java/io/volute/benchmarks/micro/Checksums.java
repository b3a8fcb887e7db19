package io.volute.benchmarks.micro;

import io.volute.server.s3.checksum.Crc64Nvme;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.SplittableRandom;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import software.amazon.awssdk.crt.checksums.CRC64NVME;

/** Time for the checksums that a request needs, by size. */
public class Checksums extends Suite {
    /** Bytes that are summed. */
    @Param({"4096", "131072", "1048576"})
    private int bytes;

    private byte[] content;
    private ByteBuffer direct;

    /** Makes the content. */
    @Setup
    public void fill() {
        content = new byte[bytes];
        new SplittableRandom(1).nextBytes(content);
        direct = ByteBuffer.allocateDirect(bytes).put(content).flip();
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

    /** S3's own default, as the server computes it. */
    @Benchmark
    public long crc64nvme() {
        Crc64Nvme sum = new Crc64Nvme();
        sum.update(direct.rewind());
        return sum.getValue();
    }

    /** S3's own default by the AWS common runtime, which takes heap arrays only. */
    @Benchmark
    public long crc64nvmeNative() {
        CRC64NVME sum = new CRC64NVME();
        sum.update(content, 0, content.length);
        return sum.getValue();
    }

    /** The ETag. */
    @Benchmark
    public byte[] md5() throws GeneralSecurityException {
        return MessageDigest.getInstance("MD5").digest(content);
    }

    /** The ETag of content outside the heap, as it arrives from the network. */
    @Benchmark
    public byte[] md5Direct() throws GeneralSecurityException {
        MessageDigest digest = MessageDigest.getInstance("MD5");
        digest.update(direct.rewind());
        return digest.digest();
    }

    /** The payload hash of a signature over plain HTTP. */
    @Benchmark
    public byte[] sha256() throws GeneralSecurityException {
        return MessageDigest.getInstance("SHA-256").digest(content);
    }
}
