package io.volute.versioning.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.versioning.rows.RowFormatException;
import java.time.Instant;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class OutboxRowTest {
    private static final HexFormat HEX = HexFormat.of();
    private static final Instant AT = Instant.ofEpochMilli(1_000);

    @Test
    void golden() {
        assertThat(HEX.formatHex(new OutboxRow(false, AT).encode())).isEqualTo("0101e807");
        assertThat(HEX.formatHex(new OutboxRow(true, AT).encode())).isEqualTo("0102e807");
        assertThat(HEX.formatHex(OutboxRow.key("hook", 258)))
                .isEqualTo("686f6f6b" + "00" + "0000000000000102");
        assertThat(OutboxRow.decode(HEX.parseHex("0102e807"))).isEqualTo(new OutboxRow(true, AT));
        assertThat(OutboxRow.consumer(OutboxRow.key("hook", 258))).isEqualTo("hook");
        assertThat(OutboxRow.number(OutboxRow.key("hook", 258))).isEqualTo(258);
    }

    @Test
    void otherLayoutsAndNamesAreRefused() {
        for (String wrong : new String[] {"0901e807", "0103e807"}) {
            assertThatThrownBy(() -> OutboxRow.decode(HEX.parseHex(wrong)))
                    .isInstanceOf(RowFormatException.class);
        }
        for (String name : new String[] {"", "a\0b", "x".repeat(65)}) {
            assertThatThrownBy(() -> OutboxRow.key(name, 1))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
