package io.volute.versioning.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.versioning.History.Direction;
import io.volute.versioning.value.ObjectKey;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bytes of the index of the events, which are on disk. */
class EventIndexRowTest {
    private static final HexFormat HEX = HexFormat.of();
    private static final KeyVersion OBJECT = new KeyVersion(2, new ObjectKey("a\0é"), 7);

    @Test
    void blocksGolden() {
        byte[] detail = EventIndexRow.encodeBlocks(List.of(5L, 6L, 300L)).detail();
        assertThat(HEX.formatHex(detail)).isEqualTo("01" + "03" + "05" + "01" + "a602");
        assertThat(EventIndexRow.decodeBlocks(detail)).containsExactly(5L, 6L, 300L);
    }

    @Test
    void postingsGolden() {
        long hash = 0xAB_00000001_123456L;
        long other = 0xAB_00000002_123456L;
        assertThat(EventIndexRow.slice(hash)).isEqualTo(0xAB);
        long[] postings = {
            EventIndexRow.posting(hash, 1),
            EventIndexRow.posting(hash, 255),
            EventIndexRow.posting(other, 0)
        };
        byte[] detail = EventIndexRow.encodePostings(postings).detail();
        assertThat(HEX.formatHex(detail)).isEqualTo("01" + "03" + "8102" + "fe01" + "01");
        assertThat(EventIndexRow.decodePostings(detail, hash).stream()).containsExactly(1, 255);
        assertThat(EventIndexRow.decodePostings(detail, other).stream()).containsExactly(0);
        assertThat(EventIndexRow.decodePostings(detail, 0xAB_00000003_000000L).stream()).isEmpty();
    }

    @Test
    void keysGolden() {
        assertThat(HEX.formatHex(RowKeys.eventRun(258))).isEqualTo("00" + "0000000000000102");
        assertThat(HEX.formatHex(RowKeys.eventPostings(258, 0xAB)))
                .isEqualTo("01" + "0000000000000102" + "ab");
    }

    @Test
    void hashesGolden() {
        assertThat(
                        List.of(
                                NodeHash.object(Direction.FORWARD, OBJECT),
                                NodeHash.object(Direction.BACK, OBJECT),
                                NodeHash.actor(Direction.FORWARD, 7),
                                NodeHash.actor(Direction.BACK, 7)))
                .extracting(hash -> String.format("%016x", hash))
                .containsExactly(
                        "8bba0eac5d7c2689",
                        "4936e9630938ccdc",
                        "ec283deb7baba677",
                        "31730b87e2c9f2c1");
    }

    @Test
    void otherLayoutsAreRefused() {
        assertThatThrownBy(() -> EventIndexRow.decodeBlocks(new byte[] {2, 0}))
                .isInstanceOf(RowFormatException.class)
                .hasMessageContaining("event index");
    }
}
