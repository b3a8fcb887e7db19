package io.volute.versioning.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.versioning.Restore.Goal;
import io.volute.versioning.Restore.OnConflict;
import io.volute.versioning.Restore.Phase;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.rows.codec.RowFormatException;
import io.volute.versioning.value.ActorName;
import io.volute.versioning.value.ActorName.Kind;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller.Parent;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The bytes on disk. The hex texts are what released versions wrote: they never change. */
class ActorRowTest {
    private static final Instant TIME = Instant.ofEpochMilli(1_700_000_000_123L);
    private static final String TIME_HEX = "fbd095ffbc31";
    private static final HexFormat HEX = HexFormat.of();
    private static final Optional<Parent> PARENT = Optional.of(new Parent("alice", "KEY"));

    /** In a row, an empty access key means that there is no parent. */
    @Test
    void aParentHasAnAccessKey() {
        assertThatThrownBy(() -> new Parent("alice", ""))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void actorRowGolden() {
        ActorRow session =
                new ActorRow(
                        TIME, "role", "VT", new ActorName(Kind.SESSION, "s1", "192.0.2.7"), PARENT);
        String hex =
                "02"
                        + TIME_HEX
                        + ("04" + "726f6c65")
                        + ("02" + "5654")
                        + ("02" + "7331")
                        + "02"
                        + ("09" + "3139322e302e322e37")
                        + ("03" + "4b4559")
                        + ("05" + "616c696365");
        assertThat(HEX.formatHex(session.encode())).isEqualTo(hex);
        assertThat(ActorRow.decode(HEX.parseHex(hex))).isEqualTo(session);

        ActorRow lasting =
                new ActorRow(
                        TIME,
                        "alice",
                        "KEY",
                        new ActorName(Kind.CHOSEN, "job", ""),
                        Optional.empty());
        String withoutParent =
                "02"
                        + TIME_HEX
                        + ("05" + "616c696365")
                        + ("03" + "4b4559")
                        + ("03" + "6a6f62")
                        + "01"
                        + "00"
                        + "00";
        assertThat(HEX.formatHex(lasting.encode())).isEqualTo(withoutParent);
        assertThat(ActorRow.decode(HEX.parseHex(withoutParent))).isEqualTo(lasting);
    }

    @Test
    void actorRowWithoutParentIsRead() {
        String hex = "01" + TIME_HEX + ("05" + "616c696365") + ("03" + "4b4559") + "036a6f62";
        assertThat(ActorRow.decode(HEX.parseHex(hex)))
                .isEqualTo(
                        new ActorRow(TIME, "alice", "KEY", ActorName.of("job"), Optional.empty()));
    }

    @Test
    void kindsOfNamesThatNobodyWroteAreRefused() {
        String hex = "02" + TIME_HEX + "00" + "00" + "00" + "05" + "00" + "00";
        assertThatThrownBy(() -> ActorRow.decode(HEX.parseHex(hex)))
                .isInstanceOf(RowFormatException.class);
        assertThatThrownBy(() -> ActorRow.decode(HEX.parseHex("03")))
                .isInstanceOf(RowFormatException.class);
    }

    private static RestoreRow restore(Goal goal, Optional<Parent> parent) {
        Request request = new Request(new BucketName("photos"), "p", goal, OnConflict.SKIP);
        return new RestoreRow(
                request, Phase.RUNNING, TIME, "alice", "KEY", parent, 3, 2, 1, "k", "");
    }

    /** The bytes that the rows of all goals share, without the layout. */
    private static final String RESTORE_HEX =
            "00"
                    + TIME_HEX
                    + ("05" + "616c696365")
                    + ("03" + "4b4559")
                    + "030201"
                    + "016b"
                    + "00"
                    + ("06" + "70686f746f73")
                    + "0170"
                    + "00";

    @Test
    void restoreRowGolden() {
        Goal user = new Goal.UndoUser("bob", TIME);
        Goal named = new Goal.UndoName("job", Optional.of("bob"), TIME);
        Goal key = new Goal.UndoAccessKey("K", TIME);
        String parent = ("03" + "4b4559") + ("05" + "616c696365");
        assertGolden(restore(user, PARENT), "05" + "03626f62" + TIME_HEX + parent);
        assertGolden(
                restore(named, Optional.empty()), "06" + "036a6f62" + "03626f62" + TIME_HEX + "00");
        assertGolden(restore(key, Optional.empty()), "03" + "014b" + TIME_HEX + "00");
    }

    private static void assertGolden(RestoreRow row, String end) {
        String hex = "02" + RESTORE_HEX + end;
        assertThat(HEX.formatHex(row.encode().summary())).isEqualTo(hex);
        assertThat(RestoreRow.decode(HEX.parseHex(hex))).isEqualTo(row);
    }

    @Test
    void restoreRowWithoutParentIsRead() {
        String hex = "01" + RESTORE_HEX + "02" + "036a6f62" + TIME_HEX;
        assertThat(RestoreRow.decode(HEX.parseHex(hex)))
                .isEqualTo(restore(new Goal.UndoName("job", TIME), Optional.empty()));
    }
}
