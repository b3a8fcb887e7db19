package io.volute.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.adminapi.AdminJson;
import io.volute.adminapi.LifecycleApi.Removal;
import io.volute.adminapi.LifecycleApi.Removals;
import io.volute.adminapi.Routes;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The plan of what lifecycle rules remove. */
@Tag("slow")
class LifecycleRoutesTest {
    static final String RULES =
            "<LifecycleConfiguration><Rule><ID>%s</ID><Status>Enabled</Status><Filter/>"
                    + "<Expiration><Days>3</Days></Expiration>"
                    + "<AbortIncompleteMultipartUpload><DaysAfterInitiation>1</DaysAfterInitiation>"
                    + "</AbortIncompleteMultipartUpload></Rule></LifecycleConfiguration>";

    private static final String PATH = "/_volute/v1/lifecycle";
    private static final BucketName BUCKET = new BucketName("bucket");
    private static final String LATE = "2026-12-24T00:00:00Z";

    @TempDir private Path directory;
    private AdminTestBed bed;

    @BeforeEach
    void open() throws IOException {
        bed = new AdminTestBed(directory);
        assertThat(bed.store.createBucket(new Caller("root", "", ""), BUCKET)).isNotNull();
        for (String key : List.of("a", "b", "c")) {
            ProvenanceRoutesTest.put(bed, key, "text");
        }
        begin("b");
        begin("b");
        begin("u");
    }

    @AfterEach
    void close() throws IOException {
        bed.close();
    }

    private void begin(String key) throws IOException {
        assertThat(ProvenanceRoutesTest.upload(bed, key)).isNotNull();
    }

    private void rules(String document) throws IOException {
        bed.store.settings().setDocument(BUCKET, BucketDocument.LIFECYCLE, Optional.of(document));
    }

    /** Returns the whole plan, and the number of its pages. */
    private List<Removal> plan(String at, int max) throws IOException {
        List<Removal> all = new ArrayList<>();
        Map<String, String> asked = new LinkedHashMap<>(Map.of("bucket", "bucket"));
        asked.put("at", at);
        asked.put("max", Integer.toString(max));
        Optional<String> next;
        do {
            Removals page = AdminJson.as(bed.get(PATH, asked).document(), Removals.class);
            all.addAll(page.removals());
            next = page.next();
            next.ifPresent(from -> asked.put("from", from));
        } while (next.isPresent());
        return all;
    }

    private static List<String> shown(List<Removal> plan) {
        return plan.stream()
                .map(each -> each.rule() + " " + each.action() + " " + each.key())
                .toList();
    }

    @Test
    void showsWhatIsDueThen() throws IOException {
        rules(RULES.formatted("r"));
        assertThat(plan("2026-11-22T23:59:59Z", 10)).isEmpty();
        assertThat(shown(plan("2026-11-23T00:00:00Z", 10)))
                .containsExactly("r abort-upload b", "r abort-upload b", "r abort-upload u");
        List<Removal> all = plan(LATE, 10);
        assertThat(shown(all))
                .startsWith("r expire a", "r expire b", "r expire c", "r abort-upload b")
                .hasSize(6);
        assertThat(all.getFirst().due()).isEqualTo("2026-11-25T00:00:00Z");
        assertThat(all.getFirst().bytes()).isEqualTo(4);
        assertThat(all.getFirst().versionId()).contains("null");
        assertThat(all.getLast().uploadId()).isPresent();
    }

    @Test
    void pagesHaveEverythingOnce() throws IOException {
        rules(RULES.formatted("r"));
        List<Removal> all = plan(LATE, 10);
        for (int max = 1; max < 7; max++) {
            assertThat(plan(LATE, max)).isEqualTo(all);
        }
    }

    @Test
    void removesNothing() throws IOException {
        rules(RULES.formatted("r"));
        assertThat(plan(LATE, 10)).hasSize(6).isEqualTo(plan(LATE, 10));
    }

    @Test
    void bucketsWithoutRulesLoseNothing() throws IOException {
        assertThat(plan(LATE, 10)).isEmpty();
        assertThat(bed.get(PATH, Map.of("bucket", "other")).code()).isEqualTo("NoSuchBucket");
    }

    @Test
    void refusesAPlaceThatItDidNotName() throws IOException {
        rules(RULES.formatted("r"));
        for (String from : List.of("x", "1", "99999va", "-1va")) {
            assertThat(bed.get(PATH, Map.of("bucket", "bucket", "from", from)).message())
                    .contains("from is not the next of an earlier answer");
        }
        assertThat(bed.get(PATH, Map.of("bucket", "bucket", "from", "9va")).document())
                .isEqualTo(Map.of("removals", List.of()));
    }

    @Test
    void usersNeedAPolicy() throws IOException {
        assertThat(bed.ask(AdminTestBed.ALICE, Routes.LIFECYCLE, Map.of("bucket", "b")).code())
                .isEqualTo("AccessDenied");
    }
}
