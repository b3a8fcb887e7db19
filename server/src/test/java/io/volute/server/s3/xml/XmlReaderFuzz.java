package io.volute.server.s3.xml;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.volute.server.Limits;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Request documents of any bytes: bounded elements, or MalformedXML; nothing is fetched or expanded
 * (Jazzer watches for requests to the network and for files opened by name).
 *
 * <p>{@code JAZZER_FUZZ=1 mvn -pl server -am test -Dtest=XmlReaderFuzz
 * -Dsurefire.failIfNoSpecifiedTests=false} searches on.
 */
class XmlReaderFuzz {
    private static final int ELEMENTS_MAX = 50;

    static Stream<byte[]> seeds() {
        Stream<String> documents =
                Stream.of(
                        "<Delete><Object><Key>a&amp;b</Key></Object><Quiet>true</Quiet></Delete>",
                        "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"/>",
                        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Delete><![CDATA[x]]></Delete>",
                        "<!DOCTYPE Delete [<!ENTITY x SYSTEM \"file:///etc/hostname\">]>"
                                + "<Delete>&x;</Delete>",
                        "<!DOCTYPE Delete SYSTEM \"http://192.0.2.1/x.dtd\"><Delete/>",
                        "<Delete>&#0;</Delete>",
                        "<Delete>&#x10FFFF;</Delete>",
                        "<Delete><a></Delete></a>",
                        "<Delete/><Delete/>",
                        "<Delete>" + "<a>".repeat(20),
                        "<Delete>" + "<a/>".repeat(ELEMENTS_MAX) + "</Delete>",
                        "");
        return Stream.concat(
                documents.map(text -> text.getBytes(StandardCharsets.UTF_8)),
                Stream.of("UTF-16", "ISO-8859-1")
                        .map(
                                name ->
                                        ("<?xml version='1.0' encoding='" + name + "'?><Delete/>")
                                                .getBytes(StandardCharsets.UTF_16)));
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "60s")
    void documents(byte[] data) {
        try {
            XmlElement root = XmlReader.read(data, "Delete", ELEMENTS_MAX);
            assertThat(root.name()).isEqualTo("Delete");
            assertThat(count(root, 1)).isLessThanOrEqualTo(ELEMENTS_MAX);
        } catch (S3Exception e) {
            assertThat(e.error()).isEqualTo(S3Error.MALFORMED_XML);
        }
    }

    private static int count(XmlElement element, int depth) {
        assertThat(depth).isLessThanOrEqualTo(Limits.XML_DEPTH_MAX);
        assertThat(element.text().length()).isLessThanOrEqualTo(16 * 1024);
        int count = 1;
        for (XmlElement child : element.children()) {
            count += count(child, depth + 1);
        }
        return count;
    }
}
