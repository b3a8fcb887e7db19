package io.volute.server.auth.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.Limits;
import io.volute.server.auth.policy.Authority.Form;
import io.volute.storage.heap.WeighedCache;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Policies are kept as they were read, within a bound in bytes. */
class PolicyCacheTest {
    /** The longest kind: short values in a condition. */
    private static String longest(int number) {
        return "{\"Version\":\"2012-10-17\",\"Statement\":{\"Sid\":\""
                + number
                + "\",\"Effect\":\"Deny\",\"Action\":\"s3:*\",\"Resource\":\"*\","
                + "\"Condition\":{\"StringEquals\":{\"aws:userid\":["
                + "\"a\",".repeat(4800)
                + "\"a\"]}}}}";
    }

    @Test
    @Tag("slow")
    void weighsWhatItKeeps() {
        WeighedCache<Form, Policy> cache = Authority.cache();
        for (int i = 0; i < 100; i++) {
            cache.get(
                    new Form(longest(i), Optional.empty()),
                    form -> Policy.ofIdentity(form.document()));
            assertThat(cache.heapBytes()).isBetween(1L, (long) Limits.POLICIES_READ_BYTES_MAX);
        }
    }

    @Test
    void keepsWhatIsUsed() {
        WeighedCache<Form, Policy> cache = Authority.cache();
        AtomicInteger readings = new AtomicInteger();
        for (int i = 0; i < 50; i++) {
            cache.get(
                    new Form(longest(i), Optional.empty()),
                    form -> Policy.ofIdentity(form.document()));
            cache.get(
                    new Form(longest(-1), Optional.empty()),
                    form -> {
                        readings.incrementAndGet();
                        return Policy.ofIdentity(form.document());
                    });
        }
        assertThat(readings).hasValue(1);
    }
}
