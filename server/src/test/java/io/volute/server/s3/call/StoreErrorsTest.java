package io.volute.server.s3.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.error.S3Exception;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Limit;
import org.junit.jupiter.api.Test;

/** Clients see which limit a full store has met, and nothing that is not theirs. */
class StoreErrorsTest {
    private static String text(CubeUnavailableException full) {
        S3Exception error = StoreErrors.of(full);
        assertThat(error.error().status()).isEqualTo(507);
        return error.getMessage();
    }

    private static CubeUnavailableException full(Limit limit) {
        return CubeUnavailableException.full(limit, "/srv/secret has 4711 bytes");
    }

    @Test
    void aFullStoreNamesItsLimit() {
        assertThat(text(full(Limit.CAPACITY)))
                .contains("full by its setting log.capacity", "the disk has room", "raise");
        assertThat(text(full(Limit.DISK).in("photos")))
                .contains("The cube photos is full: its disk has no room left", "add disk");
        assertThat(text(full(Limit.OTHER))).contains("no space left");
        for (Limit each : Limit.values()) {
            assertThat(text(full(each)))
                    .contains("Reads and deletes go on")
                    .doesNotContain("/srv", "4711");
        }
    }
}
