package io.volute.admin.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer;
import io.volute.admin.FakeServer.Outcome;
import io.volute.admin.migrate.FakeStore.Version;
import io.volute.adminapi.AdminJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Imports of buckets: the versions that arrive, the report of the rest, runs after failures. */
@Timeout(60)
class BucketImportTest {
    private static final Map<String, String> KEYS =
            Map.of(
                    "VOLUTE_ACCESS_KEY", "ROOT",
                    "VOLUTE_SECRET_KEY", "rootsecret",
                    "SOURCE_ACCESS_KEY", "key",
                    "SOURCE_SECRET_KEY", "secret");

    @RegisterExtension private final FakeServer runner = new FakeServer();
    @TempDir private Path directory;
    private FakeStore source;
    private FakeStore target;

    @BeforeEach
    void start() throws IOException {
        source = new FakeStore();
        target = new FakeStore();
        runner.with(KEYS);
    }

    @AfterEach
    void stop() {
        source.close();
        target.close();
    }

    private Outcome run(String... more) {
        List<String> words = new ArrayList<>(List.of("import"));
        words.addAll(List.of(more));
        words.addAll(List.of("--from-endpoint", source.endpoint()));
        words.addAll(List.of("--endpoint", target.endpoint()));
        return runner.runExactly("", words.toArray(String[]::new));
    }

    private Outcome imported(int code, String... more) {
        List<String> words = new ArrayList<>(List.of("--from", "s3://photos"));
        words.addAll(List.of(more));
        Outcome outcome = run(words.toArray(String[]::new));
        assertThat(outcome.code()).as(outcome.out() + outcome.err()).isEqualTo(code);
        return outcome;
    }

    private Map<String, String> headersAt(String key, int index) {
        return target.versions("photos", key).get(index).headers();
    }

    // ---- what arrives

    @Test
    void allVersionsArriveInTheirOrder() {
        source.add("a", "one");
        source.add("a", "two");
        source.addMarker("a");
        source.add("a", "three");
        source.add("dir/ü b", "x");
        Outcome outcome = imported(0);
        assertThat(outcome.out())
                .contains("imported: versions 4, bytes 12, delete markers 1; there already: 0")
                .doesNotContain("not carried over");
        assertThat(target.contents("photos", "a")).containsExactly("one", "two", "-", "three");
        assertThat(target.contents("photos", "dir/ü b")).containsExactly("x");
    }

    @Test
    void aVersionKeepsItsMetadataAndNamesItsSource() {
        Version made =
                source.add(
                        "a",
                        "one",
                        Map.of(
                                "content-type", "image/png",
                                "x-amz-meta-camera", "x100",
                                "x-amz-tagging-count", "1",
                                "x-amz-storage-class", "GLACIER",
                                "x-amz-object-lock-mode", "COMPLIANCE",
                                "x-amz-object-lock-retain-until-date", "2030-01-01T00:00:00Z"));
        Outcome unused = imported(0);
        assertThat(headersAt("a", 0))
                .containsEntry("content-type", "image/png")
                .containsEntry("x-amz-meta-camera", "x100")
                .containsEntry("x-amz-tagging", "k=a%20b")
                .containsEntry("x-amz-storage-class", "GLACIER")
                .containsEntry("x-amz-object-lock-mode", "COMPLIANCE")
                .containsEntry("x-amz-object-lock-retain-until-date", "2030-01-01T00:00:00Z")
                .containsEntry("x-volute-source", source.endpoint() + "/photos")
                .containsEntry("x-volute-source-version-id", made.id())
                .containsEntry("x-volute-source-last-modified", made.modified());
    }

    /** It protects nothing any more, and a target refuses it. */
    @Test
    void aRetentionThatIsOverIsLeftOut() {
        source.add(
                "a",
                "one",
                Map.of(
                        "x-amz-object-lock-mode", "GOVERNANCE",
                        "x-amz-object-lock-retain-until-date", "2026-11-21T09:00:00Z"));
        Outcome unused = imported(0);
        assertThat(headersAt("a", 0)).doesNotContainKey("x-amz-object-lock-mode");
    }

