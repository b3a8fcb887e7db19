package io.volute.server.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.BucketInfo;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.ObjectStore.OpenObject;
import io.volute.versioning.ObjectVersion;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What the protocol makes of a past that the store tells, whatever store that is. */
final class TimeTravelStatesTest extends S3TestCase {
    private static final Instant WRITTEN = Instant.parse("2026-11-21T09:59:58.07Z");

    /** The store with other answers. */
    private static ObjectStore changed(ObjectStore store, UnaryOperator<Object> change) {
        return (ObjectStore)
                Proxy.newProxyInstance(
                        ObjectStore.class.getClassLoader(),
                        new Class<?>[] {ObjectStore.class},
                        (proxy, method, arguments) -> {
                            try {
                                return change.apply(method.invoke(store, arguments));
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    private static TestRequest request(ObjectStore store, String method, String target) {
        Instant now = bed.pause().plusSeconds(1);
        return bed.request(method, target)
                .over(S3TestBed.protocolOver(store, () -> now, S3TestBed.REGION));
    }

    private static Object writtenLater(Object answer) {
        return switch (answer) {
            case ObjectStore past -> changed(past, TimeTravelStatesTest::writtenLater);
            case OpenObject open -> new OpenObject(later(open.version()), open.reader());
            case Optional<?> found
                    when found.isPresent() && found.get() instanceof ObjectVersion version ->
                    Optional.of(later(version));
            case null, default -> answer;
        };
    }

    private static ObjectVersion later(ObjectVersion version) {
        return version.writtenLater(Optional.of(WRITTEN));
    }

    @Test
    void saysWhenTheStateShownIsALaterOne() {
        String bucket = bed.versionedBucket();
        String etag = bed.put("/" + bucket + "/k", "content").header("etag");
        String target = "/" + Past.alias(bucket, bed.pause()) + "/k";
        ObjectStore store = changed(bed.store(), TimeTravelStatesTest::writtenLater);
        for (TestResponse answer :
                new TestResponse[] {
                    request(store, "GET", target).send(),
                    request(store, "HEAD", target).send(),
                    request(store, "GET", target).header("range", "bytes=0-1").send(),
                    request(store, "GET", target).header("if-none-match", etag).send()
                }) {
            assertThat(answer.header("x-volute-state-time")).isEqualTo("2026-11-21T09:59:58.070Z");
        }
    }

    @Test
    void whatWasTakenFromAnOwnerIsTakenInThePastToo() {
        String bucket = bed.bucketOf(bed.alice());
        String target = "/" + Past.alias(bucket, bed.pause());
        ObjectStore store = changed(bed.store(), TimeTravelStatesTest::takenByBob);
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
