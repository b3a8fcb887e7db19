package io.volute.admin.s3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class XmlTreeTest {
    private static XmlTree parse(String document) throws IOException {
        return XmlTree.parse(document.getBytes(UTF_8));
    }

    @Test
    void readsNamesTextsAndChildren() throws IOException {
        XmlTree tree =
                parse(
                        "<?xml version=\"1.0\"?><!-- c --><a xmlns=\"http://x/\"><b>1 &amp; 2</b>"
                                + "<c/><b><![CDATA[<3>]]></b></a>");

        assertThat(tree.name()).isEqualTo("a");
        assertThat(tree.children("b")).extracting(XmlTree::text).containsExactly("1 & 2", "<3>");
        assertThat(tree.text("c")).isEmpty();
        assertThat(tree.child("d")).isEmpty();
        assertThat(tree.text()).isEqualTo("1 & 2<3>");
    }

    @Test
    void refusesWhatReadsFromElsewhereOrHasNoEnd() {
        assertThatThrownBy(
                        () ->
                                parse(
                                        "<!DOCTYPE a [<!ENTITY e SYSTEM \"file:///etc/hostname\">]>"
                                                + "<a>&e;</a>"))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> parse("<a>".repeat(200) + "</a>".repeat(200)))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> parse("<a><b></a>")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> parse("<a/><b/>")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> parse("no")).isInstanceOf(IOException.class);
    }

    /** Text at a deep level is copied into each level above it. */
    @Test
    void refusesMoreElementsOrTextThanItsBudget() {
        String text = "x".repeat(1 << 20);
        assertThatThrownBy(() -> parse("<a>".repeat(90) + text + "</a>".repeat(90)))
                .hasMessageContaining("characters");
        assertThatThrownBy(() -> parse("<a>" + "<b/>".repeat(500_000) + "</a>"))
                .hasMessageContaining("elements");
    }
}
