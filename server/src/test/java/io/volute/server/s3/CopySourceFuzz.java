package io.volute.server.s3;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Copy sources of any text, in a signed request over a real store: only the one object that is
 * there and may be read is ever copied, all else is refused, and never as a fault of the server.
 *
 * <p>{@code JAZZER_FUZZ=1 mvn -pl server -am test -Dtest=CopySourceFuzz
 * -Dsurefire.failIfNoSpecifiedTests=false} searches on.
 */
class CopySourceFuzz {
    private static S3TestBed bed;
    private static String hidden;

    @BeforeAll
    static void open() {
        bed = new S3TestBed();
        bed.request("PUT", "/open").sendAs(bed.alice());
        bed.request("PUT", "/open/a%20b").body("open").sendAs(bed.alice());
        hidden = bed.bucketOf(bed.bob());
        bed.request("PUT", "/" + hidden + "/secret").body("secret").sendAs(bed.bob());
    }

    @AfterAll
    static void close() {
        bed.close();
    }

    static Stream<byte[]> seeds() {
        return FuzzSeeds.latin1(
                "open/a b",
                "/open/a%20b",
                "open%2Fa%20b",
                "//open/a%20b",
                "open/a%20b?versionId=null",
                "open/a%20b?versionId=",
                "open/a%20b?versionId=x?versionId=null",
                "open/../open/a%20b",
                "bucket-1/secret",
                "/bucket-1/secret",
                "arn:aws:s3:us-east-1:1:accesspoint/a/object/b",
                "open/",
                "/",
                "%",
                "open/%ED%A0%80",
                "\u00e9/\u00e9",
                "");
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "60s")
    void sources(byte[] data) {
        for (byte b : data) {
            if (b >= 0 && b < ' ' || b == 0x7F) {
                // The HTTP layer has refused these.
                return;
            }
        }
        String source = new String(data, StandardCharsets.ISO_8859_1).trim();
        TestResponse copied =
                bed.request("PUT", "/open/copy")
                        .header("x-amz-copy-source", source)
                        .sendAs(bed.alice());
        if (copied.status() == 200) {
            TestResponse got = bed.request("GET", "/open/copy").sendAs(bed.alice());
            assertThat(got.text()).as(source).isEqualTo("open");
        } else {
            assertThat(copied.status())
                    .as("%s: %s", source, copied.text())
                    .isIn(400, 403, 404, 501);
        }
        assertThat(bed.request("GET", "/" + hidden + "/secret").sendAs(bed.alice()).status())
                .isEqualTo(403);
    }
}
