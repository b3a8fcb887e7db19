package io.volute.server.s3.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.accesslog.BucketLogs;
import io.volute.server.encryption.MemoryPlace;
import io.volute.server.http.watch.RequestWatch;
import io.volute.server.http.watch.RequestWatch.Answered;
import io.volute.server.http.watch.RequestWatch.Bytes;
import io.volute.server.http.watch.RequestWatch.Times;
import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.encryption.Encryption;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Response.About;
import io.volute.server.upkeep.BucketLogDelivery;
import io.volute.versioning.value.ActorName;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Server access logging: its configuration, who may be its target, and the delivery. */
class BucketLoggingTest extends S3TestCase {
    private static final Instant NOW = Instant.parse("2026-02-06T01:02:03Z");
    private static final String ENCRYPTION =
            "<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault>"
                    + "<SSEAlgorithm>AES256</SSEAlgorithm></ApplyServerSideEncryptionByDefault>"
                    + "</Rule></ServerSideEncryptionConfiguration>";

    private String source;
    private String target;
    private BucketLogs logs;
    private BucketLogDelivery delivery;

    @BeforeEach
    void open() {
        source = bed.bucket();
        target = bed.bucket();
        logs = new BucketLogs(RequestWatch.NONE, bed.store()::bucket, () -> NOW);
        delivery =
                new BucketLogDelivery(
                        bed.store(),
                        logs,
                        new Encryption(Optional.of(MemoryPlace.dataKeys()), Set.of(), true),
                        "eu-1",
                        () -> NOW,
                        new Random(7));
    }

    private static String status(String target, String more) {
        return "<BucketLoggingStatus><LoggingEnabled><TargetBucket>"
                + target
                + "</TargetBucket><TargetPrefix>log/</TargetPrefix>"
                + more
                + "</LoggingEnabled></BucketLoggingStatus>";
    }

    private TestResponse set(String target, String more) {
        return bed.request("PUT", "/" + source + "?logging").body(status(target, more)).send();
    }

    private void policy(String... statements) {
        String policy =
                "{\"Version\":\"2012-10-17\",\"Statement\":["
                        + String.join(",", statements).replace("TARGET", target)
                        + "]}";
        TestResponse put = bed.request("PUT", "/" + target + "?policy").body(policy).send();
        assertThat(put.status()).as(put.text()).isEqualTo(204);
    }

    private static String statement(String effect, String principal, String more) {
        return "{\"Effect\":\""
                + effect
                + "\",\"Principal\":"
                + principal
                + ",\"Action\":\"s3:PutObject\",\"Resource\":\"arn:aws:s3:::TARGET/log/*\""
                + more
                + "}";
    }

    private static String allow() {
        return statement("Allow", "{\"Service\":\"logging.s3.amazonaws.com\"}", "");
    }

    private void request() {
        logs.answered(
                new HttpHead(
                        "GET",
                        "/" + source + "/k",
                        "",
                        new HeaderList(List.of()),
                        false,
                        "192.0.2.1",
                        0,
                        "r"),
                new Answered(
                        new About("GetObject", "ann", "AK", "", source, "k", ""),
                        200,
                        true,
                        new Bytes(0, 5),
                        new Times(0, 0, 0)));
    }

