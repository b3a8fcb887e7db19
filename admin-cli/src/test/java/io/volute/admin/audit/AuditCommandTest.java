package io.volute.admin.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer;
import io.volute.admin.FakeServer.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests the requests, the output and the exit codes of the commands about provenance. */
class AuditCommandTest {
    private static final String AUDIT = "provenance/audit";
    private static final String FIGURES =
            "\"id\": 7, \"started\": \"2026-11-21T10:00:00Z\", \"chains\": 2, \"entries\": 5,"
                    + " \"verified\": 5, \"removed\": 0, ";
    private static final String RUNNING =
            "{\"state\": \"running\", " + FIGURES + "\"findings\": [], \"moreFindings\": 0}";
    private static final String CLEAN = RUNNING.replace("running", "finished");
    private static final String BROKEN =
            CLEAN.replace(
                    "\"findings\": []",
                    """
                    "findings": [{"chain": "b/k\\u001b[31m", "sequence": 3, "promise": "I4",
                     "cause": "replaced", "text": "somebody replaced it", "detail": "its link",
                     "contradictedBy": 2}]\
                    """);

    @RegisterExtension private final FakeServer server = new FakeServer();

    private static final String NO_RULES = "applied rules of settings and checkpoints: none";

    private void answer(String last) {
        server.answer("POST " + AUDIT, 202, RUNNING);
        server.answer("GET " + AUDIT, RUNNING, last);
    }

    @Test
    void aStoreWithoutEntriesHasNothingWrong() {
        answer(
                CLEAN.replace(
                        "\"chains\": 2, \"entries\": 5, \"verified\": 5",
                        "\"chains\": 0, \"entries\": 0, \"verified\": 0"));
        Outcome all = server.run("audit", "--all");
        assertThat(all.code()).as(all.err()).isZero();
        assertThat(all.out()).contains("no key has a signed entry yet");
    }

