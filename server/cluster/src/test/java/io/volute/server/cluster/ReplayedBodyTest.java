package io.volute.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.s3.TestBody;
import io.volute.server.s3.request.RequestBody;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ReplayedBodyTest {
    private static byte[] all(RequestBody body) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        while (body.next()) {
            while (body.buffer().hasRemaining()) {
                all.write(body.buffer().get());
            }
        }
        return all.toByteArray();
    }

    @Test
    void theBytesAreTheSameEachTime() throws IOException {
        Random random = new Random(1);
        for (int length : new int[] {0, 1, 5, 4096, 16_384}) {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            RequestBody body = ReplayedBody.of(new TestBody(bytes, 1 + random.nextInt(5000)));
            assertThat(all(body)).isEqualTo(bytes);
            assertThat(body.next()).isFalse();
            assertThat(body.rewind()).isTrue();
            assertThat(all(body)).isEqualTo(bytes);
        }
    }

    /** The handler answers as if it had read the body of the client. */
    @Test
    void aFailureOfTheClientComesBehindItsBytes() throws IOException {
        IOException slow = new IOException("too slow");
        RequestBody client =
                new RequestBody() {
                    private int calls;

                    @Override
                    public boolean next() throws IOException {
                        calls++;
                        if (calls > 1) {
                            throw slow;
                        }
                        return true;
                    }

                    @Override
                    public ByteBuffer buffer() {
                        return ByteBuffer.wrap(new byte[] {7});
                    }
                };
        RequestBody body = ReplayedBody.of(client);
        assertThat(body.next()).isTrue();
        assertThat(body.buffer().get()).isEqualTo((byte) 7);
        assertThatThrownBy(body::next).isSameAs(slow);
    }

    @Test
    void aBodyThatIsReadAsItArrivesCannotBeReadAgain() {
        assertThat(new TestBody(new byte[1], 1).rewind()).isFalse();
    }
}
