package io.volute.system.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Bytes;
import io.volute.system.RawConnection;
import io.volute.system.RawConnection.Answer;
import io.volute.system.RawRequest;
import java.io.EOFException;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Many objects of 1 KiB with metadata; one in fifty is written twice, one in a hundred deleted
 * again. A versioned bucket keeps all of it.
 */
record ManyObjects(String bucket, int count) {
    private static final int CLIENTS = 16;
    private static final int BODY_BYTES = 1024;

    String key(int number) {
        return "d%02d/o%08d".formatted(number % 100, number);
    }

    /** Writes all of them, from several connections. */
    void load(URI endpoint) throws Exception {
        AtomicInteger next = new AtomicInteger();
        List<Future<?>> clients = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(
                        threads.submit(
                                () -> {
                                    try (RawConnection connection = RawConnection.open(endpoint)) {
                                        writeSome(endpoint, connection, next);
                                    }
                                    return null;
                                }));
            }
        }
        for (Future<?> client : clients) {
            client.get();
        }
    }

    private void writeSome(URI endpoint, RawConnection connection, AtomicInteger next)
            throws IOException {
        for (int number = next.getAndIncrement(); number < count; number = next.getAndIncrement()) {
            String path = "/" + bucket + "/" + key(number);
            call(endpoint, connection, put(path, number, number), "PUT", 200);
            if (number % 50 == 0) {
                call(endpoint, connection, put(path, number, -number - 1), "PUT", 200);
            }
            if (number % 100 == 1) {
                call(endpoint, connection, RawRequest.of("DELETE", path), "DELETE", 204);
            }
        }
    }

    private static RawRequest put(String path, int number, long seed) {
        return RawRequest.of("PUT", path)
                .header("content-type", "text/plain")
                .header("x-amz-meta-number", Integer.toString(number))
                .body(HexFormat.of().formatHex(Bytes.random(seed, BODY_BYTES / 2)));
    }

    private static void call(
            URI endpoint, RawConnection connection, RawRequest request, String method, int status)
            throws IOException {
        connection.send(request.signed(endpoint));
        Answer answer = connection.read(method).orElseThrow(EOFException::new);
        assertThat(answer.status()).as(answer.body()).isEqualTo(status);
    }
}