    @Test
    void followsAnAuditToItsEnd() {
        answer(CLEAN);
        Outcome outcome =
                server.run(
                        "audit",
                        "s3://b",
                        "--prefix",
                        "p/",
                        "--kind",
                        "write",
                        "--require",
                        "both",
                        "--accept-summaries",
                        "--contents");
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.out())
                .isEqualTo(
                        NO_RULES + "\nfinished: 2 chains, 5 of 5 entries verified, 0 findings\n");
        assertThat(server.pauses()).isEqualTo(2);
        assertThat(server.asked().getFirst())
                .isEqualTo(
                        "POST provenance/audit{\"bucket\":\"b\",\"prefix\":\"p/\","
                                + "\"kind\":\"write\","
                                + "\"requireAlgorithms\":[\"ed25519\",\"ml-dsa-65\"],"
                                + "\"acceptSummaries\":true,\"contents\":true}");
    }

    @Test
    void namesWhatIsBroken() {
        answer(BROKEN);
        Outcome outcome = server.run("audit", "--all");
        assertThat(outcome.code()).isEqualTo(3);
        assertThat(outcome.out().lines())
                .containsExactly(
                        "b/k\\u001b[31m entry 3: I4 broken, somebody replaced it: its link; 2 later"
                                + " entries do not fit",
                        NO_RULES,
                        "finished: 2 chains, 5 of 5 entries verified, 1 finding");
        assertThat(server.run("audit", "--all", "--json").out()).contains("\"promise\":\"I4\"");
    }

    @Test
    void whatWasNotComparedIsNeitherProvedNorWrong() {
        String gaps =
                CLEAN.replace(
                        "\"moreFindings\": 0",
                        """
                        "moreFindings": 0, "notCompared": [
                         {"what": "unsigned-times", "count": 3, "text": "versions of then"},
                         {"what": "sources", "count": 2, "text": "sources\\u001b[31m"}]\
                        """);
        answer(gaps);
        Outcome outcome = server.run("audit", "bucket");
        assertThat(outcome.code()).as(outcome.err()).isEqualTo(5);
        assertThat(outcome.out())
                .endsWith("not compared: 3 versions of then; 2 sources\\u001b[31m\n");
        Outcome json = server.run("audit", "--all", "--json");
        assertThat(json.code()).isEqualTo(5);
        assertThat(json.out()).contains("\"what\":\"unsigned-times\"");
    }

    @Test
    void findingsCountMoreThanWhatWasNotCompared() {
        answer(
                BROKEN.replace(
                        "\"moreFindings\": 0",
                        """
                        "moreFindings": 0, "notCompared": [
                         {"what": "sources", "count": 2, "text": "sources"}]\
                        """));
        assertThat(server.run("audit", "--all").code()).isEqualTo(3);
    }

    @Test
    void whatDidNotFinishIsNotClean() {
        answer(CLEAN.replace("finished", "stopped"));
        Outcome stopped = server.run("audit", "s3://b/k", "--dimension", "2");
        assertThat(stopped.code()).isEqualTo(1);
        assertThat(stopped.err()).contains("did not finish");
        assertThat(server.asked().getFirst())
                .endsWith("{\"bucket\":\"b\",\"key\":\"k\",\"dimension\":2}");
    }

    @Test
    void nothingIsNotClean() {
        answer(CLEAN.replace("\"chains\": 2", "\"chains\": 0"));
        assertThat(server.run("audit", "b").code()).isEqualTo(1);
    }

    @Test
    void doesNotTakeAnotherAuditForItsOwn() {
        answer(CLEAN.replace("\"id\": 7", "\"id\": 8"));
        assertThat(server.run("audit", "--all").err()).contains("forgot the audit");
    }

    @Test
    void cancels() {
        server.answer("POST provenance/audit/cancel", RUNNING);
        assertThat(server.run("audit", "--cancel").code()).isZero();
        assertThat(server.run("audit", "--cancel", "--all", "--cube", "hot").code()).isZero();
        assertThat(server.asked())
                .containsExactly(
                        "POST provenance/audit/cancel{}",
                        "POST provenance/audit/cancel{\"cube\":\"hot\"}");
    }

    private void cubesAreOnSeveralNodes(String question) {
        server.answer(question, 409, "{\"code\": \"CubesElsewhere\", \"message\": \"others\"}");
        String cube =
                "{\"cube\": \"%s\", \"number\": 0, \"id\": \"\", \"phase\": \"open\","
                        + " \"buckets\": 1}";
        server.answer(
                "GET cubes",
                "{\"cubes\": ["
                        + cube.replace("%s", "default")
                        + ","
                        + cube.replace("%s", "hot")
                        + "]}");
    }

    @Test
    void auditsEachCubeWhenOtherNodesHaveSome() {
        cubesAreOnSeveralNodes("POST " + AUDIT);
        answer(CLEAN);
        server.answer("GET " + AUDIT, BROKEN);
        Outcome outcome = server.run("audit", "--all");
        assertThat(outcome.code()).isEqualTo(3);
        assertThat(outcome.out())
                .contains("b/k\\u001b[31m entry 3")
                .endsWith("finished: 4 chains, 10 of 10 entries verified, 1 finding\n");
        assertThat(server.asked())
                .containsExactly(
                        "POST provenance/audit{}",
                        "GET cubes",
                        "POST provenance/audit{\"cube\":\"default\"}",
                        "GET provenance/audit?cube=default",
                        "GET provenance/audit?cube=default",
                        "POST provenance/audit{\"cube\":\"hot\"}",
                        "GET provenance/audit?cube=hot");
    }

    @Test
    void aCheckpointIsOfOneCube() {
        cubesAreOnSeveralNodes("POST " + AUDIT);
        Outcome outcome = server.run("audit", "--all", "--since-checkpoint", "7");
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.err()).contains("needs --cube");
        assertThat(server.asked()).hasSize(2);
    }

    @Test
    void anAuditOfOneCubeThatDoesNotFinishIsNotClean() {
        cubesAreOnSeveralNodes("POST " + AUDIT);
        answer(CLEAN);
        server.answer("GET " + AUDIT, CLEAN.replace("finished", "stopped"));
        Outcome outcome = server.run("audit", "--all");
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.err()).contains("did not finish");
    }

    @Test
    void rotatesTheKeysOfEachCube() {
        String rotate = "POST provenance/rotate";
        cubesAreOnSeveralNodes(rotate);
        server.answer(
                rotate,
                "{\"storeId\": \"5\", \"rootKey\": {\"algorithm\": \"ed25519\", \"keyId\": \"77\"},"
                        + " \"records\": 0, \"keys\": []}");
        Outcome outcome = server.run("provenance", "rotate");
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.out()).contains("root key  77");
        assertThat(server.asked())
                .containsExactly(
                        rotate + "{}",
                        "GET cubes",
                        rotate + "{\"cube\":\"default\"}",
                        rotate + "{\"cube\":\"hot\"}");
    }

    @Test
    void refusesWhatDoesNotGoTogether() {
        for (List<String> wrong :
                List.of(
                        List.<String>of(),
                        List.of("--all", "b"),
                        List.of("--all", "--dimension", "17"),
                        List.of("--all", "--dimension", "1", "--kind", "write"),
                        List.of("--all", "--kind", "overwrite"),
                        List.of("--all", "--require", "rsa"),
                        List.of("--all", "--keys", "f"),
                        List.of("--all", "--export", "f"),
                        List.of("--all", "--export", "f", "--keys", "f", "--root-key", "12"))) {
            String[] arguments = new String[wrong.size() + 1];
            arguments[0] = "audit";
            for (int i = 0; i < wrong.size(); i++) {
                arguments[i + 1] = wrong.get(i);
            }
            assertThat(server.run(arguments).code()).as(wrong.toString()).isEqualTo(2);
        }
        assertThat(server.asked()).isEmpty();
        assertThat(server.run("provenance").code()).isEqualTo(2);
    }

    @Test
    void showsTheEntriesOfAKey() {
        server.answer(
                "GET provenance/entries",
                """
                {"entries": [{"sequence": 0, "kind": "write", "time": "2026-11-21T10:00:00Z",
                 "commitSequence": 9, "versionId": "v1",
                 "principal": {"form": "plain", "text": "alice"},
                 "details": [{"name": "actor", "form": "plain", "text": "backup"},
                             {"name": "secret", "form": "encrypted",
                              "hex": "00112233445566778899"}],
                 "content": "aabbccddeeff00112233", "signers": [], "link": "00"}]}\
                """);
        Outcome outcome = server.run("provenance", "show", "s3://b/k");
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.out())
                .contains("write  v1          alice  aabbccddeeff00112233  00")
                .contains("actor=backup, secret=encrypted 0011223344556677");
    }
}
