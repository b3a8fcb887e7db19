package io.volute.server.s3.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.json.Json;
import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestRequest;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.TestSigner;
import io.volute.server.s3.notification.EventMessage;
import io.volute.server.s3.past.Past;
import io.volute.versioning.Outbox.Message;
import io.volute.versioning.value.ActorName;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Event notifications: their configuration, and the messages that requests make. */
class BucketNotificationTest extends S3TestCase {
    private static final String HOOK = "arn:volute:sqs::hook:webhook";

    private String bucket;

    @BeforeEach
    void makeBucket() {
        bucket = bed.bucket();
    }

    @AfterEach
    void takeAll() throws IOException {
        messages();
    }

    private static String rules(String arn, String... events) {
        StringBuilder text = new StringBuilder("<NotificationConfiguration><QueueConfiguration>");
        text.append("<Id>one</Id><Queue>").append(arn).append("</Queue>");
        for (String event : events) {
            text.append("<Event>s3:").append(event).append("</Event>");
        }
        return text.append("</QueueConfiguration></NotificationConfiguration>").toString();
    }

    private TestResponse set(String document) {
        return bed.request("PUT", "/" + bucket + "?notification").body(document).send();
    }

    /** Sets rules, and takes the test event. */
    private void watch(String... events) throws IOException {
        assertThat(set(rules(HOOK, events)).status()).isEqualTo(200);
        assertThat(messages()).hasSize(1);
    }

    private List<Map<String, Object>> messages() throws IOException {
        List<Map<String, Object>> documents = new ArrayList<>();
        List<Message> messages = bed.store().outbox().next("hook", 100);
        for (Message each : messages) {
            documents.add(Json.read(EventMessage.decode(each.content().orElseThrow()).document()));
        }
        bed.store().outbox().remove("hook", messages);
        return documents;
    }

    private List<Map<String, Object>> events() throws IOException {
        return messages().stream()
                .map(each -> map(((List<?>) each.get("Records")).get(0)))
                .toList();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }

    private static Map<String, Object> object(Map<String, Object> event) {
        return map(map(event.get("s3")).get("object"));
    }

    private List<String> names() throws IOException {
        return events().stream()
                .map(each -> each.get("eventName") + " " + object(each).get("key"))
                .toList();
    }

    @Test
    void theConfigurationIsAnsweredAndBelongsToThePast() throws IOException {
        String none = bed.get("/" + bucket + "?notification").text();
        assertThat(none).contains("<NotificationConfiguration");
        watch("ObjectCreated:*");
        Instant then = bed.pause();
        String some = bed.get("/" + bucket + "?notification").text();
        assertThat(some).contains("<Queue>" + HOOK + "</Queue>").contains("s3:ObjectCreated:*");
        assertThat(set("<NotificationConfiguration/>").status()).isEqualTo(200);
        assertThat(bed.get("/" + bucket + "?notification").text()).isEqualTo(none);
        assertThat(bed.get("/" + Past.alias(bucket, then) + "?notification").text())
                .isEqualTo(some);
        bed.put("/" + bucket + "/k", "unwatched");
        assertThat(messages()).isEmpty();
    }

    @Test
    void targetsThatDoNotExistAreRefused() {
        for (String arn : List.of("arn:volute:sqs::other:webhook", "arn:volute:sqs::hook:file")) {
            TestResponse refused = set(rules(arn, "ObjectCreated:*"));
            assertThat(refused.code()).isEqualTo("InvalidArgument");
            assertThat(refused.text())
                    .contains("Unable to validate the following destination configurations");
        }
        assertThat(bed.get("/" + bucket + "?notification").text()).doesNotContain("Queue");
    }

