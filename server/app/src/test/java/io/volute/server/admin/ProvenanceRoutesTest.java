package io.volute.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.audit.AuditReport;
import io.volute.provenance.audit.AuditTerms;
import io.volute.provenance.audit.ExportAudit;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.MasterKey;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SpiralShape;
import io.volute.server.admin.AdminTestBed.Answer;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.S3Response.Content;
import io.volute.storage.BlobWriter;
import io.volute.versioning.Listing.UploadInfo;
import io.volute.versioning.StoreOptions.ProvenanceSettings;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.WriteCondition;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Signed history over the admin API, of a real store that signs. */
@Tag("slow")
class ProvenanceRoutesTest {
    private static final String BASE = "/_volute/v1/provenance/";
    private static final String AUDIT = BASE + "audit";
    private static final Caller ALICE = new Caller("alice", "ALICE", "backup");
    private static final BucketName BUCKET = new BucketName("bucket");

    @TempDir private Path directory;
    private AdminTestBed bed;

    @BeforeEach
    void open() throws IOException {
        bed = bed(directory.resolve("first"), SpiralShape.Construction.ONE_LINK);
        put("a", "one");
        put("a", "two");
        put("b/1", "three");
    }

    static AdminTestBed bed(Path path, SpiralShape.Construction construction) throws IOException {
        Files.createDirectories(path);
        MasterKey master = MasterKey.create(new SecureRandom(), text -> {});
        ProvenanceSettings settings =
                new ProvenanceSettings(
                        master,
                        Set.of(SignatureAlgorithm.ED25519),
                        new SpiralShape(construction, 3),
                        new SecureRandom());
        AdminTestBed bed = new AdminTestBed(path.resolve("cube"), usual -> usual.with(settings));
        bed.store.createBucket(ALICE, BUCKET);
        return bed;
    }

    @AfterEach
    void close() throws IOException {
        bed.close();
    }

    private void put(String key, String text) throws IOException {
        put(bed, key, text);
    }

    static void put(AdminTestBed bed, String key, String text) throws IOException {
        put(bed, BUCKET, key, text);
    }

