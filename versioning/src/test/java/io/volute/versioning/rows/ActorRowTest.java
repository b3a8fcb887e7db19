package io.volute.versioning.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.versioning.Restore.Goal;
import io.volute.versioning.Restore.OnConflict;
import io.volute.versioning.Restore.Phase;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.Restore.Source;
import io.volute.versioning.value.ActorName;
import io.volute.versioning.value.ActorName.Kind;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller.Parent;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionSelector;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
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

    private static RestoreRow restore(Goal goal, Optional<Parent> parent, long removed) {
        Request request = new Request(new BucketName("photos"), "p", goal, OnConflict.SKIP);
        return new RestoreRow(
                request,
                Phase.RUNNING,
                TIME,
                "alice",
                "KEY",
                parent,
                3,
                2,
                removed,
                1,
                removed,
                "k",
                "");
    }

    /** The bytes that the rows of all goals share behind the layout, up to the counts. */
    private static final String RESTORE_HEX =
            "00" + TIME_HEX + ("05" + "616c696365") + ("03" + "4b4559");

    private static final String KEYS_HEX = "016b" + "00" + ("06" + "70686f746f73") + "0170" + "00";

    @Test
    void restoreRowGolden() {
        Goal all =
                new Goal.Undo(
                        List.of(
                                new Source.Actor(5),
                                new Source.Name("job", Optional.of("bob")),
                                new Source.Name("job", Optional.empty()),
                                new Source.AccessKey("K"),
                                new Source.User("bob"),
                                new Source.Version(
                                        new BucketName("photos"),
                                        new ObjectKey("k"),
                                        Optional.of(VersionSelector.NULL),
                                        Optional.empty()),
                                new Source.Run("7")),
                        List.of(new Source.AccessKey("L")),
                        TIME,
                        true);
        String hex =
                "03"
                        + RESTORE_HEX
                        + "0302010101"
                        + KEYS_HEX
                        + ("07" + TIME_HEX + "01")
                        + "07"
                        + "0005"
                        + ("01" + "036a6f62" + "03626f62")
                        + ("01" + "036a6f62" + "00")
                        + ("02" + "014b")
                        + ("03" + "03626f62")
                        + ("04" + "0670686f746f73" + "016b" + "046e756c6c")
                        + ("05" + "0137")
                        + ("01" + "02" + "014c")
                        + ("03" + "4b4559")
                        + ("05" + "616c696365");
        RestoreRow row = restore(all, PARENT, 1);
        assertThat(HEX.formatHex(row.encode().summary())).isEqualTo(hex);
        assertThat(RestoreRow.decode(HEX.parseHex(hex))).isEqualTo(row);
    }

    private static Goal alone(Source source) {
        return new Goal.Undo(List.of(source), List.of(), TIME, false);
    }

    /** Rows without counts of removed and unknown keys, and undos without derived states. */
    @Test
    void restoreRowOfTheLayoutBeforeIsRead() {
        String parent = ("03" + "4b4559") + ("05" + "616c696365");
        assertRead(alone(new Source.User("bob")), PARENT, "05" + "03626f62" + TIME_HEX + parent);
        assertRead(
                alone(new Source.Name("job", Optional.of("bob"))),
                Optional.empty(),
                "06" + "036a6f62" + "03626f62" + TIME_HEX + "00");
        assertRead(
                alone(new Source.AccessKey("K")),
                Optional.empty(),
                "03" + "014b" + TIME_HEX + "00");
        assertRead(alone(new Source.Actor(5)), Optional.empty(), "01" + "05" + TIME_HEX + "00");
        Source.Version version =
                new Source.Version(
                        new BucketName("photos"),
                        new ObjectKey("k"),
                        Optional.empty(),
                        Optional.empty());
        assertRead(
                Goal.undo(version, Instant.EPOCH),
                Optional.empty(),
                "04" + "0670686f746f73" + "016b" + "00" + "00");
    }

    private static void assertRead(Goal goal, Optional<Parent> parent, String end) {
        String hex = "02" + RESTORE_HEX + "030201" + KEYS_HEX + end;
        assertThat(RestoreRow.decode(HEX.parseHex(hex))).isEqualTo(restore(goal, parent, 0));
    }

    @Test
    void restoreRowWithoutParentIsRead() {
        String hex = "01" + RESTORE_HEX + "030201" + KEYS_HEX + "02" + "036a6f62" + TIME_HEX;
        assertThat(RestoreRow.decode(HEX.parseHex(hex)))
                .isEqualTo(
                        restore(
                                alone(new Source.Name("job", Optional.empty())),
                                Optional.empty(),
                                0));
    }

    /** Rows without a restored key are as before, so that their bytes are. */
    @Test
    void eventRowGolden() {
        ObjectKey key = new ObjectKey("k");
        Event kept = new Event.Kept(TIME, 9, key, 300);
        Event restored = new Event.Restored(TIME, 9, key, 300);
        assertEvents(List.of(kept), "01" + TIME_HEX + "01" + ("0400" + "09" + "016b" + "ac02"));
        assertEvents(
                List.of(kept, restored),
                "02"
                        + TIME_HEX
                        + "02"
                        + ("0400" + "09" + "016b" + "ac02")
                        + ("0500" + "09" + "016b" + "ac02"));
    }

    private static void assertEvents(List<Event> events, String hex) {
        assertThat(HEX.formatHex(EventRow.encode(events).summary())).isEqualTo(hex);
        assertThat(EventRow.decode(HEX.parseHex(hex))).isEqualTo(events);
    }
}
