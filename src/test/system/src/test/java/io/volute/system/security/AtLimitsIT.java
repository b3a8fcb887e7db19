package io.volute.system.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Clients;
import io.volute.system.RawConnection;
import io.volute.system.RawConnection.Answer;
import io.volute.system.RawRequest;
import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * A server with buckets and policies whose texts are as long as the limits allow opens again and
 * serves them. All texts together are longer than the heap. {@code -Dvolute.limits.buckets=10000
 * -Dvolute.limits.policies=5000 -Dvolute.limits.heap=512} is the full run.
 */
class AtLimitsIT {
    private static final int BUCKETS = Integer.getInteger("volute.limits.buckets", 36);
    private static final int POLICIES = Integer.getInteger("volute.limits.policies", 40);
    private static final int HEAP_MEGABYTES = Integer.getInteger("volute.limits.heap", 64);
    private static final int DIRECT_MEGABYTES = 128;

    /** One wide letter makes a text twice as long in the heap. */
    private static final String WIDE = "\u4e2d";

    private static String lifecycle() {
        String prefix = WIDE + "p".repeat(850);
        return IntStream.range(0, 1000)
                .mapToObj(
                        i ->
                                "<Rule><ID>"
                                        + i
                                        + "</ID><Status>Enabled</Status><Filter><Prefix>"
                                        + prefix
                                        + i
                                        + "</Prefix></Filter><Expiration><Days>9</Days>"
                                        + "</Expiration></Rule>")
                .collect(
                        Collectors.joining(
                                "", "<LifecycleConfiguration>", "</LifecycleConfiguration>"));
    }

    /** Each quotation mark takes six bytes where it is stored. */
    private static String cors() {
        return "<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin>"
                + "<AllowedMethod>GET</AllowedMethod><ExposeHeader>"
                + "\"".repeat(10_000)
                + "</ExposeHeader></CORSRule></CORSConfiguration>";
    }

    private static String policy() {
        return "{\"Version\":\"2012-10-17\",\"Statement\":{\"Effect\":\"Allow\",\"Action\":"
                + "\"s3:GetObject\",\"Resource\":\"arn:aws:s3:::"
                + WIDE
                + "p".repeat(6000)
                + "\"}}";
    }

    private static String form(int number) {
        return "Action=CreatePolicy&Version=2010-05-08&PolicyName=p"
                + number
                + "&PolicyDocument="
                + URLEncoder.encode(policy(), StandardCharsets.UTF_8);
    }

    private static Answer send(ServerProcess server, String method, RawRequest request)
            throws IOException {
        return RawConnection.exchange(server.endpoint(), request.signed(server.endpoint()), method);
    }

    private static void fill(ServerProcess server, S3Client s3) throws IOException {
        String lifecycle = lifecycle();
        String cors = cors();
        for (int i = 0; i < BUCKETS; i++) {
            String bucket = "bucket-" + i;
            s3.createBucket(create -> create.bucket(bucket));
            assertThat(set(server, bucket, "lifecycle", lifecycle)).isEqualTo(200);
            assertThat(set(server, bucket, "cors", cors)).isEqualTo(200);
        }
        for (int i = 0; i < POLICIES; i++) {
            RawRequest create =
                    RawRequest.of("POST", "/")
                            .scope("us-east-1", "iam")
                            .header("content-type", "application/x-www-form-urlencoded")
                            .body(form(i));
            assertThat(send(server, "POST", create).status()).isEqualTo(200);
        }
    }

    private static int set(ServerProcess server, String bucket, String what, String document)
            throws IOException {
        return send(
                        server,
                        "PUT",
                        RawRequest.of("PUT", "/" + bucket).query(what, "").body(document))
                .status();
    }

    @Test
    void aServerAtItsLimitsOpensAgain() throws IOException {
        try (TemporaryStore directory = TemporaryStore.create("limits")) {
            ServerProcess.Options options =
                    ServerProcess.Options.of(directory.data())
                            .withMemory(HEAP_MEGABYTES, DIRECT_MEGABYTES);
            long empty = System.nanoTime();
            try (ServerProcess server = ServerProcess.start(options);
                    S3Client s3 = Clients.sync(server.endpoint())) {
                empty = System.nanoTime() - empty;
                fill(server, s3);
                assertThat(server.isAlive()).isTrue();
                server.kill();
            }
            long begun = System.nanoTime();
            try (ServerProcess server =
                            ServerProcess.start(options.withPort(ServerProcess.freePort()));
                    S3Client s3 = Clients.sync(server.endpoint())) {
                long millis = (System.nanoTime() - begun) / 1_000_000;
                ProcessMemory started = ProcessMemory.of(server.pid());
                for (int i = 0; i < BUCKETS; i++) {
                    String bucket = "bucket-" + i;
                    assertThat(
                                    s3.getBucketLifecycleConfiguration(get -> get.bucket(bucket))
                                            .rules())
                            .hasSize(1000);
                    s3.putObject(
                            put -> put.bucket(bucket).key("key"), RequestBody.fromString("body"));
                    assertThat(
                                    s3.getObjectAsBytes(get -> get.bucket(bucket).key("key"))
                                            .asUtf8String())
                            .isEqualTo("body");
                }
                ProcessMemory read = ProcessMemory.of(server.pid());
                System.out.printf(
                        "limits: %d buckets with %d KiB of texts each, %d policies, %d MiB of"
                                + " heap: started in %d ms (%d ms when empty) with %d"
                                + " MiB used; %d MiB after all were read%n",
                        BUCKETS,
                        (lifecycle().length() + 6 * cors().length()) >> 10,
                        POLICIES,
                        HEAP_MEGABYTES,
                        millis,
                        empty / 1_000_000,
                        started.heapUsed() >> 10,
                        read.heapUsed() >> 10);
                assertThat(read.heapResident() >> 10).isLessThanOrEqualTo(HEAP_MEGABYTES);
                assertThat(server.isAlive()).isTrue();
            }
        }
    }
}
