package io.volute.versioning.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.format.Hash;
import io.volute.versioning.Identities.Identity;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.Listing.UploadInfo;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.rows.ClockRow.Stretch;
import io.volute.versioning.value.BucketAccess;
import io.volute.versioning.value.BucketAccess.PublicAccessRule;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketLock;
import io.volute.versioning.value.BucketLock.DefaultRetention;
import io.volute.versioning.value.BucketLock.Unit;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.EntryField;
import io.volute.versioning.value.HiddenFields;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectAttributes.Algorithm;
import io.volute.versioning.value.ObjectAttributes.Checksum;
import io.volute.versioning.value.ObjectAttributes.Type;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectLock;
import io.volute.versioning.value.ObjectLock.LegalHold;
import io.volute.versioning.value.ObjectLock.Mode;
import io.volute.versioning.value.ObjectLock.Retention;
import io.volute.versioning.value.ObjectVersion;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes on disk. The hex texts are what released versions wrote: they never change. */
class RowsTest {
    private static final Algorithm[] ALGORITHMS = Algorithm.values();
    private static final String ETAG = "00112233445566778899aabbccddeeff";
    private static final Instant TIME = Instant.ofEpochMilli(1_700_000_000_123L);
    private static final ObjectKey KEY = new ObjectKey("a\u0000é");
    private static final HexFormat HEX = HexFormat.of();

    private static final CausalStamp STAMP = new CausalStamp(0x1234, 7, 5, 2);
    private static final String STAMP_HEX = "b424" + "07" + "05" + "02";

    private static ObjectAttributes attributes(
            String etag, Map<String, String> headers, Optional<Checksum> checksum) {
        return new ObjectAttributes(
                etag, new TreeMap<>(headers), new TreeMap<>(), new TreeMap<>(), checksum);
    }

    private static ObjectVersion version(
            int parts, boolean marker, boolean nullVersion, ObjectAttributes attributes) {
        return new ObjectVersion(
                KEY,
                300,
                nullVersion,
                true,
                marker,
                TIME,
                "alice",
                marker ? 0 : 4096,
                parts,
                attributes);
    }

    private static String encode(ObjectVersion version, long nullBehind) {
        EncodedRow row = ObjectRow.encode(version, "alice", nullBehind, STAMP, Optional.empty());
        assertThat(row.detail()).isEmpty();
        return HEX.formatHex(row.summary());
    }

    @Test
    void objectRowGolden() {
        Checksum crc = new Checksum(Algorithm.CRC32, Type.FULL_OBJECT, "AQIDBA==");
        ObjectVersion object =
                version(
                        0,
                        false,
                        true,
                        attributes(ETAG, Map.of("content-type", "image/png"), Optional.of(crc)));
        assertThat(encode(object, 0))
                .isEqualTo(
                        "0252"
                                + "ac02"
                                + STAMP_HEX
                                + "fbd095ffbc31"
                                + "8020"
                                + "00"
                                + "01"
                                + ETAG
                                + "0000"
                                + "01020304"
                                + "0101110000");
        ObjectVersion noncurrentNull = version(0, false, false, attributes(ETAG, Map.of(), none()));
        assertThat(encode(noncurrentNull, 77))
                .isEqualTo(
                        "0204"
                                + "ac02"
                                + "4d"
                                + STAMP_HEX
                                + "fbd095ffbc31"
                                + "8020"
                                + "00"
                                + "01"
                                + ETAG);
        ObjectVersion marker = version(0, true, false, attributes("", Map.of(), none()));
        assertThat(encode(marker, 0)).isEqualTo("0201" + "ac02" + STAMP_HEX + "fbd095ffbc31");
    }

    @Test
    void objectRowWithItsBodyGolden() {
        byte[] body = "hello".getBytes(StandardCharsets.UTF_8);
        ObjectVersion small = sized(body.length, attributes(ETAG, Map.of(), none()));
        EncodedRow row = withBody(small, body);
        assertThat(HEX.formatHex(row.summary()))
                .isEqualTo(
                        "0400" + "ac02" + STAMP_HEX + "fbd095ffbc31" + "05" + "00" + "01" + ETAG);
        assertThat(HEX.formatHex(row.detail())).isEqualTo("68656c6c6f");

        ObjectLock held = ObjectLock.NONE.with(LegalHold.ON);
        ObjectAttributes much =
                attributes(ETAG, Map.of("expires", "x".repeat(112)), none()).with(held);
        ObjectVersion locked = sized(body.length, much);
        EncodedRow both = withBody(locked, body);
        assertThat(both.summary()).startsWith(5, 0x80);
        assertThat(HEX.formatHex(both.detail()))
                .isEqualTo("0106" + "70" + "78".repeat(112) + "0000" + "68656c6c6f");
        ObjectRow decoded = ObjectRow.decode(both.summary());
        assertThat(decoded.version(KEY, true, "alice", both.detail())).isEqualTo(locked);
        assertThat(decoded.holdsBody()).isTrue();
        assertThat(decoded.body(both.detail())).isEqualTo(ByteBuffer.wrap(body));
        ObjectRow retired = ObjectRow.decode(decoded.withBegan(7, 55));
        assertThat(retired.body(both.detail())).isEqualTo(ByteBuffer.wrap(body));
        assertThat(retired.version(KEY, true, "alice", both.detail())).isEqualTo(locked);
        assertThatThrownBy(() -> decoded.body(new byte[4]))
                .isInstanceOf(RowFormatException.class)
                .hasMessageContaining("5 bytes in a detail of 4");
    }

