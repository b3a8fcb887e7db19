package io.volute.server.s3.xml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Reading of hostile documents, and escaping of hostile text. */
final class XmlTest {

    private static void refused(String document) {
        refused(document.getBytes(StandardCharsets.UTF_8));
    }

    private static void refused(byte[] document) {
        assertThatThrownBy(() -> XmlReader.read(document, "a", 1000))
                .isInstanceOfSatisfying(
                        S3Exception.class,
                        e -> assertThat(e.error()).isEqualTo(S3Error.MALFORMED_XML));
    }

    @Test
    void expandsNoEntitiesAndReadsNoDtd() {
        StringBuilder laughs = new StringBuilder("<!DOCTYPE a [<!ENTITY l0 \"ha\">");
        for (int i = 1; i < 20; i++) {
            laughs.append("<!ENTITY l").append(i).append(" \"");
            laughs.append(("&l" + (i - 1) + ";").repeat(10)).append("\">");
        }
        refused(laughs + "]><a>&l19;</a>");
        refused("<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>");
        refused("<!DOCTYPE a SYSTEM \"http://192.0.2.1/x.dtd\"><a/>");
        refused("<!DOCTYPE a><a/>");
        refused("<a>&undeclared;</a>");
    }

    @Test
    void boundsDepthElementsAndText() {
        assertThat(XmlReader.read(nested(16), "a", 100).name()).isEqualTo("a");
        refused(nested(17));
        refused(nested(10_000));
        refused("<a>" + "<ETag/>".repeat(1000) + "</a>");
        // More elements than a document of this length can have with names of S3.
        refused("<a>" + "<b/>".repeat(999) + "</a>");
        assertThat(
                        XmlReader.read(
                                        ("<a>" + "<ETag/>".repeat(999) + "</a>")
                                                .getBytes(StandardCharsets.UTF_8),
                                        "a",
                                        1000)
                                .children())
                .hasSize(999);
        refused("<a>" + "x".repeat(20_000) + "</a>");
        refused("<a " + "x".repeat(5000) + "='1'/>" + "<");
        StringBuilder attributes = new StringBuilder("<a");
        for (int i = 0; i < 100; i++) {
            attributes.append(" a").append(i).append("=\"\"");
        }
        refused(attributes + "/>");
    }

    private static byte[] nested(int depth) {
        return ("<a>".repeat(depth) + "</a>".repeat(depth)).getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void refusesWhatIsNotADocument() {
        for (String text :
                new String[] {
                    "",
                    " ",
                    "x",
                    "<",
                    "<a",
                    "<a>",
                    "</a>",
                    "<a/><a/>",
                    "<b/>",
                    "<a>\u0000</a>",
                    "<a>&#0;</a>",
                    "<a>&#xFFFE;</a>",
                    "<a><b></a></b>",
                    "<a x='1' x='2'/>"
                }) {
            refused(text);
        }
        refused(new byte[] {'<', 'a', '>', (byte) 0xFF, '<', '/', 'a', '>'});
        refused("<?xml version=\"1.0\" encoding=\"no-such\"?><a/>");
    }

    @Test
    void survivesRandomBytes() {
        Random random = new Random(5);
        byte[] valid =
                "<a xmlns=\"u\"><b>text &amp; more</b><!-- c --></a>"
                        .getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < 3000; i++) {
            byte[] spoilt = valid.clone();
            for (int j = 0; j < 3; j++) {
                spoilt[random.nextInt(spoilt.length)] = (byte) random.nextInt(256);
            }
            try {
                assertThat(XmlReader.read(spoilt, "a", 1000).name()).isEqualTo("a");
            } catch (S3Exception e) {
                assertThat(e.error()).isEqualTo(S3Error.MALFORMED_XML);
            }
        }
    }

    @Test
    void readsOtherEncodingsAndNamespaces() {
        for (String name : new String[] {"UTF-8", "UTF-16", "ISO-8859-1"}) {
            byte[] document =
                    ("<?xml version=\"1.0\" encoding=\""
                                    + name
                                    + "\"?><x:a xmlns:x=\"u\"><x:b>\u00E4</x:b></x:a>")
                            .getBytes(Charset.forName(name));
            assertThat(XmlReader.read(document, "a", 10).childText("b")).contains("\u00E4");
        }
    }

    @Test
    void writesTextThatReadsBackTheSame() {
        String hostile = "<&>\"' ]]> \r\n\t \u00E4 \u20AC \uD83D\uDE00 <![CDATA[";
        byte[] document = XmlWriter.document("a").element("b", hostile).finish();
        assertThat(XmlReader.read(document, "a", 10).childText("b")).contains(hostile);
        assertThat(
                        new String(
                                XmlWriter.plainDocument("a").element("b", "\u0001\uFFFF").finish(),
                                StandardCharsets.UTF_8))
                .contains("<b>&#1;&#65535;</b>");
    }

    @Test
    void writesUnescapedTextThatCannotEndItsElement() {
        assertThat(
                        new String(
                                XmlWriter.html().unescaped("style", "a > b {\n}").finish(),
                                StandardCharsets.UTF_8))
                .endsWith("<style>a > b {\n}</style>");
        assertThatThrownBy(() -> XmlWriter.html().unescaped("style", "a</style>"))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
