package io.volute.versioning.rows;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rows whose record is later than what happened to the state, as after a move. */
class SettledRowsTest {
    private static final HexFormat HEX = HexFormat.of();

    private static final String NUMBER = "ac02";
    private static final String STAMP = "00" + "07" + "05" + "02";
    private static final String TAIL =
            "fbd095ffbc31" + "05" + "00" + "01" + "00112233445566778899aabbccddeeff";

    @ParameterizedTest
    @CsvSource({"02,06,''", "03,07,04", "04,08,''", "05,09,04"})
    void objectRowGolden(String plain, String settled, String lock) {
        ObjectRow row = ObjectRow.decode(HEX.parseHex(plain + "00" + NUMBER + STAMP + lock + TAIL));
        assertThat(row.settled(300)).isEqualTo(300);
        byte[] moved = row.kept(0, 300);
        assertThat(HEX.formatHex(moved))
                .isEqualTo(settled + "00" + NUMBER + "ac02070502" + "ac02" + lock + TAIL);

        ObjectRow there = ObjectRow.decode(moved);
        assertThat(there.began(999)).isEqualTo(300).isEqualTo(ObjectRow.began(moved, 999));
        assertThat(there.settled(999)).isEqualTo(300);
        assertThat(there.holdsBody()).isEqualTo(row.holdsBody());
        assertThat(there.lock()).isEqualTo(row.lock());
        assertThat(there.etag()).isEqualTo(row.etag());
        assertThat(ObjectRow.isDeleteMarker(moved)).isFalse();
        // A second move changes nothing; a record of its own has its own sequence again.
        assertThat(there.kept(0, 999)).isEqualTo(moved);
        assertThat(HEX.formatHex(there.withBegan(0, 0)))
                .isEqualTo(plain + "00" + NUMBER + STAMP + lock + TAIL);
    }

    /** The first layout has no stamp: it becomes the second with one. */
    @Test
    void objectRowOfTheFirstLayoutMoves() {
        ObjectRow row = ObjectRow.decode(HEX.parseHex("0100" + NUMBER + TAIL));
        assertThat(HEX.formatHex(row.kept(0, 300)))
                .isEqualTo("0600" + NUMBER + "ac02" + "000000" + "ac02" + TAIL);
    }

    @Test
    void removedRowGolden() {
        byte[] row = new RemovedRow(300, 301).encode();
        assertThat(HEX.formatHex(row)).isEqualTo("02" + "ac02" + "ad02");
        assertThat(RemovedRow.decode(row)).isEqualTo(new RemovedRow(300, 301));
        assertThat(RemovedRow.decode(row).removed(999)).isEqualTo(301);
        assertThat(new RemovedRow(300).removed(999)).isEqualTo(999);
    }
}