    @Test
    void storageClassIsInTheSummaryGolden() {
        Map<String, String> headers = Map.of("x-amz-storage-class", "GLACIER");
        ObjectAttributes little = attributes(ETAG, headers, none());
        String glacier = "0108" + "07474c4143494552" + "0000";
        assertThat(encode(version(0, false, false, little), 0))
                .isEqualTo(
                        "0240ac02" + STAMP_HEX + "fbd095ffbc31" + "8020" + "0001" + ETAG + glacier);

        ObjectAttributes much = little.withHeader("expires", Optional.of("x".repeat(112)));
        ObjectVersion version = version(0, false, false, much);
        EncodedRow row = ObjectRow.encode(version, "alice", 0, STAMP, Optional.empty());
        assertThat(HEX.formatHex(row.summary()))
                .isEqualTo(
                        "02c0ac02" + STAMP_HEX + "fbd095ffbc31" + "8020" + "0001" + ETAG + glacier);
        assertThat(HEX.formatHex(row.detail()))
                .isEqualTo("0206" + "70" + "78".repeat(112) + "08" + "07474c4143494552" + "0000");
        ObjectRow decoded = ObjectRow.decode(row.summary());
        assertThat(decoded.version(KEY, true, "alice", row.detail())).isEqualTo(version);
        assertThat(decoded.listed(KEY, true, "alice").attributes()).isEqualTo(little);
        assertThat(ObjectRow.decode(decoded.withBegan(7, 55)).listed(KEY, true, "alice"))
                .isEqualTo(decoded.listed(KEY, true, "alice"));
    }

    private static ObjectVersion sized(int bytes, ObjectAttributes attributes) {
        return new ObjectVersion(KEY, 300, false, true, false, TIME, "alice", bytes, 0, attributes);
    }

    private static EncodedRow withBody(ObjectVersion version, byte[] body) {
        return ObjectRow.withBody(
                ObjectRow.encode(version, "alice", 0, STAMP, Optional.empty()),
                ByteBuffer.wrap(body));
    }

    /** A scan that skips states which began later decodes only this. */
    @Test
    void whenAStateBeganIsReadAlone() {
        ObjectVersion object = version(0, false, true, attributes(ETAG, Map.of(), none()));
        for (long nullBehind : new long[] {0, 77}) {
            for (long began : new long[] {0, 55}) {
                CausalStamp stamp = new CausalStamp(began, 7, 5, 2);
                byte[] summary =
                        ObjectRow.encode(object, "alice", nullBehind, stamp, Optional.empty())
                                .summary();
                assertThat(ObjectRow.began(summary, 99))
                        .isEqualTo(ObjectRow.decode(summary).began(99))
                        .isEqualTo(began == 0 ? 99 : 55);
            }
        }
    }

    /** A row from before history was recorded. */
    @Test
    void objectRowOfTheFirstLayoutIsRead() {
        byte[] old =
                HEX.parseHex("0104" + "ac02" + "4d" + "fbd095ffbc31" + "8020" + "00" + "01" + ETAG);
        ObjectRow row = ObjectRow.decode(old);
        assertThat(row.causal()).isEqualTo(CausalStamp.NONE);
        assertThat(row.began(99)).isEqualTo(99);
        assertThat(ObjectRow.began(old, 99)).isEqualTo(99);
        assertThat(row.causalVersion()).isEqualTo(300);
        ObjectVersion version = version(0, false, false, attributes(ETAG, Map.of(), none()));
        assertThat(row.version(KEY, true, "alice", new byte[0])).isEqualTo(version);
        ObjectRow retired = ObjectRow.decode(row.withBegan(0, 55));
        assertThat(retired.version(KEY, true, "alice", new byte[0])).isEqualTo(version);
        assertThat(retired.nullBehind()).isZero();
        assertThat(retired.began(99)).isEqualTo(55);
    }

