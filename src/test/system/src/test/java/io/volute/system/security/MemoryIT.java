package io.volute.system.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Bytes;
import io.volute.system.Clients;
import io.volute.system.RawConnection;
import io.volute.system.RawConnection.Answer;
import io.volute.system.RawRequest;
import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * Memory does not grow with the number or the size of bodies under way. {@code
 * -Dvolute.slowUploads=1000} is the full run.
 */
class MemoryIT {
    private static final int HEAP_MEGABYTES = 256;
    private static final int DIRECT_MEGABYTES = 256;

    /** Direct memory, and what a JVM and RocksDB need besides. */
    private static final int OUTSIDE_MEGABYTES = 512;

    private static final int BODY_BYTES = 3 << 20;
    private static final int STEP_BYTES = 96 << 10;

    @Test
    void slowUploadsStayWithinTheBudgetAndOthersAreServed() throws IOException {
        int uploads = Integer.getInteger("volute.slowUploads", 200);
        byte[] body = Bytes.random(1, BODY_BYTES);
        try (TemporaryStore directory = TemporaryStore.create("memory");
                ServerProcess server =
                        ServerProcess.start(
                                ServerProcess.Options.of(directory.data())
                                        .withMemory(HEAP_MEGABYTES, DIRECT_MEGABYTES)
                                        .withEnvironment(
                                                Map.of(
                                                        "VOLUTE_LIMITS_REQUESTS_PER_ADDRESS",
                                                        "" + (uploads + 100),
                                                        "VOLUTE_LIMITS_CONNECTIONS_PER_ADDRESS",
                                                        "" + (uploads + 100))));
                S3Client s3 = Clients.sync(server.endpoint())) {
            s3.createBucket(create -> create.bucket("bucket"));
            s3.putObject(
                    put -> put.bucket("bucket").key("other"), RequestBody.fromString("served"));
            long before = server.memoryKibibytes("VmRSS");
            List<RawConnection> open = new ArrayList<>();
            try {
                for (int i = 0; i < uploads; i++) {
                    open.add(RawConnection.open(server.endpoint()));
                }
                ProcessMemory peak = upload(server, s3, open, body);
                long resident = server.memoryKibibytes("VmHWM");
                System.out.printf(
                        "memory: %d uploads of %d KiB at once; MiB at most: heap used %d, heap"
                                + " resident %d, outside the heap %d, all resident %d (%d"
                                + " before)%n",
                        uploads,
                        BODY_BYTES >> 10,
                        peak.heapUsed() >> 10,
                        peak.heapResident() >> 10,
                        peak.outside() >> 10,
                        resident >> 10,
                        before >> 10);
                assertThat(peak.heapResident() >> 10).isLessThanOrEqualTo(HEAP_MEGABYTES);
                assertThat(peak.outside() >> 10).isLessThan(OUTSIDE_MEGABYTES);
                assertThat(resident >> 10).isLessThan(HEAP_MEGABYTES + OUTSIDE_MEGABYTES);
            } finally {
                for (RawConnection each : open) {
                    each.close();
                }
            }
            for (int i = 0; i < uploads; i += 37) {
                String key = "slow-" + i;
                assertThat(
                                Arrays.equals(
                                        s3.getObjectAsBytes(get -> get.bucket("bucket").key(key))
                                                .asByteArray(),
                                        body))
                        .as(key)
                        .isTrue();
            }
            assertThat(server.isAlive()).isTrue();
        }
    }

    /** All bodies advance together, a step at a time, so that all are under way all the time. */
    private static ProcessMemory upload(
            ServerProcess server, S3Client s3, List<RawConnection> open, byte[] body)
            throws IOException {
        String hash = Bytes.sha256Hex(body);
        for (int i = 0; i < open.size(); i++) {
            open.get(i)
                    .send(
                            RawRequest.of("PUT", "/bucket/slow-" + i)
                                    .payloadHash(hash)
                                    .header("content-length", Integer.toString(body.length))
                                    .signedHead(server.endpoint()));
        }
        ProcessMemory peak = ProcessMemory.of(server.pid());
        for (int at = 0; at < body.length; at += STEP_BYTES) {
            byte[] step = Arrays.copyOfRange(body, at, Math.min(body.length, at + STEP_BYTES));
            for (RawConnection each : open) {
                each.send(step);
            }
            assertThat(s3.getObjectAsBytes(get -> get.bucket("bucket").key("other")).asUtf8String())
                    .isEqualTo("served");
            peak = peak.peak(ProcessMemory.of(server.pid()));
        }
        for (RawConnection each : open) {
            Answer answer = each.read("PUT").orElseThrow();
            assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        }
        return peak.peak(ProcessMemory.of(server.pid()));
    }
}
