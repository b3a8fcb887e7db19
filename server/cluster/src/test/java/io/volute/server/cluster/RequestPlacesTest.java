package io.volute.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.Limits;
import io.volute.server.s3.TestBody;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestPlacesTest {
    private static final String V1 = "/_volute/v1/";
    private static final TestBody NONE = body("");

    private static final TestPlaces CUBES =
            new TestPlaces(
                    Map.of("photos", "hot", "papers", "cold", "notes", "default"),
                    Map.of("gone", "hot", "buried", "cold"),
                    Map.of("17", "hot", "18", "cold"),
                    Optional.of("hot"));

    private final RequestPlaces places = new RequestPlaces(List.of("s3.example"), CUBES);

    private static HttpHead head(String method, String path, String query, Header... headers) {
        return new HttpHead(
                method, path, query, new HeaderList(List.of(headers)), false, "", 0, "ID");
    }

    @ParameterizedTest
    @CsvSource({
        "GET,/photos/a,''",
        "PUT,/photos/a%20b,partNumber=1&uploadId=U",
        "GET,/photos,list-type=2",
        "GET,/photos/,''",
        "HEAD,/photos,''",
        "POST,/photos,delete",
        "POST,/photos,''",
        "PUT,/photos,policy",
        "DELETE,/photos,lifecycle",
        "OPTIONS,/photos/a,''",
        "GET,/photos--at-20261101t000000z/a,''",
        "GET,/gone--at-20261101t000000z/a,''",
    })
    void requestsOfABucketGoToItsCube(String method, String path, String query) {
        assertThat(places.cubeOf(head(method, path, query), NONE)).contains("hot");
    }

    @Test
    void theHostCanNameTheBucket() {
        HttpHead head = head("GET", "/a", "", new Header("host", "photos.s3.example:9000"));
        assertThat(places.cubeOf(head, NONE)).contains("hot");
    }

    @ParameterizedTest
    @CsvSource({
        "GET,/,''",
        "PUT,/photos,''",
        "PUT,/photos/,x-id=CreateBucket",
        "DELETE,/photos,''",
        "DELETE,/photos,x-id=DeleteBucket",
        "GET,/papers/a,''",
        "GET,/notes/a,''",
        "GET,/unknown/a,''",
        "GET,/gone/a,''",
        "PUT,/gone,''",
        "GET,/buried--at-20261101t000000z/a,''",
        "GET,/unknown--at-20261101t000000z/a,''",
        "GET,/_volute/v1/cubes,''",
        "GET,/_volute/v1/policies,bucket=photos",
        "POST,/,Action=ListUsers",
        "GET,/%zz/a,''",
    })
    void othersGoToTheOwnerOfTheStore(String method, String path, String query) {
        assertThat(places.cubeOf(head(method, path, query), NONE)).isEmpty();
    }

    private static TestBody body(String text) {
        return new TestBody(text.getBytes(StandardCharsets.UTF_8), 7);
    }

    private static HttpHead admin(String method, String route, long length) {
        return new HttpHead(
                method, V1 + route, "", new HeaderList(List.of()), false, "", length, "ID");
    }

    /** Reads the arguments as the handler does. */
    private Optional<String> placeOf(String method, String route, String text) {
        HttpHead head = admin(method, route, text.getBytes(StandardCharsets.UTF_8).length);
        return places.cubeOf(head, places.read(head, body(text)));
    }

    @ParameterizedTest
    @CsvSource({
        "history,bucket=photos&key=k&max=7",
        "policy,bucket=photos",
        "usage,bucket=photos",
        "lifecycle,bucket=photos&at=2026-11-20T14%3A05%3A00Z",
        "replication,bucket=%70hotos",
        "restore,id=17",
        "provenance/entries,key=k&bucket=photos",
        "provenance/export,bucket=photos&X-Amz-Signature=0a&X-Amz-Expires=9",
        "provenance/export,bucket=notes&cube=hot",
        "provenance/openings,bucket=photos",
        "provenance/hidden,bucket=photos",
        "provenance/keys,cube=hot",
        "provenance/key-list,cube=hot",
        "provenance/checkpoints,cube=hot&max=1",
        "provenance/checkpoint,number=1&cube=hot",
        "provenance/heads,number=1&cube=hot",
        "check,cube=hot",
        "provenance/audit,cube=hot",
        "provenance/audit,bucket=photos",
        "provenance/audit,bucket=gone",
        "provenance/export,bucket=gone",
        "history,bucket=gone&key=k",
    })
    void adminRequestsOfACubeGoToIt(String route, String query) {
        assertThat(places.cubeOf(head("GET", V1 + route, query), NONE)).contains("hot");
    }

    @ParameterizedTest
    @CsvSource({
        "history,bucket=papers&key=k",
        "history,key=k",
        "history,bucket=photos&bucket=notes",
        "history,bucket=a/b",
        "policy,bucket=%zz",
        "usage,''",
        "replication,''",
        "restore,''",
        "restore,id=18",
        "restore,id=none",
        "provenance/export,bucket=photos&cube=cold",
        "provenance/keys,''",
        "trace,bucket=photos&key=k&direction=back",
        "actors,bucket=photos",
        "buckets/parts,bucket=photos",
        "nothing,bucket=photos",
    })
    void otherAdminRequestsGoToTheOwnerOfTheStore(String route, String query) {
        assertThat(places.cubeOf(head("GET", V1 + route, query), NONE)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "PUT,policy",
        "POST,purge",
        "POST,shred",
        "POST,replication",
        "POST,replication/stop",
        "POST,replication/retry",
        "POST,replication/forget",
        "PUT,provenance/hidden",
        "POST,provenance/audit",
        "POST,provenance/audit/cancel",
    })
    void theBodyCanNameTheBucket(String method, String route) {
        assertThat(placeOf(method, route, "{\"bucket\": \"photos\"}")).contains("hot");
        assertThat(placeOf(method, route, "{\"bucket\": \"papers\"}")).isEmpty();
    }

    @Test
    void theBodyCanNameARestorationOrARestoreOrACube() {
        String nested =
                "{\"request\": {\"goal\": {\"bucket\": \"notes\", \"key\": \"k\"},"
                        + " \"bucket\": \"photos\"}}";
        assertThat(placeOf("POST", "restore", nested)).contains("hot");
        assertThat(placeOf("POST", "restore/plan", nested)).contains("hot");
        assertThat(placeOf("POST", "restore/cancel", "{\"id\": \"17\"}")).contains("hot");
        assertThat(placeOf("POST", "provenance/checkpoints", "{\"cube\": \"hot\"}"))
                .contains("hot");
        assertThat(placeOf("POST", "provenance/rotate", "{\"cube\": \"hot\"}")).contains("hot");
        assertThat(placeOf("POST", "check", "{\"cube\": \"hot\"}")).contains("hot");
        assertThat(placeOf("POST", "purge", "{\"bucket\": \"gone\"}")).contains("hot");
        assertThat(placeOf("POST", "clean", "{\"level\": \"compact\", \"cube\": \"hot\"}"))
                .contains("hot");
    }

    /** The owner of the store answers with the right error. */
    @Test
    void aBodyWithoutAPlaceIsForTheOwnerOfTheStore() {
        for (String text :
                List.of(
                        "",
                        "{",
                        "[]",
                        "bucket=photos",
                        "{\"bucket\": 1}",
                        "{\"bucket\": {\"bucket\": \"photos\"}}",
                        "{\"bucket\": \"\"}",
                        "{\"bucket\": \"photos\", \"bucket\": \"notes\"}",
                        "{\"bucket\": \"photos\"} {}",
                        "{\"request\": []}",
                        "[".repeat(2000))) {
            assertThat(placeOf("POST", "purge", text)).as(text).isEmpty();
        }
        for (String whole :
                List.of("provenance/auditors", "cubes/moves", "buckets/split", "scrub", "users")) {
            assertThat(placeOf("POST", whole, "{\"bucket\": \"photos\", \"cube\": \"hot\"}"))
                    .as(whole)
                    .isEmpty();
        }
    }

    /** A control character is no error in the space behind the colon alone. */
    @Test
    void aDamagedBodyIsForTheOwnerOfTheStore() {
        Random random = new Random(7);
        byte[] document = "{\"bucket\": \"photos\"}".getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < 2000; i++) {
            byte[] bytes = document.clone();
            int at = random.nextInt(bytes.length);
            bytes[at] = (byte) random.nextInt(32);
            boolean isSpace = at == 10 && "\t\n\r".indexOf(bytes[at]) >= 0;
            HttpHead head = admin("POST", "purge", bytes.length);
            RequestBody read = places.read(head, new TestBody(bytes, 3));
            assertThat(places.cubeOf(head, read).isPresent()).as("%d", at).isEqualTo(isSpace);
        }
    }

    private void assertUnread(RequestPlaces of, HttpHead head) {
        TestBody body = body("{\"bucket\": \"photos\"}");
        assertThat(of.read(head, body)).isSameAs(body);
        assertThat(of.cubeOf(head, body)).isEmpty();
        assertThat(body.pulled()).isZero();
    }

    @Test
    void onlyABodyThatIsNeededIsRead() {
        assertUnread(places, admin("POST", "purge", Limits.ADMIN_BODY_BYTES_MAX + 1));
        assertUnread(places, admin("POST", "purge", -1));
        assertUnread(places, admin("POST", "purge", 0));
        assertUnread(places, admin("GET", "policy", 20));
        assertUnread(places, admin("HEAD", "policy", 20));
        assertUnread(places, admin("OPTIONS", "purge", 20));
        assertUnread(places, admin("POST", "users", 20));
        RequestPlaces nonePlaced =
                new RequestPlaces(
                        List.of(),
                        new TestPlaces(
                                Map.of("photos", "hot"), Map.of(), Map.of(), Optional.empty()));
        assertUnread(nonePlaced, admin("POST", "purge", 20));
        HttpHead longest = admin("POST", "purge", Limits.ADMIN_BODY_BYTES_MAX);
        assertThat(places.read(longest, body("{}"))).isInstanceOf(ReplayedBody.class);
    }

    /** The path of an object in a bucket that the host names. */
    @Test
    void aKeyLikeAPathOfTheAdminApiIsAnObject() {
        HttpHead head =
                new HttpHead(
                        "PUT",
                        V1 + "policy",
                        "",
                        new HeaderList(List.of(new Header("host", "photos.s3.example"))),
                        false,
                        "",
                        20,
                        "ID");
        TestBody body = body("{\"bucket\": \"notes\"}");
        assertThat(places.read(head, body)).isSameAs(body);
        assertThat(places.cubeOf(head, body)).contains("hot");
    }

    @Test
    void aDeletionOfABucketHasItsCube() {
        assertThat(places.deletionIn(head("DELETE", "/photos", ""))).contains("hot");
        assertThat(places.deletionIn(head("DELETE", "/notes", ""))).isEmpty();
        assertThat(places.deletionIn(head("DELETE", "/photos/a", ""))).isEmpty();
        assertThat(places.deletionIn(head("PUT", "/photos", ""))).isEmpty();
    }
}