    @Test
    void aNewConfigurationMakesATestEvent() throws IOException {
        assertThat(set(rules(HOOK, "ObjectCreated:*")).status()).isEqualTo(200);
        assertThat(messages())
                .singleElement()
                .satisfies(
                        test ->
                                assertThat(test)
                                        .containsEntry("Event", "s3:TestEvent")
                                        .containsEntry("Bucket", bucket)
                                        .containsKeys("Service", "Time", "RequestId", "HostId"));
        TestResponse skipped =
                bed.request("PUT", "/" + bucket + "?notification")
                        .header("x-amz-skip-destination-validation", "true")
                        .body(rules(HOOK, "ObjectRemoved:*"))
                        .send();
        assertThat(skipped.status()).isEqualTo(200);
        assertThat(messages()).isEmpty();
    }

    @Test
    void theRecordHasTheFormOfS3() throws IOException {
        bed.setVersioning(bucket, "Enabled");
        watch("ObjectCreated:*");
        TestResponse put = bed.put("/" + bucket + "/a/%C3%A9%20b%2Bc", "12345");
        Map<String, Object> event = events().get(0);
        assertThat(event)
                .containsEntry("eventVersion", "2.1")
                .containsEntry("eventSource", "aws:s3")
                .containsEntry("awsRegion", "us-east-1")
                .containsEntry("eventName", "ObjectCreated:Put")
                .containsEntry("userIdentity", Map.of("principalId", "root"))
                .containsKey("requestParameters");
        assertThat(event.get("eventTime").toString())
                .matches("2026-11-21T10:00:[0-9]{2}[.][0-9]{3}Z");
        assertThat(map(event.get("responseElements")).get("x-amz-request-id").toString())
                .isNotEmpty();
        assertThat(map(event.get("s3")))
                .containsEntry("s3SchemaVersion", "1.0")
                .containsEntry("configurationId", "one")
                .containsEntry(
                        "bucket",
                        Map.of(
                                "name",
                                bucket,
                                "ownerIdentity",
                                Map.of("principalId", "root"),
                                "arn",
                                "arn:aws:s3:::" + bucket));
        assertThat(object(event))
                .containsEntry("key", "a/%C3%A9+b%2Bc")
                .containsEntry("size", 5L)
                .containsEntry("eTag", put.header("etag").replace("\"", ""))
                .containsEntry("versionId", put.header("x-amz-version-id"));
        assertThat(object(event).get("sequencer").toString()).matches("[0-9A-F]{16}");
    }

    @Test
    void eachKindOfChangeHasItsEvent() throws IOException {
        watch("ObjectCreated:*", "ObjectRemoved:*", "ObjectTagging:*");
        bed.put("/" + bucket + "/k", "1");
        assertThat(
                        bed.request("PUT", "/" + bucket + "/copy")
                                .header("x-amz-copy-source", bucket + "/k")
                                .send()
                                .status())
                .isEqualTo(200);
        String tags = "<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>";
        assertThat(bed.request("PUT", "/" + bucket + "/k?tagging").body(tags).send().status())
                .isEqualTo(200);
        assertThat(bed.request("DELETE", "/" + bucket + "/k?tagging").send().status())
                .isEqualTo(204);
        assertThat(bed.request("DELETE", "/" + bucket + "/k").send().status()).isEqualTo(204);
        bed.setVersioning(bucket, "Enabled");
        assertThat(bed.request("DELETE", "/" + bucket + "/copy").send().status()).isEqualTo(204);
        String id = bed.request("POST", "/" + bucket + "/parts?uploads").send().uploadId();
        String part =
                bed.request("PUT", "/" + bucket + "/parts?partNumber=1&uploadId=" + id)
                        .body("part")
                        .send()
                        .header("etag");
        assertThat(
                        bed.request("POST", "/" + bucket + "/parts?uploadId=" + id)
                                .body(
                                        "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber>"
                                                + "<ETag>"
                                                + part
                                                + "</ETag></Part></CompleteMultipartUpload>")
                                .send()
                                .status())
                .isEqualTo(200);
        assertThat(names())
                .containsExactly(
                        "ObjectCreated:Put k",
                        "ObjectCreated:Copy copy",
                        "ObjectTagging:Put k",
                        "ObjectTagging:Delete k",
                        "ObjectRemoved:Delete k",
                        "ObjectRemoved:DeleteMarkerCreated copy",
                        "ObjectCreated:CompleteMultipartUpload parts");
    }

