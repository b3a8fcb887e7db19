package io.volute.server.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.replication.ReplicationMessage.Kind;
import java.io.IOException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The content of messages about changes to replicate. */
class ReplicationMessageTest {
    private static final ReplicationMessage MESSAGE =
            new ReplicationMessage(Kind.TAGS, 258, "abc", "k\u00fc", "xyz", "GLACIER", "");

    /** Golden bytes of layout 1. */
    private static final String BYTES =
            "01"
                    + "04"
                    + "0000000000000102"
                    + "0003616263"
                    + "00036bc3bc"
                    + "000378797a"
                    + "0007474c4143494552"
                    + "0000";

    @Test
    void hasTheBytesOfItsFormat() throws IOException {
        assertThat(HexFormat.of().formatHex(MESSAGE.encode())).isEqualTo(BYTES);
        assertThat(ReplicationMessage.decode(HexFormat.of().parseHex(BYTES))).isEqualTo(MESSAGE);
    }

    @Test
    void refusesALaterVersion() {
        byte[] later = MESSAGE.encode();
        later[0] = 2;
        assertThatThrownBy(() -> ReplicationMessage.decode(later)).isInstanceOf(IOException.class);
    }
}
