package io.volute.admin.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer;
import io.volute.admin.FakeServer.Outcome;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Traces as tables, graphs and pictures, whatever keys and actors are called. */
class TraceCommandTest {
    private static final String ACTOR =
            """
            {"actor": {"id": 7, "version": 3, "principal": "p", "accessKey": "K",
             "name": "n \\"1\\" <x>", "began": "2026-11-20T14:00:00Z"}}\
            """;

    /** The key was written by an actor that had read a source with an odd name. */
    private static final String BACK =
            """
            {"steps": [
              {"at": "2026-11-20T14:05:00Z", "action": "put", "node": %s, "through": %s},
              {"at": "2026-11-20T14:04:00Z", "action": "read", "node": %s, "through": %s}]}\
            """
                    .formatted(ACTOR, object("key", 4), object("so\\\\ur\\\"ce\\n<é>&'", 2), ACTOR);

    @RegisterExtension private final FakeServer server = new FakeServer();

    private static String object(String key, int version) {
        return "{\"object\": {\"bucket\": \"bucket\", \"key\": \"%s\", \"causalVersion\": %d}}"
                .formatted(key, version);
    }

    @Test
    void showsTheSteps() {
        server.answer("GET trace", BACK);
        Outcome outcome = server.run("trace", "back", "s3://bucket/key", "--version-id", "null");
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.out().lines())
                .containsExactly(
                        "AT                    NODE                         ACTION  THROUGH",
                        "2026-11-20T14:05:00Z  n \"1\" <x> (p, K, actor 7.3)  put   "
                                + "  bucket/key @4",
                        "2026-11-20T14:04:00Z  bucket/so\\\\ur\"ce\\n<é>&' @2   read    n \"1\" <x>"
                                + " (p, K, actor 7.3)");
        assertThat(server.asked())
                .containsExactly(
                        "GET trace?bucket=bucket&direction=back&key=key&max=1000&versionId=null");
        assertThat(server.run("trace", "back", "s3://bucket/key", "--json").out())
                .startsWith("{\"steps\":[{\"at\":");
    }

    @Test
    void drawsAGraphWhoseArrowsFollowWhatBecameOfWhat() {
        server.answer("GET trace", BACK);
        assertThat(server.run("trace", "back", "s3://bucket/key", "--dot").out())
                .isEqualTo(
                        """
                        digraph trace {
                          rankdir=LR;
                          charset="UTF-8";
                          n0 [label="bucket/key\\ncausal version 4", shape=box, style=bold];
                          n1 [label="n \\"1\\" <x>\\nactor 7.3, p, K", shape=ellipse];
                          n2 [label="bucket/so\\\\\\\\ur\\"ce\\\\n<é>&'\\ncausal version 2", \
                        shape=box];
                          n1 -> n0 [label="put"];
                          n2 -> n1 [label="read"];
                        }
                        """);
        assertThat(server.run("trace", "forward", "s3://bucket/key", "--dot").out())
                .contains("n0 -> n1 [label=\"put\"]", "n1 -> n2 [label=\"read\"]");
    }

    @Test
    void showsClosedNodesWithoutNames() {
        String unknown =
                """
                {"actor": {"id": 7, "version": 3, "principal": "p", "accessKey": "", "name": "",
                 "naming": "unknown", "address": "", "began": "2026-11-20T14:00:00Z"}}\
                """;
        server.answer(
                "GET trace",
                """
                {"steps": [
                  {"at": "2026-11-20T14:05:00Z", "action": "put", "node": %s, "through": %s},
                  {"at": "2026-11-20T14:04:00Z", "action": "read", "node": {}, "through": %s},
                  {"at": "2026-11-20T14:03:00Z", "action": "put", "node": {}, "through": %s}]}\
                """
                        .formatted(unknown, object("key", 4), unknown, object("key", 4)));
        String table = server.run("trace", "back", "s3://bucket/key").out();
        assertThat(table).contains("in a bucket that you may not list", "p, actor 7.3");
        String graph = server.run("trace", "back", "s3://bucket/key", "--dot").out();
        assertThat(graph).contains("n2 -> n1 [label=\"read\"]", "n3 -> n0 [label=\"put\"]");
    }

    /** The texts of a picture; fails when it is not XML. */
    private static List<String> texts(String svg, String element) throws Exception {
        XMLStreamReader in =
                XMLInputFactory.newFactory()
                        .createXMLStreamReader(
                                new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
        List<String> texts = new ArrayList<>();
        while (in.hasNext()) {
            if (in.next() == XMLStreamReader.START_ELEMENT && in.getLocalName().equals(element)) {
                texts.add(in.getElementText());
            }
        }
        return texts;
    }

    @Test
    void drawsAPictureThatIsXml() throws Exception {
        server.answer("GET trace", BACK);
        Outcome outcome = server.run("trace", "back", "s3://bucket/key", "--svg");
        assertThat(outcome.code()).isZero();
        assertThat(outcome.err()).isEmpty();
        assertThat(texts(outcome.out(), "title"))
                .containsExactly(
                        "bucket/key\ncausal version 4",
                        "n \"1\" <x>\nactor 7.3, p, K",
                        "bucket/so\\\\ur\"ce\\n<é>&'\ncausal version 2");
        assertThat(texts(outcome.out(), "text")).contains("put", "read", "n \"1\" <x>");
        assertThat(outcome.out())
                .contains("viewBox=\"0 0 1020 80\"")
                // Back begins at the right.
                .contains("<title>bucket/key\ncausal version 4</title><rect x=\"740\" y=\"20\"");
    }

    @Test
    void drawsWhatItBeganWithWhenThereIsNothingElse() throws Exception {
        server.answer("GET trace", "{\"steps\": []}");
        assertThat(server.run("trace", "back", "s3://bucket/k\"", "--dot").out())
                .contains("n0 [label=\"bucket/k\\\"\", shape=box, style=bold];");
        assertThat(texts(server.run("trace", "forward", "s3://bucket/k<", "--svg").out(), "text"))
                .contains("bucket/k<");
    }

    @Test
    void aPictureHasNoMoreNodesThanCanBeSeen() throws Exception {
        StringBuilder steps = new StringBuilder();
        for (int i = 0; i < 199; i++) {
            steps.append(i == 0 ? "" : ",")
                    .append("{\"at\": \"2026-11-20T14:05:00Z\", \"action\": \"put\", \"node\": ")
                    .append(object("x".repeat(50) + i, 1))
                    .append(", \"through\": ")
                    .append(object("key", 4))
                    .append("}");
        }
        server.answer("GET trace", "{\"steps\": [" + steps + "], \"next\": \"more\"}");
        Outcome outcome = server.run("trace", "forward", "s3://bucket/key", "--svg");
        assertThat(server.asked())
                .containsExactly("GET trace?bucket=bucket&direction=forward&key=key&max=199");
        assertThat(texts(outcome.out(), "title")).hasSize(200);
        assertThat(texts(outcome.out(), "text"))
                .contains("only the first 200 nodes are drawn")
                .anyMatch(text -> text.endsWith("…"));
        assertThat(outcome.err()).contains("only the first 200 nodes are drawn: --dot draws all");
    }

    @Test
    void wrongUsageIsSaidToBe() {
        assertThat(server.run("trace", "up", "s3://bucket/key").err())
                .contains("write back or forward");
        assertThat(server.run("trace", "back").code()).isEqualTo(2);
        assertThat(server.run("trace", "back", "s3://b/k", "--dot", "--svg").code()).isEqualTo(2);
        assertThat(server.run("trace", "back", "s3://b/k", "--dot", "--json").code()).isEqualTo(2);
        assertThat(server.asked()).isEmpty();
    }
}
