package io.volute.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.record.SpiralShape.Construction;
import io.volute.server.admin.AdminTestBed.Answer;
import io.volute.versioning.value.EntryField;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the hidden fields of a bucket's entries, over the admin API. */
class HidingRoutesTest {
    private static final String HIDDEN = "/_volute/v1/provenance/hidden";
    private static final Map<String, String> BUCKET = Map.of("bucket", "bucket");

    @TempDir private Path directory;

    @Test
    void isShownChosenAndTakenBack() throws IOException {
        try (AdminTestBed bed = ProvenanceRoutesTest.bed(directory, Construction.ONE_LINK)) {
            assertThat(bed.get(HIDDEN, BUCKET).document())
                    .containsEntry("bucket", "bucket")
                    .containsEntry("inherited", true)
                    .containsEntry("encrypted", List.of())
                    .containsEntry("committed", List.of())
                    .containsEntry("needed", 1L)
                    .containsEntry("enough", false);
            Answer set =
                    bed.put(
                            HIDDEN,
                            Map.of(
                                    "bucket", "bucket",
                                    "encrypt", List.of("principal", "actor"),
                                    "commit", List.of("metadata")));
            assertThat(set.status()).as(set.toString()).isEqualTo(200);
            assertThat(set.document())
                    .containsEntry("inherited", false)
                    .containsEntry("encrypted", List.of("actor", "principal"))
                    .containsEntry("committed", List.of("metadata"));
            assertThat(bed.get(HIDDEN, BUCKET).document()).isEqualTo(set.document());
            assertThat(bed.put(HIDDEN, Map.of("bucket", "bucket", "encrypt", List.of())).document())
                    .containsEntry("inherited", false)
                    .containsEntry("encrypted", List.of())
                    .containsEntry("committed", List.of());
            assertThat(bed.put(HIDDEN, Map.of("bucket", "bucket", "inherit", true)).document())
                    .containsEntry("inherited", true);
        }
    }

    @Test
    void everyFieldCanBeHidden() throws IOException {
        List<String> all = Arrays.stream(EntryField.values()).map(EntryField::text).toList();
        try (AdminTestBed bed = ProvenanceRoutesTest.bed(directory, Construction.ONE_LINK)) {
            Answer set = bed.put(HIDDEN, Map.of("bucket", "bucket", "commit", all));
            assertThat(set.document()).containsEntry("committed", all.stream().sorted().toList());
        }
    }

    @Test
    void refusesWhatCannotBe() throws IOException {
        try (AdminTestBed bed = ProvenanceRoutesTest.bed(directory, Construction.ONE_LINK)) {
            for (Map<String, ?> wrong :
                    List.of(
                            BUCKET,
                            Map.of("encrypt", List.of("actor")),
                            Map.of("bucket", "bucket", "encrypt", List.of("parts")),
                            Map.of("bucket", "bucket", "encrypt", "actor"),
                            Map.of("bucket", "bucket", "inherit", true, "commit", List.of()),
                            Map.of(
                                    "bucket", "bucket",
                                    "encrypt", List.of("actor"),
                                    "commit", List.of("actor")))) {
                assertThat(bed.put(HIDDEN, wrong).status()).as(wrong.toString()).isEqualTo(400);
            }
            Map<String, ?> none = Map.of("bucket", "none", "inherit", true);
            assertThat(bed.put(HIDDEN, none).code()).isEqualTo("NoSuchBucket");
            assertThat(bed.get(HIDDEN, Map.of("bucket", "none")).code()).isEqualTo("NoSuchBucket");
            assertThat(bed.get(HIDDEN, BUCKET).document()).containsEntry("inherited", true);
        }
        try (AdminTestBed off =
                new AdminTestBed(directory.resolve("off"), UnaryOperator.identity())) {
            assertThat(off.put(HIDDEN, Map.of("bucket", "bucket", "inherit", true)).code())
                    .isEqualTo("ProvenanceOff");
        }
    }
}
