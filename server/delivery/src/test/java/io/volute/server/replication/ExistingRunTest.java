package io.volute.server.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.replication.ExistingRun.State;
import io.volute.versioning.value.BucketName;
import java.io.IOException;
import java.time.Instant;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The bytes of runs for existing objects. */
class ExistingRunTest {
    private static final ExistingRun RUN =
            new ExistingRun(
                    State.FINISHED,
                    true,
                    Instant.ofEpochMilli(258),
                    5,
                    7,
                    1,
                    new BucketName("abc"),
                    "k\u00fc");

    /** Golden bytes of layout 1. */
    private static final String BYTES =
            "01"
                    + "02"
                    + "01"
                    + "0000000000000102"
                    + "00000005"
                    + "0000000000000007"
                    + "0000000000000001"
                    + "0003616263"
                    + "00036bc3bc";

    @Test
    void hasTheBytesOfItsFormat() throws IOException {
        assertThat(HexFormat.of().formatHex(RUN.encode())).isEqualTo(BYTES);
        assertThat(ExistingRun.decode(HexFormat.of().parseHex(BYTES))).isEqualTo(RUN);
    }

    @Test
    void refusesALaterVersionAndUnknownStates() {
        byte[] later = RUN.encode();
        later[0] = 2;
        assertThatThrownBy(() -> ExistingRun.decode(later)).isInstanceOf(IOException.class);
        byte[] unknown = RUN.encode();
        unknown[1] = 4;
        assertThatThrownBy(() -> ExistingRun.decode(unknown)).isInstanceOf(IOException.class);
    }
}
