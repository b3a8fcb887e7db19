package io.volute.server.s3.checksum;

import java.util.zip.Checksum;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.crt.checksums.CRC64NVME;

/**
 * Chooses the CRC-64/NVME implementation: the native one of the AWS common runtime, which costs
 * next to nothing beside MD5, or {@link Crc64Nvme} where its library cannot be loaded and until it
 * is. Loading unpacks the library and takes some hundred milliseconds, so a thread of its own does
 * it.
 */
final class Crc64 {
    private static final Logger LOG = LoggerFactory.getLogger(Crc64.class);
    private static volatile boolean nativeReady;

    static {
        Thread.ofPlatform().daemon().name("crc64-load").start(Crc64::load);
    }

    private Crc64() {}

    static Checksum create() {
        return nativeReady ? new CRC64NVME() : new Crc64Nvme();
    }

    private static void load() {
        try {
            CRC64NVME probe = new CRC64NVME();
            probe.update(new byte[] {1}, 0, 1);
            Crc64Nvme ours = new Crc64Nvme();
            ours.update(1);
            nativeReady = probe.getValue() == ours.getValue();
        } catch (LinkageError | RuntimeException e) {
            // No library for this platform, or a temporary directory that forbids execution.
            LOG.info("CRC64NVME is computed in Java: {}", e.toString());
        }
    }
}