    @Test
    void historyRowGolden() {
        ObjectVersion marker = version(0, true, false, attributes("", Map.of(), none()));
        ObjectRow state =
                ObjectRow.decode(
                        ObjectRow.encode(marker, "alice", 0, STAMP, Optional.empty()).summary());
        String rest = "0201" + "ac02" + STAMP_HEX + "fbd095ffbc31";
        byte[] both = new HistoryRow(300, 301, state).encode();
        assertThat(HEX.formatHex(both)).isEqualTo("0103" + "ac02" + "ad02" + rest);
        HistoryRow decoded = HistoryRow.decode(both);
        assertThat(decoded.written(5)).isEqualTo(300);
        assertThat(decoded.ended(9)).isEqualTo(301);
        assertThat(decoded.state().version(KEY, true, "alice", new byte[0])).isEqualTo(marker);
        byte[] neither = new HistoryRow(0, 0, state).encode();
        assertThat(HEX.formatHex(neither)).isEqualTo("0100" + rest);
        assertThat(HistoryRow.decode(neither).written(5)).isEqualTo(5);
        assertThat(HistoryRow.decode(neither).ended(9)).isEqualTo(9);
        assertThat(HistoryRow.decode(neither).hidden(9)).isEqualTo(9);
        byte[] moved = new HistoryRow(0, 301, 302, state).encode();
        assertThat(HEX.formatHex(moved)).isEqualTo("0206" + "ad02" + "ae02" + rest);
        assertThat(HistoryRow.decode(moved).hidden(9)).isEqualTo(302);
        assertThat(HistoryRow.decode(moved).ended(9)).isEqualTo(301);
    }

    @Test
    void removedRowGolden() {
        byte[] row = new RemovedRow(300).encode();
        assertThat(HEX.formatHex(row)).isEqualTo("01" + "ac02");
        assertThat(RemovedRow.decode(row)).isEqualTo(new RemovedRow(300));
    }

    @Test
    void forgottenRowGolden() {
        byte[] row = new HistoryHorizonRow(300).encode();
        assertThat(HEX.formatHex(row)).isEqualTo("01" + "ac02");
        assertThat(HistoryHorizonRow.decode(row)).isEqualTo(new HistoryHorizonRow(300));
        assertThat(HEX.formatHex(RowKeys.historyHorizon())).isEqualTo("ff");
        assertThat(HEX.formatHex(RowKeys.historyHorizon(7))).isEqualTo("ff" + "0000000000000007");
    }

    @Test
    void clockRowGolden() {
        ClockRow row = ClockRow.NONE.with(new Stretch(300, 428)).with(Stretch.since(1000));
        assertThat(HEX.formatHex(row.encode()))
                .isEqualTo("01" + "02" + "ac02" + "8001" + "e807" + "00");
        assertThat(ClockRow.decode(row.encode())).isEqualTo(row);
        assertThat(row.open()).contains(Stretch.since(1000));
        assertThat(row.closed(1001).stretches())
                .containsExactly(new Stretch(300, 428), new Stretch(1000, 1001));
        assertThat(HEX.formatHex(ClockRow.NONE.encode())).isEqualTo("01" + "00");
        assertThat(HEX.formatHex(RowKeys.clock())).isEqualTo("ff" + "01");
    }

    /** Beyond the greatest number, nothing that was refused is shown. */
    @Test
    void stretchesOfTheClockAreFew() {
        ClockRow row = ClockRow.NONE;
        for (long i = 0; i <= ClockRow.STRETCHES; i++) {
            row = row.with(new Stretch(100 * i, 100 * i + 50 + (i == 7 ? 20 : 0)));
        }
        assertThat(row.stretches()).hasSize(ClockRow.STRETCHES);
        for (long i = 0; i <= ClockRow.STRETCHES; i++) {
            assertThat(row.at(Instant.ofEpochMilli(100 * i + 1))).isPresent();
            assertThat(row.at(Instant.ofEpochMilli(100 * i + 48))).isPresent();
            assertThat(row.at(Instant.ofEpochMilli(100 * i)).isPresent()).isEqualTo(i == 8);
        }
    }

    @Test
    void marksInRemovedAreOfNoKey() {
        assertThat(RowKeys.isOfKey(RowKeys.current(1, new ObjectKey("a")))).isTrue();
        for (byte[] mark :
                List.of(
                        new byte[] {0},
                        RowKeys.historyHorizon(),
                        RowKeys.historyHorizon(7),
                        RowKeys.resolution(),
                        RowKeys.clock())) {
            assertThat(RowKeys.isOfKey(mark)).isFalse();
        }
    }

