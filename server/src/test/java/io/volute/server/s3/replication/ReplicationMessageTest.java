package io.volute.server.s3.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.s3.replication.ReplicationMessage.Kind;
import java.io.IOException;
import java.util.HexFormat;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The content of messages about changes to replicate. */
class ReplicationMessageTest {
    private static final ReplicationMessage MESSAGE =
            new ReplicationMessage(
                    Kind.TAGS, 258, OptionalLong.of(770), "abc", "k\u00fc", "xyz", "GLACIER", "");

    /** Golden bytes of layout 2. */
    private static final String BYTES =
            "02"
                    + "04"
                    + "0000000000000102"
                    + "0000000000000302"
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
    void readsTheLayoutWithoutTheIdOfTheBucket() throws IOException {
        String without = BYTES.replace("0000000000000302", "").replaceFirst("02", "01");
        ReplicationMessage old = ReplicationMessage.decode(HexFormat.of().parseHex(without));
        assertThat(old.bucketId()).isEmpty();
        assertThat(old.isOf(5)).isTrue();
        assertThat(old.key()).isEqualTo(MESSAGE.key());
        assertThat(HexFormat.of().formatHex(old.encode())).startsWith("0104");
        assertThat(MESSAGE.isOf(770)).isTrue();
        assertThat(MESSAGE.isOf(5)).isFalse();
    }

    @Test
    void refusesALaterVersion() {
        byte[] later = MESSAGE.encode();
        later[0] = 3;
        assertThatThrownBy(() -> ReplicationMessage.decode(later)).isInstanceOf(IOException.class);
    }
}
