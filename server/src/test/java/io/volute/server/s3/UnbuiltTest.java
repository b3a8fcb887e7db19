package io.volute.server.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.CubeUnavailableException;
import io.volute.storage.DamagedException;
import io.volute.versioning.StoreException;
import io.volute.versioning.VersionedStore;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests the answers to unsupported operations, the reasons of refusals, and the forms of addresses.
 */
final class UnbuiltTest extends S3TestCase {
    private static String bucket;

    @BeforeAll
    static void open() {
        bucket = bed.bucket();
        bed.put("/" + bucket + "/k", "content");
    }

    @ParameterizedTest
    @CsvSource({
        "PUT,?website",
        "PUT,?inventory&id=1",
        "PUT,?metrics&id=1",
        "POST,?metadataTable",
        "GET,?session",
        "GET,?abac",
        "PUT,?brand-new-feature",
        "DELETE,?brand-new-feature",
        "POST,?brand-new-feature"
    })
    void bucketOperationsThatAreNotBuiltAnswerSo(String method, String query) {
        assertThat(bed.request(method, "/" + bucket + query).send().code())
                .isEqualTo("NotImplemented");
        assertThat(bed.request("HEAD", "/" + bucket).send().status()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({
        "DELETE,?retention",
        "DELETE,?legal-hold",
        "POST,?restore",
        "GET,?torrent",
        "POST,?select&select-type=2",
        "PUT,?renameObject",
        "PUT,?cors",
        "DELETE,?acl",
        "PUT,?brand-new-feature",
        "DELETE,?brand-new-feature",
        "GET,?annotation",
        "DELETE,?policy"
    })
    void objectOperationsThatAreNotBuiltAnswerSoAndDoNothing(String method, String query) {
        assertThat(bed.request(method, "/" + bucket + "/k" + query).send().code())
                .isEqualTo("NotImplemented");
        assertThat(bed.get("/" + bucket + "/k").text()).isEqualTo("content");
    }

    @ParameterizedTest
    @CsvSource({
        "PUT,'',?website,PUT ?website of a bucket",
        "PUT,/k,?cors,PUT ?cors of an object",
        "POST,/k,?restore,POST ?restore of an object",
        "GET,/k,?torrent,GET ?torrent of an object",
        "DELETE,/k,?brand-new-feature,DELETE ?brand-new-feature of an object"
    })
    void messagesNameTheBucketOrTheObject(String method, String key, String query, String message) {
        assertThat(bed.request(method, "/" + bucket + key + query).send().text())
                .contains("not implemented: " + message + "<");
    }

    /** A write refuses a name without value, which could be a newer sub-resource. */
    @Test
    void readsIgnoreUnknownParameters() {
        for (String query : List.of("?1764000000", "?brand-new-feature", "?foo=bar", "?usage")) {
            assertThat(bed.get("/" + bucket + "/k" + query).text()).isEqualTo("content");
            assertThat(bed.request("HEAD", "/" + bucket + "/k" + query).send().status())
                    .isEqualTo(200);
            assertThat(bed.get("/" + bucket + query).text()).contains("<Key>k</Key>");
        }
        assertThat(bed.request("PUT", "/" + bucket + "/k?foo=bar").body("content").send().status())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({
        "cors,NoSuchCORSConfiguration",
        "encryption,ServerSideEncryptionConfigurationNotFoundError",
        "lifecycle,NoSuchLifecycleConfiguration",
        "object-lock,ObjectLockConfigurationNotFoundError",
        "policy,NoSuchBucketPolicy",
        "policyStatus,NoSuchBucketPolicy",
        "publicAccessBlock,NoSuchPublicAccessBlockConfiguration",
        "replication,ReplicationConfigurationNotFoundError",
        "tagging,NoSuchTagSet",
        "website,NoSuchWebsiteConfiguration",
        "accelerate,200",
        "logging,200",
        "notification,200",
        "requestPayment,200",
        "analytics,200",
        "inventory&id=1,NoSuchConfiguration"
    })
    void configurationsThatAreNotSetAnswerAsS3Does(String query, String code) {
        assertThat(bed.get("/" + bucket + "?" + query).code()).isEqualTo(code);
        assertThat(bed.get("/nosuchbucket?" + query).code()).isEqualTo("NoSuchBucket");
        assertThat(bed.request("GET", "/" + bucket + "?" + query).sendAs(bed.bob()).code())
                .isEqualTo("AccessDenied");
    }

    @ParameterizedTest
    @CsvSource({
        "x-amz-object-lock-event-hold,ON",
        "x-amz-object-lock-event-hold-duration-days,1",
        "x-amz-write-offset-bytes,7",
        "x-amz-rename-source,/b/k"
    })
    void featuresThatAreNotBuiltAreRefusedNotIgnored(String header, String value) {
        TestResponse answer =
                bed.request("PUT", "/" + bucket + "/new").header(header, value).body("x").send();
        assertThat(answer.code()).isEqualTo("NotImplemented");
        assertThat(answer.text()).contains("<Header>" + header + "</Header>");
        assertThat(bed.get("/" + bucket + "/new").code()).isEqualTo("NoSuchKey");
    }

    /** Presigned requests have them there; elsewhere S3 drops them, also the lock of an object. */
    @ParameterizedTest
    @CsvSource({
        "PUT,x-amz-server-side-encryption,AES256",
        "PUT,X-Amz-Object-Lock-Mode,GOVERNANCE",
        "PUT,x-amz-acl,private",
        "PUT,x-amz-copy-source,b",
        "PUT,x-amz-tagging,a",
        "DELETE,x-amz-expected-bucket-owner,1"
    })
    void aWriteTakesHeadersInTheQueryOnlyPresigned(String method, String name, String value) {
        String target = "/" + bucket + "/k?" + name + "=" + value;
        TestResponse answer = bed.request(method, target).send();
        assertThat(answer.code()).isEqualTo("InvalidArgument");
        assertThat(answer.text()).contains("Only a presigned request");
        assertThat(bed.get(target).text()).isEqualTo("content");
    }

    @Test
    void harmlessFormsOfTheSameHeadersAreTaken() {
        for (String[] header :
                new String[][] {
                    {"x-amz-storage-class", "STANDARD"},
                    {"x-amz-storage-class", "REDUCED_REDUNDANCY"},
                    {"x-amz-storage-class", "GLACIER"},
                    {"x-amz-expected-bucket-owner", "000000000000"},
                    {"x-amz-bypass-governance-retention", "true"}
                }) {
            assertThat(
                            bed.request("PUT", "/" + bucket + "/ok")
                                    .header(header[0], header[1])
                                    .send()
                                    .status())
                    .isEqualTo(200);
        }
        assertThat(
                        bed.request("PUT", "/" + bucket + "/ok")
                                .header("x-amz-storage-class", "ICE")
                                .send()
                                .code())
                .isEqualTo("InvalidStorageClass");
    }

    @ParameterizedTest
    @CsvSource({"000000000000,200", "111122223333,403", "'',403"})
    void theOwnerOfASourceMayBeTheAccountNumber(String account, int status) {
        assertThat(
                        bed.request("PUT", "/" + bucket + "/copied")
                                .header("x-amz-copy-source", "/" + bucket + "/k")
                                .header("x-amz-source-expected-bucket-owner", account)
                                .send()
                                .status())
                .isEqualTo(status);
    }

    @Test
    void conflictingSubresourcesAndOddMethodsAreRefused() {
        assertThat(bed.get("/" + bucket + "?versions&uploads").code()).isEqualTo("InvalidArgument");
        assertThat(bed.request("PATCH", "/" + bucket + "/k").send().code())
                .isEqualTo("MethodNotAllowed");
        assertThat(bed.request("PUT", "/").send().code()).isEqualTo("MethodNotAllowed");
        assertThat(bed.get("/" + bucket + "/k?x-id=GetObject").status()).isEqualTo(200);
    }

    /** A signed preflight, as of presigned URLs, gets the same answer as an unsigned one. */
    @Test
    void aPreflightIsAnsweredWithoutLookingAtSignatures() {
        String target = "/" + bucket + "/k";
        assertThat(bed.request("OPTIONS", target).sendAnonymous().code()).isEqualTo("BadRequest");
        assertThat(bed.request("OPTIONS", target).sendPresigned(60).code()).isEqualTo("BadRequest");
        assertThat(
                        bed.request("OPTIONS", target)
                                .unsigned("origin", "https://example.com")
                                .sendAnonymous()
                                .code())
                .isEqualTo("BadRequest");
        assertThat(
                        bed.request("OPTIONS", target)
                                .unsigned("origin", "https://example.com")
                                .unsigned("access-control-request-method", "PUT")
                                .sendPresigned(60)
                                .code())
                .isEqualTo("AccessForbidden");
    }

    @Test
    void bucketsAreMadeFoundAndRemovedAsInS3() {
        assertThat(bed.request("PUT", "/" + bucket).send().status()).isEqualTo(200);
        assertThat(bed.request("PUT", "/" + bucket).sendAs(bed.alice()).code())
                .isEqualTo("BucketAlreadyExists");
        assertThat(bed.request("DELETE", "/" + bucket).send().code()).isEqualTo("BucketNotEmpty");
        for (String name :
                List.of("Upper", "ab", "a..b", "-a", "192.168.0.1", "a_b", "a.-b", "a-.b")) {
            assertThat(bed.request("PUT", "/" + name).send().code()).isEqualTo("InvalidBucketName");
        }
        String name = bed.freshName();
        String location =
                "<CreateBucketConfiguration><LocationConstraint>%s</LocationConstraint>"
                        + "</CreateBucketConfiguration>";
        assertThat(
                        bed.request("PUT", "/" + name)
                                .body(location.replace("%s", "eu-west-1"))
                                .send()
                                .code())
                .isEqualTo("IllegalLocationConstraintException");
        assertThat(
                        bed.request("PUT", "/" + name)
                                .body(location.replace("%s", "us-east-1"))
                                .send()
                                .status())
                .isEqualTo(200);
        assertThat(bed.get("/" + name + "?location").text())
                .contains("<LocationConstraint xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">")
                .contains("></LocationConstraint>");
        assertThat(bed.get("/" + name + "?acl").text()).contains("FULL_CONTROL");
        assertThat(
                        bed.request("HEAD", "/" + name)
                                .header("x-amz-expected-bucket-owner", "somebody")
                                .send()
                                .status())
                .isEqualTo(403);
        assertThat(bed.request("DELETE", "/" + name).send().status()).isEqualTo(204);
        assertThat(bed.request("HEAD", "/" + name).send().status()).isEqualTo(404);
    }

    @Test
    void virtualHostStyleNamesTheBucketInTheHost() {
        assertThat(
                        bed.request("GET", "/k")
                                .header("host", bucket + ".S3.example.com:9000")
                                .send()
                                .text())
                .isEqualTo("content");
        assertThat(bed.request("GET", "/").header("host", bucket + ".s3.example.com").send().text())
                .contains("<Name>" + bucket + "</Name>");
        assertThat(
                        bed.request("GET", "/" + bucket + "/k")
                                .header("host", "s3.example.com")
                                .send()
                                .text())
                .isEqualTo("content");
        assertThat(bed.request("GET", "/k").header("host", bucket + ".evil.com").send().code())
                .isNotEqualTo("200");
    }

    private static TestResponse putTo(InvocationHandler handler) {
        VersionedStore failing =
                (VersionedStore)
                        Proxy.newProxyInstance(
                                VersionedStore.class.getClassLoader(),
                                new Class<?>[] {VersionedStore.class},
                                (proxy, method, arguments) -> {
                                    if (!method.getName().equals("newBody")) {
                                        try {
                                            return method.invoke(bed.store(), arguments);
                                        } catch (InvocationTargetException e) {
                                            throw e.getCause();
                                        }
                                    }
                                    return handler.invoke(proxy, method, arguments);
                                });
        S3Protocol protocol =
                S3TestBed.protocolOver(failing, () -> S3TestBed.NOW, S3TestBed.REGION);
        return bed.request("PUT", "/" + bucket + "/f").over(protocol).body("x").send();
    }

    private static TestResponse failing(Throwable fault) {
        return putTo(
                (proxy, method, arguments) -> {
                    throw fault;
                });
    }

    @ParameterizedTest
    @EnumSource(CubeUnavailableException.Reason.class)
    void anUnavailableStoreHasAnAnswer(CubeUnavailableException.Reason reason) {
        TestResponse response = failing(new CubeUnavailableException(reason, "disk /dev/x"));
        assertThat(response.status())
                .isEqualTo(reason == CubeUnavailableException.Reason.FULL ? 507 : 503);
        assertThat(response.text()).doesNotContain("/dev/x").contains("REQ1");
    }

    @ParameterizedTest
    @EnumSource(StoreException.Reason.class)
    void everyRefusalOfTheStoreHasAnAnswer(StoreException.Reason reason) {
        TestResponse response = failing(new StoreException(reason, "inner words"));
        assertThat(response.status()).isBetween(400, 499);
        // A refused signature of the caller's own and a limit of texts are explained; nothing else
        // of the store is.
        assertThat(response.text().contains("inner words"))
                .isEqualTo(
                        reason == StoreException.Reason.BAD_STATEMENT
                                || reason == StoreException.Reason.TEXTS_TOO_LONG);
    }

    @Test
    void faultsOfOursSayNothingButAnId() {
        for (Throwable fault :
                List.of(
                        new DamagedException("segment-1", 4096, "secret path"),
                        new IllegalStateException("java detail"),
                        new java.io.IOException("/var/lib"))) {
            TestResponse response = failing(fault);
            assertThat(response.code()).isEqualTo("InternalError");
            assertThat(response.text())
                    .contains("<RequestId>REQ1</RequestId>")
                    .doesNotContain("secret path")
                    .doesNotContain("java")
                    .doesNotContain("/var/lib");
        }
    }

    @Test
    void theActorIsNamedByTheClientOrByItsKeyAddressAndProgram() {
        java.util.List<String> actors = new java.util.ArrayList<>();
        VersionedStore recording =
                (VersionedStore)
                        Proxy.newProxyInstance(
                                VersionedStore.class.getClassLoader(),
                                new Class<?>[] {VersionedStore.class},
                                (proxy, method, arguments) -> {
                                    if (method.getName().equals("head")) {
                                        actors.add(
                                                ((io.volute.versioning.value.Caller) arguments[0])
                                                        .actor()
                                                        .text());
                                    }
                                    return method.invoke(bed.store(), arguments);
                                });
        S3Protocol protocol =
                S3TestBed.protocolOver(recording, () -> S3TestBed.NOW, S3TestBed.REGION);
        bed.request("HEAD", "/" + bucket + "/k").over(protocol).agent("tool/1").send();
        bed.request("HEAD", "/" + bucket + "/k")
                .over(protocol)
                .header("x-volute-actor", "nightly-job")
                .send();
        assertThat(actors).containsExactly("192.0.2.1 tool/1", "\"nightly-job\" 192.0.2.1");
        assertThat(
                        bed.request("GET", "/" + bucket + "/k")
                                .header("x-volute-actor", "a".repeat(129))
                                .send()
                                .code())
                .isEqualTo("InvalidArgument");
    }
}