    @Test
    void aDeleteOfManyKeysHasAnEventForEach() throws IOException {
        StringBuilder document = new StringBuilder("<Delete>");
        for (int i = 0; i < 20; i++) {
            bed.put("/" + bucket + "/k" + i, "x");
            document.append("<Object><Key>k").append(i).append("</Key></Object>");
        }
        document.append("<Object><Key>absent</Key></Object></Delete>");
        watch("ObjectRemoved:*");
        byte[] body = document.toString().getBytes(StandardCharsets.UTF_8);
        TestRequest delete =
                bed.request("POST", "/" + bucket + "?delete")
                        .header(
                                "content-md5",
                                Base64.getEncoder().encodeToString(TestSigner.md5(body)))
                        .body(body);
        assertThat(delete.send().status()).isEqualTo(200);
        assertThat(names()).hasSize(20).doesNotContain("ObjectRemoved:Delete absent");
    }

    @Test
    void aFailedWriteHasNoEvent() throws IOException {
        bed.put("/" + bucket + "/k", "1");
        watch("ObjectCreated:*", "ObjectRemoved:*");
        assertThat(
                        bed.request("PUT", "/" + bucket + "/k")
                                .header("if-none-match", "*")
                                .body("2")
                                .send()
                                .status())
                .isEqualTo(412);
        assertThat(bed.request("DELETE", "/" + bucket + "/absent").send().status()).isEqualTo(204);
        assertThat(messages()).isEmpty();
    }

    @Test
    void aRuleOfTheLifecycleHasEventsOfItsOwn() throws IOException {
        bed.put("/" + bucket + "/k", "1");
        watch("LifecycleExpiration:*", "ObjectRemoved:*");
        Caller lifecycle = Caller.ofTask("root", "lifecycle");
        assertThat(lifecycle.actor().kind()).isEqualTo(ActorName.Kind.SERVER);
        var deleted =
                bed.store()
                        .delete(
                                lifecycle,
                                new BucketName(bucket),
                                new ObjectKey("k"),
                                VersionSelector.LATEST,
                                WriteCondition.NONE);
        assertThat(deleted.version()).isPresent();
        assertThat(events())
                .singleElement()
                .satisfies(
                        event -> {
                            assertThat(event.get("eventName"))
                                    .isEqualTo("LifecycleExpiration:Delete");
                            assertThat(event.get("requestParameters"))
                                    .isEqualTo(Map.of("sourceIPAddress", "lifecycle"));
                        });
    }

    /** A client that calls itself like a task of the server makes no other events. */
    @Test
    void aClientCannotPassForATask() throws IOException {
        bed.put("/" + bucket + "/k", "1");
        watch("LifecycleExpiration:*", "ObjectRemoved:*");
        assertThat(
                        bed.request("DELETE", "/" + bucket + "/k")
                                .header("x-volute-actor", "lifecycle")
                                .send()
                                .status())
                .isEqualTo(204);
        assertThat(names()).containsExactly("ObjectRemoved:Delete k");
    }

    @ParameterizedTest
    @CsvSource({"PUT,s3:PutBucketNotification", "GET,s3:GetBucketNotification"})
    void policiesDecide(String method, String action) {
        String target = "/" + bucket + "?notification";
        String body = method.equals("PUT") ? "<NotificationConfiguration/>" : "";
        assertThat(bed.request(method, target).body(body).sendAs(bed.bob()).code())
                .isEqualTo("AccessDenied");
        String policy =
                "{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Allow\",\"Principal\":"
                        + "{\"AWS\":\"arn:aws:iam::000000000000:user/bob\"},\"Action\":\""
                        + action
                        + "\",\"Resource\":\"arn:aws:s3:::"
                        + bucket
                        + "\"}]}";
        assertThat(bed.request("PUT", "/" + bucket + "?policy").body(policy).send().status())
                .isEqualTo(204);
        assertThat(bed.request(method, target).body(body).sendAs(bed.bob()).status())
                .isEqualTo(200);
    }
}