    /** Everything arrives, and the report names the difference. */
    @ParameterizedTest
    @CsvSource({
        "x-amz-server-side-encryption,aws:kms,encryption aws:kms: it has SSE-S3 here",
        "x-amz-meta-who,zo\u00eb,header x-amz-meta-who: it has characters beyond ASCII",
        "x-amz-object-lock-retain-until-date,soon,retention until soon: that is no time"
    })
    void whatCannotBeCarriedOverIsNamed(String header, String value, String said) {
        Version made =
                source.add(
                        "a", "one", Map.of(header, value, "x-amz-object-lock-mode", "GOVERNANCE"));
        Outcome outcome = imported(3);
        assertThat(outcome.out())
                .contains(
                        "not carried over: 1", "s3://photos/a version " + made.id() + ": " + said);
        assertThat(target.contents("photos", "a")).containsExactly("one");
    }

    @Test
    void aPrefixAndAnotherBucketAreTaken() {
        source.add("2025/a", "one");
        source.add("2026/a", "two");
        Outcome outcome = run("--from", "s3://photos/2025/", "--into", "old");
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(target.buckets).containsOnlyKeys("old");
        assertThat(target.buckets.get("old")).containsOnlyKeys("2025/a");
    }

    @Test
    void allBucketsAreTaken() {
        source.add("a", "one");
        source.buckets.put("papers", new TreeMap<>());
        Outcome outcome = run("--all");
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(target.buckets).containsOnlyKeys("papers", "photos");
    }

    // ---- parts

    /** The ETag names the parts, so it is the same only if the parts are. */
    @Test
    void anObjectOfPartsArrivesInTheSameParts() {
        Version made = source.addParts("a", "first ", "second");
        Outcome outcome = imported(0);
        assertThat(outcome.out()).contains("versions 1");
        assertThat(target.versions("photos", "a").getFirst().etag()).isEqualTo(made.etag());
        assertThat(target.contents("photos", "a")).containsExactly("first second");
    }

    @Test
    void aSourceWithoutPartsGivesAnotherEtagWhichIsNamed() {
        source.hasParts = false;
        Version made = source.addParts("a", "first ", "second");
        assertThat(imported(3).out()).contains("ETag " + made.etag() + ": it is ", " here");
        assertThat(target.contents("photos", "a")).containsExactly("first second");
    }

    /** Parts of an upload that nobody completes take space for ever. */
    @Test
    void anUploadWhosePartIsRefusedIsAborted() {
        source.addParts("a", "first ", "second");
        target.fail("PUT /photos/a?partNumber=2", 100, 403, "AccessDenied");
        assertThat(imported(3).out()).contains("not imported: ", "AccessDenied");
        assertThat(target.uploads()).isZero();
        assertThat(target.contents("photos", "a")).isEmpty();
    }

    // ---- failures, and the next run

    @Test
    void aSecondRunImportsNothing() {
        source.add("a", "one");
        source.add("a", "two");
        source.addMarker("b");
        Outcome first = imported(0);
        assertThat(first.out()).contains("there already: 0");
        target.requests.clear();
        assertThat(imported(0).out())
                .contains("imported: versions 0, bytes 0, delete markers 0; there already: 3");
        assertThat(target.asked("PUT /photos/")).isEmpty();
        assertThat(target.asked("DELETE")).isEmpty();
    }

    /** Versions must arrive in their order, so a failure ends the import of its key alone. */
    @Test
    void aFailureEndsItsKeyAndTheNextRunGoesOnThere() {
        source.add("a", "one");
        Version failing = source.add("a", "two", Map.of("x-amz-meta-n", "2"));
        source.add("a", "three");
        source.add("b", "other");
        source.fail("GET /photos/a?versionId=" + failing.id(), 100, 403, "AccessDenied");
        Outcome first = imported(3);
        assertThat(first.out())
                .contains("versions 2,", "not carried over: 1")
                .contains("s3://photos/a version " + failing.id() + ": not imported: ")
                .contains("403 AccessDenied: told");
        assertThat(target.contents("photos", "a")).containsExactly("one");
        assertThat(target.contents("photos", "b")).containsExactly("other");

        source.fail("GET /photos/a?versionId=" + failing.id(), 0, 403, "AccessDenied");
        Outcome second = imported(0);
        assertThat(second.out()).contains("versions 2,", "there already: 2");
        assertThat(target.contents("photos", "a")).containsExactly("one", "two", "three");
        assertThat(headersAt("a", 1)).containsEntry("x-amz-meta-n", "2");
    }

    /** The source went on between two runs. */
    @Test
    void newVersionsOfTheSourceAreAddedByTheNextRun() {
        source.add("a", "one");
        Outcome first = imported(0);
        source.addMarker("a");
        source.add("a", "two");
        source.add("c", "new");
        assertThat(first.code()).isZero();
        assertThat(imported(0).out()).contains("versions 2,", "markers 1; there already: 1");
        assertThat(target.contents("photos", "a")).containsExactly("one", "-", "two");
    }