    private List<String> keys() {
        return bed.get("/" + target).xml("ListBucketResult").all("Contents").stream()
                .map(each -> each.childText("Key").orElseThrow())
                .toList();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "<TargetObjectKeyFormat><SimplePrefix></SimplePrefix></TargetObjectKeyFormat>",
                "<TargetObjectKeyFormat><PartitionedPrefix><PartitionDateSource>EventTime"
                        + "</PartitionDateSource></PartitionedPrefix></TargetObjectKeyFormat>",
                "<TargetObjectKeyFormat><PartitionedPrefix><PartitionDateSource>DeliveryTime"
                        + "</PartitionDateSource></PartitionedPrefix></TargetObjectKeyFormat>",
            })
    void theConfigurationIsAnsweredAsItIsSetAndEndsWithAnEmptyOne(String format) {
        policy(allow());
        assertThat(set(target, format).code()).isEqualTo("200");
        assertThat(bed.get("/" + source + "?logging").text())
                .contains(
                        "<LoggingEnabled><TargetBucket>"
                                + target
                                + "</TargetBucket><TargetPrefix>log/</TargetPrefix>"
                                + format
                                + "</LoggingEnabled>");
        assertThat(
                        bed.request("PUT", "/" + source + "?logging")
                                .body("<BucketLoggingStatus/>")
                                .send()
                                .code())
                .isEqualTo("200");
        assertThat(bed.get("/" + source + "?logging").text()).doesNotContain("LoggingEnabled");
        request();
        assertThat(logs.take()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<TargetObjectKeyFormat/>",
                "<TargetObjectKeyFormat><Other/></TargetObjectKeyFormat>",
                "<TargetObjectKeyFormat><SimplePrefix/><PartitionedPrefix/>"
                        + "</TargetObjectKeyFormat>",
                "<TargetObjectKeyFormat><PartitionedPrefix><PartitionDateSource>kaboom"
                        + "</PartitionDateSource></PartitionedPrefix></TargetObjectKeyFormat>",
                "<TargetBucket>another</TargetBucket>",
            })
    void malformedConfigurationsAreRefused(String more) {
        policy(allow());
        assertThat(set(target, more).code()).isEqualTo("MalformedXML");
    }

    @Test
    void aTargetExistsHasTheSameOwnerAndNoDefaultRetention() {
        String code = "InvalidTargetBucketForLogging";
        assertThat(set("nosuchbucket", "").code()).isEqualTo(code);
        assertThat(set("No Bucket", "").code()).isEqualTo(code);
        assertThat(set(bed.bucketOf(bed.alice()), "").code()).isEqualTo(code);
        target = bed.lockingBucket();
        policy(allow());
        assertThat(set(target, "").code()).isEqualTo("200");
        assertThat(
                        bed.request("PUT", "/" + target + "?object-lock")
                                .body(
                                        "<ObjectLockConfiguration><ObjectLockEnabled>Enabled"
                                                + "</ObjectLockEnabled><Rule><DefaultRetention>"
                                                + "<Mode>GOVERNANCE</Mode><Days>1</Days>"
                                                + "</DefaultRetention></Rule>"
                                                + "</ObjectLockConfiguration>")
                                .send()
                                .code())
                .isEqualTo("200");
        assertThat(set(target, "").code()).isEqualTo(code);
        request();
        delivery.look();
        assertThat(keys()).isEmpty();
        assertThat(logs.lost()).isEqualTo(1);
    }

    @Test
    void thePolicyOfTheTargetMustAllowTheService() {
        String code = "InvalidTargetBucketForLogging";
        assertThat(set(target, "").code()).isEqualTo(code);
        policy(statement("Allow", "{\"AWS\":\"arn:aws:iam::000000000000:root\"}", ""));
        assertThat(set(target, "").code()).isEqualTo(code);
        policy(allow().replace("log/*", "other/*"));
        assertThat(set(target, "").code()).isEqualTo(code);
        policy(allow(), statement("Deny", "\"*\"", ""));
        assertThat(set(target, "").code()).isEqualTo(code);
        String condition =
                ",\"Condition\":{\"ArnLike\":{\"aws:SourceArn\":\"arn:aws:s3:::NAME\"},"
                        + "\"StringEquals\":{\"aws:SourceAccount\":\"000000000000\"}}";
        String service = "{\"Service\":\"logging.s3.amazonaws.com\"}";
        policy(statement("Allow", service, condition.replace("NAME", "another")));
        assertThat(set(target, "").code()).isEqualTo(code);
        policy(statement("Allow", service, condition.replace("NAME", source)));
        assertThat(set(target, "").code()).isEqualTo("200");
    }

    /** A service principal gives nothing to a client, and no other service is known. */
    @Test
    void aServiceIsNoClient() {
        policy(allow());
        assertThat(bed.request("PUT", "/" + target + "/log/k").body("x").sendAs(bed.bob()).code())
                .isEqualTo("AccessDenied");
        String other = allow().replace("logging.s3", "ec2").replace("TARGET", target);
        assertThat(
                        bed.request("PUT", "/" + target + "?policy")
                                .body("{\"Version\":\"2012-10-17\",\"Statement\":[" + other + "]}")
                                .send()
                                .code())
                .isEqualTo("MalformedPolicy");
    }

    @Test
    void grantsNeedAcls() {
        policy(allow());
        String grants = "<TargetGrants></TargetGrants>";
        assertThat(set(target, grants).code()).isEqualTo("AccessControlListNotSupported");
        assertThat(
                        bed.request("PUT", "/" + target + "?ownershipControls")
                                .body(
                                        "<OwnershipControls><Rule><ObjectOwnership>ObjectWriter"
                                                + "</ObjectOwnership></Rule></OwnershipControls>")
                                .send()
                                .code())
                .isEqualTo("200");
        assertThat(set(target, grants).code()).isEqualTo("NotImplemented");
        assertThat(bed.request("DELETE", "/" + target + "?policy").send().status()).isEqualTo(204);
        assertThat(set(target, "").code()).isEqualTo("InvalidTargetBucketForLogging");
        assertThat(
                        bed.request("PUT", "/" + target + "?acl")
                                .header("x-amz-acl", "log-delivery-write")
                                .send()
                                .code())
                .isEqualTo("200");
        assertThat(set(target, "").code()).isEqualTo("200");
    }

    @ParameterizedTest
    @CsvSource({
        "'',log/2026-02-06-01-02-03-[0-9A-F]{16}",
        "EventTime,log/000000000000/eu-1/SOURCE/2026/02/06/2026-02-06-00-00-00-[0-9A-F]{16}",
        "DeliveryTime,log/000000000000/eu-1/SOURCE/2026/02/06/2026-02-06-01-02-03-[0-9A-F]{16}"
    })
    void linesAreDeliveredOnceUnderTheKeysOfS3(String date, String key) {
        policy(allow());
        String format =
                date.isEmpty()
                        ? ""
                        : "<TargetObjectKeyFormat><PartitionedPrefix><PartitionDateSource>"
                                + date
                                + "</PartitionDateSource></PartitionedPrefix>"
                                + "</TargetObjectKeyFormat>";
        assertThat(set(target, format).code()).isEqualTo("200");
        request();
        request();
        delivery.look();
        delivery.look();
        assertThat(keys()).hasSize(1);
        assertThat(keys().getFirst()).matches(key.replace("SOURCE", source));
        TestResponse log = bed.get("/" + target + "/" + keys().getFirst());
        assertThat(log.text().lines()).hasSize(2).allMatch(line -> line.contains(source));
        assertThat(log.header("content-type")).isEqualTo("text/plain");
        assertThat(logs.delivered()).isEqualTo(2);
    }

    @Test
    void theDeliveryIsAnActorOfTheHistory() throws Exception {
        policy(allow());
        assertThat(set(target, "").code()).isEqualTo("200");
        request();
        delivery.look();
        assertThat(
                        bed.store()
                                .history()
                                .states(
                                        new Caller("test", "", "test"),
                                        new BucketName(target),
                                        new ObjectKey(keys().getFirst()),
                                        Optional.empty(),
                                        10)
                                .entries())
                .extracting(state -> state.actor().orElseThrow().actor().called())
                .containsExactly(new ActorName(ActorName.Kind.SERVER, "access-logs", ""));
    }

    /** A bucket that logs to itself does not log the delivery. */
    @Test
    void theDeliveryMakesNoLines() {
        target = source;
        policy(allow());
        assertThat(set(target, "").code()).isEqualTo("200");
        request();
        delivery.look();
        assertThat(keys()).hasSize(1);
        assertThat(logs.take()).isEmpty();
    }

    @Test
    void theTargetEncryptsByItsDefault() {
        policy(allow());
        assertThat(bed.request("PUT", "/" + target + "?encryption").body(ENCRYPTION).send().code())
                .isEqualTo("200");
        assertThat(set(target, "").code()).isEqualTo("200");
        request();
        delivery.look();
        TestResponse head = bed.request("HEAD", "/" + target + "/" + keys().getFirst()).send();
        assertThat(head.header("x-amz-server-side-encryption")).isEqualTo("AES256");
    }

    @Test
    void linesWithoutATargetAreLostAndCounted() {
        policy(allow());
        assertThat(set(target, "").code()).isEqualTo("200");
        request();
        policy(allow(), statement("Deny", "\"*\"", ""));
        delivery.look();
        assertThat(keys()).isEmpty();
        assertThat(logs.lost()).isEqualTo(1);
        assertThat(bed.request("DELETE", "/" + target).send().status()).isEqualTo(204);
        request();
        delivery.close();
        assertThat(logs.lost()).isEqualTo(2);
        assertThat(logs.delivered()).isZero();
    }
}
