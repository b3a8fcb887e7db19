package io.volute.benchmarks.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HttpConnectionTest {

    @Test
    void readsChunkedAnswersAndThenTheNext() throws Exception {
        List<Integer> statuses = new ArrayList<>();
        StringBuilder content = new StringBuilder();
        String answer =
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTRANSFER-Encoding: chunked\r\n"
                        + "\r\n4;x=y\r\nabcd\r\nb\r\n0123456789!\r\n0\r\nTrailer: x\r\n\r\n"
                        + "HTTP/1.1 404 Not Found\r\ncontent-length: 3\r\n\r\nno!";
        try (ScriptedServer server = ScriptedServer.start(answer);
                HttpConnection connection = new HttpConnection(server.address())) {
            for (int i = 0; i < 2; i++) {
                statuses.add(
                        connection
                                .exchange(
                                        new AsciiBuffer().put("GET / HTTP/1.1\r\n\r\n"),
                                        ByteBuffer.allocate(0),
                                        false,
                                        piece -> {
                                            while (piece.hasRemaining()) {
                                                content.append((char) piece.get());
                                            }
                                        })
                                .status());
            }
        }

        assertThat(statuses).containsExactly(200, 404);
        assertThat(content.toString()).isEqualTo("abcd0123456789!no!");
    }
}
