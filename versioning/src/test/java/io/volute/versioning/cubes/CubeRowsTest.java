package io.volute.versioning.cubes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.versioning.StoreCubes.MovePhase;
import io.volute.versioning.rows.codec.RowFormatException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The bytes on disk of the rows of cubes, placements and moves. They never change. */
class CubeRowsTest {
    private static final HexFormat HEX = HexFormat.of();
    private static final Instant AT = Instant.ofEpochMilli(1_000);
    private static final UUID ID = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");

    @Test
    void cubesGolden() {
        CubeRow row = new CubeRow("photos", ID, AT, false);
        String bytes = "0100" + "00112233445566778899aabbccddeeff" + "e807" + "0670686f746f73";
        assertThat(HEX.formatHex(row.encode())).isEqualTo(bytes);
        assertThat(CubeRow.decode(HEX.parseHex(bytes))).isEqualTo(row);
        String deleted = "0101" + bytes.substring(4);
        assertThat(HEX.formatHex(row.asDeleted().encode())).isEqualTo(deleted);
        assertThat(CubeRow.decode(HEX.parseHex(deleted))).isEqualTo(row.asDeleted());
        refused(() -> CubeRow.decode(HEX.parseHex("02" + bytes.substring(2))));
    }

    @Test
    void placementsGolden() {
        PlacementRow row = new PlacementRow(3, AT, "alice");
        String bytes = "0103" + "e807" + "05616c696365";
        assertThat(HEX.formatHex(row.encode())).isEqualTo(bytes);
        assertThat(PlacementRow.decode(HEX.parseHex(bytes))).isEqualTo(row);
        refused(() -> PlacementRow.decode(HEX.parseHex("02" + bytes.substring(2))));
    }

    @Test
    void movesGolden() {
        MoveRow row = new MoveRow(MovePhase.CLEARING, 7, 0, 3, AT, "alice");
        String bytes = "0102" + "07" + "00" + "03" + "e807" + "05616c696365";
        assertThat(HEX.formatHex(row.encode())).isEqualTo(bytes);
        assertThat(MoveRow.decode(HEX.parseHex(bytes))).isEqualTo(row);
        assertThat(row.involves(0) && row.involves(3) && !row.involves(1)).isTrue();
        for (String wrong : new String[] {"02", "0100", "0104"}) {
            refused(() -> MoveRow.decode(HEX.parseHex(wrong + bytes.substring(wrong.length()))));
        }
    }

    private static void refused(ThrowingCallable decoding) {
        assertThatThrownBy(decoding).isInstanceOf(RowFormatException.class);
    }
}