    @Test
    void multipartRowGolden() {
        ObjectVersion object =
                version(12, false, false, attributes(ETAG + "-12", Map.of(), none()));
        EncodedRow row =
                ObjectRow.encode(
                        object,
                        "bob",
                        0,
                        STAMP,
                        Optional.of(new UploadStamp(5, 0x0102030405060708L)));
        assertThat(HEX.formatHex(row.summary()))
                .isEqualTo(
                        "0228"
                                + "ac02"
                                + STAMP_HEX
                                + "fbd095ffbc31"
                                + "05616c696365"
                                + "8020"
                                + "0c"
                                + "02"
                                + ETAG
                                + "05"
                                + "0102030405060708");
        ObjectRow decoded = ObjectRow.decode(row.summary());
        assertThat(decoded.version(KEY, true, "bob", row.detail())).isEqualTo(object);
        assertThat(decoded.upload()).contains(new UploadStamp(5, 0x0102030405060708L));
    }

    private static BucketInfo photos(VersioningState versioning, HistoryPolicy history) {
        return new BucketInfo(9, new BucketName("photos"), "alice", TIME, versioning, history);
    }

    private static void assertIsReadBack(BucketInfo bucket, EncodedRow row) {
        byte[] key = RowKeys.bucket(bucket.name());
        assertThat(BucketRow.decode(key, row.summary(), row.detail(), HistoryPolicy.NONE))
                .isEqualTo(bucket);
    }

    @Test
    void bucketRowGolden() {
        BucketInfo bucket = photos(VersioningState.SUSPENDED, HistoryPolicy.GRAPH_FINESSE);
        EncodedRow row = BucketRow.encode(bucket);
        assertThat(HEX.formatHex(row.summary()))
                .isEqualTo(
                        "0702"
                                + "03"
                                + "09"
                                + "fbd095ffbc31"
                                + "05616c696365"
                                + "00"
                                + "0000"
                                + "0000"
                                + "00");
        assertThat(row.detail()).isEmpty();
        byte[] key = RowKeys.bucket(bucket.name());
        assertThat(new String(key, StandardCharsets.UTF_8)).isEqualTo("photos");
        assertThat(BucketRow.decode(key, row.summary(), row.detail(), HistoryPolicy.NONE))
                .isEqualTo(bucket);
        byte[] none = {};
        byte[] oldest = HEX.parseHex("0102" + "09" + "fbd095ffbc31" + "05616c696365");
        assertThat(BucketRow.decode(key, oldest, none, HistoryPolicy.GRAPH_FINESSE))
                .isEqualTo(bucket);
        byte[] old = HEX.parseHex("0202" + "03" + "09" + "fbd095ffbc31" + "05616c696365");
        assertThat(BucketRow.decode(key, old, none, HistoryPolicy.NONE)).isEqualTo(bucket);
        byte[] third = HEX.parseHex("0302" + "03" + "09" + "fbd095ffbc31" + "05616c696365" + "00");
        assertThat(BucketRow.decode(key, third, none, HistoryPolicy.NONE)).isEqualTo(bucket);
        byte[] fourth =
                HEX.parseHex(
                        "0402" + "03" + "09" + "fbd095ffbc31" + "05616c696365" + "00" + "0000");
        assertThat(BucketRow.decode(key, fourth, none, HistoryPolicy.NONE)).isEqualTo(bucket);
        byte[] fifth =
                HEX.parseHex(
                        "0502"
                                + "03"
                                + "09"
                                + "fbd095ffbc31"
                                + "05616c696365"
                                + "00"
                                + "0000"
                                + "00");
        assertThat(BucketRow.decode(key, fifth, none, HistoryPolicy.NONE)).isEqualTo(bucket);
        byte[] sixth =
                HEX.parseHex(
                        "0602"
                                + "03"
                                + "09"
                                + "fbd095ffbc31"
                                + "05616c696365"
                                + "00"
                                + "0000"
                                + "0000");
        assertThat(BucketRow.decode(key, sixth, none, HistoryPolicy.NONE)).isEqualTo(bucket);
    }

    @ParameterizedTest
    @CsvSource({"0, 01", "1000, e907"})
    void bucketRowWithResolutionGolden(long millis, String hex) {
        BucketInfo bucket =
                photos(VersioningState.ENABLED, HistoryPolicy.NONE)
                        .withResolution(Optional.of(Duration.ofMillis(millis)));
        EncodedRow row = BucketRow.encode(bucket);
        assertThat(HEX.formatHex(row.summary()))
                .isEqualTo(
                        "070100"
                                + "09"
                                + "fbd095ffbc31"
                                + "05616c696365"
                                + "00000000"
                                + hex
                                + "00");
        assertIsReadBack(bucket, row);
    }

