package io.volute.server.s3;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.RequestBody;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Forms of any bytes: fields and a file, the same in pieces of any length, or a refusal.
 *
 * <p>{@code JAZZER_FUZZ=1 mvn -pl server -am test -Dtest=FormReaderFuzz
 * -Dsurefire.failIfNoSpecifiedTests=false} searches on.
 */
class FormReaderFuzz {
    private static final Set<S3Error> REFUSALS =
            Set.of(
                    S3Error.MALFORMED_POST_REQUEST,
                    S3Error.MAX_POST_PRE_DATA_LENGTH_EXCEEDED,
                    S3Error.INVALID_ARGUMENT,
                    S3Error.INCOMPLETE_BODY);

    static Stream<byte[]> seeds() {
        String key = "--b\r\nContent-Disposition: form-data; name=\"key\"\r\n\r\nk\r\n";
        String file =
                "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n";
        return Stream.of(
                        key + file + "content\r\n--b--\r\n",
                        key + file + "\r\n--\r\n-b\r\n--b--",
                        file + "\r\n--b\r\nignored",
                        key + key + file + "x\r\n--b--",
                        key + "--b--\r\n",
                        "\r\n" + key,
                        "--b\r\nContent-Disposition: form-data\r\n\r\nk\r\n--b--\r\n",
                        "")
                .map(text -> text.getBytes(StandardCharsets.UTF_8));
    }

    private static String read(byte[] data, int piece) throws IOException {
        try {
            FormReader reader =
                    new FormReader("multipart/form-data; boundary=b", new TestBody(data, piece));
            FormReader.Fields fields = reader.fields();
            assertThat(fields.filename()).doesNotContain("/", "\\");
            RequestBody file = reader.file(PostPolicy.Range.ANY);
            ByteArrayOutputStream content = new ByteArrayOutputStream();
            while (file.next()) {
                byte[] some = new byte[file.buffer().remaining()];
                assertThat(some).isNotEmpty();
                file.buffer().get(some);
                content.writeBytes(some);
            }
            String text = content.toString(StandardCharsets.ISO_8859_1);
            assertThat(text).doesNotContain("\r\n--b");
            return fields + text;
        } catch (S3Exception e) {
            assertThat(e.error()).isIn(REFUSALS);
            return e.error().code();
        }
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "60s")
    void forms(byte[] data) throws IOException {
        String whole = read(data, Math.max(1, data.length));
        assertThat(read(data, 1)).isEqualTo(whole);
        assertThat(read(data, 5)).isEqualTo(whole);
    }
}
