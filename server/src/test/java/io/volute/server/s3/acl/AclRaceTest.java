package io.volute.server.s3.acl;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.S3Protocol;
import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.TestRequest;
import io.volute.versioning.VersionedStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A private version takes the place of a shared one between the decision and its use. */
final class AclRaceTest extends AclTestCase {
    /** Returns a protocol over a store that changes after so many lookups of a version. */
    private static S3Protocol changing(int lookUps, Runnable change) {
        AtomicInteger left = new AtomicInteger(lookUps);
        VersionedStore store =
                (VersionedStore)
                        Proxy.newProxyInstance(
                                VersionedStore.class.getClassLoader(),
                                new Class<?>[] {VersionedStore.class},
                                (proxy, method, arguments) -> {
                                    // Sources of copies are looked up in this store, too.
                                    if (method.getName().equals("sources")) {
                                        return proxy;
                                    }
                                    try {
                                        Object found = method.invoke(bed.store(), arguments);
                                        if (method.getName().equals("head")
                                                && left.decrementAndGet() == 0) {
                                            change.run();
                                        }
                                        return found;
                                    } catch (InvocationTargetException e) {
                                        throw e.getCause();
                                    }
                                });
        return S3TestBed.protocolOver(store, () -> S3TestBed.NOW, S3TestBed.REGION);
    }

    private static String shared() {
        String key = "/" + bucket("ObjectWriter", "private") + "/k";
        assertThat(put(key, bed.alice(), "x-amz-grant-full-control", "id=bob").status())
                .isEqualTo(200);
        return key;
    }

    @ParameterizedTest
    @CsvSource({"GET,''", "HEAD,''", "GET,?acl", "PUT,?acl"})
    void theAclOfTheVersionThatIsUsedDecides(String method, String query) {
        String key = shared();
        S3Protocol protocol = changing(1, () -> put(key, bed.alice()));
        TestRequest request = bed.request(method, key + query).over(protocol);
        if (method.equals("PUT")) {
            request.header("x-amz-acl", "public-read");
        }
        assertThat(request.header("x-amz-object-attributes", "ETag").sendAs(bed.bob()).status())
                .isEqualTo(403);
        assertThat(bed.request("GET", key).sendAnonymous().code()).isEqualTo("AccessDenied");
    }

    @Test
    void theAclOfTheCopiedVersionDecides() {
        String key = shared();
        String his = "/" + bed.bucketOf(bed.bob()) + "/copy";
        S3Protocol protocol = changing(1, () -> put(key, bed.alice()));
        assertThat(
                        bed.request("PUT", his)
                                .over(protocol)
                                .header("x-amz-copy-source", key)
                                .sendAs(bed.bob())
                                .code())
                .isEqualTo("AccessDenied");
        assertThat(code("GET", his, bed.bob())).isEqualTo("NoSuchKey");
    }

    @Test
    void anAclIsThatOfTheVersionThatWasFound() {
        String key = shared();
        S3Protocol protocol = changing(2, () -> put(key, bed.alice()));
        assertThat(
                        bed.request("PUT", key + "?acl")
                                .over(protocol)
                                .header("x-amz-acl", "public-read")
                                .sendAs(bed.bob())
                                .status())
                .isNotEqualTo(200);
        assertThat(bed.request("GET", key).sendAnonymous().code()).isEqualTo("AccessDenied");
        assertThat(acl(key, bed.alice())).doesNotContain("bob");
    }
}