    @Test
    void resolutionRowGolden() {
        byte[] row = new ResolutionRow(1000, 0).encode();
        assertThat(HEX.formatHex(row)).isEqualTo("01" + "e807" + "00");
        assertThat(ResolutionRow.decode(row).since(7)).isEqualTo(7);
        ResolutionRow later = new ResolutionRow(60_000, 300);
        assertThat(ResolutionRow.decode(later.encode())).isEqualTo(later);
        assertThat(later.since(700)).isEqualTo(300);
        assertThat(HEX.formatHex(RowKeys.resolution())).isEqualTo("ff" + "00");
    }

    @ParameterizedTest
    @CsvSource({"'', 01", "GOVERNANCE 1 DAYS, 020001", "COMPLIANCE 100 YEARS, 030164"})
    void bucketRowWithLockGolden(String words, String hex) {
        String[] each = words.split(" ");
        BucketLock lock =
                words.isEmpty()
                        ? BucketLock.PLAIN
                        : new BucketLock(
                                Optional.of(
                                        new DefaultRetention(
                                                Mode.valueOf(each[0]),
                                                Integer.parseInt(each[1]),
                                                Unit.valueOf(each[2]))));
        BucketInfo bucket = photos(VersioningState.ENABLED, HistoryPolicy.NONE).with(lock);
        EncodedRow row = BucketRow.encode(bucket);
        assertThat(HEX.formatHex(row.summary()))
                .isEqualTo(
                        "070100"
                                + "09"
                                + "fbd095ffbc31"
                                + "05616c696365"
                                + "000000"
                                + hex
                                + "0000");
        assertIsReadBack(bucket, row);
    }

    @ParameterizedTest
    @CsvSource({
        "'', OFF, 04",
        "'', ON, 08",
        "GOVERNANCE, '', 01fbd095ffbc31",
        "COMPLIANCE, '', 02fbd095ffbc31",
        "COMPLIANCE, ON, 0afbd095ffbc31"
    })
    void objectRowWithLockGolden(String mode, String hold, String hex) {
        ObjectLock lock =
                new ObjectLock(
                        Optional.of(mode)
                                .filter(each -> !each.isEmpty())
                                .map(each -> new Retention(Mode.valueOf(each), TIME)),
                        Optional.of(hold).filter(each -> !each.isEmpty()).map(LegalHold::valueOf));
        ObjectVersion object =
                version(0, false, false, attributes(ETAG, Map.of(), none()).with(lock));
        String begin = "0304" + "ac02" + "4d";
        String tail = STAMP_HEX + hex + "fbd095ffbc31" + "8020" + "00" + "01" + ETAG;
        assertThat(encode(object, 77)).isEqualTo(begin + tail);
        ObjectRow row = ObjectRow.decode(HEX.parseHex(begin + tail));
        assertThat(row.lock()).isEqualTo(lock);
        assertThat(row.version(KEY, true, "alice", new byte[0])).isEqualTo(object);
        assertThat(ObjectRow.began(row.summary(), 99)).isEqualTo(row.began(99));
        assertThat(ObjectRow.isDeleteMarker(row.summary())).isFalse();
        assertThat(HEX.formatHex(row.withNullBehind(0))).isEqualTo("0300" + "ac02" + tail);
        UploadStamp stamp = new UploadStamp(5, 0x0102030405060708L);
        ObjectAttributes asked = attributes("", Map.of(), none()).with(lock);
        byte[] upload = UploadRow.encode(stamp, TIME, "alice", asked);
        assertThat(HEX.formatHex(upload))
                .isEqualTo("0104" + "0102030405060708" + "fbd095ffbc31" + "05616c696365" + hex);
        assertThat(UploadRow.decode(KEY, 5, upload).attributes()).isEqualTo(asked);
    }

    @ParameterizedTest
    @ValueSource(strings = {"03", "0c", "10"})
    void aLockThatNobodyWroteIsRefused(String lock) {
        String row =
                "0300" + "ac02" + STAMP_HEX + lock + "fbd095ffbc31" + "8020" + "00" + "01" + ETAG;
        assertThatThrownBy(() -> ObjectRow.decode(HEX.parseHex(row)))
                .isInstanceOf(RowFormatException.class);
    }

