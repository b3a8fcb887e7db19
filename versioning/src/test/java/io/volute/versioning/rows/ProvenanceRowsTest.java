package io.volute.versioning.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.BatchRecord;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.Signatures;
import io.volute.provenance.record.SpiralShape;
import io.volute.provenance.record.SpiralShape.Construction;
import io.volute.versioning.value.ObjectKey;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProvenanceRowsTest {
    private static final HexFormat HEX = HexFormat.of();
    private static final Hash LINK = Hash.ofContent(new byte[] {1});
    private static final Hash OTHER = Hash.ofContent(new byte[] {2});

    private static EntryRow row() {
        return new EntryRow(
                new SpiralShape(Construction.LINK_PER_DIMENSION, 5),
                EventKind.TAGS,
                300,
                LINK,
                Map.of(EventKind.TAGS, 9L, EventKind.WRITE, 200L));
    }

    @Test
    void removalsGolden() {
        assertThat(HEX.formatHex(new ChainBeginRow(300).encode())).isEqualTo("01" + "ac02");
        assertThat(ChainBeginRow.decode(HEX.parseHex("01ac02")).first()).isEqualTo(300);
        assertThat(HEX.formatHex(new BatchRemovalRow(3).encode())).isEqualTo("01" + "03");
        assertThat(BatchRemovalRow.decode(HEX.parseHex("0103")).entries()).isEqualTo(3);
        assertThatThrownBy(() -> ChainBeginRow.decode(HEX.parseHex("0203")))
                .isInstanceOf(RowFormatException.class);
        assertThatThrownBy(() -> BatchRemovalRow.decode(HEX.parseHex("0203")))
                .isInstanceOf(RowFormatException.class);
    }

    @Test
    void entryGolden() {
        byte[] summary = row().encode();
        assertThat(HEX.formatHex(summary))
                .isEqualTo(
                        "01" + "02" + "05" + "04" + "ac02" + LINK.hex() + "02" + "01c801" + "0409");
        assertThat(EntryRow.decode(summary)).isEqualTo(row());
        assertThat(row().tip(9, 77).head().link()).isEqualTo(LINK);
    }

    @Test
    void entryThatIsCutOrDamagedIsRefused() {
        byte[] summary = row().encode();
        for (int length = 0; length < summary.length; length++) {
            byte[] cut = Arrays.copyOf(summary, length);
            assertThatThrownBy(() -> EntryRow.decode(cut)).isInstanceOf(RowFormatException.class);
        }
        for (int at = 1; at <= 3; at++) {
            byte[] damaged = summary.clone();
            damaged[at] = 99;
            assertThatThrownBy(() -> EntryRow.decode(damaged))
                    .isInstanceOf(RowFormatException.class);
        }
    }

    @Test
    void batchGolden() throws RefusedException {
        Bytes storeId = Bytes.ofHex("000102030405060708090a0b0c0d0e0f");
        BatchRow row =
                new BatchRow(
                        new BatchRecord(storeId, 2, OTHER, Signatures.NONE), List.of(LINK, OTHER));
        byte[] detail = row.encode();
        assertThat(HEX.formatHex(detail))
                .isEqualTo(
                        "01"
                                + "00000037"
                                + "0101"
                                + storeId.hex()
                                + "00000002"
                                + OTHER.hex()
                                + "00"
                                + LINK.hex()
                                + OTHER.hex());
        assertThat(BatchRow.decode(detail)).isEqualTo(row);
        assertThatThrownBy(() -> BatchRow.decode(Arrays.copyOf(detail, detail.length - 1)))
                .isInstanceOf(RefusedException.class);
        assertThatThrownBy(() -> BatchRow.decode(Arrays.copyOf(detail, detail.length + 1)))
                .isInstanceOf(RefusedException.class);
    }

    @Test
    void keysGolden() {
        byte[] key = RowKeys.entry(2, new ObjectKey("a"), 7);
        assertThat(HEX.formatHex(key))
                .isEqualTo("0000000000000002" + "61" + "0001" + "0000000000000007");
        assertThat(RowKeys.lastNumber(key)).isEqualTo(7);
        assertThat(RowKeys.bucketId(key)).isEqualTo(2);
    }
}
