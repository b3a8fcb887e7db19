package io.volute.server.encryption;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.format.Bytes;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The memory of decrypted texts: bounded in time and number. */
final class CachingKeyServiceTest {
    private static final int MOST_ENTRIES = 10_000;

    private final AtomicLong nanos = new AtomicLong();
    private final MemoryKeyService service = new MemoryKeyService("a", "b");

    private CachingKeyService cache(Duration kept) {
        return new CachingKeyService(service, kept, nanos::get);
    }

    private static Bytes plain(int number) {
        return Bytes.of("text " + number);
    }

    @Test
    void aTextIsKeptForItsTime() throws KeyServiceException {
        CachingKeyService cache = cache(Duration.ofSeconds(10));
        String text = cache.encrypt("a", plain(1)).ciphertext();
        int before = service.calls();
        assertThat(cache.decrypt("a", text)).isEqualTo(plain(1));
        nanos.addAndGet(Duration.ofSeconds(10).toNanos() - 1);
        assertThat(cache.decrypt("a", text)).isEqualTo(plain(1));
        assertThat(service.calls()).isEqualTo(before);
        assertThat(cache.state().cacheHits()).isEqualTo(2);
        nanos.addAndGet(1);
        assertThat(cache.decrypt("a", text)).isEqualTo(plain(1));
        assertThat(service.calls()).isEqualTo(before + 1);
    }

    /** A hit does not prolong an entry: a key that the service withdraws ends in time. */
    @Test
    void useDoesNotProlongIt() throws KeyServiceException {
        CachingKeyService cache = cache(Duration.ofSeconds(10));
        String text = cache.encrypt("a", plain(1)).ciphertext();
        for (int second = 0; second < 10; second++) {
            assertThat(cache.decrypt("a", text)).isEqualTo(plain(1));
            nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        }
        int before = service.calls();
        assertThat(cache.decrypt("a", text)).isEqualTo(plain(1));
        assertThat(service.calls()).isEqualTo(before + 1);
    }

    @Test
    void nothingIsKeptWithoutATime() throws KeyServiceException {
        CachingKeyService cache = cache(Duration.ZERO);
        String text = cache.encrypt("a", plain(1)).ciphertext();
        int before = service.calls();
        assertThat(cache.decrypt("a", text)).isEqualTo(plain(1));
        assertThat(service.calls()).isEqualTo(before + 1);
    }

    @Test
    void theOldestEntryMakesRoom() throws KeyServiceException {
        CachingKeyService cache = cache(Duration.ofSeconds(10));
        String first = cache.encrypt("a", plain(0)).ciphertext();
        String last = first;
        for (int i = 1; i <= MOST_ENTRIES; i++) {
            last = cache.encrypt("a", plain(i)).ciphertext();
        }
        int before = service.calls();
        assertThat(cache.decrypt("a", last)).isEqualTo(plain(MOST_ENTRIES));
        assertThat(service.calls()).isEqualTo(before);
        assertThat(cache.decrypt("a", first)).isEqualTo(plain(0));
        assertThat(service.calls()).isEqualTo(before + 1);
    }

    @Test
    void entriesBelongToTheirKey() throws KeyServiceException {
        CachingKeyService cache = cache(Duration.ofSeconds(10));
        String text = cache.encrypt("a", plain(1)).ciphertext();
        int before = service.calls();
        try {
            Bytes unused = cache.decrypt("b", text);
            throw new AssertionError("another key decrypted it");
        } catch (KeyServiceException e) {
            assertThat(service.calls()).isEqualTo(before + 1);
        }
    }
}