    @Test
    void bucketRowWithHiddenFieldsGolden() {
        BucketInfo plain = photos(VersioningState.ENABLED, HistoryPolicy.NONE);
        HiddenFields some =
                new HiddenFields(
                        Set.of(EntryField.PRINCIPAL, EntryField.ACTOR),
                        Set.of(EntryField.METADATA));
        byte[] key = RowKeys.bucket(plain.name());
        for (HiddenFields fields : List.of(some, HiddenFields.NONE)) {
            BucketInfo bucket = plain.with(Optional.of(fields));
            EncodedRow row = BucketRow.encode(bucket);
            String octets = fields.isEmpty() ? "1000" : "1508";
            assertThat(HEX.formatHex(row.summary()))
                    .isEqualTo(
                            "0701"
                                    + "00"
                                    + "09"
                                    + "fbd095ffbc31"
                                    + "05616c696365"
                                    + "00"
                                    + octets
                                    + "000000");
            assertThat(BucketRow.decode(key, row.summary(), row.detail(), HistoryPolicy.NONE))
                    .isEqualTo(bucket);
        }
        byte[] both =
                HEX.parseHex("0401" + "00" + "09" + "fbd095ffbc31" + "05616c696365" + "001101");
        assertThatThrownBy(() -> BucketRow.decode(key, both, new byte[0], HistoryPolicy.NONE))
                .isInstanceOf(RowFormatException.class);
    }

    @Test
    void bucketRowWithAccessGolden() {
        BucketAccess access =
                new BucketAccess(
                        Optional.of(BucketInfo.Text.of("{\"é\"}")),
                        Optional.of(
                                Set.of(
                                        PublicAccessRule.IGNORE_PUBLIC_ACLS,
                                        PublicAccessRule.RESTRICT_PUBLIC_BUCKETS)));
        BucketInfo bucket = photos(VersioningState.ENABLED, HistoryPolicy.NONE).with(access);
        EncodedRow row = BucketRow.encode(bucket);
        assertThat(HEX.formatHex(row.summary()))
                .isEqualTo(
                        "0701"
                                + "00"
                                + "09"
                                + "fbd095ffbc31"
                                + "05616c696365"
                                + "3a"
                                + "0000"
                                + "0000"
                                + "00");
        assertThat(HEX.formatHex(row.detail())).isEqualTo("7b22c3a9227d");
        assertIsReadBack(bucket, row);
        BucketInfo more =
                bucket.with(BucketDocument.TAGGING, Optional.of("<é>"))
                        .with(BucketDocument.CORS, Optional.of("<c>"));
        EncodedRow behind = BucketRow.encode(more);
        assertThat(HEX.formatHex(behind.summary())).endsWith("00000000" + "02" + "0103" + "0204");
        assertThat(HEX.formatHex(behind.detail()))
                .isEqualTo("7b22c3a9227d" + "3c633e" + "3cc3a93e");
        assertIsReadBack(more, behind);
        byte[] key = RowKeys.bucket(bucket.name());
        byte[] tooShort = {1, 2};
        assertThatThrownBy(
                        () -> BucketRow.decode(key, behind.summary(), tooShort, HistoryPolicy.NONE))
                .isInstanceOf(RowFormatException.class);
        byte[] unknown = behind.summary().clone();
        unknown[unknown.length - 2] = 77;
        assertThatThrownBy(
                        () -> BucketRow.decode(key, unknown, behind.detail(), HistoryPolicy.NONE))
                .isInstanceOf(RowFormatException.class);
    }

    @Test
    void identityRowGolden() {
        Identity alice = new Identity(2, "alice", new byte[] {7});
        byte[] key = IdentityRow.key(alice);
        assertThat(HEX.formatHex(key)).isEqualTo("02616c696365");
        assertThat(HEX.formatHex(IdentityRow.summary())).isEqualTo("01");
        Identity decoded = IdentityRow.decode(key, IdentityRow.summary(), alice.content());
        assertThat(decoded.kind()).isEqualTo(2);
        assertThat(decoded.name()).isEqualTo("alice");
        assertThat(decoded.content()).isEqualTo(alice.content());
    }

    @Test
    void uploadRowGolden() {
        UploadStamp stamp = new UploadStamp(5, -2);
        Checksum sha = new Checksum(Algorithm.SHA256, Type.COMPOSITE, "");
        ObjectAttributes attributes =
                attributes("", Map.of("content-type", "x/y"), Optional.of(sha));
        byte[] summary = UploadRow.encode(stamp, TIME, "al", attributes);
        assertThat(HEX.formatHex(summary))
                .isEqualTo(
                        "0103"
                                + "fffffffffffffffe"
                                + "fbd095ffbc31"
                                + "02616c"
                                + "3400"
                                + "010100"
                                + "03782f79"
                                + "0000");
        UploadInfo decoded = UploadRow.decode(KEY, 5, summary);
        assertThat(decoded)
                .isEqualTo(new UploadInfo(stamp.uploadId(), KEY, "al", TIME, attributes));
        assertThat(UploadStamp.parse(decoded.uploadId())).contains(stamp);
    }

