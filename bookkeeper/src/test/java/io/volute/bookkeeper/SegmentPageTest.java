package io.volute.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.storage.log.SegmentFileName;
import io.volute.storage.log.ledger.SegmentList.Listed;
import io.volute.storage.report.SpaceReport.Kind;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class SegmentPageTest {
    private static final Listed HEAD =
            new Listed(SegmentFileName.of(5, Kind.HEAD), 0x0102, 64 << 20, Listed.OPEN, false);
    private static final Listed SURVIVOR =
            new Listed(SegmentFileName.of(6, Kind.SURVIVOR), 9, 64 << 20, 8192, false);
    private static final Listed MARKED =
            new Listed(SegmentFileName.of(6, Kind.SURVIVOR), 9, 64 << 20, 8192, true);

    /** Golden bytes: other releases read them. */
    private static final String GOLDEN =
            "01"
                    + "0500000000000000"
                    + "01"
                    + "0201000000000000"
                    + "00000004"
                    + "ffffffffffffffff"
                    + "0600000000000000"
                    + "03"
                    + "0900000000000000"
                    + "00000004"
                    + "0020000000000000";

    @Test
    void theBytesStayAsTheyAre() throws IOException {
        assertThat(HexFormat.of().formatHex(SegmentPage.encode(List.of(HEAD, SURVIVOR))))
                .isEqualTo(GOLDEN);
        assertThat(SegmentPage.decode(HexFormat.of().parseHex(GOLDEN), "/n").values())
                .containsExactly(HEAD, SURVIVOR);
    }

    /** Golden bytes of a page with a mark. */
    private static final String MARKED_GOLDEN =
            "02"
                    + "0500000000000000"
                    + "01"
                    + "0201000000000000"
                    + "00000004"
                    + "ffffffffffffffff"
                    + "00"
                    + "0600000000000000"
                    + "03"
                    + "0900000000000000"
                    + "00000004"
                    + "0020000000000000"
                    + "01";

    @Test
    void aMarkRaisesTheVersion() throws IOException {
        assertThat(HexFormat.of().formatHex(SegmentPage.encode(List.of(HEAD, MARKED))))
                .isEqualTo(MARKED_GOLDEN);
        assertThat(SegmentPage.decode(HexFormat.of().parseHex(MARKED_GOLDEN), "/n").values())
                .containsExactly(HEAD, MARKED);
    }

    @Test
    void refusesAMarkOfALaterRelease() {
        byte[] page = HexFormat.of().parseHex(MARKED_GOLDEN);
        page[page.length - 1] = 2;
        assertThatThrownBy(() -> SegmentPage.decode(page, "/n"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("marked 2");
    }

    @Test
    void refusesALaterVersionAndNamesTheNode() {
        for (byte[] bytes :
                List.of(new byte[] {3}, new byte[0], new byte[] {1, 5}, new byte[] {2, 5})) {
            assertThatThrownBy(() -> SegmentPage.decode(bytes, "/volute/cubes/a/log/0"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("/volute/cubes/a/log/0")
                    .hasMessageContaining("start the release that wrote it");
        }
    }
}