    /** The versions that the source has removed since stay here. */
    @Test
    void aVersionThatTheSourceHasRemovedIsNoOther() {
        source.add("a", "one");
        source.add("a", "two");
        Outcome first = imported(0);
        assertThat(first.code()).isZero();
        source.buckets.get("photos").get("a").removeFirst();
        source.add("a", "three");
        assertThat(imported(0).out()).contains("versions 1,");
        assertThat(target.contents("photos", "a")).containsExactly("one", "two", "three");
    }

    @Test
    void aKeyThatTheTargetHasFromElsewhereStays() {
        source.add("a", "one");
        source.add("b", "fine");
        target.add("a", "of a user here");
        assertThat(imported(3).out())
                .contains("s3://photos/a: not imported: the target has other versions of it");
        assertThat(target.contents("photos", "a")).containsExactly("of a user here");
        assertThat(target.contents("photos", "b")).containsExactly("fine");
    }

    @ParameterizedTest
    @ValueSource(strings = {"503 SlowDown", "500 InternalError", "400 BadDigest"})
    void aPassingFailureIsNoProblem(String error) {
        source.add("a", "one");
        String[] words = error.split(" ");
        target.fail("PUT /photos/a", 2, Integer.parseInt(words[0]), words[1]);
        assertThat(imported(0).out()).contains("versions 1,");
        assertThat(target.contents("photos", "a")).containsExactly("one");
        assertThat(runner.pauses()).isPositive();
    }

    @Test
    void aFailureThatStaysIsNamedAfterAFewAttempts() {
        source.add("a", "one");
        target.fail("PUT /photos/a", 1000, 500, "InternalError");
        assertThat(imported(3).out()).contains("not imported: ", "500 InternalError");
        assertThat(target.asked("PUT /photos/a")).hasSizeBetween(2, 20);
        assertThat(target.contents("photos", "a")).isEmpty();
    }

    /** Bytes that changed on the way are not stored under the ETag of others. */
    @Test
    void aContentThatIsNotThatOfItsEtagIsRefused() {
        Version made = source.add("a", "one");
        source.buckets
                .get("photos")
                .get("a")
                .set(
                        0,
                        new Version(
                                made.id(),
                                false,
                                "0ne".getBytes(StandardCharsets.UTF_8),
                                made.etag(),
                                made.modified(),
                                Map.of(),
                                List.of()));
        assertThat(imported(3).out()).contains("not imported: ", "BadDigest");
        assertThat(target.contents("photos", "a")).isEmpty();
    }

    @Test
    void manyProblemsAreCountedAndTheReportHasAll() throws IOException {
        for (int i = 0; i < 25; i++) {
            source.add("k" + i, "x");
        }
        source.fail("GET /photos/k", 1000, 403, "AccessDenied");
        Path report = directory.resolve("report.jsonl");
        Outcome outcome = imported(3, "--report", report.toString());
        assertThat(outcome.out()).contains("not carried over: 25", "and 5 more: see --report");
        assertThat(outcome.out().lines().filter(each -> each.startsWith("  s3://"))).hasSize(20);
        assertThat(Files.readAllLines(report)).hasSize(25);
    }

    @Test
    void theReportHasTheIdsOfBothSides() throws IOException {
        Version made = source.add("a", "one");
        Path report = directory.resolve("report.jsonl");
        Outcome unused = imported(0, "--report", report.toString());
        Map<String, Object> line =
                AdminJson.fields(Files.readString(report).getBytes(StandardCharsets.UTF_8));
        assertThat(line)
                .containsEntry("bucket", "photos")
                .containsEntry("key", "a")
                .containsEntry("sourceVersionId", made.id())
                .containsEntry("sourceLastModified", made.modified())
                .containsEntry("etag", made.etag())
                .containsEntry("deleteMarker", false)
                .containsEntry("versionId", target.versions("photos", "a").getFirst().id());
    }

    @Test
    void scriptsGetFigures() throws IOException {
        source.add("a", "one");
        source.add("b", "two");
        source.fail("GET /photos/b", 1000, 403, "AccessDenied");
        Outcome outcome = imported(3, "--json");
        assertThat(outcome.json())
                .containsEntry("versions", 1)
                .containsEntry("problems", 1)
                .containsEntry("present", 0);
        assertThat(outcome.json().get("examples").toString()).contains("AccessDenied");
    }

    // ---- buckets