    @Test
    void partRowGolden() {
        Checksum crc = new Checksum(Algorithm.CRC32C, Type.COMPOSITE, "AQIDBA==");
        PartInfo part = new PartInfo(10_000, 5 << 20, ETAG, TIME, Optional.of(crc));
        byte[] summary = PartRow.encode(part, part.bytes(), Optional.empty());
        assertThat(HEX.formatHex(summary))
                .isEqualTo(
                        "0101"
                                + "904e"
                                + "8080c002"
                                + "fbd095ffbc31"
                                + "01"
                                + ETAG
                                + "1100"
                                + "01020304");
        assertThat(PartRow.decode(summary)).isEqualTo(part);
        assertThat(PartRow.content(summary)).isEmpty();
        Hash content = Hash.ofContent(new byte[0]);
        byte[] hashed = PartRow.encode(part, part.bytes(), Optional.of(content));
        assertThat(HEX.formatHex(hashed))
                .isEqualTo("0103" + HEX.formatHex(summary).substring(4) + content.hex());
        assertThat(PartRow.decode(hashed)).isEqualTo(part);
        assertThat(PartRow.content(hashed)).contains(content);
        assertThat(PartRow.storedBytes(hashed)).isEqualTo(part.bytes());
        byte[] encrypted = PartRow.encode(part, part.bytes() + 300, Optional.of(content));
        assertThat(HEX.formatHex(encrypted))
                .isEqualTo("0107" + HEX.formatHex(hashed).substring(4) + "ac82c002");
        assertThat(PartRow.decode(encrypted)).isEqualTo(part);
        assertThat(PartRow.storedBytes(encrypted)).isEqualTo(part.bytes() + 300);
    }

    @Test
    void keysGolden() {
        assertThat(HEX.formatHex(RowKeys.current(2, KEY)))
                .isEqualTo("0000000000000002" + "6100ff" + "c3a9" + "0001");
        assertThat(HEX.formatHex(RowKeys.version(2, KEY, 1)))
                .isEqualTo("0000000000000002" + "6100ffc3a90001" + "fffffffffffffffe");
        assertThat(HEX.formatHex(RowKeys.upload(2, KEY, 1)))
                .isEqualTo("0000000000000002" + "6100ffc3a90001" + "0000000000000001");
        assertThat(HEX.formatHex(RowKeys.part(3, 10_000))).isEqualTo("0000000000000003" + "2710");
        assertThat(Families.all().stream().map(family -> family.id() + family.name()).toList())
                .containsExactly(
                        "1buckets",
                        "2current",
                        "3versions",
                        "4uploads",
                        "5parts",
                        "6history",
                        "7bucket-history",
                        "8events",
                        "9actors",
                        "10restores",
                        "11event-index",
                        "12removed",
                        "13entries",
                        "14batches",
                        "15chain-buckets",
                        "16key-list",
                        "17sealed-keys",
                        "18checkpoints",
                        "19identities",
                        "20identity-changes",
                        "21auditor-trees",
                        "22chain-begins",
                        "23batch-removals",
                        "24cubes",
                        "25placements",
                        "26outbox",
                        "27moves",
                        "28unsigned");
    }

    @Test
    void rowsOfAnUnknownVersionAreRefused() {
        byte[] future = {10, 0, 1, 1};
        for (org.assertj.core.api.ThrowableAssert.ThrowingCallable read :
                List.<org.assertj.core.api.ThrowableAssert.ThrowingCallable>of(
                        () -> ObjectRow.decode(future),
                        () -> RemovedRow.decode(future),
                        () -> EntryRow.decode(future),
                        () -> ObjectRow.isDeleteMarker(future),
                        () ->
                                BucketRow.decode(
                                        new byte[] {'a'}, future, future, HistoryPolicy.NONE),
                        () -> UploadRow.stamp(1, future),
                        () -> PartRow.decode(future))) {
            assertThatThrownBy(read)
                    .isInstanceOf(RowFormatException.class)
                    .hasMessageContaining("version 10");
        }
    }

