package io.volute.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GeneratedPageTest {
    private static final String PAGE =
            """
            # Things
            <!-- generated: big things -->
            old
            <!-- end -->
            By hand.
            # generated: small
            a = 1
            # end
            """;

    @TempDir private Path directory;

    private GeneratedPage page(String text) throws IOException {
        Path file = Files.writeString(directory.resolve("page"), text);
        return GeneratedPage.of(file.toString());
    }

    @Test
    void acceptsAPageThatIsAsTheCode() throws IOException {
        page(PAGE).part("big things", "old").part("small", "a = 1\n").check();
    }

    @Test
    void namesTheFirstLineThatDiffers() {
        assertThatThrownBy(() -> page(PAGE).part("small", "$1\\").part("big things", "old").check())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("differs from the code in line 7. Run ./volute docs")
                .hasMessageEndingWith("Page: a = 1\nCode: $1\\");
    }

    @Test
    void writesThePageOnRequest() throws IOException {
        System.setProperty("volute.docs", "write");
        try {
            page(PAGE).part("big things", "old").part("small", "b = 2\nc = 3").check();
        } finally {
            System.clearProperty("volute.docs");
        }
        assertThat(directory.resolve("page")).hasContent(PAGE.replace("a = 1", "b = 2\nc = 3"));
    }

    @Test
    void refusesAPartThatIsInOneOfThemAlone() {
        assertThatThrownBy(() -> page(PAGE).part("big things", "old").check())
                .hasMessageEndingWith("has a part that no code renders: small");
        assertThatThrownBy(() -> page(PAGE).part("medium", ""))
                .hasMessageEndingWith("needs one part \"generated: medium\"; it has 0");
        assertThatThrownBy(() -> page(PAGE + PAGE).part("small", ""))
                .hasMessageEndingWith("it has 2");
    }

    @Test
    void escapesWhatWouldEndACell() {
        assertThat(GeneratedPage.table(List.of("A", "B"), List.of(List.of("x|y", "z"))))
                .isEqualTo("| A | B |\n|---|---|\n| x\\|y | z |\n");
    }
}