    @Test
    void settingsArriveAndThoseThatCannotAreNamed() {
        source.add("a", "one");
        source.settings.put("photos?versioning", "<V><Status>Suspended</Status></V>");
        source.settings.put("photos?lifecycle", "<L><Rule/></L>");
        source.settings.put("photos?cors", "<C><CORSRule/></C>");
        source.settings.put("photos?website", "<W><IndexDocument/></W>");
        target.fail("PUT /photos?cors", 100, 400, "MalformedXML");
        Outcome outcome = imported(3);
        assertThat(outcome.out())
                .contains("not carried over: 2")
                .contains("s3://photos: cors: ", "400 MalformedXML")
                .contains("s3://photos: website: it is not carried over: set it by hand");
        assertThat(target.settings)
                .containsEntry("photos?lifecycle", "<L><Rule/></L>")
                .containsEntry("photos?versioning", "<V><Status>Suspended</Status></V>")
                .doesNotContainKey("photos?website");
    }

    /** A rule that came first would remove versions before they all are here. */
    @Test
    void versionsArriveBeforeTheRulesThatRemoveThem() {
        source.add("a", "one");
        source.settings.put("photos?lifecycle", "<L><Rule/></L>");
        source.settings.put("photos?versioning", "<V><Status>Enabled</Status></V>");
        Outcome unused = imported(0);
        List<String> puts =
                target.asked("PUT").stream().map(each -> each.replaceFirst("=.*", "")).toList();
        assertThat(puts.indexOf("PUT /photos?versioning"))
                .isLessThan(puts.indexOf("PUT /photos/a"));
        assertThat(puts.indexOf("PUT /photos/a")).isLessThan(puts.indexOf("PUT /photos?lifecycle"));
    }

    @Test
    void aMissingBucketIsNamed() {
        source.add("a", "one");
        Outcome outcome = run("--from", "s3://phots");
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.err()).contains("there is no bucket phots at the source");
        assertThat(target.buckets).isEmpty();
    }

    /** A version that is locked there must not be removable here. */
    @Test
    void aBucketWithoutLocksTakesNoneThatHasThem() {
        source.add("a", "one");
        source.settings.put("photos?object-lock", "<O><ObjectLockEnabled/></O>");
        target.buckets.put("photos", new TreeMap<>());
        Outcome outcome = imported(1);
        assertThat(outcome.err())
                .contains("bucket photos exists without Object Lock", "import into another bucket");
        assertThat(target.contents("photos", "a")).isEmpty();
    }

    @Test
    void aSourceThatIsNotThereIsNamed() {
        source.add("a", "one");
        source.close();
        Outcome outcome = imported(1);
        assertThat(outcome.err())
                .contains("cannot reach " + source.endpoint(), "connection refused")
                .doesNotContain("Exception", "\tat ");
    }

    @Test
    void keysThatTheSourceRefusesEndTheImport() {
        source.add("a", "one");
        source.fail("HEAD /photos", 100, 403, "InvalidAccessKeyId");
        Outcome outcome = imported(1);
        assertThat(outcome.err()).contains("HEAD " + source.endpoint() + "/photos answered 403");
        assertThat(target.buckets).isEmpty();
    }

    // ---- usage

    @ParameterizedTest
    @CsvSource({
        "'--from=photos',write s3://BUCKET or s3://BUCKET/PREFIX",
        "'--from=s3://',write s3://BUCKET or s3://BUCKET/PREFIX",
        "'--from=s3://photos --all','write --from s3://BUCKET, with --into or not'",
        "'--all --into=old','write --from s3://BUCKET, with --into or not'",
        "'--from=s3://photos --workers=0',--workers is 1 or more",
        "'--from=s3://photos --from-server=nobody',there is no server named nobody",
    })
    void wrongUsageIsExplained(String words, String said) {
        source.add("a", "one");
        Outcome outcome = run(words.split(" "));
        assertThat(outcome.code()).as(outcome.out()).isEqualTo(2);
        assertThat(outcome.err()).contains(said);
        assertThat(target.requests).isEmpty();
    }

    @Test
    void keysOfTheSourceAreNotThoseOfTheTarget() {
        runner.with(Map.of("VOLUTE_ACCESS_KEY", "ROOT", "VOLUTE_SECRET_KEY", "rootsecret"));
        Outcome outcome = imported(2);
        assertThat(outcome.err()).contains("set SOURCE_ACCESS_KEY and SOURCE_SECRET_KEY");
        assertThat(source.requests).isEmpty();
    }
}