    private static void put(AdminTestBed bed, BucketName bucket, String key, String text)
            throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        try (BlobWriter body =
                bed.store.newBody(bucket, new ObjectKey("any"), OptionalLong.of(bytes.length))) {
            body.write(ByteBuffer.wrap(bytes));
            ObjectVersion unused =
                    bed.store.put(
                            ALICE,
                            bucket,
                            new ObjectKey(key),
                            body.finish(),
                            ObjectAttributes.ofEtag("etag"),
                            WriteCondition.NONE);
        }
    }

    static UploadInfo upload(AdminTestBed bed, String key) throws IOException {
        return bed.store.createUpload(
                ALICE, BUCKET, new ObjectKey(key), ObjectAttributes.ofEtag(""));
    }

    private Map<String, Object> audited(Map<String, ?> asked) throws Exception {
        Answer begun = bed.post(AUDIT, asked);
        assertThat(begun.status()).as(begun.toString()).isEqualTo(202);
        Answer answer = bed.get(AUDIT, Map.of());
        while ("running".equals(answer.document().get("state"))) {
            Thread.onSpinWait();
            answer = bed.get(AUDIT, Map.of());
        }
        assertThat(answer.document()).containsEntry("state", "finished");
        return answer.document();
    }

    @Test
    void tellsTheEntriesOfAKeyPageByPage() throws IOException {
        Map<String, String> key = Map.of("bucket", "bucket", "key", "a", "max", "1");
        Answer first = bed.get(BASE + "entries", key);
        assertThat(first.status()).as(first.toString()).isEqualTo(200);
        assertThat(first.document()).containsEntry("next", "1");
        assertThat(first.document().get("entries").toString())
                .contains("sequence=0", "kind=write", "principal={form=plain, text=alice}")
                .contains("{name=access-key, form=plain, text=ALICE}")
                .contains("content=" + Hash.ofContent("one".getBytes(StandardCharsets.UTF_8)))
                .contains("signers=[{algorithm=ed25519, keyId=");
        Answer second =
                bed.get(
                        BASE + "entries",
                        Map.of("bucket", "bucket", "key", "a", "max", "1", "from", "1"));
        assertThat(second.document()).doesNotContainKey("next");
        assertThat((List<?>) second.document().get("entries")).hasSize(1);
        assertThat(second.document().toString()).contains("sequence=1");
        assertThat(bed.get(BASE + "entries", Map.of("bucket", "none", "key", "a")).code())
                .isEqualTo("NoSuchBucket");
    }

    private byte[] exported(Map<String, String> range) throws IOException {
        S3Response response = bed.bytes(BASE + "export", range);
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.headers())
                .contains(new Header("content-type", "application/octet-stream"))
                .extracting(Header::name)
                .containsExactly("content-type", "x-volute-chains");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ((Content.Stream) response.content()).writer().writeTo(bytes);
        return bytes.toByteArray();
    }

    private KeyList keys() throws IOException {
        S3Response response = bed.bytes(BASE + "key-list", Map.of());
        Map<String, Object> told = bed.get(BASE + "keys", Map.of()).document();
        String root = ((Map<?, ?>) told.get("rootKey")).get("keyId").toString();
        Bytes list = Bytes.of(((Content.Bytes) response.content()).bytes());
        KeyList keys = KeyList.read(list, Hash.ofHex(root));
        assertThat(told).containsEntry("storeId", keys.storeId().hex());
        return keys;
    }

    private List<AuditReport> reports(Map<String, String> range) throws IOException {
        KeyList keys = keys();
        List<AuditReport> reports = new ArrayList<>();
        ExportAudit audit = new ExportAudit(chain -> AuditTerms.of(keys), reports::add);
        assertThat(audit.read(new ByteArrayInputStream(exported(range))))
                .isInstanceOf(ExportAudit.Outcome.Complete.class);
        assertThat(reports).allMatch(AuditReport::isClean);
        assertThat(reports.removeFirst().isOfStore()).isTrue();
        return reports;
    }

    @Test
    void exportsWhatIsAskedFor() throws IOException {
        assertThat(reports(Map.of()))
                .extracting(AuditReport::chain)
                .containsExactly("bucket/a", "bucket/b/1");
        assertThat(reports(Map.of("bucket", "bucket", "prefix", "b/")))
                .extracting(AuditReport::chain)
                .containsExactly("bucket/b/1");
        assertThat(reports(Map.of("bucket", "bucket", "key", "a")))
                .extracting(AuditReport::entries)
                .containsExactly(2L);
        assertThat(bed.get(BASE + "export", Map.of("bucket", "none")).status()).isEqualTo(404);
        assertThat(bed.get(BASE + "export", Map.of("key", "a")).status()).isEqualTo(400);
        assertThat(
                        bed.get(
                                        BASE + "export",
                                        Map.of("bucket", "bucket", "key", "a", "prefix", "a"))
                                .status())
                .isEqualTo(400);
    }

    @Test
    void summarisesWhatCanBe() throws IOException {
        Answer none = bed.get(BASE + "export", Map.of("summary", "true"));
        assertThat(none.status()).isEqualTo(409);
        assertThat(none.code()).isEqualTo("NotSummarisable");
        assertThat(none.message()).contains("provenance.construction = link-per-dimension");
        assertThat(exported(Map.of("summary", "false"))).isEqualTo(exported(Map.of()));
        bed.close();
        bed = bed(directory.resolve("second"), SpiralShape.Construction.LINK_PER_DIMENSION);
        for (int i = 0; i < 50; i++) {
            put("a", "content " + i);
        }
        KeyList keys = keys();
        List<AuditReport> reports = new ArrayList<>();
        byte[] export = exported(Map.of("summary", "true", "keep", "delete,tags"));
        assertThat(
                        new ExportAudit(
                                        chain -> AuditTerms.of(keys).acceptingSummaries(),
                                        reports::add)
                                .read(new ByteArrayInputStream(export)))
                .isInstanceOf(ExportAudit.Outcome.Complete.class);
        assertThat(reports.removeFirst().isOfStore()).isTrue();
        assertThat(reports).singleElement().matches(AuditReport::isClean);
        assertThat(reports.getFirst().removed()).isEqualTo(50 - 8);
        for (Map<String, String> wrong :
                List.of(
                        Map.of("keep", "tags"),
                        Map.of("checkpoint", "0"),
                        Map.of("summary", "yes"),
                        Map.of("summary", "true", "keep", "wind"),
                        Map.of("summary", "true", "checkpoint", "7"))) {
            assertThat(bed.get(BASE + "export", wrong).status()).as("%s", wrong).isEqualTo(400);
        }
    }

    /** Its numbers begin anew in each cube. */
    @Test
    void anAuditSinceACheckpointTakesThatOfTheCubeOfItsBucket() throws Exception {
        BucketName other = new BucketName("in-hot");
        assertThat(bed.cubes.create("hot").name()).isEqualTo("hot");
        bed.store.createBucket(ALICE, other, false, Map.of(), Optional.of("hot"));
        long last = 0;
        for (String text : List.of("one", "two", "three")) {
            put(bed, other, "k", text);
            Answer made = bed.post(BASE + "checkpoints", Map.of("cube", "hot"));
            last = ((Number) made.document().get("number")).longValue();
        }
        put(bed, other, "k", "four");
        Map<String, Object> audit =
                audited(Map.of("bucket", other.value(), "sinceCheckpoint", last));
        assertThat((List<?>) audit.get("findings")).isEmpty();
        assertThat(audit).containsEntry("chains", 1L);
    }

    /** Its owner answers what is about it alone. The rest has a remedy. */
    @Test
    void whatNeedsACubeOfAnotherNodeIsRefusedWithTheRemedy() throws Exception {
        for (String cube : List.of("hot", "warm")) {
            assertThat(bed.cubes.create(cube).name()).isEqualTo(cube);
        }
        bed.cubes.release("hot");
        bed.cubes.release("warm");
        for (Answer refused :
                List.of(bed.post(AUDIT, Map.of()), bed.post(BASE + "rotate", Map.of()))) {
            assertThat(refused.status()).isEqualTo(409);
            assertThat(refused.code()).isEqualTo("CubesElsewhere");
            assertThat(refused.message()).startsWith("other nodes have cubes hot, warm:");
        }
        for (Answer refused :
                List.of(
                        bed.post(AUDIT, Map.of("cube", "hot")),
                        bed.get(BASE + "keys", Map.of("cube", "hot")),
                        bed.post(BASE + "rotate", Map.of("cube", "hot")))) {
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.code()).isEqualTo("ServiceUnavailable");
            assertThat(refused.message())
                    .contains("volute cluster move hot NODE")
                    .endsWith("Cubes on other nodes: hot, warm.");
        }
        assertThat(bed.get(AUDIT, Map.of()).document()).isEqualTo(Map.of("state", "none"));
        assertThat(bed.post(AUDIT, Map.of("cube", "none")).code()).isEqualTo("NoSuchCube");
        bed.cubes.take("hot");
        assertThat(bed.get(BASE + "keys", Map.of("cube", "hot")).status()).isEqualTo(200);
        assertThat(bed.post(AUDIT, Map.of()).message()).contains("cubes warm:");
        assertThat(bed.post(BASE + "rotate", Map.of("cube", "hot")).status()).isEqualTo(200);
        bed.cubes.take("warm");
        assertThat(bed.post(BASE + "rotate", Map.of()).status()).isEqualTo(200);
    }

    @Test
    void rotatesTheKeys() throws Exception {
        KeyList before = keys();
        Answer rotated = bed.post(BASE + "rotate", Map.of());
        assertThat((List<?>) rotated.document().get("keys")).hasSize(2);
        assertThat(rotated.document().toString()).contains("validUntil=");
        assertThat(keys().root()).isEqualTo(before.root());
        put("a", "four");
        assertThat(audited(Map.of()).get("findings")).isEqualTo(List.of());
    }

    @Test
    void auditsARange() throws Exception {
        assertThat(audited(Map.of("contents", true)))
                .containsEntry("chains", 2L)
                .containsEntry("chainsTotal", 2L)
                .containsEntry("entries", 3L)
                .containsEntry("verified", 3L)
                .containsEntry("findings", List.of())
                .containsEntry("id", 1L);
        assertThat(audited(Map.of("bucket", "bucket", "key", "a", "dimension", 1)))
                .containsEntry("verified", 1L)
                .containsEntry("findings", List.of())
                .containsEntry("id", 2L);
        assertThat(audited(Map.of("kind", "delete"))).containsEntry("verified", 0L);
    }

    @Test
    void namesWhatIsBroken() throws Exception {
        Map<String, Object> audit =
                audited(
                        Map.of(
                                "bucket",
                                "bucket",
                                "prefix",
                                "b",
                                "requireAlgorithms",
                                List.of("ml-dsa-65")));
        assertThat(audit.get("findings").toString())
                .contains("chain=bucket/b/1", "sequence=0", "promise=", "cause=", "detail=");
    }

    @Test
    void refusesAuditsThatCannotBe() throws IOException {
        for (Map<String, ?> asked :
                List.of(
                        Map.of("dimension", 17),
                        Map.of("dimension", 1, "kind", "write"),
                        Map.of("kind", "overwrite"),
                        Map.of("contents", "yes"),
                        Map.of("requireAlgorithms", "ed25519"),
                        Map.of("requireAlgorithms", List.of("rsa")),
                        Map.of("prefix", "a"),
                        Map.of("rate", 1))) {
            assertThat(bed.post(AUDIT, asked).status()).as(asked.toString()).isEqualTo(400);
        }
        assertThat(bed.post(AUDIT, Map.of("bucket", "none")).code()).isEqualTo("NoSuchBucket");
        assertThat(bed.get(AUDIT, Map.of()).document()).isEqualTo(Map.of("state", "none"));
    }

    @Test
    void takesNoAuditWhenItStops() throws Exception {
        bed.api.close();
        assertThat(bed.post(AUDIT, Map.of()).code()).isEqualTo("AuditInProgress");
    }

    @Test
    void saysWhichSettingTurnsItOn() throws IOException {
        try (AdminTestBed off =
                new AdminTestBed(directory.resolve("other"), UnaryOperator.identity())) {
            for (String path : List.of("export", "keys", "key-list", "audit")) {
                Answer answer = off.get(BASE + path, Map.of());
                assertThat(answer.status()).as(path).isEqualTo(409);
                assertThat(answer.code()).isEqualTo("ProvenanceOff");
                assertThat(answer.message()).contains("provenance.signatures");
            }
            assertThat(off.post(AUDIT, Map.of()).code()).isEqualTo("ProvenanceOff");
            assertThat(off.post(BASE + "rotate", Map.of()).code()).isEqualTo("ProvenanceOff");
        }
    }
}