    @Test
    void rowsThatAreCutAreRefused() {
        ObjectVersion object =
                version(0, false, false, attributes(ETAG, Map.of("expires", "x"), none()));
        byte[] whole = ObjectRow.encode(object, "bob", 4, STAMP, Optional.empty()).summary();
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> ObjectRow.decode(cut).version(KEY, true, "bob", cut))
                    .as("cut at %s", length)
                    .isInstanceOf(RowFormatException.class);
        }
    }

    @Test
    void commonRowsStayWithinTheBudget() {
        Checksum crc = new Checksum(Algorithm.CRC64NVME, Type.FULL_OBJECT, "AQIDBAUGBwg=");
        ObjectVersion object =
                version(
                        0,
                        false,
                        false,
                        attributes(ETAG, Map.of("content-type", "text/plain"), Optional.of(crc)));
        assertThat(ObjectRow.encode(object, "alice", 0, STAMP, Optional.empty()).summary().length)
                .isLessThanOrEqualTo(56);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void whatIsWrittenIsReadBack(long seed) {
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 500; i++) {
            int parts = random.nextInt(3) == 0 ? 1 + random.nextInt(10_000) : 0;
            ObjectVersion version = randomVersion(random, parts);
            long nullBehind = random.nextInt(3) == 0 ? 1 + random.nextInt(1000) : 0;
            EncodedRow row =
                    ObjectRow.encode(version, "alice", nullBehind, STAMP, Optional.empty());
            ObjectRow decoded = ObjectRow.decode(row.summary());
            assertThat(decoded.version(KEY, true, "alice", row.detail())).isEqualTo(version);
            ObjectAttributes listed = decoded.listed(KEY, true, "alice").attributes();
            assertThat(listed.headers())
                    .isEqualTo(
                            ObjectAttributes.ofEtag("")
                                    .withHeader(
                                            ObjectAttributes.STORAGE_CLASS,
                                            Optional.ofNullable(
                                                    version.attributes()
                                                            .headers()
                                                            .get(ObjectAttributes.STORAGE_CLASS)))
                                    .headers());
            assertThat(decoded.nullBehind()).isEqualTo(nullBehind);
            assertThat(decoded.needsDetail()).isEqualTo(row.detail().length > 0);
            assertThat(row.summary().length).isLessThanOrEqualTo(ObjectRow.SUMMARY_BYTES_BUDGET);
            byte[] changed = decoded.withNullBehind(700_000);
            ObjectRow again = ObjectRow.decode(changed);
            assertThat(again.nullBehind()).isEqualTo(700_000);
            assertThat(again.version(KEY, true, "alice", row.detail())).isEqualTo(version);
            byte[] cleared = again.withNullBehind(0);
            assertThat(cleared).isEqualTo(decoded.withNullBehind(0));
        }
    }

    private static ObjectVersion randomVersion(Random random, int parts) {
        String[] etags = {
            ETAG,
            ETAG + "-" + parts,
            ETAG + "-77",
            "",
            "odd",
            ETAG.toUpperCase(java.util.Locale.ROOT)
        };
        String[] values = {
            "AQIDBA==", "AQIDBA==-3", "", "not base64", "AQIDBA==-03", "AQIDBB==", "-"
        };
        TreeMap<String, String> headers = new TreeMap<>();
        TreeMap<String, String> metadata = new TreeMap<>();
        TreeMap<String, String> tags = new TreeMap<>();
        String[] names = {
            "content-type", "cache-control", "x-odd", "expires", ObjectAttributes.STORAGE_CLASS
        };
        String[] types = {"text/plain", "text/odd", "", "image/png"};
        for (int i = random.nextInt(4); i > 0; i--) {
            headers.put(names[random.nextInt(names.length)], types[random.nextInt(types.length)]);
            metadata.put("m" + i, "é".repeat(random.nextInt(40)));
            tags.put("t" + i, "v".repeat(random.nextInt(10)));
        }
        Optional<Checksum> checksum =
                random.nextBoolean()
                        ? none()
                        : Optional.of(
                                new Checksum(
                                        ALGORITHMS[random.nextInt(ALGORITHMS.length)],
                                        Type.values()[random.nextInt(2)],
                                        values[random.nextInt(values.length)]));
        ObjectAttributes attributes =
                new ObjectAttributes(
                        etags[random.nextInt(etags.length)], headers, metadata, tags, checksum);
        return new ObjectVersion(
                KEY,
                1 + random.nextLong(Long.MAX_VALUE),
                random.nextBoolean(),
                true,
                false,
                TIME.plusMillis(random.nextInt()),
                random.nextBoolean() ? "alice" : "bob",
                random.nextLong(5L << 40),
                parts,
                attributes);
    }

    private static Optional<Checksum> none() {
        return Optional.empty();
    }
}
