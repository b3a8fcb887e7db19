package io.volute.server.s3.past;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestRequest;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketInfo;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Access to a bucket's past requires the same permission as access to the bucket. */
final class TimeTravelRightsTest extends S3TestCase {
    /** The store with other answers. */
    private static VersionedStore changed(VersionedStore store, UnaryOperator<Object> change) {
        return (VersionedStore)
                Proxy.newProxyInstance(
                        VersionedStore.class.getClassLoader(),
                        new Class<?>[] {VersionedStore.class},
                        (proxy, method, arguments) -> {
                            try {
                                Object answer = method.invoke(store, arguments);
                                return answer == store ? proxy : change.apply(answer);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    private static TestRequest request(VersionedStore store, String method, String target) {
        Instant now = bed.pause().plusSeconds(1);
        return bed.request(method, target)
                .over(S3TestBed.protocolOver(store, () -> now, S3TestBed.REGION));
    }

    @Test
    void anAliasGivesNoRightsToOthers() {
        String bucket = bed.bucketOf(bed.alice());
        bed.request("PUT", "/" + bucket + "/k").body("alice's").sendAs(bed.alice());
        String alias = Past.alias(bucket, bed.pause());
        for (String target :
                new String[] {
                    "/" + alias, "/" + alias + "/k", "/" + alias + "/none", "/" + alias + "?acl"
                }) {
            assertThat(bed.request("GET", target).sendAs(bed.alice()).code())
                    .isNotEqualTo("AccessDenied");
            assertThat(bed.request("GET", target).sendAs(bed.bob()).code())
                    .isEqualTo("AccessDenied");
            assertThat(bed.request("GET", target).sendAnonymous().code()).isEqualTo("AccessDenied");
        }
        assertThat(
                        bed.request("GET", "/" + bucket + "/k")
                                .header("x-volute-at", bed.pause().toString())
                                .sendAs(bed.bob())
                                .code())
                .isEqualTo("AccessDenied");
        assertThat(
                        bed.request("GET", "/" + alias + "/k")
                                .header("x-amz-expected-bucket-owner", "bob")
                                .send()
                                .code())
                .isEqualTo("AccessDenied");
    }

    @Test
    void theNextOwnerOfANameHasNoPartInItsPast() {
        String name = bed.bucketOf(bed.alice());
        bed.request("PUT", "/" + name + "/k").body("alice's").sendAs(bed.alice());
        Instant hers = bed.pause();
        bed.request("DELETE", "/" + name + "/k").sendAs(bed.alice());
        bed.request("DELETE", "/" + name).sendAs(bed.alice());
        Instant gone = bed.pause();
        String then = "/" + Past.alias(name, hers);
        assertThat(bed.request("GET", then).sendAs(bed.alice()).status()).isEqualTo(200);
        assertThat(bed.request("GET", then).sendAs(bed.bob()).code()).isEqualTo("AccessDenied");

        assertThat(bed.request("PUT", "/" + name).sendAs(bed.bob()).status()).isEqualTo(200);
        Instant his = bed.pause();
        assertThat(bed.request("GET", then).sendAs(bed.bob()).code()).isEqualTo("AccessDenied");
        assertThat(bed.request("GET", then).sendAs(bed.alice()).status()).isEqualTo(200);
        assertThat(bed.request("GET", "/" + Past.alias(name, gone)).sendAs(bed.alice()).code())
                .isEqualTo("NoSuchBucket");
        assertThat(bed.request("GET", "/" + Past.alias(name, his)).sendAs(bed.alice()).code())
                .isEqualTo("AccessDenied");
        assertThat(bed.request("GET", "/" + Past.alias(name, his)).sendAs(bed.bob()).status())
                .isEqualTo(200);
    }

    @Test
    void whatWasTakenFromAnOwnerIsTakenInThePastToo() {
        String bucket = bed.bucketOf(bed.alice());
        String target = "/" + Past.alias(bucket, bed.pause());
        VersionedStore store = changed(bed.store(), TimeTravelRightsTest::takenByBob);
        assertThat(request(bed.store(), "GET", target).sendAs(bed.alice()).status()).isEqualTo(200);
        assertThat(request(store, "GET", target).sendAs(bed.alice()).code())
                .isEqualTo("AccessDenied");
        assertThat(request(store, "GET", target).sendAs(bed.bob()).code())
                .isEqualTo("AccessDenied");
    }

    private static Object takenByBob(Object answer) {
        return answer instanceof Optional<?> found
                        && found.isPresent()
                        && found.get() instanceof BucketInfo info
                ? Optional.of(
                        new BucketInfo(
                                info.id(),
                                info.name(),
                                "bob",
                                info.created(),
                                info.versioning(),
                                info.history()))
                : answer;
    }
}
