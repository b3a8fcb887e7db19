package io.volute.versioning.cubes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.versioning.StoreCubes.MovePhase;
import io.volute.versioning.rows.RowFormatException;
import io.volute.versioning.value.KeyRange;
import io.volute.versioning.value.ObjectKey;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;
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
        refused(() -> PlacementRow.decode(HEX.parseHex("03" + bytes.substring(2))));
    }

    @Test
    void placementsOfDividedBucketsGolden() {
        PlacementRow row =
                new PlacementRow(0, AT, "alice")
                        .moved(new ObjectKey("z"), 4)
                        .moved(new ObjectKey("m/"), 2);
        String bytes = "0200" + "e807" + "05616c696365" + "02" + "026d2f" + "02" + "017a" + "04";
        assertThat(HEX.formatHex(row.encode())).isEqualTo(bytes);
        assertThat(PlacementRow.decode(HEX.parseHex(bytes))).isEqualTo(row);
        assertThat(row.section(new ObjectKey("m")).cube()).isZero();
        assertThat(row.section(new ObjectKey("m/")).cube()).isEqualTo(2);
        assertThat(row.section(new ObjectKey("y")).cube()).isEqualTo(2);
        assertThat(row.section(new ObjectKey("z1")).cube()).isEqualTo(4);
        assertThat(row.moved(new ObjectKey("m/"), 0).rangeIn(0).orElseThrow().end())
                .contains(new ObjectKey("z"));
        assertThat(row.moved(new ObjectKey("z"), 2).moved(new ObjectKey("m/"), 0).isDivided())
                .isFalse();
    }

    @Test
    void movesGolden() {
        MoveRow row = new MoveRow(MovePhase.CLEARING, 7, 0, 3, AT, "alice", KeyRange.ALL);
        String bytes = "0102" + "07" + "00" + "03" + "e807" + "05616c696365";
        assertThat(HEX.formatHex(row.encode())).isEqualTo(bytes);
        assertThat(MoveRow.decode(HEX.parseHex(bytes))).isEqualTo(row);
        assertThat(row.involves(0) && row.involves(3) && !row.involves(1)).isTrue();
        for (String wrong : new String[] {"03", "0100", "0104"}) {
            refused(() -> MoveRow.decode(HEX.parseHex(wrong + bytes.substring(wrong.length()))));
        }
    }

    @Test
    void movesOfRangesGolden() {
        KeyRange from = new KeyRange(Optional.of(new ObjectKey("m/")), Optional.empty());
        MoveRow row = new MoveRow(MovePhase.COPYING, 7, 0, 3, AT, "alice", from);
        String bytes = "0201" + "07" + "00" + "03" + "e807" + "05616c696365" + "026d2f";
        assertThat(HEX.formatHex(row.encode())).isEqualTo(bytes + "00");
        assertThat(MoveRow.decode(HEX.parseHex(bytes + "00"))).isEqualTo(row);
        KeyRange between = new KeyRange(from.first(), Optional.of(new ObjectKey("z")));
        MoveRow within = new MoveRow(MovePhase.COPYING, 7, 0, 3, AT, "alice", between);
        assertThat(HEX.formatHex(within.encode())).isEqualTo(bytes + "017a");
        assertThat(MoveRow.decode(HEX.parseHex(bytes + "017a"))).isEqualTo(within);
        assertThat(within.cleared()).isEqualTo(3);
        assertThat(within.in(MovePhase.CLEARING).cleared()).isZero();
    }

    private static void refused(ThrowingCallable decoding) {
        assertThatThrownBy(decoding).isInstanceOf(RowFormatException.class);
    }
}
