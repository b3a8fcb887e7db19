package io.volute.admin.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.volute.admin.FakeServer;
import io.volute.admin.FakeServer.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Imports from a source that answers what it likes. */
@Timeout(60)
class UntrustedSourceTest {
    private static final String LIST = "GET /photos";
    private static final String MORE = "<IsTruncated>true</IsTruncated>";

    @RegisterExtension private final FakeServer server = new FakeServer();

    private static String version(String key, String id) {
        return version(key, id, "2026-11-21T10:00:00.000Z");
    }

    private static String version(String key, String id, String modified) {
        return "<Version><Key>"
                + key
                + "</Key><VersionId>"
                + id
                + "</VersionId><Size>1</Size><ETag>e</ETag><LastModified>"
                + modified
                + "</LastModified></Version>";
    }

    private static String page(String content, String key, String id) {
        return "<L>"
                + MORE
                + content
                + "<NextKeyMarker>"
                + key
                + "</NextKeyMarker><NextVersionIdMarker>"
                + id
                + "</NextVersionIdMarker></L>";
    }

    private Outcome run(String... place) {
        server.with(
                Map.of(
                        "VOLUTE_ACCESS_KEY", "ROOT",
                        "VOLUTE_SECRET_KEY", "rootsecret",
                        "SOURCE_ACCESS_KEY", "key",
                        "SOURCE_SECRET_KEY", "secret"));
        List<String> words = new ArrayList<>(List.of("import"));
        words.addAll(List.of(place));
        words.addAll(List.of("--from-endpoint", server.endpoint()));
        return server.run(words.toArray(String[]::new));
    }

    /** The settings of the bucket have the last page, too, and find nothing in it. */
    private Outcome list(String page) {
        server.answer("HEAD /photos", "").answer("PUT /photos", "").answer(LIST, page);
        return run("--from=s3://photos");
    }

    private static void isRefused(Outcome outcome, String why) {
        assertThat(outcome.code()).as(outcome.out() + outcome.err()).isEqualTo(1);
        assertThat(outcome.err()).contains(why);
        assertThat(outcome.out() + outcome.err()).doesNotContain("\u001b").doesNotContain("\u009b");
    }

    @Test
    void theSamePageForEverIsRefused() {
        isRefused(list(page(version("k", "1"), "k", "1")), "a version is there twice");
    }

    @Test
    void aListingThatGoesBackIsRefused() {
        isRefused(list(page(version("b", "1") + version("a", "1"), "b", "1")), "in order");
    }

    @Test
    @Tag("slow")
    void emptyPagesForEverAreRefused() {
        isRefused(list(page("", "k", "1")), "pages in a row are empty");
    }

    @Test
    void moreThanAPageIsRefused() {
        StringBuilder all = new StringBuilder();
        for (int i = 1000; i <= 2000; i++) {
            all.append(version("k" + i, "1"));
        }
        isRefused(list("<L>" + all + "</L>"), "more than 1000 versions");
    }

    @Test
    @Tag("slow")
    void anAnswerOfManyBytesIsRefused() {
        isRefused(list("<L>" + " ".repeat(33 << 20) + "</L>"), "more than 32 MiB");
    }

    @Test
    @Tag("slow")
    void anAnswerOfManyElementsIsRefused() {
        isRefused(list("<L>" + "<a/>".repeat(600_000) + "</L>"), "elements");
    }

    @Test
    void aValueThatIsNoHeaderIsRefused() {
        isRefused(list("<L>" + version("k", "1&#x9b;2J") + "</L>"), "VersionId");
        isRefused(list("<L>" + version("k", "1", "now&#xa;x: y") + "</L>"), "LastModified");
        isRefused(list("<L>" + version("%zz", "1") + "</L>"), "not encoded");
        isRefused(list("<L>" + version("k", "1").replace(">1</S", ">x</S") + "</L>"), "no size");
    }

    /** Workers write the report. */
    @Test
    void aReportThatCannotBeWrittenEndsTheImport() {
        assumeTrue(Files.exists(Path.of("/dev/full")), "a device that is always full");
        server.answer("HEAD /photos", "").answer("HEAD /mine", "").answer("PUT /mine", "");
        server.answer("GET /mine", "<L/>");
        server.answer("GET /photos/k", 403, "<Error><Code>AccessDenied</Code></Error>");
        server.answer(LIST, "<L>" + version("k", "1") + "</L>");
        Outcome outcome = run("--from=s3://photos", "--bucket=mine", "--report=/dev/full");
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.err())
                .contains("cannot write the report", "No space left", "Run it again")
                .doesNotContain("Exception", "\tat ");
    }

    @Test
    void namesAndMessagesDoNotControlTheTerminal() {
        String key = "%1B%5D0%3Bx%07";
        server.answer("HEAD /photos", "").answer("HEAD /mine", "").answer("PUT /mine", "");
        server.answer("GET /mine", "<L/>");
        server.answer(
                "GET /photos/" + key,
                403,
                "<Error><Code>&#x9b;A</Code><Message>&#x9b;2J&#xa;done</Message></Error>");
        server.answer(LIST, "<L>" + version(key, "1") + "</L>");
        Outcome outcome = run("--from=s3://photos", "--bucket=mine");
        assertThat(outcome.code()).as(outcome.err()).isEqualTo(3);
        assertThat(outcome.out() + outcome.err())
                .contains("\\u001b]0;x", "\\u009b2J")
                .doesNotContain("\u001b")
                .doesNotContain("\u0007")
                .doesNotContain("\u009b");
    }

    @Test
    void namesOfBucketsAreChecked() {
        server.answer(
                "GET /", "<R><Buckets><Bucket><Name>../&#x9b;2J</Name></Bucket></Buckets></R>");
        Outcome outcome = run("--all");
        assertThat(outcome.code()).as(outcome.err()).isEqualTo(3);
        assertThat(outcome.out()).contains("no name of a bucket").doesNotContain("\u009b");
    }
}
